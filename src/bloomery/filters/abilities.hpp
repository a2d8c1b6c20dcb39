// The one list of abilities: any_filter, the registry, the tool, the fuzzers and the conformance suite
// follow it. To add one, write its file in filters/abilities/ and its conformance test, and list it.
//
//     using bloomery::able;
//     static_assert(able<bloomery::standard_filter, bloomery::asks>);
//     static_assert(!able<bloomery::standard_filter, bloomery::erases>);
#pragma once

#include "bloomery/filters/abilities/advertising.hpp"
#include "bloomery/filters/abilities/asking.hpp"
#include "bloomery/filters/abilities/building.hpp"
#include "bloomery/filters/abilities/combining.hpp"
#include "bloomery/filters/abilities/counting.hpp"
#include "bloomery/filters/abilities/erasing.hpp"
#include "bloomery/filters/abilities/forgetting.hpp"
#include "bloomery/filters/abilities/growing.hpp"
#include "bloomery/filters/abilities/guarding.hpp"
#include "bloomery/filters/abilities/inserting.hpp"
#include "bloomery/filters/abilities/mapping.hpp"
#include "bloomery/filters/abilities/measuring.hpp"
#include "bloomery/filters/abilities/planning.hpp"
#include "bloomery/filters/abilities/ranking.hpp"
#include "bloomery/filters/abilities/reducing.hpp"
#include "bloomery/filters/abilities/texts.hpp"
#include "bloomery/filters/abilities/weighing.hpp"

namespace bloomery {

using all_abilities = ability_list<  //
    asks, asks_in_batches,           //
    inserts, inserts_in_batches, shares,
    builds,                                                                       //
    erases, erases_in_batches,                                                    //
    counts, saturates, tells_likeliest, decodes, ranks, joins,                    //
    maps, maps_in_batches, sets_values, classifies,                               //
    merges, intersects, folds, reduces, advertises, scores,                       //
    tells_rate, measures, takes_room, wears, overflowing,                         //
    lays_out, has_capacity, loses, bounds_error, chooses, checks_record, weighs,  //
    grows, compacts, forgets, keeps_time, ages,                                   //
    reads_texts, searches, finds_near,                                            //
    guards, seals>;

// Whether filters of a type have an ability.
template <class F, class... A>
concept able = (lists<A, typename F::abilities> && ...);

namespace detail {
template <class Cells, class A>
constexpr bool claimed_truly() {
  static_assert(A::template of<Cells> || !lists<A, typename Cells::can>,
                "`can` lists an ability that the cells lack a method for: see its file");
  static_assert(!A::template of<Cells> || lists<A, typename Cells::can>,
                "the cells have what an ability needs, and `can` does not list it");
  return true;
}
template <class Cells, class... A>
constexpr bool claims_hold(ability_list<A...> /*all*/) {
  return (claimed_truly<Cells, A>() && ...);
}
}  // namespace detail

}  // namespace bloomery
