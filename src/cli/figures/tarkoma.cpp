// Rates, parameters, counters and kinds: Tarkoma, Rothenberg, Lagerspetz 2012.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bloomery/bits/array/counter_array.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/policies.hpp"
#include "bloomery/hash/probes.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t filters = 2000;

double real(std::uint64_t value) {
  return static_cast<double>(value);
}

// The exact rate along x, and the mean over real filters at every third of its points.
struct traced {
  curve predicted;
  curve measured;

  traced(const std::string& name, int color)
      : predicted{name, drawn::line, {}, color},
        measured{name + ", measured", drawn::points, {}, color, 2, false} {}

  void add(double x, std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    constexpr std::size_t every = 3;
    constexpr double nearly_full = 0.98;  // hardly any filter differs: nothing to average
    const double rate = math::exact_rate(m, n, k);
    if (predicted.points.size() % every == 0 && rate < nearly_full) {
      measured.points.push_back(mean_instance_rate(x, find_kind(standard_filter::kind.name),
                                                   std::array<field_value, 2>{m, k}, n, filters));
    }
    predicted.points.push_back({x, rate});
  }

  void join(panel& shown) const { shown.curves.insert(shown.curves.end(), {predicted, measured}); }
};

// Powers of two times `first`, up to `last`, and three steps between each two of them.
std::vector<std::uint64_t> spread(std::uint64_t first, std::uint64_t last) {
  constexpr int per_octave = 4;
  std::vector<std::uint64_t> values;
  for (int i = 0;; ++i) {
    const auto value = static_cast<std::uint64_t>(
        std::round(real(first) * std::exp2(static_cast<double>(i) / per_octave)));
    if (value > last) return values;
    if (values.empty() || value > values.back()) values.push_back(value);
  }
}

constexpr const char* points_note = "Lines: exact. Points: mean over 2,000 real filters, 99 %.";

}  // namespace

drawing tarkoma_figure_3() {
  constexpr double smallest_rate = 1e-8;
  panel by_keys{
      "against the number of keys", {"n, keys", true, true}, {"false-positive rate", true}, {}};
  int color = 0;
  for (const std::uint64_t m : {64U, 512U, 1024U, 2048U, 4096U}) {
    traced curve("m = " + std::to_string(m), ++color);
    for (const std::uint64_t n : spread(2, 1024)) {
      const std::uint64_t k = math::best_hashes(m, n);
      if (math::exact_rate(m, n, k) >= smallest_rate) curve.add(real(n), m, n, k);
    }
    curve.join(by_keys);
  }
  panel by_bits{"against the size", {"m, bits", true, true}, {"false-positive rate", true}, {}};
  color = 0;
  for (const std::uint64_t n : {10U, 50U, 100U, 200U, 400U}) {
    traced curve("n = " + std::to_string(n), ++color);
    for (const std::uint64_t m : spread(32, 8192)) {
      const std::uint64_t k = math::best_hashes(m, n);
      if (math::exact_rate(m, n, k) >= smallest_rate) curve.add(real(m), m, n, k);
    }
    curve.join(by_bits);
  }
  return {
      .title = "The rate of a standard filter with the best k",
      .source = "After Tarkoma, Rothenberg, Lagerspetz 2012, Fig. 3. " + std::string(points_note),
      .panels = {by_keys, by_bits}};
}

drawing tarkoma_table_1() {
  constexpr std::uint64_t m = 1024;
  constexpr std::uint64_t n = 100;
  constexpr std::uint64_t k = 7;
  panel by_hashes{
      "k: lower down to the best, then higher", {"k, hashes"}, {"false-positive rate", true}, {}};
  traced hashes("m = 1024, n = 100", 1);
  for (std::uint64_t i = 1; i <= 24; ++i) hashes.add(real(i), m, n, i);
  hashes.join(by_hashes);
  panel by_bits{"m: more space, lower", {"m, bits"}, {"false-positive rate", true}, {}};
  traced bits("n = 100, k = 7", 2);
  for (std::uint64_t i = 256; i <= 3072; i += 128) bits.add(real(i), i, n, k);
  bits.join(by_bits);
  panel by_keys{
      "n: more keys, higher", {"n, keys"}, {"false-positive rate", true}, {}, "bottom right"};
  traced keys("m = 1024, k = 7", 3);
  for (std::uint64_t i = 20; i <= 400; i += 20) keys.add(real(i), m, i, k);
  keys.join(by_keys);
  return {
      .title = "What each parameter does",
      .source = "After Tarkoma, Rothenberg, Lagerspetz 2012, Table I. " + std::string(points_note),
      .panels = {by_hashes, by_bits, by_keys}};
}

