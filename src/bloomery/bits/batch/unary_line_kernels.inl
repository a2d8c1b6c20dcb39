// Keys against the counters of unary lines. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

#if BLOOMERY_VECTOR_BITS >= 256
#include "bloomery/hash/key_lanes.inl"
#endif
#include "bloomery/bits/batch/line_vector.inl"
#include "bloomery/bits/batch/ring.inl"
// Made of these.
#include "bloomery/bits/batch/line_steps.inl"

// The one of x before which it has `rank` others, by itself. It must have more ones than that.
#if BLOOMERY_VECTOR_BITS >= 256 && !defined(BLOOMERY_SIMDE)
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint64_t one_of_rank(std::uint64_t x,
                                                                        unsigned rank) {
  return _pdep_u64(std::uint64_t{1} << rank, x);
}
#else
[[gnu::always_inline]] inline std::uint64_t one_of_rank(std::uint64_t x, unsigned rank) {
  constexpr std::uint64_t each = 0x0101010101010101;
  std::uint64_t counts = x - (x >> 1 & 0x55 * each);
  counts = (counts & 0x33 * each) + (counts >> 2 & 0x33 * each);
  counts = (counts + (counts >> 4)) & 0x0f * each;
  const std::uint64_t up_to = counts * each;  // in byte i, the ones of bytes 0 to i
  // The bytes up to which there are no more than `rank`: their top bits stay.
  const std::uint64_t before = ((rank * each | 0x80 * each) - up_to) & 0x80 * each;
  const auto shift = static_cast<unsigned>((before >> 7) * each >> 56) * 8 % 64;
  rank -= static_cast<unsigned>((up_to << 8) >> shift & 0xff);
  std::uint64_t byte = x >> shift & 0xff;
  for (; rank != 0; --rank) byte &= byte - 1;
  return (byte & (0 - byte)) << shift;
}
#endif

// In lanes: `bits` and the codes of their counters. A round raises or lowers one counter of each lane that is
// picked: the one at `positions`, six bits a lane.
#if BLOOMERY_VECTOR_BITS >= 256

struct unary_line_vectors {
  line_vector bits;
  line_vector codes;

  BLOOMERY_TARGET [[gnu::always_inline]] unary_line_vectors(const std::uint64_t* line,
                                                            const std::uint64_t* beside)
      : bits(load_line(line)), codes(load_line(beside)) {}
  BLOOMERY_TARGET [[gnu::always_inline]] void store(std::uint64_t* line,
                                                    std::uint64_t* beside) const {
    store_line(line, bits);
    store_line(beside, codes);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] bool any_code_has(std::uint64_t some) const {
    return !is_nothing(both(codes, every_lane_of(some)));
  }

  // Where the codes of the counters begin.
  BLOOMERY_TARGET [[gnu::always_inline]] line_vector starts(line_vector at) const {
    alignas(64) std::uint64_t before[hash::lane_count];
    alignas(64) std::uint64_t ends[hash::lane_count];
    const line_vector one = every_lane_of(1);
    store_line(before, both(bits, less(at, one)));
    store_line(ends, added(added(codes, codes), one));
    std::uint64_t start[hash::lane_count];
#pragma GCC unroll 8
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      start[lane] = one_of_rank(ends[lane], static_cast<unsigned>(std::popcount(before[lane])));
    }
    return line_of(start);
  }

  template <bool picks_all>
  BLOOMERY_TARGET [[gnu::always_inline]] bool raise(std::uint64_t positions, std::uint64_t subset) {
    const line_vector at = one_bit_a_lane(positions);
    line_vector start = starts(at);
    line_vector bit = at;
    if constexpr (!picks_all) {
      const line_vector picked = lanes_of(subset);
      start = both(start, picked);
      bit = both(bit, picked);
    }
    const line_vector none = every_lane_of(0);
    // What lies at the start and above moves up by one.
    codes = added(codes, both(codes, less(none, start)));
    codes = added(codes, both(start, equal(both(bits, at), none)));
    const bool fresh = !is_nothing(without(bit, bits));
    bits = either(bits, bit);
    return fresh;
  }

  template <bool picks_all>
  BLOOMERY_TARGET [[gnu::always_inline]] void lower(std::uint64_t positions, std::uint64_t subset) {
    const line_vector at = one_bit_a_lane(positions);
    const line_vector none = every_lane_of(0);
    // In two rounds, the first may have cleared the bit of a stranger.
    line_vector picked = equal(both(bits, at), at);
    if constexpr (!picks_all) picked = both(picked, lanes_of(subset));
    const line_vector start = both(starts(at), picked);
    const line_vector bit = both(at, picked);
    const line_vector kept = both(bit, equal(both(codes, start), none));
    bits = less(bits, less(bit, kept));
    codes = either(both(codes, less(start, every_lane_of(1))),
                   both(moved_down(codes, every_lane_of(1)), less(none, start)));
  }
};

