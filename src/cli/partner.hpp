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
  std::string timeout = "10m";
  std::string limit = "1GiB";
  bool once = false;

  // `example` is a command that starts the partner: "ssh host bloomery join - c.csv".
  void declare(command& verb, const std::string& example);
  // What a loop for this partner takes: messages of so many bytes.
  [[nodiscard]] net::loop_limits limits(std::uint64_t message_bytes) const;
  // Whether this program asks nobody and answers whoever comes.
  [[nodiscard]] bool listens() const { return !listen.empty(); }
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
// With all who come, one message after another, until somebody asks this program to end, or with --once until
// the first has gone. `gone` is told who, and says whether that partner had all that it asked for. Where the
// program listens is a line of standard output; what ends a connection badly is one of standard error, and
// with --once an error.
exit_status serve(const partner_options& options, net::loop& loop,
                  const std::function<bool(net::peer)>& gone);

}  // namespace bloomery::cli
