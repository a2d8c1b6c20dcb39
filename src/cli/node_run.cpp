// node run: a node of an overlay, over sockets.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>

#include "bloomery/apps/overlay/resident.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/net/loop.hpp"
#include "bloomery/net/signals.hpp"
#include "bloomery/net/standing_calls.hpp"
#include "input.hpp"
#include "message.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t most_visitors = 64;

struct node_options {
  std::vector<std::string> files;
  std::string as;
  std::uint64_t number = 0;
  std::string listen;
  std::string network;
  std::vector<std::string> neighbours;
  std::string keys = "1000";
  std::string rate = "1%";
  std::string slots = "65536";
  std::string beat = "1s";
  std::uint64_t links = 64;
  bool verbose = false;
  line_options lines;
};

void declare(command& verb, node_options& options) {
  verb.add_option("file", "FILE", options.files,
                  "the keys that this node holds, one a line; leaves and ultrapeers have a file's "
                  "name on each, and are asked for its words (default: standard input)");
  verb.add_option("--as", "STATION", options.as,
                  "peer: has a filter of every other's keys; tree: knows what is below each of its "
                  "children; leaf or ultrapeer: of Gnutella")
      .required();
  verb.add_option("--number", "N", options.number,
                  "by which answers name this node, unlike any other's; a peer's is its line in "
                  "--network")
      .required()
      .between(1, overlay::most_number);
  verb.add_option("--listen", "[HOST]:PORT", options.listen,
                  "where neighbours and visitors come; port 0 is any that is free, and is told "
                  "(default: 127.0.0.1:0; a peer's line in --network)");
  verb.add_option("--network", "FILE", options.network,
                  "the addresses of all nodes, HOST:PORT, that of number 1 first: peers call those "
                  "above them in the list, other nodes tell visitors where holders are");
  verb.add_option("--neighbour", "HOST:PORT", options.neighbours,
                  "whom to call, and call again: the parent in a tree, a leaf's ultrapeers, other "
                  "ultrapeers (one of two calls)");
  verb.add_option("--keys", "N", options.keys,
                  "what filters are made for: the most keys of any peer, or those of a whole tree; "
                  "all nodes say the same")
      .show_default();
  verb.add_option("--fpr", "P", options.rate, "rate of a filter that holds as many").show_default();
  verb.add_option("--slots", "N", options.slots,
                  "of a table of leaves and ultrapeers, a power of two; all nodes say the same")
      .show_default();
  verb.add_option("--beat", "DURATION", options.beat,
                  "how often peers gossip, and how soon others tell what is new")
      .show_default();
  verb.add_option("--links", "N", options.links, "neighbours at once; more are turned away")
      .between(1, 4096)
      .show_default();
  verb.add_flag("-v,--verbose", options.verbose,
                "tell of neighbours that come, go or are refused, on standard error");
  verb.add_flag("-z,--zero", options.lines.zero, "keys end in a NUL byte, not a line end");
}

std::vector<std::string> lines_of(const std::vector<std::string>& files, line_options format) {
  format.skip_empty = true;
  std::vector<std::string> found;
  key_input({}, files, format).each_text([&](std::string_view line) { found.emplace_back(line); });
  return found;
}

std::uint64_t fresh_seed() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32 | chance();
}

// What follows from the options, and whether they make sense.
struct node_plan {
  std::unique_ptr<overlay::station> held;
  overlay::resident_setup setup;
  std::vector<net::endpoint> calls;
  std::vector<std::optional<std::uint64_t>> numbers;  // of those who are called
  net::endpoint listen;
};

void plan_peer(const node_options& options, const overlay::station_setup& own, node_plan& plan) {
  const std::uint64_t peers = plan.setup.places.size();
  if (peers < 2 || options.number > peers) {
    fail(errc::invalid,
         fmt::format("number {} in a network of {}; allowed: a line of --network, which has two or "
                     "more",
                     options.number, peers));
  }
  if (!options.neighbours.empty()) {
    fail(errc::invalid, "peers know each other by --network: leave --neighbour out");
  }
  const auto shape =
      overlay::shape_for(own.keys.size(), parse_count(options.keys), parse_ratio(options.rate));
  plan.held = overlay::make_peer(own, peers, system_time(), shape);
  plan.setup.links = peers;
  for (std::uint64_t number = 1; number < options.number; ++number) {
    plan.calls.push_back(net::parse_endpoint(plan.setup.places.at(number)));
    plan.numbers.emplace_back(number);
  }
}

