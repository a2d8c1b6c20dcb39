// Random writes to a large memory, made into writes to one cache-sized region after another.
//
// Purpose:   bulk building. Each key becomes a small record of what to write where; records are
//            sorted by region through buffers that fill a few cache lines before they go out, past
//            the cache; then each region's records are applied while it is in the cache. Order
//            within a region is kept for one thread, and arbitrary for several: the writes must
//            commute (as setting bits does).
// Cost:      per key, one record written and read in order, instead of one random line. Measured
//            (docs/performance.md) it pays from where the structure outgrows the last-level cache.
// Guarantee: each record is applied once, whatever their distribution: a region whose share of the
//            memory is full is applied at once. At most about `records_memory` bytes beside the
//            structure.
//
//     std::vector<int> sums(4);
//     bloomery::bits::by_region<std::uint64_t>(100, 4, 1,
//         [](std::size_t first, std::size_t count, auto& put) {
//           for (std::size_t i = first; i < first + count; ++i) put(i % 4, i);
//         },
//         [&](std::uint64_t region, std::span<const std::uint64_t> records) {
//           sums[region] += static_cast<int>(records.size());
//         });
//     assert(sums[0] == 25 && sums[3] == 25);
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/parallel.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace bloomery::bits {

// Memory for records in flight. Larger means fewer passes over the structure, smaller fewer fresh
// pages; measured at 100 M keys, 256 MiB is the best of 64 MiB to 1 GiB.
inline constexpr std::uint64_t records_memory = std::uint64_t{256} << 20;

// One thread's records of one pass, by region.
template <class Record, class Apply>
class region_records {
 public:
  region_records(std::uint64_t regions, std::uint64_t expected, const Apply& apply,
                 std::mutex& overflowing)
      : regions_(regions),
        // Eight standard deviations of room; what is more skewed than that overflows.
        room_(rounded(static_cast<double>(expected) / static_cast<double>(regions))),
        memory_(storage::allocate(regions * room_ * sizeof(Record))),
        combining_(storage::allocate(regions * line_records * sizeof(Record))),
        records_(reinterpret_cast<Record*>(memory_.bytes_for_writing().data())),
        waiting_(reinterpret_cast<Record*>(combining_.bytes_for_writing().data())),
        counts_(regions, 0),
        apply_(apply),
        overflowing_(overflowing) {}

  [[gnu::always_inline]] void operator()(std::uint64_t region, const Record& record) {
    const std::uint64_t count = counts_[region]++;
    Record* const waiting = waiting_ + region * line_records;
    waiting[count % line_records] = record;
    if (count % line_records == line_records - 1) [[unlikely]] {
      send(waiting, records_ + region * room_ + (count + 1 - line_records));
      if (count + 1 == room_) overflow(region);
    }
  }

  void finish() {
    for (std::uint64_t region = 0; region < regions_; ++region) {
      const std::uint64_t rest = counts_[region] % line_records;
      std::copy_n(waiting_ + region * line_records, rest,
                  records_ + region * room_ + (counts_[region] - rest));
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }

  void apply(std::uint64_t region) {
    apply_(region, std::span<const Record>(records_ + region * room_, counts_[region]));
    counts_[region] = 0;
  }

 private:
  static constexpr std::uint64_t line_bytes = 256;  // together: fewer mispredicted turns than 64
  static constexpr std::uint64_t line_records = line_bytes / sizeof(Record);

  static std::uint64_t rounded(double expected) {
    const auto room = static_cast<std::uint64_t>(expected + 8 * std::sqrt(expected)) + 1;
    return (room + line_records - 1) / line_records * line_records;
  }

  static void send(const Record* from, Record* to) {
#if defined(__SSE2__)
    for (std::uint64_t i = 0; i < line_bytes / sizeof(__m128i); ++i) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i,
                       _mm_load_si128(reinterpret_cast<const __m128i*>(from) + i));
    }
#else
    std::memcpy(to, from, line_bytes);
#endif
  }

  [[gnu::noinline]] void overflow(std::uint64_t region) {
    const std::lock_guard lock(overflowing_);  // another thread's may be the same region
    apply(region);
  }

  std::uint64_t regions_;
  std::uint64_t room_;
  storage memory_;
  storage combining_;
  Record* records_;
  Record* waiting_;
  std::vector<std::uint64_t> counts_;
  const Apply& apply_;
  std::mutex& overflowing_;
};

// Calls make(first, count, put) for pieces of 0..keys-1, from `threads` threads, which calls
// put(region, record) for each key, or so many times; then apply(region, records), never for one region at
// once.
template <class Record, class Make, class Apply>
void by_region(std::uint64_t keys, std::uint64_t regions, unsigned threads, const Make& make,
               const Apply& apply, std::uint64_t records_a_key = 1) {
  if (keys == 0) return;
  const std::uint64_t memory = keys * records_a_key * sizeof(Record);
  const std::uint64_t passes =
      std::max<std::uint64_t>(1, (memory + records_memory - 1) / records_memory);
  const std::uint64_t pieces = passes * threads;
  const auto piece_start = [&](std::uint64_t piece) {
    return keys / pieces * piece + std::min(piece, keys % pieces);
  };

  std::mutex overflowing;
  std::vector<region_records<Record, Apply>> mine;
  mine.reserve(threads);
  for (unsigned t = 0; t < threads; ++t) {
    mine.emplace_back(regions, (keys / pieces + 1) * records_a_key, apply, overflowing);
  }
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    core::on_threads(threads, [&](unsigned t) {
      const std::uint64_t first = piece_start(pass * threads + t);
      make(first, piece_start(pass * threads + t + 1) - first, mine[t]);
      mine[t].finish();
    });
    std::atomic<std::uint64_t> next{0};
    core::on_threads(threads, [&](unsigned) {
      for (std::uint64_t region = next++; region < regions; region = next++) {
        for (auto& records : mine) records.apply(region);
      }
    });
  }
}

}  // namespace bloomery::bits
