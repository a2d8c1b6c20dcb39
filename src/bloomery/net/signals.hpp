// SIGTERM and SIGINT as something that a loop can wait for.
//
// Purpose:   who is asked to end does so between two events, with what it holds in order. While there is such an
//            object, the first of these signals makes its descriptor readable; a second one ends the
//            program as usual, so that nobody has to wait for what hangs.
// Guarantee: one at a time (errc::invalid for a second); what the signals did before they do again afterwards.
//
//     bloomery::net::stop_signals stop;
//     assert(stop.readable() >= 0 && !stop.arrived());
#pragma once

#include <csignal>

#include "bloomery/net/descriptor.hpp"

namespace bloomery::net {

class stop_signals {
 public:
  stop_signals();
  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;
  ~stop_signals();

  [[nodiscard]] int readable() const { return ends_.first.number(); }
  [[nodiscard]] bool arrived() const;

 private:
  descriptor_pair ends_;
  struct sigaction before_term_ {};
  struct sigaction before_int_ {};
};

// In this thread, writing to a pipe that nobody reads is an error like others and no signal, while there is such an
// object.
class no_pipe_signal {
 public:
  no_pipe_signal();
  no_pipe_signal(const no_pipe_signal&) = delete;
  no_pipe_signal& operator=(const no_pipe_signal&) = delete;
  ~no_pipe_signal();

 private:
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace bloomery::net
