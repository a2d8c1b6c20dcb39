#include "partner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "bloomery/core/units.hpp"
#include "bloomery/net/signals.hpp"
#include "message.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

constexpr std::size_t most_partners = 64;  // at a time, each with what it may have begun to say

// Who goes before the end costs an error of the loop, with the reason.
spoken talk(net::loop& loop, const std::function<bool()>& done) {
  const net::stop_signals signals;
  loop.stop_on(signals);
  if (loop.run(done) != net::ending::done) fail(errc::io, "stopped before the end");
  return {loop.stream_bytes_sent(), loop.stream_bytes_received()};
}

}  // namespace

void partner_options::declare(command& verb, const std::string& example) {
  const option by_with = verb.add_option(
      "--with", "PARTNER", with,
      "who has the other side: host:port, where somebody listens, or a command that "
      "starts it, such as '" +
          example + "'");
  verb.add_option("--listen", "[HOST]:PORT", listen,
                  "answer all who come there, until told to end (SIGTERM); port 0 is any that is "
                  "free, and is told")
      .excludes(by_with);
  verb.add_flag("--once", once, "with --listen: answer one partner, then end");
  verb.add_option("--timeout", "DURATION", timeout,
                  "how long a partner may neither say nor take anything; less than 1 KiB a second "
                  "is nothing")
      .show_default();
  verb.add_option(
          "--limit", "SIZE", limit,
          "how much a partner may say in all: some two times as much memory is used at most, "
          "whatever it says")
      .show_default();
}

net::loop_limits partner_options::limits(std::uint64_t message_bytes) const {
  if (once && !listens()) fail(errc::invalid, "--once needs --listen");
  return {.message_bytes = message_bytes,
          .queued_bytes = 2 * message_bytes,
          .said_bytes = parse_size(limit),
          .peers = most_partners,
          .full = net::crowding::drop_silent,
          .idle = std::chrono::milliseconds(parse_duration(timeout))};
}

spoken talk_with(const std::string& with, net::loop& loop, const std::function<bool()>& done) {
  if (net::is_endpoint(with)) {
    loop.connect(net::parse_endpoint(with));
  } else {
    loop.add_child(with);
  }
  return talk(loop, done);
}

spoken talk_with_caller(net::loop& loop, const std::function<bool()>& done) {
  loop.add_stream(net::descriptor::borrowed(STDIN_FILENO), net::descriptor::borrowed(STDOUT_FILENO),
                  "who asks");
  return talk(loop, done);
}

exit_status serve(const partner_options& options, net::loop& loop,
                  const std::function<bool(net::peer)>& gone) {
  const net::stop_signals signals;
  loop.stop_on(signals);
  bool first_gone = false;
  bool first_had_all = true;
  loop.on_leave([&](net::peer who, const error* why, net::outbox&) {
    const bool had_all = gone(who) && why == nullptr;
    if (!std::exchange(first_gone, true)) first_had_all = had_all;
    if (why != nullptr) {
      tell(fmt::format("a partner is gone: {}", why->what()));
    } else if (!had_all) {
      tell("a partner left before it had all");
    }
  });
  print_text("listening on " + loop.listen(net::parse_endpoint(options.listen)).text() + "\n");
  (void)loop.run([&] { return options.once && first_gone; });
  return options.once && !first_had_all ? exit_status::error : exit_status::found;
}

}  // namespace bloomery::cli