node_plan plan_of(const node_options& options) {
  using overlay::station_names;
  const std::uint64_t as = overlay::station_number(options.as);
  if (as == station_names.size()) {
    fail(errc::invalid, fmt::format("--as is {}; allowed: {}", in_quotes(options.as),
                                    fmt::join(station_names, ", ")));
  }
  node_plan plan;
  if (!options.network.empty()) {
    std::uint64_t number = 0;
    for (const std::string& line : lines_of({options.network}, {})) {
      plan.setup.places[++number] = net::parse_endpoint(line).text();
    }
  }
  for (const std::string& each : options.neighbours) {
    plan.calls.push_back(net::parse_endpoint(each));
    plan.numbers.emplace_back();
  }
  const std::chrono::milliseconds beat(std::max<std::uint64_t>(10, parse_duration(options.beat)));
  plan.setup.seed = fresh_seed();
  plan.setup.links = options.links;
  const bool peer = options.as == "peer";
  const std::string own_place = peer && plan.setup.places.contains(options.number)
                                    ? plan.setup.places[options.number]
                                    : "127.0.0.1:0";
  plan.listen = net::parse_endpoint(options.listen.empty() ? own_place : options.listen);

  const std::vector<std::string> keys = lines_of(options.files, options.lines);
  const overlay::station_setup own{
      .number = options.number, .keys = keys, .beat = beat, .seed = plan.setup.seed};
  if (peer) {
    plan_peer(options, own, plan);
  } else if (options.as == "tree") {
    if (plan.calls.size() > 1) fail(errc::invalid, "a node of a tree has one parent");
    const auto shape =
        overlay::shape_for(keys.size(), parse_count(options.keys), parse_ratio(options.rate));
    plan.held = overlay::make_tree(own, shape);
  } else {
    const bool leaf = options.as == "leaf";
    if (leaf && plan.calls.empty()) {
      fail(errc::invalid, "a leaf calls an ultrapeer: give its --neighbour");
    }
    const std::uint64_t slots = parse_count(options.slots);
    if (slots > overlay::most_servent_slots) {
      fail(errc::invalid, fmt::format("--slots is {}; allowed: powers of two up to {}", slots,
                                      overlay::most_servent_slots));
    }
    plan.held = overlay::make_servent(own, leaf, slots);
  }
  plan.setup.links = std::max(plan.setup.links, plan.calls.size());
  return plan;
}

exit_status run(const node_options& options) {
  node_plan plan = plan_of(options);
  const std::size_t most_links = plan.setup.links;
  const std::uint64_t table_bytes = plan.held->most_bytes(most_links);
  const std::uint64_t message_bytes = plan.held->most_message();
  net::standing_calls calls(plan.calls, {.seed = plan.setup.seed});

  const net::stop_signals stop;
  const net::loop_limits limits{.message_bytes = message_bytes,
                                .queued_bytes = 4 * message_bytes,
                                .unread_bytes = message_bytes,
                                .peers = most_links + most_visitors,
                                .full = net::crowding::drop_silent,
                                .idle = std::chrono::minutes(2)};
  net::loop loop(overlay::resident(std::move(plan.held), std::move(plan.setup)), limits);
  auto& node = loop.get<overlay::resident>();
  loop.stop_on(stop);
  const auto note = [&](const std::string& what) {
    if (options.verbose) tell(what);
  };
  loop.on_join(
      [&](apps::peer who, const std::string&, apps::outbox&) { node.opened(loop.now(), who); });
  loop.on_leave([&](apps::peer who, const error* why, apps::outbox& out) {
    if (why != nullptr) note(fmt::format("a neighbour or visitor is gone: {}", why->what()));
    node.closed(loop.now(), who, out);
    calls.gone(who, loop.now());
  });
  const auto begun = [&](apps::peer who, std::size_t which) {
    node.called(loop.now(), who, plan.numbers[which]);
    loop.send(who, node.greeting());
  };

  print_text("listening on " + loop.listen(plan.listen).text() + "\n");
  note(fmt::format(
      "at most {} neighbours, {} of filters or tables, and {} of messages that wait "
      "for each of {} connections",
      format_count(most_links), format_size(table_bytes),
      format_size(limits.queued_bytes + 2 * limits.message_bytes), format_count(limits.peers)));
  std::size_t before = 0;
  (void)loop.run([&] {
    for (const auto& [who, why] : node.finished()) {
      if (why.empty()) {
        loop.close(who);
      } else {
        note("a neighbour or visitor is refused: " + printable(why));
        loop.drop(who);
        calls.gone(who, loop.now());
      }
    }
    calls.tend(loop, begun, [&](const error& problem) { note(problem.what()); });
    for (std::size_t i = 0; i < plan.calls.size(); ++i) {
      const auto who = calls.connection_of(i);
      if (who && node.linked(*who)) calls.useful(*who);
    }
    if (node.links() != before) note(fmt::format("{} neighbours", node.links()));
    before = node.links();
    return false;
  });
  return exit_status::found;
}

}  // namespace

void add_node_run(verb_list& verbs) {
  verbs.add<node_options>(
      "node run",
      "Hold keys, tell neighbours by filters, and answer who asks\n"
      "A peer gossips filters until each has every other's; a node of a tree tells its parent what "
      "is below; a leaf tells its ultrapeers the words of its files. Questions go where a filter "
      "says so, and who is asked looks at its keys. A neighbour that is not there is called again. "
      "Nothing is encrypted, and nobody proves who he is: let only those connect that you trust. "
      "It runs until SIGTERM or SIGINT, which end it with status 0.",
      "  seq 10 | timeout --preserve-status 1 bloomery node run --as tree --number 1\n"
      "  printf '127.0.0.1:31311\\n127.0.0.1:31312\\n' > network.txt; seq 9 > keys.txt\n"
      "  timeout --preserve-status 1 bloomery node run --as peer --number 2 \\\n"
      "    --network network.txt --keys 10k --fpr 2% keys.txt",
      declare, run);
}

}  // namespace bloomery::cli