#else

struct unary_line_vectors {
  std::array<std::uint64_t, hash::lane_count> bits;
  std::array<std::uint64_t, hash::lane_count> codes;

  unary_line_vectors(const std::uint64_t* line, const std::uint64_t* beside) {
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      bits[lane] = core::little_endian(line[lane]);
      codes[lane] = core::little_endian(beside[lane]);
    }
  }
  void store(std::uint64_t* line, std::uint64_t* beside) const {
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      line[lane] = core::little_endian(bits[lane]);
      beside[lane] = core::little_endian(codes[lane]);
    }
  }
  [[nodiscard]] bool any_code_has(std::uint64_t some) const {
    std::uint64_t all = 0;
    for (const std::uint64_t code : codes) all |= code;
    return (all & some) != 0;
  }
  [[nodiscard]] std::uint64_t start(unsigned lane, std::uint64_t at) const {
    const std::uint64_t before = bits[lane] & (at - 1);
    return one_of_rank(codes[lane] << 1 | 1, static_cast<unsigned>(std::popcount(before)));
  }

  template <bool picks_all>
  bool raise(std::uint64_t positions, std::uint64_t subset) {
    std::uint64_t lacking = 0;
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      if (!picks_all && (subset >> 8 * lane & 1) == 0) continue;
      const std::uint64_t at = std::uint64_t{1} << (positions >> 6 * lane & 63);
      const std::uint64_t from = start(lane, at);
      const std::uint64_t is_new = at & ~bits[lane];
      lacking |= is_new;
      bits[lane] |= at;
      codes[lane] += (codes[lane] & (0 - from)) + (is_new != 0 ? from : 0);
    }
    return lacking != 0;
  }

  template <bool picks_all>
  void lower(std::uint64_t positions, std::uint64_t subset) {
    for (unsigned lane = 0; lane < hash::lane_count; ++lane) {
      if (!picks_all && (subset >> 8 * lane & 1) == 0) continue;
      const std::uint64_t at = std::uint64_t{1} << (positions >> 6 * lane & 63);
      if ((bits[lane] & at) == 0) continue;
      const std::uint64_t from = start(lane, at);
      if ((codes[lane] & from) != 0) bits[lane] &= ~at;
      codes[lane] = (codes[lane] & (from - 1)) | (codes[lane] >> 1 & (0 - from));
    }
  }
};

#endif

template <bool two_rounds, bool picks_all>
struct unary_line_kernel {
  // A lane whose string has these is full, or may be before the last of a key's bits.
  static constexpr std::uint64_t nearly_full = unary_lines::spilled | unary_lines::spilled >> 1 |
                                               (two_rounds ? unary_lines::spilled >> 2 : 0);

  struct raised_lines {
    const hash::line_pattern& pattern;
    unary_lines& lines;
    std::uint64_t* const words = lines.words();
    std::uint64_t* const codes = lines.codes();

    [[nodiscard]] std::uint64_t number(const std::uint64_t* line) const {
      return static_cast<std::uint64_t>(line - words) / hash::lane_count;
    }
  };

