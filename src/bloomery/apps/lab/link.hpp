// One direction of a link: delay, rate, queue and loss, and what went through it.
//
// Purpose:   says when a message that is sent now arrives, if it does. A sender with a rate puts one message
//            after the other on the wire; what waits is bounded; what is on the wire is lost by chance.
// Cost:      constant, without memory for what waits: it leaves in the order in which it came.
// Guarantee: a message of b bytes that finds the link free arrives after 8·b / rate, rounded up to a
//            nanosecond, plus the delay. One that would make more than `queue_bytes` wait, with what is
//            left of the one being sent, is dropped; a free link takes any. Losses depend on the link's own
//            stream of random numbers, and on no other link.
//
//     using namespace std::chrono_literals;
//     bloomery::lab::link wire({.delay = 10ms, .bits_per_second = 8'000'000},  // a byte a microsecond
//                              bloomery::apps::random_stream(1));
//     const bloomery::apps::time begin{};
//     assert(wire.transmit(begin, 1000) == begin + 11ms);
//     assert(wire.transmit(begin, 500) == begin + 11ms + 500us);
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "bloomery/apps/party.hpp"
#include "bloomery/apps/random.hpp"

namespace bloomery::lab {

struct link_spec {
  std::chrono::nanoseconds delay{0};
  std::uint64_t bits_per_second = 0;  // 0: any number at once
  double loss = 0;                    // the share of messages that the wire loses
  std::uint64_t queue_bytes = std::numeric_limits<std::uint64_t>::max();
};

struct link_counts {
  traffic sent;               // all that was to go
  std::uint64_t dropped = 0;  // by the full queue
  std::uint64_t lost = 0;     // by the wire
  [[nodiscard]] std::uint64_t arriving() const { return sent.messages - dropped - lost; }
};

class link {
 public:
  // errc::invalid unless the delay is 0 to a day and the loss 0 to 1.
  link(const link_spec& spec, random_stream chance);

  // When a message of this size, sent now, arrives; none if it is dropped or lost. Calls come in the order
  // of time. errc::limit if that is beyond the end of time.
  std::optional<time> transmit(time now, std::uint64_t bytes);

  void lose(double share);  // from now on; errc::invalid unless it is 0 to 1

  [[nodiscard]] const link_spec& spec() const { return spec_; }
  [[nodiscard]] const link_counts& counts() const { return counts_; }

 private:
  [[nodiscard]] std::uint64_t waiting_bytes(time now) const;

  link_spec spec_;
  random_stream chance_;
  time free_at_{};  // the sender's
  link_counts counts_;
};

}  // namespace bloomery::lab
