// Groups of one symbol from each lane. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::rans::BLOOMERY_ISA {

#if BLOOMERY_VECTOR_BITS >= 256

BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i order_of(const lane_orders& orders,
                                                               unsigned lanes) {
  return _mm256_cvtepu8_epi32(
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(orders[lanes].data())));
}

BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned signs(__m256i lanes) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}

// Faster than a gather, at least on Zen 3.
BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i look_up(const std::uint32_t* table,
                                                              __m256i at) {
  std::array<std::uint64_t, 4> two{};
  const __m128i high = _mm256_extracti128_si256(at, 1);
  two[0] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(at)));
  two[1] = static_cast<std::uint64_t>(_mm_extract_epi64(_mm256_castsi256_si128(at), 1));
  two[2] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(high));
  two[3] = static_cast<std::uint64_t>(_mm_extract_epi64(high, 1));
  const auto entry = [&](std::size_t i) {
    return static_cast<int>(table[static_cast<std::uint32_t>(two[i / 2] >> (32 * (i % 2)))]);
  };
  return _mm256_setr_epi32(entry(0), entry(1), entry(2), entry(3), entry(4), entry(5), entry(6),
                           entry(7));
}

// What two packings of four vectors have mixed.
BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i in_order(__m256i packed) {
  return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

// One symbol of each of eight lanes, in the low bytes.
BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i pull_eight(const std::uint32_t* slots,
                                                                 __m256i& states,
                                                                 const std::byte*& next) {
  const __m256i field = _mm256_set1_epi32(slot_mask);
  const __m256i slot = look_up(slots, _mm256_and_si256(states, field));
  const __m256i count = _mm256_and_si256(_mm256_srli_epi32(slot, scale), field);
  states = _mm256_add_epi32(_mm256_mullo_epi32(count, _mm256_srli_epi32(states, scale)),
                            _mm256_and_si256(slot, field));
  const __m256i low = _mm256_cmpgt_epi32(_mm256_set1_epi32(floor), states);
  const unsigned lanes = signs(low);
  const __m256i words =
      _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(next)));
  const __m256i filled =
      _mm256_or_si256(_mm256_slli_epi32(states, word_bits),
                      _mm256_permutevar8x32_epi32(words, order_of(expanding, lanes)));
  states = _mm256_blendv_epi8(states, filled, low);
  next += 2 * static_cast<std::size_t>(__builtin_popcount(lanes));
  return _mm256_srli_epi32(slot, symbol_shift);
}

BLOOMERY_TARGET inline void pull_groups(const slot_table& table, std::uint32_t* states, input& from,
                                        std::span<std::byte> symbols) {
  const std::uint32_t* const slots = table.data();
  const std::byte* next = from.words;
  std::uint32_t* place = from.places;
  const __m256i stand_in = _mm256_set1_epi8(static_cast<char>(from.stand_in));
  auto* const stored = reinterpret_cast<__m256i*>(states);
  __m256i x0 = _mm256_loadu_si256(stored);
  __m256i x1 = _mm256_loadu_si256(stored + 1);
  __m256i x2 = _mm256_loadu_si256(stored + 2);
  __m256i x3 = _mm256_loadu_si256(stored + 3);
  for (std::size_t at = 0; at + most_lanes <= symbols.size() && next <= from.end;
       at += most_lanes) {
    const __m256i s0 = pull_eight(slots, x0, next);
    const __m256i s1 = pull_eight(slots, x1, next);
    const __m256i s2 = pull_eight(slots, x2, next);
    const __m256i s3 = pull_eight(slots, x3, next);
    const __m256i bytes =
        in_order(_mm256_packus_epi16(_mm256_packus_epi32(s0, s1), _mm256_packus_epi32(s2, s3)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(symbols.data() + at), bytes);
    if (place == nullptr) continue;
    auto rare =
        static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, stand_in)));
    // Without a branch that would often be guessed wrong, unless there are more than two.
    std::uint32_t* const behind = place + std::popcount(rare);
    do {
      for (std::size_t i = 0; i < 2; ++i) {
        place[i] = static_cast<std::uint32_t>(at) + _tzcnt_u32(rare);
        rare = _blsr_u32(rare);
      }
      place += 2;
    } while (place < behind);
    place = behind;
  }
  _mm256_storeu_si256(stored, x0);
  _mm256_storeu_si256(stored + 1, x1);
  _mm256_storeu_si256(stored + 2, x2);
  _mm256_storeu_si256(stored + 3, x3);
  from.words = next;
  from.places = place;
}

BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i push_eight(const std::uint32_t* codes,
                                                                 __m256i& states, std::byte*& next,
                                                                 const std::byte* symbols) {
  const auto code_of = [&](std::size_t i) {
    return static_cast<int>(codes[std::to_integer<std::size_t>(symbols[i])]);
  };
  const __m256i code = _mm256_setr_epi32(code_of(0), code_of(1), code_of(2), code_of(3), code_of(4),
                                         code_of(5), code_of(6), code_of(7));
  const __m256i count = _mm256_and_si256(code, _mm256_set1_epi32(slot_mask));
  const __m256i room = _mm256_cmpgt_epi32(_mm256_slli_epi32(count, state_bits - scale), states);
  const unsigned full = signs(room) ^ 0xff;
  const __m256i words = _mm256_permutevar8x32_epi32(
      _mm256_and_si256(states, _mm256_set1_epi32(0xffff)), order_of(contracting, full));
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(words, words), 0b1000);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(next - 16), _mm256_castsi256_si128(packed));
  next -= 2 * static_cast<std::size_t>(__builtin_popcount(full));
  states = _mm256_blendv_epi8(_mm256_srli_epi32(states, word_bits), states, room);
  // Below 2^19 and right to 2^-4, so that 2^-4 less is too low by at most one.
  const __m256i quotient = _mm256_cvttps_epi32(
      _mm256_sub_ps(_mm256_div_ps(_mm256_cvtepi32_ps(states), _mm256_cvtepi32_ps(count)),
                    _mm256_set1_ps(0.0625F)));
  const __m256i rest = _mm256_sub_epi32(states, _mm256_mullo_epi32(quotient, count));
  const __m256i first =
      _mm256_and_si256(_mm256_srli_epi32(code, scale), _mm256_set1_epi32(slot_mask));
  const __m256i fits = _mm256_cmpgt_epi32(count, rest);
  const __m256i one_more =
      _mm256_andnot_si256(fits, _mm256_sub_epi32(_mm256_set1_epi32(slots), count));
  states = _mm256_add_epi32(_mm256_add_epi32(_mm256_slli_epi32(quotient, scale), rest),
                            _mm256_add_epi32(one_more, first));
  return code;
}

BLOOMERY_TARGET inline void push_groups(const coder& coder, std::uint32_t* states, output& to,
                                        byte_view symbols) {
  auto* const stored = reinterpret_cast<__m256i*>(states);
  __m256i x0 = _mm256_loadu_si256(stored);
  __m256i x1 = _mm256_loadu_si256(stored + 1);
  __m256i x2 = _mm256_loadu_si256(stored + 2);
  __m256i x3 = _mm256_loadu_si256(stored + 3);
  const std::uint32_t* const codes = coder.codes.data();
  for (const std::byte* at = symbols.data() + symbols.size(); at != symbols.data();) {
    at -= most_lanes;
    const __m256i c3 = push_eight(codes, x3, to.words, at + 24);
    const __m256i c2 = push_eight(codes, x2, to.words, at + 16);
    const __m256i c1 = push_eight(codes, x1, to.words, at + 8);
    const __m256i c0 = push_eight(codes, x0, to.words, at);
    auto rare = static_cast<std::uint32_t>(_mm256_movemask_epi8(
        in_order(_mm256_packs_epi16(_mm256_packs_epi32(c0, c1), _mm256_packs_epi32(c2, c3)))));
    // Without a branch that would often be guessed wrong, unless there are more than two.
    std::byte* const behind = to.list - std::popcount(rare);
    do {
      for (int i = 1; i <= 2; ++i) {
        const auto last = static_cast<unsigned>(std::bit_width(rare | 1) - 1);
        to.list[-i] = at[last];
        rare ^= std::bit_floor(rare);
      }
      to.list -= 2;
    } while (to.list > behind);
    to.list = behind;
  }
  _mm256_storeu_si256(stored, x0);
  _mm256_storeu_si256(stored + 1, x1);
  _mm256_storeu_si256(stored + 2, x2);
  _mm256_storeu_si256(stored + 3, x3);
}

#else

inline void pull_groups(const slot_table& table, std::uint32_t* states, input& from,
                        std::span<std::byte> symbols) {
  rans::pull_groups<most_lanes>(table, states, from, symbols);
}

inline void push_groups(const coder& coder, std::uint32_t* states, output& to, byte_view symbols) {
  rans::push_groups<most_lanes>(coder, states, to, symbols);
}

#endif

}  // namespace bloomery::bits::rans::BLOOMERY_ISA
