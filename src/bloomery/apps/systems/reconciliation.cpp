// P3: two peers find what one has and the other lacks; a filter or a tree finds most, coded symbols all.
#include "bloomery/math/laws/reconciliation.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "bloomery/apps/exchange/reconciliation_tree.hpp"
#include "bloomery/apps/exchange/set_sync.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using exchange::digest_set;
using exchange::sync_method;

struct two_peers {
  digest_set mine;
  digest_set theirs;
  std::set<digest> only_mine;
  std::set<digest> only_theirs;
};

// Half of the differences on either side.
two_peers peers_of(std::uint64_t seed, std::uint64_t keys, std::uint64_t differences) {
  two_peers made;
  std::vector<digest> mine;
  std::vector<digest> theirs;
  for (std::uint64_t i = 0; i < keys - differences / 2; ++i) {
    mine.push_back(lab::numbered(seed, 0, i));
  }
  theirs = mine;
  for (std::uint64_t i = 0; i < differences; ++i) {
    const digest d = lab::numbered(seed, 1, i);
    (i % 2 == 0 ? mine : theirs).push_back(d);
    (i % 2 == 0 ? made.only_mine : made.only_theirs).insert(d);
  }
  made.mine = digest_set(std::move(mine));
  made.theirs = digest_set(std::move(theirs));
  return made;
}

struct exchange_run {
  exchange::sync_outcome outcome;
  std::uint64_t bytes = 0;
  std::uint64_t found = 0;  // of the differences
  std::uint64_t wrong = 0;  // named, and none
};

exchange_run run_method(const two_peers& peers, sync_method method, std::uint64_t bits) {
  lab::world world(1);
  const lab::peer answerer = world.add(exchange::sync_answerer(peers.theirs, {}, {}));
  const lab::peer asker = world.add(
      exchange::sync_asker(peers.mine, {.method = method, .bits = bits, .partner = answerer}, {}));
  world.connect(asker, answerer, {});
  world.run();
  exchange_run done{.outcome = world.get<exchange::sync_asker>(asker).outcome(),
                    .bytes = world.sent().bytes};
  for (const digest d : done.outcome.differ.only_mine) {
    ++(peers.only_mine.contains(d) ? done.found : done.wrong);
  }
  for (const digest d : done.outcome.differ.only_theirs) {
    ++(peers.only_theirs.contains(d) ? done.found : done.wrong);
  }
  return done;
}

}  // namespace

