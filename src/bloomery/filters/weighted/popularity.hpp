// The popularity-conscious Bloom filter: whole numbers of hashes for each key, to the best use of the
// bits.
//
// Purpose:   as the weighted filter, by solving for whole numbers: the continuous optimum cut down, or
//            hash after hash where it brings most for its price (`greedy`), which is never worse.
// Cost:      that of the weighted filter, whose map it has.
// Guarantee: no false negatives. The rate over the listed queries is as planned, and twice the best
//            possible for its bits at most, but for the map's strangers; those that are not listed
//            meet predicted_rate. Without weights it is the standard filter, bit for bit.
// Citation:  Zhong, Lu, Shen, Seiferas 2008; Tarkoma §III-T.
//
//     std::vector<bloomery::key_weight> weights;
//     for (std::uint64_t i = 0; i < 2000; ++i) {
//       weights.push_back({{bloomery::hash::mix(i), i}, 1e6 / double((i + 1) * (i + 1)), 0.9});
//     }
//     const auto shape = bloomery::popularity_filter::plan_weighted(1800, 0.01, weights);
//     const std::vector<bloomery::digest> members{weights[1].key, weights[1000].key};
//     const auto filter = bloomery::popularity_filter::build(shape, members, weights);
//     assert(filter.may_contain(members[0]) && filter.may_contain(members[1]));
#pragma once

#include "bloomery/filters/weighted/allotted.hpp"

namespace bloomery {

struct popularity_rule {
  static constexpr kind_info kind{
      .name = "popularity",
      .title = "Popularity-conscious Bloom filter",
      .answers = "Is x in the set? With fewest wrong answers where x is asked for most.",
      .citation = "Zhong et al. 2008",
      .header = "bloomery/filters/weighted/popularity.hpp",
      .by_name_only = "is for keys of which some are asked for more (--weights)",
  };
  static constexpr std::array<std::string_view, 2> methods{"continuous", "greedy"};
  static std::vector<unsigned> hashes(std::uint64_t method, std::span<const math::demand> demands,
                                      double budget);
};

using popularity_cells = allotted_cells<popularity_rule>;
using popularity_shape = popularity_cells::shape;
using popularity_filter = filter<popularity_cells>;

}  // namespace bloomery
