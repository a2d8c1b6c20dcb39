// Which of many filters, on many machines, has a key: the shards of one filter.
//
// Purpose:   a filter that fits no machine is split into `shards` filters of one shape, and every digest belongs
//            to one of them.
// Guarantee: what a shard is given still looks uniform to it. Kinds take their positions from either half of the
//            digest, high bits or low: shards by the high bits of `lo` leave a blocked filter a sixteenth of
//            its blocks, which then claims all but everything. So both halves are mixed anew, with a constant
//            that is used nowhere else; the conformance suite holds every kind to its rate behind it.
//            The shard of a digest never changes: it is what stored filters were filled by.
// Cost:      two mixes and a multiply.
//
//     static_assert(bloomery::hash::shard_of({1, 2}, 16) < 16);
//     static_assert(bloomery::hash::shard_of({1, 2}, 1) == 0);
#pragma once

#include <cstdint>

#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::hash {

inline constexpr std::uint64_t of_shards = 0x8f1bbcdcca62c1d6;

constexpr std::uint64_t shard_of(digest d, std::uint64_t shards) {
  return reduce(mix(mix(d.lo + of_shards) ^ d.hi), shards);
}

}  // namespace bloomery::hash