  // Calls, not inlined into a step of a batch: eight lanes of eight keys would be too much code, and a call
  // takes a tenth of what is called.
  BLOOMERY_TARGET [[gnu::noinline]] static bool raises(const raised_lines& in, std::uint64_t* line,
                                                       std::uint64_t bits) {
    std::uint64_t* const beside = in.codes + (line - in.words);
    unary_line_vectors now(line, beside);
    if (now.any_code_has(nearly_full)) [[unlikely]] {
      return in.lines.raise(in.number(line), in.pattern, bits);
    }
    const std::uint64_t subset = picks_all ? 0 : in.pattern.subset(bits);
    bool fresh = false;
    if constexpr (two_rounds) fresh = now.template raise<true>(bits, 0);
    const std::uint64_t last = two_rounds ? hash::line_pattern::second(bits) : bits;
    fresh |= now.template raise<picks_all>(last, subset);
    now.store(line, beside);
    return fresh;
  }
  BLOOMERY_TARGET [[gnu::noinline]] static bool lowers(const raised_lines& in, std::uint64_t* line,
                                                       std::uint64_t bits) {
    if (!contains(in.pattern, line, bits)) return false;
    std::uint64_t* const beside = in.codes + (line - in.words);
    unary_line_vectors now(line, beside);
    if (now.any_code_has(unary_lines::spilled)) [[unlikely]] {
      return in.lines.lower(in.number(line), in.pattern, bits);
    }
    const std::uint64_t subset = picks_all ? 0 : in.pattern.subset(bits);
    if constexpr (two_rounds) now.template lower<true>(bits, 0);
    const std::uint64_t last = two_rounds ? hash::line_pattern::second(bits) : bits;
    now.template lower<picks_all>(last, subset);
    now.store(line, beside);
    return true;
  }
  BLOOMERY_TARGET [[gnu::always_inline]] static bool contains(const hash::line_pattern& pattern,
                                                              const std::uint64_t* line,
                                                              std::uint64_t bits) {
#if BLOOMERY_VECTOR_BITS >= 256
    return all_say_yes(answers_of<two_rounds, picks_all>(pattern, load_line(line), bits));
#else
    const std::uint64_t last = two_rounds ? hash::line_pattern::second(bits) : bits;
    return words_have<picks_all>(pattern, line, last, bits) &&
           (!two_rounds || words_have<true>(pattern, line, bits, bits));
#endif
  }

  struct deed {
    static constexpr bool inverted = false;
    raised_lines in;

    static const half_digests& prepared(const half_digests& bits) { return bits; }
    [[nodiscard]] const std::uint64_t* beside() const { return in.codes; }
  };
  struct raising : deed {
    BLOOMERY_TARGET [[gnu::always_inline]] lane_answers act(std::uint64_t* line,
                                                            std::uint64_t bits) const {
      return in_all_lanes(raises(deed::in, line, bits));
    }
  };
  struct lowering : deed {
    BLOOMERY_TARGET [[gnu::always_inline]] lane_answers act(std::uint64_t* line,
                                                            std::uint64_t bits) const {
      return in_all_lanes(lowers(deed::in, line, bits));
    }
  };

  BLOOMERY_TARGET static bool raise_one(const hash::line_pattern& pattern, unary_lines& lines,
                                        std::uint64_t line, std::uint64_t bits) {
    return raises({pattern, lines}, lines.words() + line * hash::lane_count, bits);
  }
  BLOOMERY_TARGET static bool lower_one(const hash::line_pattern& pattern, unary_lines& lines,
                                        std::uint64_t line, std::uint64_t bits) {
    return lowers({pattern, lines}, lines.words() + line * hash::lane_count, bits);
  }
  template <class Keys>
  BLOOMERY_TARGET static std::uint64_t raise(const hash::line_pattern& pattern, unary_lines& lines,
                                             const Keys& keys, bool* fresh) {
    return to_lines(lines.words(), lines.lines(), keys, raising{{{pattern, lines}}}, fresh);
  }
  template <class Keys>
  BLOOMERY_TARGET static std::uint64_t lower(const hash::line_pattern& pattern, unary_lines& lines,
                                             const Keys& keys) {
    return to_lines(lines.words(), lines.lines(), keys, lowering{{{pattern, lines}}}, nullptr);
  }

  template <class Keys>
  static constexpr unary_line_batches<Keys> batches{.raise = raise<Keys>, .lower = lower<Keys>};
  static constexpr unary_line_kernels all{raise_one, lower_one, batches<digest_span>,
                                          batches<integer_span>};
};

inline const unary_line_kernels& unary_kernels_for(const hash::line_pattern& pattern) {
  if (pattern.two_rounds()) {
    return pattern.picks_all_lanes() ? unary_line_kernel<true, true>::all
                                     : unary_line_kernel<true, false>::all;
  }
  return pattern.picks_all_lanes() ? unary_line_kernel<false, true>::all
                                   : unary_line_kernel<false, false>::all;
}

}  // namespace bloomery::bits::BLOOMERY_ISA
