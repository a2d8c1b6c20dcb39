// Keys against their lines, in batches and in bulk. Compiled once per back end; see
// each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

#if BLOOMERY_VECTOR_BITS >= 256
#include "bloomery/hash/key_lanes.inl"
#endif
#include "bloomery/bits/batch/line_vector.inl"
#include "bloomery/bits/batch/ring.inl"
// Made of these.
#include "bloomery/bits/batch/line_steps.inl"

// Whether all bits of the key are set.
template <bool two_rounds, bool picks_all>
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers tests(const hash::line_pattern& pattern,
                                                                 const std::uint64_t* line,
                                                                 std::uint64_t bits) {
#if BLOOMERY_VECTOR_BITS >= 256
  return answers_of<two_rounds, picks_all>(pattern, load_line(line), bits);
#else
  const std::uint64_t last = two_rounds ? hash::line_pattern::second(bits) : bits;
  return words_have<picks_all>(pattern, line, last, bits) &&
         (!two_rounds || words_have<true>(pattern, line, bits, bits));
#endif
}

// Sets them; whether all were.
template <bool two_rounds, bool picks_all>
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers sets(const hash::line_pattern& pattern,
                                                                std::uint64_t* line,
                                                                std::uint64_t bits) {
#if BLOOMERY_VECTOR_BITS >= 256
  const line_vector before = load_line(line);
  const line_vector after = either(before, mask_of<two_rounds, picks_all>(pattern, bits));
  store_line(line, after);
  return same(before, after);
#else
  const std::uint64_t last = two_rounds ? hash::line_pattern::second(bits) : bits;
  const bool fresh = set_in_words<picks_all>(pattern, line, last, bits);
  if constexpr (two_rounds) return !set_in_words<true>(pattern, line, bits, bits) && !fresh;
  return !fresh;
#endif
}

template <bool two_rounds, bool picks_all>
struct line_kernel {
  BLOOMERY_TARGET static bool test_one(const hash::line_pattern& pattern, const std::uint64_t* line,
                                       std::uint64_t bits) {
    return all_say_yes(tests<two_rounds, picks_all>(pattern, line, bits));
  }
  BLOOMERY_TARGET static bool set_one(const hash::line_pattern& pattern, std::uint64_t* line,
                                      std::uint64_t bits) {
    return !all_say_yes(sets<two_rounds, picks_all>(pattern, line, bits));
  }

  struct testing {
    static constexpr bool inverted = false;
    const hash::line_pattern& pattern;

    static const half_digests& prepared(const half_digests& bits) { return bits; }
    BLOOMERY_TARGET [[gnu::always_inline]] lane_answers act(const std::uint64_t* line,
                                                            std::uint64_t bits) const {
      return tests<two_rounds, picks_all>(pattern, line, bits);
    }
  };
  template <class Keys>
  BLOOMERY_TARGET static std::uint64_t test(const hash::line_pattern& pattern,
                                            const std::uint64_t* words, std::uint64_t blocks,
                                            const Keys& keys, bool* answers) {
    // Only read.
    return to_lines(const_cast<std::uint64_t*>(words), blocks, keys, testing{pattern}, answers);
  }

  struct setting {
    static constexpr bool inverted = true;  // new is what was not there
    const hash::line_pattern& pattern;

    static const half_digests& prepared(const half_digests& bits) { return bits; }
    BLOOMERY_TARGET [[gnu::always_inline]] lane_answers act(std::uint64_t* line,
                                                            std::uint64_t bits) const {
      return sets<two_rounds, picks_all>(pattern, line, bits);
    }
  };
  template <class Keys>
  BLOOMERY_TARGET static std::uint64_t set(const hash::line_pattern& pattern, std::uint64_t* words,
                                           std::uint64_t blocks, const Keys& keys, bool* fresh) {
    return to_lines(words, blocks, keys, setting{pattern}, fresh);
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
    std::size_t i = 0;
#if BLOOMERY_VECTOR_BITS >= 256
    const lanes range = every(blocks);
    for (; blocks >> 32 == 0 && i + at_once <= count; i += at_once) {
      const halves of = digests_of(keys, i);
      std::array<std::uint64_t, at_once> block;
      std::array<std::uint64_t, at_once> bits;
      store_words(block.data(), reduced(of.lo, range));
      store_words(bits.data(), of.hi);
#pragma GCC unroll 8
      for (std::size_t j = 0; j < at_once; ++j) {
        put(block[j] / region_blocks, Record(block[j] % region_blocks, bits[j]));
      }
    }
#endif
    for (; i < count; ++i) {
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
      sets<two_rounds, picks_all>(pattern, region + records[i].block() * hash::lane_count,
                                  records[i].bits());
    }
  }

  template <class Keys>
  static constexpr line_batches<Keys> batches{
      .test = test<Keys>, .set = set<Keys>, .set_bulk = set_bulk<Keys>};
  static constexpr line_kernels all{test_one, set_one, batches<digest_span>, batches<integer_span>};
};

inline const line_kernels& kernels_for(const hash::line_pattern& pattern) {
  if (pattern.two_rounds()) {
    return pattern.picks_all_lanes() ? line_kernel<true, true>::all : line_kernel<true, false>::all;
  }
  return pattern.picks_all_lanes() ? line_kernel<false, true>::all : line_kernel<false, false>::all;
}

}  // namespace bloomery::bits::BLOOMERY_ISA
