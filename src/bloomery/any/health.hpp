// Does a filter in use still keep its promise?
//
// Purpose:   measures the rate with keys that are not in the filter, sets it beside the promised,
//            the predicted and the actual one, and says healthy or degraded, why, and what to do.
// Cost:      some 2,700 hits' worth of queries (270,000 at 1 %), at most 10 million; a few passes
//            over the cells.
// Guarantee: a filter whose measured interval lies above its rate is healthy only if chance explains it
//            once in a million: chance of the probes, or of the hashes where the distribution of the
//            rate is known, since a promise is kept in expectation over hashes. Intervals are exact
//            (Clopper–Pearson); a suspicion that does not rest on the record or on them needs odds
//            of a million to one.
//            A kind that takes no keys once it is built cannot fill up: it has no capacity, and its
//            rate is the predicted one. What a kind cannot tell is left empty; nothing throws for it.
//
//     auto filter = bloomery::find_kind("standard").for_keys(1000, 0.01);
//     assert(bloomery::examine(filter).healthy());
//     std::vector<bloomery::digest> keys;
//     for (std::uint64_t i = 1; i <= 3000; ++i) keys.push_back({bloomery::hash::mix(i), i});
//     filter.as<bloomery::inserts>().insert(keys);
//     assert(bloomery::examine(filter).advice.starts_with("rebuild for 3"));
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/strangers.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery {

// Probing ends when the interval reaches this far to either side of the measured rate, relatively:
// at 99 % that takes 2,674 hits.
inline constexpr double probe_tightness = 0.05;
// Or after this many probes, so that a rate of 1e-9, at which nothing will be seen, costs seconds
// and not hours. No hit in this many probes still proves a rate below 5.3e-7 (at 99 %).
inline constexpr std::uint64_t most_probes = 10'000'000;
// Of small rates, at which the half-width is z·√hits and about half a hit more.
std::uint64_t enough_hits(double confidence);
// The chance at which a sound filter fails one check.
inline constexpr double false_alarm = 1e-6;

struct examine_options {
  double confidence = 0.99;               // of the intervals
  std::uint64_t probes = 0;               // 0: until tight, see above
  std::uint64_t seed = 1970;              // of the random probes; reruns agree
  double rate = 0;                        // to hold the filter to; 0: the one on record
  std::optional<std::uint64_t> now = {};  // to ask a window of time for
};

struct measurement {
  tally counts;
  bool random;  // drawn at random, not absent keys of the caller's
  double rate;
  math::interval interval;
};

struct health {
  filter_record record;
  double confidence = 0;
  std::optional<double> rate;  // held to; none: nothing was promised or asked
  std::optional<measurement> measured;
  std::optional<double> predicted_of_items;
  std::optional<double> predicted_of_estimate;
  std::optional<double> current_rate;
  std::optional<double> fill;
  // Keys that take room, erased ones that kept it included.
  std::optional<math::estimate> estimated;
  std::optional<bool> consistent;          // the cells are those of the insertions on record
  std::optional<std::uint64_t> overflows;  // cells that could not hold what they were given
  std::optional<std::uint64_t> stages;
  // Expected of keys as old as the window, of the oldest, or of all: as the kind loses them.
  std::optional<double> false_negatives;
  // Keys at which the predicted rate passes `rate`, or no more fit; none if it grows or forgets.
  std::optional<std::uint64_t> capacity;
  std::optional<std::int64_t> headroom;  // capacity less keys in it; below 0 it is over-filled
  std::optional<std::uint64_t> fold;     // the largest factor that keeps `rate` for its keys
  std::vector<std::string> reasons;      // why it is degraded
  std::vector<std::string> remarks;
  std::string advice;

  [[nodiscard]] bool healthy() const { return reasons.empty(); }
};

// How many keys to predict the rate for. Insertions on record count repeats: where the cells show, once
// in a million, that there were some, the keys estimated; of a kind that is built whole, no more keys than
// it was planned for.
std::uint64_t predicted_keys(const any_filter& filter);

// Probes with random digests; `watch`, if any, is told now and then how many more were asked.
health examine(const any_filter& filter, const examine_options& options = {},
               const std::function<void(std::uint64_t asked)>& watch = {});

// With the answers to keys that the caller knows to be absent, `random` if it drew them so. A member
// among them counts as a false positive.
health examine(const any_filter& filter, const tally& absent, const examine_options& options = {},
               bool random = false);

}  // namespace bloomery
