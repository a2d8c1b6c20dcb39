// A filter of known keys, of the kind that the planner likes best, or of one that a person likes better.
//
// Purpose:   what parts of systems put before their tables: they choose no kind themselves.
// Guarantee: no key is missed, and the promised rate is at most `rate`. errc::invalid if there is no such
//            kind, and errc::unsupported if it cannot hold a set of keys or may miss one.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}};
//     const bloomery::any_filter any = bloomery::apps::planned_set(keys, 0.01);
//     assert(any.as<bloomery::asks>().may_contain({3, 4}));
//     assert(bloomery::apps::planned_set(keys, 0.01, "ribbon").kind().info.name == "ribbon");
#pragma once

#include <string_view>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/hash/identity.hpp"

namespace bloomery::apps {

// Keys may repeat: what counts is how many different ones there are.
any_filter planned_set(std::vector<digest> keys, double rate, std::string_view kind = {},
                       hash_identity hash = {}, unsigned threads = 1);

// The rate of such a filter as it stands, or where its kind cannot tell, of one like it.
double rate_of(const any_filter& filter);

}  // namespace bloomery::apps
