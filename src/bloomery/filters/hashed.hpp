// A filter with its hash: the edge where keys become digests. What most programs use.
//
// Purpose:   takes keys (anything `bytes_of` accepts, or integers under integer_hash), hashes each
//            once, and passes the digest on.
// Guarantee: a filter built with another hash is refused at construction (errc::incompatible), so
//            no key is ever asked under the wrong one.
//
//     bloomery::hashed<bloomery::standard_filter> words(1'000'000, 0.01);
//     words.insert("zebra");
//     assert(words.may_contain(std::string("zebra")));
//     bloomery::hashed<bloomery::blocked_filter, bloomery::integer_hash> ids(1000, 0.001);
//     assert(ids.insert(42) && ids.may_contain(42));
//     const std::vector<std::string> all{"ape", "bee", "cat", "bee"};
//     const auto beasts = bloomery::hashed<bloomery::fuse_filter>::build(all, 0.001);
//     assert(beasts.may_contain("bee"));
#pragma once

#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/filters/concepts.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery {

template <filter_kind Filter, class Hash = xxh3_hash>
class hashed {
 public:
  // Sized for `keys` distinct keys at a false-positive rate of at most `rate`.
  hashed(std::uint64_t keys, double rate, Hash hash = Hash{}) requires plannable<Filter>
      : hash_(hash), filter_(Filter::plan(keys, rate), hash.identity(), promise{keys, rate}) {}

  // Of all these keys, repeats among them, at a false-positive rate of at most `rate`.
  static hashed build(const std::ranges::contiguous_range auto& keys, double rate,
                      Hash hash = Hash{},
                      unsigned threads = 1) requires plannable<Filter> && buildable<Filter> {
    const promise promised{std::max<std::uint64_t>(1, std::ranges::size(keys)), rate};
    return build(Filter::plan(promised.keys, rate), keys, promised, hash, threads);
  }
  static hashed build(const typename Filter::shape_type& shape,
                      const std::ranges::contiguous_range auto& keys, promise promised = {},
                      Hash hash = Hash{}, unsigned threads = 1) requires buildable<Filter> {
    const std::span span(std::ranges::data(keys), std::ranges::size(keys));
    if constexpr (takes_unhashed<decltype(span)>) {
      return hashed(
          Filter::build(shape, integer_span(hash, span), hash.identity(), promised, threads), hash);
    } else {
      std::vector<digest> digests;
      digests.reserve(span.size());
      for (const auto& key : span) digests.push_back(hash(key));
      return hashed(Filter::build(shape, digests, hash.identity(), promised, threads), hash);
    }
  }

  explicit hashed(Filter filter, Hash hash = Hash{}) : hash_(hash), filter_(std::move(filter)) {
    require_same_hash(filter_.record().hash, hash_.identity());
  }

  bool insert(const auto& key) requires insertable<Filter> { return filter_.insert(hash_(key)); }

  bool insert_shared(const auto& key) requires concurrent<Filter> {
    return filter_.insert_shared(hash_(key));
  }

  [[nodiscard]] bool may_contain(const auto& key) const requires membership<Filter> {
    return filter_.may_contain(hash_(key));
  }

  // Batches: hashed and passed on by the group, so that the filter can prefetch.
  template <class Key>
  std::uint64_t insert_all(std::span<const Key> keys) requires insertable<Filter> {
    if constexpr (takes_unhashed<std::span<const Key>>)
      return filter_.insert(integer_span(hash_, keys));
    std::uint64_t fresh = 0;
    in_groups(keys,
              [&](std::span<const digest> group, std::size_t) { fresh += filter_.insert(group); });
    return fresh;
  }

  template <class Key>
  std::uint64_t may_contain_all(std::span<const Key> keys,
                                std::span<bool> answers) const requires membership<Filter> {
    if constexpr (takes_unhashed<std::span<const Key>>) {
      return filter_.may_contain(integer_span(hash_, keys), answers);
    }
    std::uint64_t hits = 0;
    in_groups(keys, [&](std::span<const digest> group, std::size_t first) {
      hits += filter_.may_contain(group, answers.subspan(first, group.size()));
    });
    return hits;
  }

  [[nodiscard]] Filter& filter() { return filter_; }
  [[nodiscard]] const Filter& filter() const { return filter_; }

 private:
  // The filter hashes integers itself, on the way.
  template <class Keys>
  static constexpr bool takes_unhashed = requires(const Filter f, Hash hash, Keys keys,
                                                  std::span<bool> answers) {
    f.may_contain(integer_span(hash, keys), answers);
  };

  template <class Key, class Pass>
  void in_groups(std::span<const Key> keys, Pass pass) const {
    std::array<digest, 1024>
        digests;  // the filter keeps memory busy within a group, not between them
    for (std::size_t first = 0; first < keys.size(); first += digests.size()) {
      const std::size_t size = std::min(digests.size(), keys.size() - first);
      if constexpr (requires { hash_.all(keys, digests.data()); }) {
        hash_.all(keys.subspan(first, size), digests.data());
      } else {
        for (std::size_t i = 0; i < size; ++i) digests[i] = hash_(keys[first + i]);
      }
      pass(std::span<const digest>(digests.data(), size), first);
    }
  }

  Hash hash_;
  Filter filter_;
};

}  // namespace bloomery
