// What changed from one version of a filter to the next, in few bytes.
//
// Purpose:   whoever has the old version needs only the bits that differ: their exclusive or,
//            entropy-coded, and the new record.
// Cost:      that of entropy_coder, and a copy of the payload.
// Guarantee: patch returns the new version, byte for byte, or throws: errc::incompatible if the base
//            is not the one that the delta was made from (kind, shape, hash, content),
//            errc::corrupt, errc::limit or errc::unsupported if the delta is damaged.
// Citation:  Mitzenmacher 2002, §6 (delta compression).
//
//     const bloomery::wire::envelope head{"demo", {}, {1}};
//     std::vector<std::byte> cells(6400);
//     const bloomery::wire::filter_view before{head, {cells}};
//     std::vector<std::byte> changed = cells;
//     changed[100] = std::byte{1};
//     const auto delta = bloomery::wire::diff(before, {head, {changed}});
//     assert(delta.size() < 300);
//     const bloomery::wire::stored_filter after = bloomery::wire::patch(before, delta);
//     assert(after.payload.bytes()[100] == std::byte{1});
#pragma once

#include <vector>

#include "bloomery/wire/compressed.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::wire {

struct filter_view {
  envelope head;
  std::vector<byte_view> payload;
};

std::vector<std::byte> diff(const filter_view& before, const filter_view& after,
                            unsigned threads = 1);
stored_filter patch(const filter_view& before, byte_view delta, const load_options& options = {},
                    unsigned threads = 1);

}  // namespace bloomery::wire
