// A filter with its hash: the edge where keys become digests. What most programs use.
//
// Purpose:   takes keys (anything `bytes_of` accepts, or integers under integer_hash), hashes each
//            once, and passes the digest on. It has a method for each thing that the kind can do.
// Cost:      the hash; batches are hashed by the group, so that the filter can prefetch.
// Guarantee: a filter built with another hash is refused at construction (errc::incompatible), so
//            no key is ever asked under the wrong one.
//
//     bloomery::bloom<bloomery::standard_filter> words(1'000'000, 0.01);
//     words.insert("zebra");
//     assert(words.may_contain(std::string("zebra")));
//     bloomery::bloom<bloomery::blocked_filter, bloomery::integer_hash> ids(1000, 0.001);
//     assert(ids.insert(42) && ids.may_contain(42));
//     const std::vector<std::string> all{"ape", "bee", "cat", "bee"};
//     const auto beasts = bloomery::bloom<bloomery::fuse_filter>::build(all, 0.001);
//     assert(beasts.may_contain("bee"));
//     bloomery::bloom<bloomery::counting_filter> visits(1000, 0.01);
//     assert(visits.insert(all) == 3 && visits.count("bee") == 2 && visits.erase("bee"));
#pragma once

#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/core/parallel.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/key_batch.hpp"

namespace bloomery {

namespace detail {
template <class Edge, class List>
struct keyed_methods;
template <class Edge, class... A>
struct keyed_methods<Edge, ability_list<A...>> : A::template keyed<Edge>... {};

// Hashes that take several keys at once, where these lie side by side.
template <class Keys, class Hash>
concept hashed_at_once = std::ranges::contiguous_range<Keys> &&
    requires(const Hash hash, const Keys& keys, digest* out) {
  hash.all(std::span(keys), out);
};

// Calls act(digests, number of the first) for each group of the keys of a range.
template <class Keys, class Hash, class Act>
void in_groups(const Keys& keys, const Hash& hash, Act act) {
  std::array<digest, 1024> group;  // the filter keeps memory busy within a group, not between them
  std::size_t first = 0;
  std::size_t size = 0;
  const auto pass = [&] {
    act(digest_span(group.data(), size), first);
    first += size;
    size = 0;
  };
  if constexpr (hashed_at_once<Keys, Hash>) {
    const std::span all(keys);
    while (first < all.size()) {
      size = std::min(group.size(), all.size() - first);
      hash.all(all.subspan(first, size), group.data());
      pass();
    }
  } else if constexpr (hash::keys_that_stay<Keys> && hash::hashes_views<Hash>) {
    auto next = std::ranges::begin(keys);
    const auto all = static_cast<std::size_t>(std::ranges::distance(keys));
    for (std::size_t left = all; left != 0; left = all - first) {
      size = std::min(group.size(), left);
      next = hash::hash_keys(hash, next, size, group.data());
      pass();
    }
  } else {
    for (const auto& key : keys) {
      group[size++] = hash(key);
      if (size == group.size()) pass();
    }
    if (size != 0) pass();
  }
}

// The digests of all keys of a range.
template <class Keys, class Hash>
std::vector<digest> digests_of(const Keys& keys, const Hash& hash,
                               [[maybe_unused]] unsigned threads) {
  const auto count = static_cast<std::size_t>(std::ranges::size(keys));
  if constexpr (std::ranges::random_access_range<const Keys> && hash::keys_that_stay<Keys> &&
                hash::hashes_views<Hash>) {
    std::vector<digest> digests(count);
    core::in_parallel(count, threads, [&](std::size_t first, std::size_t some) {
      using distance = std::ranges::range_difference_t<const Keys>;
      hash::hash_keys(hash, std::ranges::begin(keys) + static_cast<distance>(first), some,
                      digests.data() + first);
    });
    return digests;
  } else {
    std::vector<digest> digests;
    digests.reserve(count);
    in_groups(keys, hash, [&](digest_span group, std::size_t /*first*/) {
      digests.insert(digests.end(), group.begin(), group.end());
    });
    return digests;
  }
}
}  // namespace detail

template <filter_type Filter, class Hash = xxh3_hash>
class bloom : public detail::keyed_methods<bloom<Filter, Hash>, typename Filter::abilities> {
 public:
  using filter_kind = Filter;
  using hash_kind = Hash;

