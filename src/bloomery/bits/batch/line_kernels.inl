// Keys against their lines, in batches and in bulk. Compiled once per back end; see
// each_backend.inl.
#include "bloomery/bits/batch/line_vector.inl"

namespace bloomery::bits::BLOOMERY_ISA {

// Eight answers at a time.
inline std::uint64_t ones_among(const bool* answers, std::size_t count) {
  std::uint64_t ones = 0;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, answers + i, sizeof eight);
    ones += eight * 0x0101010101010101 >> 56;
  }
  for (; i < count; ++i) ones += std::uint64_t{answers[i]};
  return ones;
}

// Hashes, asks for the lines, and notes where they are.
template <class Keys>
BLOOMERY_TARGET void locate(const Keys& keys, std::uint64_t* words, std::uint64_t blocks,
                            place* places) {
  const std::size_t count = keys.size();
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) {
    const digest key = keys[i];
    places[i] = {words + hash::reduce(key.lo, blocks) * hash::lane_count, key.hi};
    __builtin_prefetch(places[i].line, 1);
  }
}

template <bool two_rounds, bool picks_all>
struct line_kernel {
  BLOOMERY_TARGET static bool test_one(const hash::line_pattern& pattern, const std::uint64_t* line,
                                       std::uint64_t bits) {
    return covered_by<two_rounds, picks_all>(pattern, load_line(line), bits);
  }

  // True if the key was known.
  BLOOMERY_TARGET [[gnu::always_inline]] static bool put(const hash::line_pattern& pattern,
                                                         std::uint64_t* line, std::uint64_t bits) {
    const line_vector mask = mask_of<two_rounds, picks_all>(pattern, bits);
    const line_vector before = load_line(line);
    store_line(line, either(before, mask));
    return covers(before, mask);
  }

  BLOOMERY_TARGET static bool set_one(const hash::line_pattern& pattern, std::uint64_t* line,
                                      std::uint64_t bits) {
    return !put(pattern, line, bits);
  }

  BLOOMERY_TARGET static std::uint64_t test(const hash::line_pattern& pattern, const place* places,
                                            std::size_t count, bool* answers) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) {
      answers[i] =
          covered_by<two_rounds, picks_all>(pattern, load_line(places[i].line), places[i].bits);
    }
    return ones_among(answers, count);
  }

  BLOOMERY_TARGET static std::uint64_t set(const hash::line_pattern& pattern, const place* places,
                                           std::size_t count) {
    std::uint64_t known = 0;
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) {
      known += std::uint64_t{put(pattern, places[i].line, places[i].bits)};
    }
    return count - known;
  }

  template <class Keys>
  BLOOMERY_TARGET static void set_bulk(const hash::line_pattern& pattern, std::uint64_t* words,
                                       std::uint64_t blocks, const Keys& keys, unsigned threads) {
    // Where every lane gets one bit, a quarter of the digest's half is unused, so that the rest and
    // the block within its region fit a word.
    using record = std::conditional_t<!two_rounds && picks_all, packed_record, wide_record>;
    by_region<record>(
        keys.size(), (blocks - 1) / region_blocks + 1, threads,
        [&](std::size_t first, std::size_t count, auto& put) {
          split<record>(keys.subspan(first, count), blocks, put);
        },
        [&](std::uint64_t region, std::span<const record> records) {
          apply<record>(pattern, words + region * region_blocks * hash::lane_count, records);
        });
  }

  template <class Record, class Keys, class Put>
  BLOOMERY_TARGET static void split(const Keys& keys, std::uint64_t blocks, Put& put) {
    const std::size_t count = keys.size();
    for (std::size_t i = 0; i < count; ++i) {
      const digest key = keys[i];
      const std::uint64_t block = hash::reduce(key.lo, blocks);
      put(block / region_blocks, Record(block % region_blocks, key.hi));
    }
  }

  template <class Record>
  BLOOMERY_TARGET static void apply(const hash::line_pattern& pattern, std::uint64_t* region,
                                    std::span<const Record> records) {
    constexpr std::size_t ahead = 16;  // the region is in the second-level cache
    const std::size_t count = records.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + ahead < count) {
        __builtin_prefetch(region + records[i + ahead].block() * hash::lane_count, 1);
      }
      std::uint64_t* const line = region + records[i].block() * hash::lane_count;
      store_line(line, either(load_line(line),
                              mask_of<two_rounds, picks_all>(pattern, records[i].bits())));
    }
  }

  static constexpr line_kernels all{.test_one = test_one,
                                    .set_one = set_one,
                                    .locate_digests = locate<digest_span>,
                                    .locate_integers = locate<integer_span>,
                                    .test = test,
                                    .set = set,
                                    .set_bulk_digests = set_bulk<digest_span>,
                                    .set_bulk_integers = set_bulk<integer_span>};
};

inline const line_kernels& kernels_for(const hash::line_pattern& pattern) {
  if (pattern.two_rounds()) {
    return pattern.picks_all_lanes() ? line_kernel<true, true>::all : line_kernel<true, false>::all;
  }
  return pattern.picks_all_lanes() ? line_kernel<false, true>::all : line_kernel<false, false>::all;
}

}  // namespace bloomery::bits::BLOOMERY_ISA
