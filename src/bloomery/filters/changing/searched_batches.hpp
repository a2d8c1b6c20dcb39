// Batches on cells that a searcher finds, which is chosen by the shape: once for the whole batch.
//
// Purpose:   for filters in bucket tables, which search in several ways. Their cells offer search(act),
//            which calls act(searcher), and insert_by, erase_by and contains_by(searcher, place).
//
//     auto online = bloomery::cuckoo_filter::for_keys(1000, 0.001);
//     using bloomery::hash::mix;
//     const std::vector<bloomery::digest> keys{{mix(1), mix(2)}, {mix(3), mix(4)}};
//     assert(online.insert(keys) == 2 && online.may_contain(keys[0]) && online.erase(keys) == 2);
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/bits/batch/answered.hpp"
#include "bloomery/filters/cells.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery::detail {

// The searcher is a copy in each, which stays in registers.
template <class C, class Keys>
std::uint64_t insert_searched(C& cells, const Keys& keys, std::span<bool> fresh,
                              std::uint64_t& items) {
  return cells.search([&](auto in) {
    std::uint64_t count = 0;
    each_place(cells, keys, [&](std::size_t i, const auto& at) {
      const bool is_new = cells.insert_by(in, at);
      ++items;
      count += std::uint64_t{is_new};
      if (!fresh.empty()) fresh[i] = is_new;
    });
    return count;
  });
}

template <class C, class Keys>
std::uint64_t erase_searched(C& cells, const Keys& keys) {
  return cells.search([&](auto in) {
    std::uint64_t gone = 0;
    each_place(cells, keys,
               [&](std::size_t, const auto& at) { gone += std::uint64_t{cells.erase_by(in, at)}; });
    return gone;
  });
}

// The front of the batch has been answered by a kernel.
template <class C, class Keys>
std::uint64_t contains_searched(const C& cells, const Keys& keys, std::span<bool> answers,
                                const bits::answered& front) {
  return cells.search([&, rest = answers.subspan(front.keys)](auto in) {
    std::uint64_t hits = front.hits;
    const auto behind = keys.subspan(front.keys, keys.size() - front.keys);
    each_place(cells, behind, [&](std::size_t i, const auto& at) {
      rest[i] = cells.contains_by(in, at);
      hits += std::uint64_t{rest[i]};
    });
    return hits;
  });
}

}  // namespace bloomery::detail
