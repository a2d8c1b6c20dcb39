// The weighted Bloom filter: keys that are asked for often get more hashes, and are wrongly claimed
// less.
//
// Purpose:   the lowest rate over the queries that come, when it is known how often which keys are
//            asked for and how likely they are members: k_e = log2(r_e/x_e) + C.
// Cost:      the listed keys whose number of hashes is not the common one take some 5 to 10 bits each
//            in a map, looked up before the bits; plans leave it out where it does not pay.
// Guarantee: no false negatives. The rate over the listed queries is as planned; strangers that are
//            not listed meet predicted_rate, the service of the least asked listed keys. Without
//            weights it is the standard filter, bit for bit.
// Citation:  Bruck, Gao, Jiang 2006; Tarkoma §III-V.
//
//     std::vector<bloomery::key_weight> weights;  // 1,000 keys of 10,000 get 90 % of the queries
//     for (std::uint64_t i = 0; i < 10'000; ++i) {
//       weights.push_back({{bloomery::hash::mix(i), i}, i < 1000 ? 81.0 : 1.0, 0.5});
//     }
//     const auto shape = bloomery::weighted_filter::plan_weighted(5000, 0.01, weights);
//     const std::vector<bloomery::digest> members{weights[1].key, weights[4000].key};
//     const auto filter = bloomery::weighted_filter::build(shape, members, weights);
//     assert(filter.may_contain(members[0]) && filter.may_contain(members[1]));
//     assert(filter.cells().hashes_of(members[0]) > filter.cells().hashes_of(members[1]));
#pragma once

#include "bloomery/filters/weighted/allotted.hpp"

namespace bloomery {

struct weighted_rule {
  static constexpr kind_info kind{
      .name = "weighted",
      .title = "Weighted Bloom filter",
      .answers = "Is x in the set? With fewest wrong answers where x is asked for most.",
      .citation = "Bruck et al. 2006",
      .header = "bloomery/filters/weighted/weighted.hpp",
      .by_name_only = "is for keys of which some are asked for more (--weights)",
  };
  static constexpr std::array<std::string_view, 1> methods{"rounded"};
  static std::vector<unsigned> hashes(std::uint64_t method, std::span<const math::demand> demands,
                                      double budget);
};

using weighted_cells = allotted_cells<weighted_rule>;
using weighted_shape = weighted_cells::shape;
using weighted_filter = filter<weighted_cells>;

}  // namespace bloomery
