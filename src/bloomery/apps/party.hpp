// What everything that exchanges messages is written as: a party without sockets, threads or clocks.
//
// Purpose:   a party is started, receives messages and is woken; each time it is told what time it is and
//            given an outbox, the only way in which it acts. Who drives it decides what sending and
//            waiting mean: the laboratory (apps/lab/world.hpp), sockets or another simulator.
// Cost:      one indirect call to send, to ask to be woken, and to tell.
// Guarantee: an outbox counts the messages and bytes sent through it, so that all drivers count alike.
//
//     struct echo {
//       void start(bloomery::apps::time, bloomery::apps::outbox&) {}
//       void receive(bloomery::apps::time, bloomery::apps::peer from, bloomery::byte_view message,
//                    bloomery::apps::outbox& out) {
//         out.send(from, message);
//       }
//       void tick(bloomery::apps::time, std::uint64_t, bloomery::apps::outbox&) {}
//     };
//     static_assert(bloomery::apps::party<echo>);
//     bloomery::apps::any_party held(echo{});
//     assert(held.get_if<echo>() != nullptr && held.get_if<int>() == nullptr);
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "bloomery/core/bytes.hpp"

namespace bloomery::apps {

// The driver's clock, virtual or real: whole nanoseconds since it began.
struct party_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<party_clock>;
  static constexpr bool is_steady = true;
};
using time = party_clock::time_point;

// Another party, by the number that the driver gave it.
enum class peer : std::uint32_t {};

// Something that an experiment counts: that it happened, and how much of it. The name is a literal.
struct event {
  std::string_view name;
  std::uint64_t amount = 1;
};

struct traffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  friend constexpr bool operator==(const traffic&, const traffic&) = default;
  constexpr traffic& operator+=(const traffic& more) {
    messages += more.messages;
    bytes += more.bytes;
    return *this;
  }
};

// What a party may do. The bytes of a message are the caller's again when `send` returns.
class outbox {
 public:
  outbox() = default;
  outbox(const outbox&) = delete;
  outbox& operator=(const outbox&) = delete;
  virtual ~outbox() = default;

  void send(peer to, byte_view message) {
    sent_ += {1, message.size()};
    do_send(to, message);
  }
  // `tick` is called with this token then, or at once if that is past.
  void wake(time at, std::uint64_t token) { do_wake(at, token); }
  void tell(const event& happened) { do_tell(happened); }

  [[nodiscard]] const traffic& sent() const { return sent_; }

 private:
  virtual void do_send(peer to, byte_view message) = 0;
  virtual void do_wake(time at, std::uint64_t token) = 0;
  virtual void do_tell(const event& happened) = 0;

  traffic sent_;
};

// A message is only to be looked at during the call, and hostile.
template <class P>
concept party = requires(P p, time now, peer from, byte_view message, std::uint64_t token,
                         outbox& out) {
  p.start(now, out);
  p.receive(now, from, message, out);
  p.tick(now, token, out);
};

// A party of any type, held.
class any_party {
 public:
  template <party P>
  requires(!std::same_as<P, any_party>) any_party(P held)
      : held_(std::make_unique<model<P>>(std::move(held))) {}

  void start(time now, outbox& out) { held_->start(now, out); }
  void receive(time now, peer from, byte_view message, outbox& out) {
    held_->receive(now, from, message, out);
  }
  void tick(time now, std::uint64_t token, outbox& out) { held_->tick(now, token, out); }

  // The party itself, or none if it is of another type.
  template <class P>
  [[nodiscard]] P* get_if() {
    return typeid(P) == held_->type() ? static_cast<P*>(held_->address()) : nullptr;
  }

 private:
  struct base {
    virtual ~base() = default;
    virtual void start(time now, outbox& out) = 0;
    virtual void receive(time now, peer from, byte_view message, outbox& out) = 0;
    virtual void tick(time now, std::uint64_t token, outbox& out) = 0;
    [[nodiscard]] virtual const std::type_info& type() const = 0;
    [[nodiscard]] virtual void* address() = 0;
  };
  template <class P>
  struct model final : base {
    explicit model(P held) : party_(std::move(held)) {}
    void start(time now, outbox& out) override { party_.start(now, out); }
    void receive(time now, peer from, byte_view message, outbox& out) override {
      party_.receive(now, from, message, out);
    }
    void tick(time now, std::uint64_t token, outbox& out) override { party_.tick(now, token, out); }
    [[nodiscard]] const std::type_info& type() const override { return typeid(P); }
    [[nodiscard]] void* address() override { return &party_; }
    P party_;
  };
  std::unique_ptr<base> held_;
};

}  // namespace bloomery::apps

namespace bloomery::lab {
using apps::any_party, apps::event, apps::outbox, apps::party, apps::peer, apps::time,
    apps::traffic;
}