lab::result reconciliation(const lab::request& asked) {
  const std::uint64_t keys = asked.count("keys");
  const std::uint64_t differences = asked.count("differences");
  const std::uint64_t bits = asked.count("bits");
  const std::uint64_t trials = asked.count("trials");
  const std::uint64_t many = asked.count("many");
  math::require_whole("keys", keys, 100, 20'000'000);
  math::require_whole("differences", differences, 2, keys);
  math::require_whole("bits", bits, 2, 32);
  math::require_whole("many", many, differences, 20'000'000);
  math::require_whole("trials", trials, 2, 1000);
  // Of few differences most symbols come before it is known how few they are.
  constexpr std::uint64_t many_differences = 1000;
  constexpr double first_symbols = 64;
  const double most_symbols =
      differences < many_differences ? 1.5 + first_symbols / static_cast<double>(differences) : 1.5;
  constexpr std::uint64_t digest_bytes = 16;
  const std::uint64_t correction = exchange::sync_options{}.correction;

  lab::result found;
  std::uint64_t exact_missed = 0;
  std::uint64_t wrong = 0;
  std::uint64_t named = 0;
  std::uint64_t by_filter = 0;
  double filter_rate = 0;
  std::vector<double> symbols;
  std::vector<double> tree_missed;
  std::vector<double> visits;
  std::uint64_t rateless_bytes = 0;
  std::uint64_t iblt_bytes = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t tree_bytes = 0;
  const auto share = [&](std::uint64_t of) {
    return static_cast<double>(of) / static_cast<double>(differences);
  };
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    const two_peers peers = peers_of(asked.seed() + trial * 1000, keys, differences);
    const auto run = [&](sync_method method) {
      exchange_run done = run_method(peers, method, bits);
      wrong += done.wrong;
      named += done.found + done.wrong;
      return done;
    };
    const exchange_run rateless = run(sync_method::rateless);
    const exchange_run table = run(sync_method::iblt);
    const exchange_run filter = run(sync_method::filter);
    const exchange_run tree = run(sync_method::tree);
    exact_missed += 2 * differences - rateless.found - table.found;
    symbols.push_back(share(rateless.outcome.symbols));
    tree_missed.push_back(1 - share(tree.found));
    visits.push_back(static_cast<double>(tree.outcome.visits));
    by_filter += filter.found;
    rateless_bytes += rateless.bytes;
    iblt_bytes += table.bytes;
    filter_bytes += filter.bytes;
    tree_bytes += tree.bytes;
    // The rate of the very filters that were sent: those of the one ask for the other's.
    const auto rate_of = [&](const digest_set& set) {
      return exchange::filter_of(set.keys(), bits, {}).current_rate();
    };
    filter_rate += (rate_of(peers.mine) + rate_of(peers.theirs)) / 2 / static_cast<double>(trials);
  }
  const auto mean = [&](std::uint64_t total) {
    return static_cast<double>(total) / static_cast<double>(trials);
  };
  found.never("a key was named that both have", wrong, named);
  found.never("an exact method missed a difference", exact_missed, 2 * trials * differences);
  lab::figure& recall = found.add(lab::share_of("differences that the filter finds", by_filter,
                                                trials * differences, 1 - filter_rate));
  if (bits == 8) recall.paper = 0.978;
  const double node_rate = filter_rate;  // as many entries, but for one
  found.add(lab::mean_at_most(
      "differences that the tree misses", lab::unit::share, tree_missed,
      1 - math::tree_share_at_least(node_rate, filter_rate, math::trie_depth(keys), correction)));
  const std::uint64_t only_mine = (differences + 1) / 2;
  const std::uint64_t common = keys - differences / 2;
  const double most_visits =
      math::tree_visits_at_most(common, only_mine, differences / 2, correction);
  found
      .add(lab::mean_at_most("nodes that the tree looks at", lab::unit::count, visits, most_visits))
      .rivals = {{"the filter asks", static_cast<double>(keys)}};
  lab::figure& overhead = found.add(
      lab::mean_at_most("coded symbols a difference", lab::unit::real, symbols, most_symbols));
  overhead.paper = math::rateless_overhead();
  found.add(lab::told("bytes of coded symbols", lab::unit::bytes, mean(rateless_bytes))).rivals = {
      {"lookup table", mean(iblt_bytes)},
      {"filters", mean(filter_bytes)},
      {"trees", mean(tree_bytes)},
      {"all digests", static_cast<double>(keys * digest_bytes)}};

  // Many keys, and the same differences: what the list costs grows, coded symbols and the tree's search do not.
  const two_peers large_sets = peers_of(asked.seed(), many, differences);
  const exchange_run large = run_method(large_sets, sync_method::rateless, bits);
  found.never("coded symbols missed a difference between many keys, or named none",
              differences - large.found + large.wrong, differences);
  const exchange_run large_tree = run_method(large_sets, sync_method::tree, bits);
  found.never("the tree named a key that both have, of many", large_tree.wrong,
              large_tree.found + large_tree.wrong);
  const bool few = many / 1000 >= differences;
  constexpr double least_bytes = 2048;  // of the first symbols, and what is said around them
  const auto list = static_cast<double>(many * digest_bytes);
  const auto add_for_many = [&](const char* what, lab::unit unit, double value, double most,
                                lab::rival other) {
    lab::figure& figure = found.add(lab::told(what, unit, value));
    figure.rivals = {std::move(other)};
    if (few) figure.predicted = math::interval{0, most};
  };
  add_for_many("bytes of coded symbols for many keys", lab::unit::bytes,
               static_cast<double>(large.bytes), std::max(list / 100, least_bytes),
               {"all digests", list});
  add_for_many("nodes that the tree looks at for many keys", lab::unit::count,
               static_cast<double>(large_tree.outcome.visits), static_cast<double>(many) / 10,
               {"the filter asks", static_cast<double>(many)});
  return found;
}

extern constinit const system_info reconciliation_system{
    .id = "P3",
    .name = "Set reconciliation",
    .source = "Byers et al.; Broder and Mitzenmacher 5.2; Yang et al. for the exact way",
    .where = pattern::exchange,
    .does =
        "Two peers have nearly the same keys and want what differs. One sends a filter, or "
        "filters of a hash tree's nodes, and the other names what is not in it; or one sends "
        "coded symbols until the other can read the difference from them.",
    .figure =
        "Never a key that both have. A filter of 8 bits a key finds 97.8 %, the tree most "
        "without looking at all, coded symbols all, with 1.5 symbols a difference. Where one key "
        "in a thousand differs, these take less than a hundredth of the list's bytes, and the "
        "tree looks at less than a tenth of the keys.",
    .verb = "sync",
    .needs = "",
    .settings_or_none = {{{"keys", "20k", "keys of each peer"},
                          {"differences", "1000", "keys that only one has, half on either side"},
                          {"bits", "8", "bits a key of each filter"},
                          {"trials", "12", "pairs of peers"},
                          {"many", "1M", "keys of one pair more, for coded symbols and the tree"}}},
    .run = reconciliation};

}  // namespace bloomery::systems
