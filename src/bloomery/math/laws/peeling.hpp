// Peeling: whether keys with k slots each can be taken away one by one, each having a slot to itself.
//
// Purpose:   how many slots a table of a Bloomier filter or the counters of a braid need, and how often
//            one attempt to build such a table fails.
// Cost:      microseconds.
// Guarantee: peeling fails if some keys leave no slot with one of them alone, a 2-core. The threshold is
//            the limit for many keys. core_probability and the `most` of peeling_failure are expected
//            numbers of such sets (first moment): never too low, and 1 near the threshold, up to some 1.6
//            slots a key of three each. The `least` counts only two keys with the same slots, which is
//            nearly all there is far above the threshold.
// Citation:  Molloy 2005 (thresholds). Chazelle, Kilian, Rubinfeld, Tal 2004, Lemma 4.4: their sum
//            over sets that have too few slots is the same argument, with a looser bound on each set.
//
//     assert(std::abs(bloomery::math::peeling_threshold(3) - 1.2218) < 1e-4);
//     const auto failure = bloomery::math::peeling_failure(20'000, 10'000, 3);
//     assert(failure.least > 3.7e-5 && failure.most < 1.4 * failure.least);
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace bloomery::math {

// Slots a key, below which a random hypergraph of k slots a key has a large 2-core: the greatest value
// of k(1-e^-x)^(k-1)/x; for k = 2 the limit at 0, which is 2.
double peeling_threshold(std::uint64_t k);

// A bound on the chance that a given one of `keys` keys, k of m slots each, is in a 2-core: the sum
// over s of C(n-1, s-1) times the chance that s keys leave no slot with one of them, which is at
// most (ks)!/m^ks·(e^z-z)^m/z^ks for any z > 0, over that k positions differ. From 64 keys on the sum
// goes by steps of two per cent.
double core_probability(std::uint64_t m, std::uint64_t keys, std::uint64_t k = 3);

struct coring;

// The same for many m: its logarithm, above 0 where the bound says nothing. As s grows the terms fall, and
// near the threshold rise to a summit and fall again; where they are below the last digit they are left out.
class core_bound {
 public:
  core_bound(std::uint64_t keys, std::uint64_t k);
  [[nodiscard]] double log_chance(std::uint64_t m);
  // What the smallest sets, and the likeliest of the large ones, come to alone: much less work, and smoother.
  [[nodiscard]] double log_chance_of_few(std::uint64_t m);
  [[nodiscard]] double log_chance_of_many(std::uint64_t m);

 private:
  static constexpr double negligible = 42;  // e-folds
  static constexpr double valley = 4;  // the summit is at sets of more than this part of the keys

  // What of a term does not depend on m.
  struct set {
    double keys;
    double log_sets = std::numeric_limits<double>::quiet_NaN();  // once asked for
    double log_orders = 0;
  };
  std::uint64_t keys_;
  std::uint64_t k_;
  std::vector<set> sets_;
  std::size_t large_ = 0;   // the first that may be the summit
  std::size_t summit_ = 0;  // as last seen
  std::size_t stride_ = 8;

  double term(std::size_t i, const coring& core);
  double climb(std::size_t first, const coring& core);
};

// Bounds on the chance that `keys` keys with k different ones of m slots each cannot all be peeled.
struct failure_bounds {
  double least;  // two of them have the same slots
  double most;   // the expected number of sets of s keys that leave no slot to one, over s
};
failure_bounds peeling_failure(std::uint64_t m, std::uint64_t keys, std::uint64_t k);

}  // namespace bloomery::math