  // Empty, sized for `keys` distinct keys at a false-positive rate of at most `rate`.
  bloom(std::uint64_t keys, double rate, Hash hash = Hash{})
      : hash_(hash), filter_(Filter::plan(keys, rate), hash.identity(), promise{keys, rate}) {}

  explicit bloom(Filter filter, Hash hash = Hash{}) : hash_(hash), filter_(std::move(filter)) {
    require_same_hash(filter_.record().hash, hash_.identity());
  }

  // Of all keys of a range, repeats among them, at a false-positive rate of at most `rate`.
  template <std::ranges::sized_range Keys>
  static bloom build(const Keys& keys, double rate, Hash hash = Hash{}, unsigned threads = 1) {
    const promise promised{std::max<std::uint64_t>(1, std::ranges::size(keys)), rate};
    return build(Filter::plan(promised.keys, rate), keys, promised, hash, threads);
  }
  template <std::ranges::sized_range Keys>
  static bloom build(const typename Filter::shape_type& shape, const Keys& keys,
                     promise promised = {}, Hash hash = Hash{},
                     [[maybe_unused]] unsigned threads = 1) {
    if constexpr (!able<Filter, builds>) {
      bloom made(Filter(shape, hash.identity(), promised), hash);
      made.insert(keys);
      return made;
    } else if constexpr (takes_unhashed<builds, Keys>) {
      const integer_span unhashed(hash, std::span(keys));
      return bloom(Filter::build(shape, unhashed, hash.identity(), promised, threads), hash);
    } else {
      const std::vector<digest> digests = detail::digests_of(keys, hash, threads);
      return bloom(Filter::build(shape, digests, hash.identity(), promised, threads), hash);
    }
  }

  // Of pairs of key and value, the values below 2^64.
  template <std::ranges::forward_range Pairs>
  static bloom build_map(const Pairs& pairs, double rate, Hash hash = Hash{},
                         unsigned threads = 1) requires able<Filter, maps> {
    std::vector<keyed_value> entries;
    for (const auto& [key, value] : pairs) {
      entries.push_back({hash(key), static_cast<std::uint64_t>(value)});
    }
    const promise promised{std::max<std::uint64_t>(1, entries.size()), rate};
    return bloom(Filter::build(Filter::plan_entries(entries, rate), entries, hash.identity(),
                               promised, threads),
                 hash);
  }

  [[nodiscard]] Filter& filter() { return filter_; }
  [[nodiscard]] const Filter& filter() const { return filter_; }
  [[nodiscard]] const Hash& hash() const { return hash_; }
  [[nodiscard]] bloom copy() const { return *this; }

  // For the abilities' methods.
  template <class Ability>
  [[nodiscard]] Filter& able_to() {
    return filter_;
  }
  template <class Ability>
  [[nodiscard]] const Filter& able_to() const {
    return filter_;
  }
  template <class Key>
  static constexpr bool is_key = requires(const Hash& hash, const Key& key) {
    { hash(key) } -> std::same_as<digest>;
  };
  [[nodiscard]] digest digest_of(const auto& key) const { return hash_(key); }
  template <class Ability, std::ranges::input_range Keys, class Act>
  void in_batches(const Keys& keys, Act act) const {
    if constexpr (takes_unhashed<Ability, Keys>) {
      act(integer_span(hash_, std::span(keys)), std::size_t{0});
    } else {
      detail::in_groups(keys, hash_, act);
    }
  }

 private:
  // The filter hashes integers itself, on the way.
  template <class Ability, class Keys>
  static constexpr bool takes_unhashed = Ability::template takes_integers<Filter>&&
      std::ranges::contiguous_range<Keys>&& requires(Hash hash, const Keys& keys) {
    integer_span(hash, std::span(keys));
  };

  Hash hash_;
  Filter filter_;
};

}  // namespace bloomery