namespace {

// How many of `trials` counting filters of m counters and n keys have a counter of at least each of
// `levels`: real probes, real counters.
std::vector<std::uint64_t> overflowing(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                                       std::uint64_t trials,
                                       const std::vector<std::uint64_t>& levels) {
  constexpr unsigned wide = 8;
  std::vector<std::uint64_t> reached(levels.size(), 0);
  const integer_hash hash;
  const hash::uniform_probes probes{m, k};
  for (std::uint64_t trial = 0; trial < trials; ++trial) {
    bits::counter_array counters(m, wide);
    std::uint64_t largest = 0;
    for (std::uint64_t key = 0; key < n; ++key) {
      probes.all(hash(trial * n + key), [&](std::uint64_t i) {
        counters.increment(i);
        largest = std::max<std::uint64_t>(largest, counters.get(i));
        return true;
      });
    }
    for (std::size_t i = 0; i < levels.size(); ++i) {
      reached[i] += std::uint64_t{largest >= levels[i]};
    }
  }
  return reached;
}

}  // namespace

drawing tarkoma_figure_5() {
  constexpr std::uint64_t m = 1000;
  constexpr std::uint64_t k = 7;
  constexpr std::uint64_t n = 99;  // kn/m = ln 2
  constexpr std::uint64_t trials = 100'000;
  constexpr std::uint64_t widest = 5;
  const axis size{"counter size, bits", false, false, true};
  const axis probability{"probability of overflow", true};
  panel any{"any of 1,000 counters", size, probability, {}, "bottom left"};
  panel one{"one counter", size, probability, {}, "bottom left"};
  curve exact{"true probability", drawn::line, {}, 1, 5};
  curve union_of_tails{"m P(c >= 2^bits)", drawn::dashes, {}, 2};
  curve loose{"m (e ln 2 / j)^j, j = 2^bits", drawn::dashes, {}, 3};
  curve measured{"true probability, measured", drawn::points, {}, 1};
  curve tail{"P(c >= 2^bits)", drawn::line, {}, 1, 5};
  curve ficara{"Ficara et al.", drawn::dashes, {}, 4};
  std::vector<std::uint64_t> levels;
  for (std::uint64_t bits = 1; bits <= widest; ++bits) levels.push_back(std::uint64_t{1} << bits);
  const auto reached = overflowing(m, n, k, trials, levels);
  for (std::uint64_t bits = 1; bits <= widest; ++bits) {
    const std::uint64_t level = levels[bits - 1];
    exact.points.push_back({real(bits), math::overflow_probability(m, k * n, bits)});
    union_of_tails.points.push_back({real(bits), math::union_bound(m, k * n, level)});
    loose.points.push_back(
        {real(bits), std::min(1.0, math::loose_bounds(m, k * n, level).at_half_fill)});
    tail.points.push_back({real(bits), math::counter_tail(m, k * n, level)});
    ficara.points.push_back({real(bits), math::ficara_tail(m, k * n, level)});
    if (reached[bits - 1] > 0) {
      measured.points.push_back(probed{trials, reached[bits - 1]}.at(real(bits)));
    }
  }
  any.curves = {exact, union_of_tails, loose, measured};
  one.curves = {tail, ficara};
  return {
      .title = "Counters of four bits do not overflow",
      .source =
          "After Tarkoma, Rothenberg, Lagerspetz 2012, Fig. 5, bounds as corrected; kn/m = ln 2. "
          "Points: 100,000 real arrays, 99 %.",
      .panels = {any, one}};
}

drawing tarkoma_table_2() {
  const auto yes = [](bool value) { return std::string(value ? "Y" : "N"); };
  table cells{{"kind", "key feature", "C", "D", "P", "FN", "output"}};
  for (const any_kind& kind : kinds()) {
    cells.push_back({std::string(kind.info.name), std::string(kind.info.answers),
                     yes(kind.counts()), yes(kind.can<erases>()), yes(kind.can<weighs>()),
                     yes(kind.info.false_negatives), std::string(kind.output())});
  }
  return {.title = "The kinds: counting, deletion, popularity, false negatives, output",
          .source =
              "After Tarkoma, Rothenberg, Lagerspetz 2012, Table II; derived from what each "
              "class can do.",
          .cells = cells};
}

}  // namespace bloomery::cli
