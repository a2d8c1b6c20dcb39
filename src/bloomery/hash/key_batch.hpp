// Keys of any form that a batch may have, hashed by policies that take several at once.
//
// Purpose:   a policy such as xxh3_hash takes a batch of std::string_view; programs have strings and runs of
//            bytes in any range. These are turned into such views, a few at a time.
// Cost:      one call of the policy for 64 keys instead of one for each.
// Guarantee: the digests are those of the keys one by one.
//
//     const std::vector<std::string> words{"ape", "bee", "cat"};
//     std::array<bloomery::digest, 3> digests;
//     bloomery::hash::hash_keys(bloomery::xxh3_hash{}, words.begin(), 3, digests.data());
//     assert(digests[2] == bloomery::xxh3_hash{}("cat"));
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>

#include "bloomery/core/prefetch.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::hash {

// Policies that hash several keys at once.
template <class Hash>
concept hashes_views = requires(const Hash hash, std::span<const std::string_view> keys,
                                digest* digests) {
  hash.all(keys, digests);
};

// Keys whose bytes stay where they are while others are looked at.
template <class Keys>
concept keys_that_stay = std::ranges::forward_range<const Keys> &&
    byte_key<std::ranges::range_reference_t<const Keys>> &&
    (std::is_lvalue_reference_v<std::ranges::range_reference_t<const Keys>> ||
     std::ranges::borrowed_range<std::ranges::range_reference_t<const Keys>>);

// The digests of `count` keys from `next` on; where they end.
template <hashes_views Hash, std::input_iterator Next>
Next hash_keys(const Hash& hash, Next next, std::size_t count, digest* digests) {
  constexpr std::size_t group = 64;
  // Strings lie anywhere: all of a group are asked for before the first is hashed.
  const auto ask_for = [](std::string_view key) {
    core::prefetch_into<core::cache_level::first>(key.data());
  };
  std::array<std::string_view, group> views;
  for (std::size_t some = 0; count != 0; count -= some, digests += some) {
    some = std::min(count, group);
    if constexpr (std::contiguous_iterator<Next> &&
                  std::same_as<std::iter_value_t<Next>, std::string_view>) {
      const std::span keys(std::to_address(next), some);
      for (const std::string_view key : keys) ask_for(key);
      hash.all(keys, digests);
      next += static_cast<std::iter_difference_t<Next>>(some);
    } else {
      for (std::size_t i = 0; i < some; ++i, ++next) {
        views[i] = text_of(bytes_of(*next));
        ask_for(views[i]);
      }
      hash.all(std::span(views.data(), some), digests);
    }
  }
  return next;
}

}  // namespace bloomery::hash
