// One line against one key. Included by kernels once per back end, within its namespace and after
// key_lanes.inl.
constexpr std::uint64_t one_in_each_byte = 0x0101010101010101;
#if BLOOMERY_VECTOR_BITS >= 256
constexpr std::int64_t top_bit = std::numeric_limits<std::int64_t>::min();
#endif

#if BLOOMERY_VECTOR_BITS == 512

struct line_vector {
  __m512i all;
};

BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector load_line(const std::uint64_t* words) {
  return {_mm512_loadu_si512(words)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store_line(std::uint64_t* words, line_vector v) {
  _mm512_storeu_si512(words, v.all);
}
// Of eight words that need not lie in memory.
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector line_of(
    const std::uint64_t (&words)[hash::lane_count]) {
  const auto word = [&](unsigned i) { return static_cast<long long>(words[i]); };
  return {_mm512_set_epi64(word(7), word(6), word(5), word(4), word(3), word(2), word(1), word(0))};
}
// Where in each lane the key has its bit, of which rotations use six bits.
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector lane_positions(std::uint64_t bits) {
  const __m512i shifts = _mm512_setr_epi64(0, 6, 12, 18, 24, 30, 36, 42);
  return {
      _mm512_maskz_srlv_epi64(every_lane, _mm512_set1_epi64(static_cast<long long>(bits)), shifts)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector one_bit_a_lane(std::uint64_t bits) {
  return {_mm512_maskz_rolv_epi64(every_lane, _mm512_set1_epi64(1), lane_positions(bits).all)};
}
// Each lane moved so that the bit that the key has in it is where told() looks, the lowest.
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector brought_up(line_vector line,
                                                                     std::uint64_t bits) {
  return {_mm512_maskz_rorv_epi64(every_lane, line.all, lane_positions(bits).all)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector lanes_of(std::uint64_t subset) {
  return {
      _mm512_maskz_cvtepi8_epi64(every_lane, _mm_cvtsi64_si128(static_cast<long long>(subset)))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector both(line_vector a, line_vector b) {
  return {_mm512_and_si512(a.all, b.all)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector either(line_vector a, line_vector b) {
  return {_mm512_or_si512(a.all, b.all)};
}
// Which lanes say yes; the key is answered yes if all do.
using lane_answers = __mmask8;
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers told(line_vector brought) {
  return _mm512_test_epi64_mask(brought.all, _mm512_set1_epi64(1));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers top_bits(line_vector v) {
  return _mm512_movepi64_mask(v.all);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers same(line_vector a, line_vector b) {
  return _mm512_cmpeq_epi64_mask(a.all, b.all);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers in_all_lanes(bool answer) {
  return answer ? every_lane : __mmask8{0};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline bool all_say_yes(lane_answers of) {
  return of == every_lane;
}
// The answers of eight keys, put in one after another: a byte each, 0 or 1. They are joined as masks: each would take
// its way to a general register, and shifts, through the same port as the rotations.
class eight_answers {
 public:
  BLOOMERY_TARGET [[gnu::always_inline]] void put(std::size_t i, lane_answers of) {
    if (i % 2 == 0) {
      one_ = of;
      return;
    }
    const __mmask16 pair = _mm512_kunpackb(of, one_);
    if (i % 4 == 1) {
      two_ = pair;
      return;
    }
    const __mmask32 four = _mm512_kunpackw(pair, two_);
    four_ = i == 3 ? four : _mm512_kunpackd(four, four_);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] std::uint64_t bytes() const {
    const __m128i yes =
        _mm_cmpeq_epi8(_mm_cvtsi64_si128(static_cast<long long>(four_)), _mm_set1_epi8(-1));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(yes)) & one_in_each_byte;
  }

 private:
  __mmask8 one_;
  __mmask16 two_;
  __mmask64 four_;  // and in the end, all
};
// The bits of one that the other has not.
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector without(line_vector a, line_vector b) {
  return {_mm512_maskz_andnot_epi64(every_lane, b.all, a.all)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector every_lane_of(std::uint64_t x) {
  return {_mm512_set1_epi64(static_cast<long long>(x))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector widened(__m128i bytes) {
  return {_mm512_maskz_cvtepi8_epi64(every_lane, bytes)};
}
// Lanes moved by more than 63 are zero.
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector moved_up(line_vector a, line_vector by) {
  return {_mm512_maskz_sllv_epi64(every_lane, a.all, by.all)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector moved_down(line_vector a,
                                                                     line_vector by) {
  return {_mm512_maskz_srlv_epi64(every_lane, a.all, by.all)};
}
// All ones in lanes that are.
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector equal(line_vector a, line_vector b) {
  return {_mm512_movm_epi64(_mm512_cmpeq_epi64_mask(a.all, b.all))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector added(line_vector a, line_vector b) {
  return {_mm512_add_epi64(a.all, b.all)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector less(line_vector a, line_vector b) {
  return {_mm512_sub_epi64(a.all, b.all)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline bool is_nothing(line_vector a) {
  return _mm512_test_epi64_mask(a.all, a.all) == 0;
}

#elif BLOOMERY_VECTOR_BITS == 256

struct line_vector {
  __m256i low;
  __m256i high;
};

BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector load_line(const std::uint64_t* words) {
  const auto* at = reinterpret_cast<const __m256i*>(words);
  return {_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store_line(std::uint64_t* words, line_vector v) {
  auto* at = reinterpret_cast<__m256i*>(words);
  _mm256_storeu_si256(at, v.low);
  _mm256_storeu_si256(at + 1, v.high);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector line_of(
    const std::uint64_t (&words)[hash::lane_count]) {
  const auto word = [&](unsigned i) { return static_cast<long long>(words[i]); };
  return {_mm256_set_epi64x(word(3), word(2), word(1), word(0)),
          _mm256_set_epi64x(word(7), word(6), word(5), word(4))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector depths_of(std::uint64_t bits) {
  const __m256i all = _mm256_set1_epi64x(static_cast<long long>(bits));
  const __m256i position = _mm256_set1_epi64x(hash::lane_bits - 1);
  const __m256i low = _mm256_srlv_epi64(all, _mm256_setr_epi64x(0, 6, 12, 18));
  const __m256i high = _mm256_srlv_epi64(all, _mm256_setr_epi64x(24, 30, 36, 42));
  return {_mm256_andnot_si256(low, position), _mm256_andnot_si256(high, position)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector one_bit_a_lane(std::uint64_t bits) {
  const line_vector by = depths_of(bits);
  const __m256i top = _mm256_set1_epi64x(top_bit);
  return {_mm256_srlv_epi64(top, by.low), _mm256_srlv_epi64(top, by.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector brought_up(line_vector line,
                                                                     std::uint64_t bits) {
  const line_vector by = depths_of(bits);
  return {_mm256_sllv_epi64(line.low, by.low), _mm256_sllv_epi64(line.high, by.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector lanes_of(std::uint64_t subset) {
  const __m128i bytes = _mm_cvtsi64_si128(static_cast<long long>(subset));
  return {_mm256_cvtepi8_epi64(bytes), _mm256_cvtepi8_epi64(_mm_srli_si128(bytes, 4))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector both(line_vector a, line_vector b) {
  return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector either(line_vector a, line_vector b) {
  return {_mm256_or_si256(a.low, b.low), _mm256_or_si256(a.high, b.high)};
}
using lane_answers = __m256i;  // the top bits, of lanes and those four further on
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers same(line_vector a, line_vector b) {
  return _mm256_and_si256(_mm256_cmpeq_epi64(a.low, b.low), _mm256_cmpeq_epi64(a.high, b.high));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers top_bits(line_vector v) {
  return _mm256_and_si256(v.low, v.high);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers in_all_lanes(bool answer) {
  return _mm256_set1_epi64x(answer ? -1 : 0);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers told(line_vector brought) {
  return top_bits(brought);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline bool all_say_yes(lane_answers of) {
  return _mm256_movemask_pd(_mm256_castsi256_pd(of)) == 0xf;
}
class eight_answers {
 public:
  // Each is joined with those before it at once, while it is in a register. Packing keeps the top bit of
  // what it narrows.
  BLOOMERY_TARGET [[gnu::always_inline]] void put(std::size_t i, lane_answers of) {
    if (i % 2 == 0) {
      one_ = of;
      return;
    }
    const __m256i upper = _mm256_castps_si256(
        _mm256_shuffle_ps(_mm256_castsi256_ps(one_), _mm256_castsi256_ps(of), 0b11'01'11'01));
    if (i % 4 == 1) {
      two_ = upper;
      return;
    }
    const __m256i four = _mm256_packs_epi32(two_, upper);
    four_ = i == 3 ? four : _mm256_packs_epi16(four_, four);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] std::uint64_t bytes() const {
    // Two lanes of each key are in the lower half, the two others in the upper.
    const __m128i both =
        _mm_and_si128(_mm256_castsi256_si128(four_), _mm256_extracti128_si256(four_, 1));
    const __m128i yes = _mm_srli_epi16(_mm_and_si128(both, _mm_slli_epi16(both, 8)), 15);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(yes, yes)));
  }

 private:
  __m256i one_;
  __m256i two_;
  __m256i four_;  // and in the end, all
};
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector without(line_vector a, line_vector b) {
  return {_mm256_andnot_si256(b.low, a.low), _mm256_andnot_si256(b.high, a.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector every_lane_of(std::uint64_t x) {
  const __m256i all = _mm256_set1_epi64x(static_cast<long long>(x));
  return {all, all};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector widened(__m128i bytes) {
  return {_mm256_cvtepi8_epi64(bytes), _mm256_cvtepi8_epi64(_mm_srli_si128(bytes, 4))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector moved_up(line_vector a, line_vector by) {
  return {_mm256_sllv_epi64(a.low, by.low), _mm256_sllv_epi64(a.high, by.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector moved_down(line_vector a,
                                                                     line_vector by) {
  return {_mm256_srlv_epi64(a.low, by.low), _mm256_srlv_epi64(a.high, by.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector equal(line_vector a, line_vector b) {
  return {_mm256_cmpeq_epi64(a.low, b.low), _mm256_cmpeq_epi64(a.high, b.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector added(line_vector a, line_vector b) {
  return {_mm256_add_epi64(a.low, b.low), _mm256_add_epi64(a.high, b.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector less(line_vector a, line_vector b) {
  return {_mm256_sub_epi64(a.low, b.low), _mm256_sub_epi64(a.high, b.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline bool is_nothing(line_vector a) {
  const __m256i any = _mm256_or_si256(a.low, a.high);
  return _mm256_testz_si256(any, any) != 0;
}

#endif

#if BLOOMERY_VECTOR_BITS >= 256

BLOOMERY_TARGET [[gnu::always_inline]] inline __m128i eight_bytes(std::uint64_t bytes) {
  return _mm_cvtsi64_si128(static_cast<long long>(bytes));
}

// The pattern of mask_of and answers_of is known to the compiler: batches choose it once.
template <bool two_rounds, bool picks_all>
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector mask_of(const hash::line_pattern& pattern,
                                                                  std::uint64_t bits) {
  line_vector mask = one_bit_a_lane(two_rounds ? hash::line_pattern::second(bits) : bits);
  if constexpr (!picks_all) mask = both(mask, lanes_of(pattern.subset(bits)));
  if constexpr (two_rounds) mask = either(mask, one_bit_a_lane(bits));
  return mask;
}

// Whether all bits of the key are set in its line.
template <bool two_rounds, bool picks_all>
BLOOMERY_TARGET [[gnu::always_inline]] inline lane_answers answers_of(
    const hash::line_pattern& pattern, line_vector line, std::uint64_t bits) {
  line_vector hits = brought_up(line, two_rounds ? hash::line_pattern::second(bits) : bits);
  if constexpr (!picks_all) hits = either(hits, lanes_of(~pattern.subset(bits)));
  if constexpr (two_rounds) hits = both(hits, brought_up(line, bits));
  return told(hits);
}

#else

using lane_answers = bool;
inline lane_answers in_all_lanes(bool answer) {
  return answer;
}
inline bool all_say_yes(lane_answers of) {
  return of;
}
class eight_answers {
 public:
  void put(std::size_t i, lane_answers of) { each_[i] = of; }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t all = 0;
    __builtin_memcpy(&all, each_.data(), sizeof all);
    return all;
  }

 private:
  std::array<bool, 8> each_{};
};

#endif
