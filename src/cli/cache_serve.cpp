// cache serve: a sibling that a Squid asks, and a server of annotations.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/net/loop.hpp"
#include "bloomery/net/signals.hpp"
#include "cache_server.hpp"
#include "message.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct serve_options {
  std::string listen = "127.0.0.1:3130";
  std::string urls;
  std::string root;
  std::string body;
  std::string annotations;
  std::string period = "1h";
  std::string rate;
  bool verbose = false;
};

void declare(command& verb, serve_options& options) {
  verb.add_option("--listen", "ADDRESS", options.listen,
                  "HOST:PORT, or :PORT for every address of this machine; port 0 takes a free one")
      .show_default();
  verb.add_option("--urls", "FILE", options.urls,
                  "the URLs that are here, one a line, as Squid logs them; read again after each "
                  "--period");
  verb.add_option("--root", "DIR", options.root,
                  "where their pages are, as DIR/HOST/PATH, which is how wget -m keeps them");
  verb.add_option("--body", "FILE", options.body, "the page that each of them is, instead");
  verb.add_option("--annotations", "FILE", options.annotations,
                  "lines URL<TAB>TEXT, for `bloomery cache ask`; read again after each --period");
  verb.add_option("--period", "DURATION", options.period,
                  "how long a digest is good for, and after it what was read is read again")
      .show_default();
  verb.add_option("--fpr", "P", options.rate,
                  "rate of the digest (default: Squid's own 5 bits a URL, 9 % when full)");
  verb.add_flag("-v,--verbose", options.verbose, "tell of each request on standard output");
}

// Between the parts of a digest: a Squid that is busy for longer loses some of its bits.
constexpr std::chrono::milliseconds pause{250};

std::int64_t seconds_now() {
  return static_cast<std::int64_t>(system_time() / 1000);
}

// What cannot be read again stays as it was: who asks would have nothing of an error.
void renew(auto& source) {
  if (!source) return;
  try {
    source->renew(seconds_now());
  } catch (const error& problem) {
    tell(std::string(problem.what()) + "; what was read before is still served");
  }
}

exit_status run(const serve_options& options) {
  if (options.urls.empty() && options.annotations.empty()) {
    fail(errc::invalid, "there is nothing to serve: give --urls, --annotations or both");
  }
  if (!options.root.empty() && !options.body.empty()) {
    fail(errc::invalid, "--root and --body both say what pages are: leave one out");
  }
  const std::uint64_t period = std::max<std::uint64_t>(1, parse_duration(options.period) / 1000);
  std::optional<sibling> siblings;
  if (!options.urls.empty()) {
    siblings.emplace(
        sibling::settings{
            .urls = options.urls,
            .root = options.root,
            .body = options.body,
            .period = period,
            .rate = options.rate.empty() ? std::nullopt : std::optional(parse_ratio(options.rate))},
        seconds_now());
  }
  std::optional<annotation_server> annotations;
  if (!options.annotations.empty()) {
    annotations.emplace(options.annotations, period, seconds_now());
  }

  const auto find = [&](const net::http_message& request) -> net::http_answer {
    if (request.method != "GET" && request.method != "HEAD") {
      return {.status = 405,
              .headers = {{"Allow", "GET, HEAD"}},
              .parts = {"only GET and HEAD are answered\n"}};
    }
    renew(siblings);
    renew(annotations);
    std::optional<net::http_answer> found;
    if (siblings) found = siblings->answer(request, seconds_now());
    if (!found && annotations) found = annotations->answer(request);
    if (!found) found = net::http_answer{.status = 404, .parts = {"nothing is served here\n"}};
    return std::move(*found);
  };
  const auto handle = [&](const net::http_message& request) {
    net::http_answer found = find(request);
    if (options.verbose) {
      print_text(fmt::format("{} {} {}\n", found.status, printable(request.method),
                             printable(request.target)));
    }
    return found;
  };
  const net::stop_signals stop;
  // Anybody may come, and stay without a word: whoever was silent for longest makes room for others.
  net::loop loop(net::http_service(handle, pause),
                 {.message_bytes = 64 << 10, .full = net::crowding::drop_longest});
  loop.stop_on(stop);
  const auto service = [&]() -> net::http_service& { return loop.get<net::http_service>(); };
  service().on_failure([](const net::http_message& request, const error& problem) {
    tell(printable(request.target) + ": " + problem.what());
  });
  loop.on_leave([&](apps::peer who, const error* reason, apps::outbox&) {
    service().forget(who);
    if (reason != nullptr && options.verbose) tell(reason->what());
  });
  // Some end to speak once they have asked, and wait for the answer.
  loop.on_end([&](apps::peer who) { return service().owes(who); });
  loop.on_taken([&](apps::peer who, apps::outbox& out) { service().taken(loop.now(), who, out); });
  const net::endpoint at = loop.listen(net::parse_endpoint(options.listen), [](byte_view start) {
    return net::http_request_bytes(start);
  });
  print_text("listening on " + at.text() + "\n");
  (void)loop.run([&] {
    for (const apps::peer who : service().finished()) loop.close(who);
    return false;
  });
  return exit_status::found;
}

}  // namespace

void add_cache_serve(verb_list& verbs) {
  verbs.add<serve_options>(
      "cache serve",
      "Be a sibling that a Squid asks, or a server of annotations\n"
      "A Squid with `cache_peer HOST sibling PORT 0 no-query no-netdb-exchange` fetches the digest "
      "of --urls, and then the pages that are in it from here rather than from afar. For a page "
      "that is not here it is told so at once. With --annotations it serves what `bloomery cache "
      "ask` asks for. It runs until SIGTERM or SIGINT, which end it with status 0.",
      "  seq 9 | sed s_^_http://example.org/_ > urls.txt; echo hello > page\n"
      "  timeout --preserve-status 1 \\\n"
      "    bloomery cache serve --listen 127.0.0.1:0 --urls urls.txt --body page\n"
      "  printf 'http://example.org/7\\tworth reading\\n' > notes.txt\n"
      "  timeout --preserve-status 1 \\\n"
      "    bloomery cache serve --listen 127.0.0.1:0 --annotations notes.txt",
      declare, run);
}

}  // namespace bloomery::cli
