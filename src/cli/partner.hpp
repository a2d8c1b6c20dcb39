// Whom a verb talks to: the program of a command, somebody who listens, or whoever started this one.
#pragma once

#include <functional>
#include <string>

#include "bloomery/net/loop.hpp"
#include "verbs.hpp"

namespace bloomery::cli {

struct partner_options {
  std::string with;
  std::string listen;
  std::uint64_t timeout = 600;

  // `example` is a command that starts the partner: "ssh host bloomery join - c.csv".
  void declare(command& verb, const std::string& example);
  // What a loop for this partner takes: messages of so many bytes.
  [[nodiscard]] net::loop_limits limits(std::uint64_t message_bytes) const;
};

// Bytes and messages over the wire, both ways.
struct spoken {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

// Drives a party until it is done, with the one partner that `with` names: a host and a port, or a command.
// errc::io if the partner goes before.
spoken talk_with(const std::string& with, net::loop& loop, const std::function<bool()>& done);
// The same with whoever started this program, over standard input and output.
spoken talk_with_caller(net::loop& loop, const std::function<bool()>& done);
// With all who come, one message after another, until somebody asks this program to end. Where it listens goes
// to standard error, in a line; so does whatever ends a connection badly.
void serve(const std::string& at, net::loop& loop, const std::function<void(net::peer)>& gone);

}  // namespace bloomery::cli
