// Lays out items by bucket, on several threads.
//
// Cost:      linear; each item is made twice.
// Guarantee: the same whatever the number of threads: items of a bucket stay in order.
//
//     const std::vector<std::uint64_t> values{31, 5, 38, 12, 3};
//     std::vector<std::uint64_t> sorted(5);
//     const std::vector<std::uint64_t> starts = bloomery::bits::deal(
//         5, 4, 2, [&](std::uint64_t i) { return values[i]; },
//         [](std::uint64_t value) { return value / 10; },
//         [&](std::uint64_t place, std::uint64_t value, std::uint64_t) { sorted[place] = value; });
//     assert((sorted == std::vector<std::uint64_t>{5, 3, 12, 31, 38}));
//     assert((starts == std::vector<std::uint64_t>{0, 2, 3, 3, 5}));
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/core/parallel.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bits {

// As many of them as have enough to do.
inline unsigned threads_for(std::uint64_t items, unsigned threads) {
  constexpr std::uint64_t worth_a_thread = 1 << 15;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(items / worth_a_thread, 1, std::max(threads, 1U)));
}

// Calls put(place, source(i), i) for each i below `count`. Returns where the items of each bucket
// begin, and last where they end.
template <class Source, class BucketOf, class Put>
std::vector<std::uint64_t> deal(std::uint64_t count, std::uint64_t buckets, unsigned threads,
                                Source source, BucketOf bucket_of, Put put) {
  const auto share = [&](unsigned i) { return count * i / threads; };
  std::vector<std::vector<std::uint64_t>> next(threads, std::vector<std::uint64_t>(buckets));
  core::on_threads(threads, [&](unsigned t) {
    std::uint64_t* const counts = next[t].data();
    for (std::uint64_t i = share(t); i < share(t + 1); ++i) ++counts[bucket_of(source(i))];
  });
  std::vector<std::uint64_t> starts(buckets + 1);
  std::uint64_t end = 0;
  for (std::uint64_t b = 0; b < buckets; ++b) {
    starts[b] = end;
    for (auto& of_thread : next) end += std::exchange(of_thread[b], end);
  }
  starts[buckets] = end;
  core::on_threads(threads, [&](unsigned t) {
    std::uint64_t* const places = next[t].data();
    for (std::uint64_t i = share(t); i < share(t + 1); ++i) {
      const auto item = source(i);
      put(places[bucket_of(item)]++, item, i);
    }
  });
  return starts;
}

// Fills `to` with the items in order of rank(item), in which the top bits of number(item) come first;
// fast if they are different.
template <class Item, class Source, class Number, class Rank>
void deal_in_order(std::span<Item> to, unsigned threads, Source source, Number number, Rank rank) {
  const std::uint64_t buckets = to.size() / 1024 + 1;  // which the cache holds
  const std::vector<std::uint64_t> starts = deal(
      to.size(), buckets, threads, source,
      [&](const Item& item) { return hash::reduce(number(item), buckets); },
      [&](std::uint64_t place, const Item& item, std::uint64_t) { to[place] = item; });
  core::in_parallel(buckets, threads, [&](std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t b = first; b < first + count; ++b) {
      std::ranges::sort(to.subspan(starts[b], starts[b + 1] - starts[b]), {}, rank);
    }
  });
}

}  // namespace bloomery::bits
