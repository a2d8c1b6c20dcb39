// Keys against the counters of their lines. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

#if BLOOMERY_VECTOR_BITS >= 256
#include "bloomery/hash/key_lanes.inl"
#endif
#include "bloomery/bits/batch/line_vector.inl"
#include "bloomery/bits/batch/ring.inl"
// Made of these.
#include "bloomery/bits/batch/line_steps.inl"

#if BLOOMERY_VECTOR_BITS >= 256

// Of each key of a step: the choice of lanes, and how far up its counters lie in these, a byte each.
struct counter_places {
  const lane_choice* choices;
  half_digests choice;
  half_digests shifts;

  // How far up by lane, and -1 for the lanes left out.
  BLOOMERY_TARGET [[gnu::always_inline]] line_vector operator[](std::size_t i) const {
    const lane_choice& chosen = choices[choice[i]];
    const __m128i by_lane = _mm_shuffle_epi8(eight_bytes(shifts[i]), eight_bytes(chosen.ranks));
    return widened(_mm_or_si128(by_lane, eight_bytes(chosen.left_out)));
  }
};

// As lane_cells has it, several keys at once: the fraction times the range; the whole part is the choice,
// the rest is the next fraction. The range is below 2^32.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes take(lanes& fraction, lanes range) {
  const lanes low = short_product(fraction, range);
  const lanes high = plus(short_product(upper(fraction), range), upper(low));
  fraction = ored(raised<32>(high), lower(low));
  return upper(high);
}

BLOOMERY_TARGET [[gnu::always_inline]] inline counter_places places_of(const counter_lines& lines,
                                                                       const half_digests& bits) {
  counter_places at;
  at.choices = lines.choices;
  const std::uint64_t cells = lines.pattern.cells();
  const lanes count = every(lines.pattern.subset_count());
  const lanes pairs = every(cells * cells);
  const lanes inverse = every_16(0xffff / cells + 1);
#pragma GCC unroll 2
  for (std::size_t i = 0; i < keys_a_step; i += at_once) {
    lanes fraction = load_words(bits.data() + i);
    store_words(at.choice.data() + i, take(fraction, count));
    // Two cells at a time: the first, times `cells`, and the second. Eight whether or not there are as many
    // lanes: the rest of them is not looked at.
    lanes two = take(fraction, pairs);
    two = ored(two, raised<16>(take(fraction, pairs)));
    two = ored(two, raised<32>(take(fraction, pairs)));
    two = ored(two, raised<48>(take(fraction, pairs)));
    // Below 2^10, of which the rounding of the inverse, by less than 2^-16, leaves the quotient as it is.
    const lanes first = upper_products_16(two, inverse);
    const lanes second = minus_16(two, products_16(first, every_16(cells)));
    // A cell times the width is below 64, so that the bytes stay apart.
    const lanes packed = ored(first, raised<8>(second));
    store_words(at.shifts.data() + i, products_16(packed, every_16(lines.width)));
  }
  return at;
}

// The counters of one key: where they begin, and which are zero or stuck.
struct key_counters {
  line_vector line;
  line_vector most;
  line_vector value;
  line_vector shifts;

  BLOOMERY_TARGET
  [[gnu::always_inline]] key_counters(const counter_lines& lines, const std::uint64_t* at,
                                      const line_vector& by)
      : line(load_line(at)),
        most(every_lane_of((std::uint64_t{1} << lines.width) - 1)),
        value(both(moved_down(line, by), most)),
        shifts(by) {}
  // In lanes that are left out the shift is negative.
  BLOOMERY_TARGET [[gnu::always_inline]] lane_answers none_is_zero() const {
    return top_bits(either(less(every_lane_of(0), value), shifts));
  }
  // One where each counter begins that is not stuck.
  BLOOMERY_TARGET [[gnu::always_inline]] line_vector movable() const {
    return without(moved_up(every_lane_of(1), shifts), equal(value, most));
  }
};

struct counter_line_deed {
  const counter_lines& lines;
  BLOOMERY_TARGET [[gnu::always_inline]] counter_places prepared(const half_digests& bits) const {
    return places_of(lines, bits);
  }
};

BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers none_is_zero(const counter_lines& lines,
                                                                        const std::uint64_t* line,
                                                                        const line_vector& shifts) {
  return key_counters(lines, line, shifts).none_is_zero();
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers raise_key(const counter_lines& lines,
                                                                     std::uint64_t* line,
                                                                     const line_vector& shifts) {
  const key_counters now(lines, line, shifts);
  store_line(line, added(now.line, now.movable()));  // which reaches no other counter
  return now.none_is_zero();
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers lower_key(const counter_lines& lines,
                                                                     std::uint64_t* line,
                                                                     const line_vector& shifts) {
  const key_counters now(lines, line, shifts);
  if (!all_say_yes(now.none_is_zero())) return in_all_lanes(false);
  const line_vector lowered = now.movable();
  store_line(line, less(now.line, lowered));
  return in_all_lanes(!is_nothing(lowered));
}

#else

struct counter_line_deed {
  const counter_lines& lines;
  static const half_digests& prepared(const half_digests& bits) { return bits; }
};

// Calls act(word, how far up the counter lies, its value) for each of a key's counters.
template <class Act>
[[gnu::always_inline]] inline void each_counter(const counter_lines& lines, std::uint64_t* line,
                                                std::uint64_t bits, Act act) {
  const std::uint64_t most = (std::uint64_t{1} << lines.width) - 1;
  lines.pattern.each(bits, [&](unsigned lane, unsigned cell) {
    const unsigned shift = cell * lines.width;
    act(line[lane], shift, core::little_endian(line[lane]) >> shift & most, most);
  });
}

inline bool none_is_zero(const counter_lines& lines, std::uint64_t* line, std::uint64_t bits) {
  bool none = true;
  each_counter(
      lines, line, bits,
      [&](std::uint64_t&, unsigned, std::uint64_t value, std::uint64_t) { none &= value != 0; });
  return none;
}
inline bool raise_key(const counter_lines& lines, std::uint64_t* line, std::uint64_t bits) {
  bool none = true;
  each_counter(lines, line, bits,
               [&](std::uint64_t& word, unsigned shift, std::uint64_t value, std::uint64_t most) {
                 none &= value != 0;
                 word = core::little_endian(core::little_endian(word) +
                                            (std::uint64_t{value != most} << shift));
               });
  return none;
}
inline bool lower_key(const counter_lines& lines, std::uint64_t* line, std::uint64_t bits) {
  bool none = true;
  bool all_are_stuck = true;
  each_counter(lines, line, bits,
               [&](std::uint64_t&, unsigned, std::uint64_t value, std::uint64_t most) {
                 none &= value != 0;
                 all_are_stuck &= value == most;
               });
  if (!none || all_are_stuck) return false;
  each_counter(lines, line, bits,
               [&](std::uint64_t& word, unsigned shift, std::uint64_t value, std::uint64_t most) {
                 word = core::little_endian(core::little_endian(word) -
                                            (std::uint64_t{value != most} << shift));
               });
  return true;
}

#endif

struct testing_line : counter_line_deed {
  static constexpr bool inverted = false;
  BLOOMERY_TARGET [[gnu::always_inline]] lane_answers act(std::uint64_t* line,
                                                          const auto& has) const {
    return none_is_zero(lines, line, has);
  }
};
struct raising_line : counter_line_deed {
  static constexpr bool inverted = true;  // new is what had a counter at zero
  BLOOMERY_TARGET [[gnu::always_inline]] lane_answers act(std::uint64_t* line,
                                                          const auto& has) const {
    return raise_key(lines, line, has);
  }
};
struct lowering_line : counter_line_deed {
  static constexpr bool inverted = false;
  BLOOMERY_TARGET [[gnu::always_inline]] lane_answers act(std::uint64_t* line,
                                                          const auto& has) const {
    return lower_key(lines, line, has);
  }
};

template <class Keys>
BLOOMERY_TARGET std::uint64_t test(const counter_lines& lines, const Keys& keys, bool* answers) {
  return to_lines(lines.words, lines.blocks, keys, testing_line{{lines}}, answers);
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t raise(const counter_lines& lines, const Keys& keys, bool* fresh) {
  return to_lines(lines.words, lines.blocks, keys, raising_line{{lines}}, fresh);
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t lower(const counter_lines& lines, const Keys& keys) {
  return to_lines(lines.words, lines.blocks, keys, lowering_line{{lines}}, nullptr);
}

template <class Keys>
constexpr counter_line_batches<Keys> counter_batches_of{
    .test = test<Keys>, .raise = raise<Keys>, .lower = lower<Keys>};
constexpr counter_line_kernels all_counter_line_kernels{counter_batches_of<digest_span>,
                                                        counter_batches_of<integer_span>};

}  // namespace bloomery::bits::BLOOMERY_ISA
