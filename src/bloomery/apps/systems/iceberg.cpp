// D5: every key above a share of the stream, exactly, in two passes.
#include "bloomery/apps/meter/iceberg.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/apps/random.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/count_min.hpp"
#include "bloomery/math/laws/zipf.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

constexpr std::uint64_t runs = 8;

// Key i of a stream by Zipf's law comes 1/i times as often as the first.
std::vector<std::uint64_t> zipf_counts(std::uint64_t length, std::uint64_t keys) {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t i = 1; i <= keys; ++i) {
    const double expected = static_cast<double>(length) * math::zipf_probability(i, keys, 1);
    counts.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::lround(expected))));
  }
  return counts;
}

struct stream {
  std::vector<digest> keys;
  std::vector<std::string_view> names;
};

stream stream_of(const std::vector<std::uint64_t>& counts, const std::vector<std::string>& names,
                 std::uint64_t seed) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < counts.size(); ++i) order.insert(order.end(), counts[i], i);
  apps::random_stream random(seed);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  stream made;
  for (const std::uint32_t key : order) {
    made.keys.push_back(lab::numbered(seed, 1, key));
    made.names.push_back(names[key]);
  }
  return made;
}

}  // namespace

lab::result iceberg(const lab::request& asked) {
  const double share = asked.ratio("above");
  const std::uint64_t keys = asked.count("keys");
  const std::uint64_t length = asked.count("length");
  math::require_whole("keys", keys, 1, 10'000'000);
  math::require_whole("length", length, keys, 100'000'000);
  const std::vector<std::uint64_t> counts = zipf_counts(length, keys);
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < keys; ++i) names.push_back(std::to_string(i));

  lab::result found;
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::uint64_t above = 0;
  std::vector<double> extra;
  std::vector<double> extra_of_plain;
  double bound = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const stream input = stream_of(counts, names, hash::mix(asked.seed()) + run);
    apps::iceberg tip(share);
    count_min_shape plain_shape = tip.shape();
    plain_shape.update = 0;
    apps::iceberg plain(share, plain_shape);
    for (apps::iceberg* each : {&tip, &plain}) {
      each->count(input.keys);
      each->recount(input.keys, input.names);
    }
    const std::uint64_t least = tip.threshold();
    above = static_cast<std::uint64_t>(
        std::ranges::count_if(counts, [&](std::uint64_t c) { return c >= least; }));
    for (const auto& told : tip.found()) {
      wrong += std::uint64_t{counts[std::stoull(told.key)] != told.count};
    }
    missed += above - std::min<std::uint64_t>(above, tip.found().size());
    bound = math::count_min_false_heavy(counts, least, plain_shape.width, plain_shape.depth);
    extra.push_back(static_cast<double>(tip.candidates() - above));
    extra_of_plain.push_back(static_cast<double>(plain.candidates() - above));
  }
  found.never("a key above the share was missed", missed, runs * above);
  found.never("a count was wrong", wrong, runs * above);
  auto& candidates = found.add(
      lab::mean_at_most("false candidates of the first pass", lab::unit::count, extra, bound));
  candidates.rivals.push_back({"without conservative update",
                               lab::mean_of("", lab::unit::count, extra_of_plain, 0).measured});
  auto& bytes = found.add(lab::told("bytes of the first pass", lab::unit::bytes,
                                    static_cast<double>(apps::iceberg(share).bytes())));
  bytes.rivals.push_back({"an exact count of every key", 24 * static_cast<double>(keys)});
  return found;
}

extern constinit const system_info iceberg_system{
    .id = "D5",
    .name = "Iceberg query",
    .source = "Fang et al. 1998; Tarkoma IV-D",
    .where = pattern::meter,
    .does =
        "Keys that make up at least a share of a stream are found without counting the others: "
        "a first pass counts in a small sketch, a second counts exactly what it holds for "
        "frequent.",
    .figure =
        "No key above the share is missed and every count is exact; few candidates are "
        "counted in vain.",
    .verb = "top --above 1%",
    .needs = "",
    .settings_or_none = {{{"above", "0.1%", "the share"},
                          {"keys", "100k", "distinct keys, whose counts follow Zipf's law"},
                          {"length", "1M", "of the stream"}}},
    .run = iceberg};

}  // namespace bloomery::systems
