// cache share: a proxy tells its neighbours what it holds, and knows what they hold.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bloomery/apps/exchange/sharing_proxy.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/net/loop.hpp"
#include "message.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct share_options {
  std::string listen;
  std::vector<std::string> peers;
  std::string documents = "100k";
  unsigned load = 16;
  unsigned hashes = 10;
  std::string threshold = "1%";
};

void declare(command& verb, share_options& options) {
  verb.add_option("--listen", "ADDRESS", options.listen,
                  "HOST:PORT where neighbours may come; port 0 takes a free one");
  verb.add_option("--peer", "ADDRESS", options.peers, "HOST:PORT of a neighbour; once for each");
  verb.add_option("--documents", "N", options.documents, "URLs that the cache holds when full")
      .show_default();
  verb.add_option("--load", "BITS", options.load, "bits of the summary for each of them")
      .between(1, 256)
      .show_default();
  verb.add_option("--hashes", "K", options.hashes, "hashes of the summary")
      .between(1, max_hashes)
      .show_default();
  verb.add_option("--threshold", "P", options.threshold,
                  "share of --documents that are new before neighbours are told")
      .show_default();
}

constexpr apps::peer console{0};

std::uint64_t line_bytes(byte_view start) {
  const auto end = std::ranges::find(start, std::byte{'\n'});
  return end == start.end() ? 0 : static_cast<std::uint64_t>(end - start.begin()) + 1;
}

exit_status run(const share_options& options) {
  const apps::summary_plan plan{.documents = parse_count(options.documents),
                                .load_factor = options.load,
                                .hashes = options.hashes,
                                .threshold = parse_ratio(options.threshold)};
  const net::stop_signals stop;
  // Neighbours may have nothing to say for long, but for what they are when they come.
  net::loop loop(apps::sharing_proxy(plan, console), {.message_bytes = plan.most_message_bytes(),
                                                      .full = net::crowding::drop_silent,
                                                      .idle = std::chrono::milliseconds(0)});
  loop.stop_on(stop);
  bool ended = false;
  loop.on_join([&](apps::peer who, const std::string& name, apps::outbox& out) {
    out.send(who, loop.get<apps::sharing_proxy>().join(who, name));
  });
  loop.on_leave([&](apps::peer who, const error* reason, apps::outbox&) {
    if (who == console) {
      ended = true;
      if (reason != nullptr) fail(reason->code(), reason->what());
      return;
    }
    loop.get<apps::sharing_proxy>().leave(who);
    if (reason != nullptr) tell(reason->what());
  });
  loop.add_stream(net::descriptor::borrowed(0), net::descriptor::borrowed(1), "standard input",
                  line_bytes, console);
  if (!options.listen.empty()) {
    print_text("listening on " + loop.listen(net::parse_endpoint(options.listen)).text() + "\n");
  }
  for (const std::string& each : options.peers) {
    const apps::peer who = loop.connect(net::parse_endpoint(each));
    loop.send(who, loop.get<apps::sharing_proxy>().join(who, each));
  }
  (void)loop.run([&] { return ended; });
  return exit_status::found;
}

}  // namespace

void add_cache_share(verb_list& verbs) {
  verbs.add<share_options>(
      "cache share",
      "Tell neighbours what a cache holds, and know what they hold\n"
      "Runs beside a cache, which writes lines to it: `+ URL` is here now, `- URL` is gone, `? "
      "URL` "
      "asks who may have it, and is answered by the URL and the neighbours, after tabs; `!` sends "
      "what changed at once. Neighbours get a filter when they come, and what changed in it "
      "whenever enough has. It runs until its input ends.",
      "  printf '+ http://a/\\n? http://a/\\n? http://b/\\n' | bloomery cache share\n"
      "  { echo '+ http://a/'; echo '!'; sleep 3; } |\n"
      "    bloomery cache share --listen 127.0.0.1:31307 > log & sleep 1\n"
      "    { sleep 1; echo '? http://a/'; sleep 1; } |\n"
      "    bloomery cache share --peer 127.0.0.1:31307",
      declare, run);
}

}  // namespace bloomery::cli
