// Every kind there is, one line each. Tests, fuzzers, benchmarks, the tool and its help follow.
#pragma once

#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/filters/set/fuse.hpp"
#include "bloomery/filters/set/partitioned.hpp"
#include "bloomery/filters/set/ribbon.hpp"
#include "bloomery/filters/set/standard.hpp"

namespace bloomery {

template <class... Kinds>
struct kind_list {};

using all_kinds = kind_list<  //
    standard_filter,          //
    partitioned_filter,       //
    blocked_filter,           //
    fuse_filter,              //
    ribbon_filter>;

}  // namespace bloomery
