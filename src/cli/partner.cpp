#include "partner.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "bloomery/net/signals.hpp"
#include "message.hpp"

namespace bloomery::cli {
namespace {

spoken talk(net::loop& loop, const std::string& name, const std::function<bool()>& done) {
  std::optional<error> reason;
  bool gone = false;
  loop.on_leave([&](net::peer, const error* why, net::outbox&) {
    gone = true;
    if (why != nullptr) reason = *why;
  });
  net::stop_signals signals;
  loop.stop_on(signals);
  const net::ending ended = loop.run([&] { return gone || done(); });
  if (!done()) {
    if (ended == net::ending::stopped) fail(errc::io, "stopped before the end");
    if (reason) fail(reason->code(), name + ": " + reason->what());
    fail(errc::io, name + " ended before it had told all");
  }
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
                  "answer all who come there, until told to end (SIGTERM)")
      .excludes(by_with);
  verb.add_option("--timeout", "SECONDS", timeout,
                  "how long a partner may neither say nor take anything")
      .show_default()
      .between(1, 1'000'000);
}

net::loop_limits partner_options::limits(std::uint64_t message_bytes) const {
  return {.message_bytes = message_bytes,
          .queued_bytes = 2 * message_bytes,
          .idle = std::chrono::seconds(timeout)};
}

spoken talk_with(const std::string& with, net::loop& loop, const std::function<bool()>& done) {
  if (net::is_endpoint(with)) {
    loop.connect(net::parse_endpoint(with));
  } else {
    loop.add_child(with);
  }
  return talk(loop, with, done);
}

spoken talk_with_caller(net::loop& loop, const std::function<bool()>& done) {
  loop.add_stream(net::descriptor::borrowed(STDIN_FILENO), net::descriptor::borrowed(STDOUT_FILENO),
                  "who asks");
  return talk(loop, "who asks", done);
}

void serve(const std::string& at, net::loop& loop, const std::function<void(net::peer)>& gone) {
  net::stop_signals signals;
  loop.stop_on(signals);
  loop.on_leave([&](net::peer who, const error* why, net::outbox&) {
    gone(who);
    if (why != nullptr) tell(fmt::format("a partner is gone: {}", why->what()));
  });
  const net::endpoint where = loop.listen(net::parse_endpoint(at));
  tell("listening at " + where.text());
  (void)loop.run();
}

}  // namespace bloomery::cli
