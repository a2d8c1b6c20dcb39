// cache fetch: what a Squid holds, by its cache digest.
#include <fmt/format.h>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/net/http_client.hpp"
#include "bloomery/wire/foreign/squid_digest.hpp"
#include "bloomery/wire/stored.hpp"
#include "changed_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct fetch_options {
  std::string proxy;
  std::string output;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, fetch_options& options) {
  verb.add_option("proxy", "URL", options.proxy, "the Squid: http://HOST:PORT").required();
  declare_output(verb, options.output, "the digest");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const fetch_options& options) {
  const net::http_url proxy = net::parse_http_url(options.proxy);
  changed_file target(options.output, options.lock, {});
  const net::http_limits limits{.body = reading().limits().most_copied()};
  const net::http_message answer = net::http_get(proxy, std::string(foreign::squid_digest::path),
                                                 {{"Accept", "application/cache-digest"}}, limits)
                                       .answer;
  if (answer.status != 200) {
    fail(errc::io, fmt::format("{}: it has no cache digest ({} {}); a Squid makes one if it has a "
                               "cache_dir and digest_generation is on",
                               options.proxy, answer.status, printable(answer.reason)));
  }
  // What is saved has been found sound.
  const byte_view body = bytes_of(answer.body);
  const auto digest = wire::naming(options.proxy, [&] {
    return foreign::find_format(foreign::squid_digest::info.name).read(body, reading().limits());
  });
  target.save(body);
  const std::string expires(answer.find("Expires").value_or(""));
  if (options.json) {
    json report{{"bits", digest->bits()},
                {"fill", digest->fill()},
                {"current_rate", digest->current_rate()},
                {"bytes", answer.body.size()}};
    for (const foreign::fact& fact : digest->facts()) {
      report[std::string(fact.name)] = std::get<std::uint64_t>(fact.value);
    }
    report["expires"] = expires.empty() ? json(nullptr) : json(expires);
    print_json(report);
  }
  return exit_status::found;
}

}  // namespace

void add_cache_fetch(verb_list& verbs) {
  verbs.add<fetch_options>(
      "cache fetch",
      "Fetch the cache digest of a Squid\n"
      "It says which pages that proxy holds, some of the others wrongly; `bloomery query` asks it "
      "for URLs, `bloomery info` describes it.",
      "  seq 9 | sed s_^_http://example.org/_ > urls.txt; echo hello > page\n"
      "  bloomery cache serve --listen 127.0.0.1:31309 --urls urls.txt --body page \\\n"
      "    > log & sleep 1\n"
      "    bloomery cache fetch http://127.0.0.1:31309 -o proxy.digest; kill %1\n"
      "  bloomery query proxy.digest -f urls.txt\n"
      "  bloomery cache fetch http://127.0.0.1:1 -o x 2> why; grep -o 'refused' why",
      declare, run);
}

}  // namespace bloomery::cli
