// Keys against the counters of their lines. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

#if BLOOMERY_VECTOR_BITS >= 256
#include "bloomery/hash/key_lanes.inl"
#endif
#include "bloomery/bits/batch/line_steps.inl"
#include "bloomery/bits/batch/line_vector.inl"
#include "bloomery/bits/batch/ring.inl"

#if BLOOMERY_VECTOR_BITS >= 256

// Of each key of a step: the choice of lanes, and how far up its counters lie in these, a byte each.
struct counter_places {
  const lane_choice* choices;
  half_digests choice;
  half_digests shifts;

  // How far up by lane, and 255 for the lanes left out.
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
  const lanes count = every(lines.pattern.subset_count());
  const lanes cells = every(lines.pattern.cells());
#pragma GCC unroll 2
  for (std::size_t i = 0; i < keys_a_step; i += at_once) {
    lanes fraction = load_words(bits.data() + i);
    store_words(at.choice.data() + i, take(fraction, count));
    // Eight cells whether or not there are as many lanes: the rest of them is not looked at.
    lanes packed = take(fraction, cells);
    packed = ored(packed, raised<8>(take(fraction, cells)));
    packed = ored(packed, raised<16>(take(fraction, cells)));
    packed = ored(packed, raised<24>(take(fraction, cells)));
    packed = ored(packed, raised<32>(take(fraction, cells)));
    packed = ored(packed, raised<40>(take(fraction, cells)));
    packed = ored(packed, raised<48>(take(fraction, cells)));
    packed = ored(packed, raised<56>(take(fraction, cells)));
    // A cell times the width is below 64, so that the bytes stay apart.
    store_words(at.shifts.data() + i, product(packed, every(lines.width)));
  }
  return at;
}

// The counters of one key: where they begin, and which are zero or stuck.
struct key_counters {
  line_vector line;
  line_vector lowest;
  line_vector zero;
  line_vector stuck;

  BLOOMERY_TARGET
  [[gnu::always_inline]] key_counters(const counter_lines& lines, const std::uint64_t* at,
                                      const line_vector& shifts) {
    const line_vector most = every_lane_of((std::uint64_t{1} << lines.width) - 1);
    line = load_line(at);
    lowest = moved_up(every_lane_of(1), shifts);
    const line_vector value = both(moved_down(line, shifts), most);
    zero = both(equal(value, every_lane_of(0)), lowest);
    stuck = both(equal(value, most), lowest);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] bool none_is_zero() const { return is_nothing(zero); }
};

struct counter_line_deed {
  const counter_lines& lines;
  BLOOMERY_TARGET [[gnu::always_inline]] counter_places prepared(const half_digests& bits) const {
    return places_of(lines, bits);
  }
};

BLOOMERY_TARGET [[gnu::always_inline]] inline bool tests(const counter_lines& lines,
                                                         const std::uint64_t* line,
                                                         const line_vector& shifts) {
  return key_counters(lines, line, shifts).none_is_zero();
}
BLOOMERY_TARGET [[gnu::always_inline]] inline bool raises(const counter_lines& lines,
                                                          std::uint64_t* line,
                                                          const line_vector& shifts) {
  const key_counters now(lines, line, shifts);
  // What is not stuck is added to; adding one where it begins reaches no other counter.
  store_line(line, added(now.line, less(now.lowest, now.stuck)));
  return !now.none_is_zero();
}
BLOOMERY_TARGET [[gnu::always_inline]] inline bool lowers(const counter_lines& lines,
                                                          std::uint64_t* line,
                                                          const line_vector& shifts) {
  const key_counters now(lines, line, shifts);
  const line_vector lowered = less(now.lowest, now.stuck);
  if (!now.none_is_zero() || is_nothing(lowered)) return false;
  store_line(line, less(now.line, lowered));
  return true;
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

inline bool tests(const counter_lines& lines, std::uint64_t* line, std::uint64_t bits) {
  bool none_is_zero = true;
  each_counter(lines, line, bits,
               [&](std::uint64_t&, unsigned, std::uint64_t value, std::uint64_t) {
                 none_is_zero &= value != 0;
               });
  return none_is_zero;
}
inline bool raises(const counter_lines& lines, std::uint64_t* line, std::uint64_t bits) {
  bool fresh = false;
  each_counter(lines, line, bits,
               [&](std::uint64_t& word, unsigned shift, std::uint64_t value, std::uint64_t most) {
                 fresh |= value == 0;
                 word = core::little_endian(core::little_endian(word) +
                                            (std::uint64_t{value != most} << shift));
               });
  return fresh;
}
inline bool lowers(const counter_lines& lines, std::uint64_t* line, std::uint64_t bits) {
  bool none_is_zero = true;
  bool all_are_stuck = true;
  each_counter(lines, line, bits,
               [&](std::uint64_t&, unsigned, std::uint64_t value, std::uint64_t most) {
                 none_is_zero &= value != 0;
                 all_are_stuck &= value == most;
               });
  if (!none_is_zero || all_are_stuck) return false;
  each_counter(lines, line, bits,
               [&](std::uint64_t& word, unsigned shift, std::uint64_t value, std::uint64_t most) {
                 word = core::little_endian(core::little_endian(word) -
                                            (std::uint64_t{value != most} << shift));
               });
  return true;
}

#endif

struct testing_line : counter_line_deed {
  bool* answers;
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t i, std::uint64_t* line,
                                                  const auto& has) {
    const bool all = tests(lines, line, has);
    answers[i] = all;
    count += std::uint64_t{all};
  }
};
struct raising_line : counter_line_deed {
  bool* fresh;
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t i, std::uint64_t* line,
                                                  const auto& has) {
    const bool is_new = raises(lines, line, has);
    if (fresh != nullptr) fresh[i] = is_new;
    count += std::uint64_t{is_new};
  }
};
struct lowering_line : counter_line_deed {
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t /*i*/, std::uint64_t* line,
                                                  const auto& has) {
    count += std::uint64_t{lowers(lines, line, has)};
  }
};

template <class Keys>
BLOOMERY_TARGET std::uint64_t test(const counter_lines& lines, const Keys& keys, bool* answers) {
  return to_lines(lines.words, lines.blocks, keys, testing_line{{lines}, answers});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t raise(const counter_lines& lines, const Keys& keys, bool* fresh) {
  return to_lines(lines.words, lines.blocks, keys, raising_line{{lines}, fresh});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t lower(const counter_lines& lines, const Keys& keys) {
  return to_lines(lines.words, lines.blocks, keys, lowering_line{{lines}});
}

template <class Keys>
constexpr counter_line_batches<Keys> counter_batches_of{
    .test = test<Keys>, .raise = raise<Keys>, .lower = lower<Keys>};
constexpr counter_line_kernels all_counter_line_kernels{counter_batches_of<digest_span>,
                                                        counter_batches_of<integer_span>};

}  // namespace bloomery::bits::BLOOMERY_ISA
