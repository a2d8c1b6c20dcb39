// One line against one key. Included by kernels once per back end, within its namespace and after
// key_lanes.inl.
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
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector positions_of(std::uint64_t bits) {
  const __m512i shifts = _mm512_setr_epi64(0, 6, 12, 18, 24, 30, 36, 42);
  const __m512i all = _mm512_set1_epi64(static_cast<long long>(bits));
  return {_mm512_and_si512(_mm512_maskz_srlv_epi64(every_lane, all, shifts),
                           _mm512_set1_epi64(hash::lane_bits - 1))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector one_bit_a_lane(std::uint64_t bits) {
  return {_mm512_maskz_sllv_epi64(every_lane, _mm512_set1_epi64(1), positions_of(bits).all)};
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
// No bit of `mask` is clear in `line`.
BLOOMERY_TARGET [[gnu::always_inline]] inline bool covers(line_vector line, line_vector mask) {
  const __m512i lacking = _mm512_maskz_andnot_epi64(every_lane, line.all, mask.all);
  return _mm512_test_epi64_mask(lacking, lacking) == 0;
}
// Each lane moved down by the key's position in it, which brings the bit asked for to the bottom.
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector at_positions(line_vector line,
                                                                       std::uint64_t bits) {
  return {_mm512_maskz_srlv_epi64(every_lane, line.all, positions_of(bits).all)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline bool all_bottom_bits(line_vector v) {
  return _mm512_test_epi64_mask(v.all, _mm512_set1_epi64(1)) == every_lane;
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector every_lane_of(std::uint64_t x) {
  return {_mm512_set1_epi64(static_cast<long long>(x))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector widened(__m128i bytes) {
  return {_mm512_maskz_cvtepu8_epi64(every_lane, bytes)};
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
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector positions_of(std::uint64_t bits) {
  const __m256i all = _mm256_set1_epi64x(static_cast<long long>(bits));
  const __m256i position = _mm256_set1_epi64x(hash::lane_bits - 1);
  const __m256i low = _mm256_srlv_epi64(all, _mm256_setr_epi64x(0, 6, 12, 18));
  const __m256i high = _mm256_srlv_epi64(all, _mm256_setr_epi64x(24, 30, 36, 42));
  return {_mm256_and_si256(low, position), _mm256_and_si256(high, position)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector one_bit_a_lane(std::uint64_t bits) {
  const line_vector at = positions_of(bits);
  const __m256i one = _mm256_set1_epi64x(1);
  return {_mm256_sllv_epi64(one, at.low), _mm256_sllv_epi64(one, at.high)};
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
BLOOMERY_TARGET [[gnu::always_inline]] inline bool covers(line_vector line, line_vector mask) {
  const __m256i lacking = _mm256_or_si256(_mm256_andnot_si256(line.low, mask.low),
                                          _mm256_andnot_si256(line.high, mask.high));
  return _mm256_testz_si256(lacking, lacking) != 0;
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector at_positions(line_vector line,
                                                                       std::uint64_t bits) {
  const line_vector at = positions_of(bits);
  return {_mm256_srlv_epi64(line.low, at.low), _mm256_srlv_epi64(line.high, at.high)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline bool all_bottom_bits(line_vector v) {
  return _mm256_testc_si256(_mm256_and_si256(v.low, v.high), _mm256_set1_epi64x(1)) != 0;
}

BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector every_lane_of(std::uint64_t x) {
  const __m256i all = _mm256_set1_epi64x(static_cast<long long>(x));
  return {all, all};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector widened(__m128i bytes) {
  return {_mm256_cvtepu8_epi64(bytes), _mm256_cvtepu8_epi64(_mm_srli_si128(bytes, 4))};
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

// The pattern of mask_of and covered_by is known to the compiler: batches choose it once.
template <bool two_rounds, bool picks_all>
BLOOMERY_TARGET [[gnu::always_inline]] inline line_vector mask_of(const hash::line_pattern& pattern,
                                                                  std::uint64_t bits) {
  line_vector mask = one_bit_a_lane(two_rounds ? hash::line_pattern::second(bits) : bits);
  if constexpr (!picks_all) mask = both(mask, lanes_of(pattern.subset(bits)));
  if constexpr (two_rounds) mask = either(mask, one_bit_a_lane(bits));
  return mask;
}

template <bool two_rounds, bool picks_all>
BLOOMERY_TARGET [[gnu::always_inline]] inline bool covered_by(const hash::line_pattern& pattern,
                                                              line_vector line,
                                                              std::uint64_t bits) {
  line_vector hits = at_positions(line, two_rounds ? hash::line_pattern::second(bits) : bits);
  if constexpr (!picks_all) hits = either(hits, lanes_of(~pattern.subset(bits)));
  if constexpr (two_rounds) hits = both(hits, at_positions(line, bits));
  return all_bottom_bits(hits);
}

#endif
