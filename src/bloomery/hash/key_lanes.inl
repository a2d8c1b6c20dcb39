// Several 64-bit numbers in a vector, of as many keys. Included by kernels, once per back end that has
// vectors: within its namespace, see each_backend.inl.
#if BLOOMERY_VECTOR_BITS == 512

using lanes = __m512i;
constexpr std::size_t at_once = 8;
// GCC 12 takes the forms without it for uninitialised (bug 105593).
constexpr __mmask8 every_lane = 0xff;

BLOOMERY_TARGET [[gnu::always_inline]] inline lanes every(std::uint64_t x) {
  return _mm512_set1_epi64(static_cast<std::int64_t>(x));
}
struct halves {
  lanes lo;
  lanes hi;
};
BLOOMERY_TARGET [[gnu::always_inline]] inline halves load(const digest* keys) {
  const lanes front = _mm512_loadu_si512(keys);
  const lanes back = _mm512_loadu_si512(keys + 4);
  const lanes even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const lanes odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  return {_mm512_permutex2var_epi64(front, even, back),
          _mm512_permutex2var_epi64(front, odd, back)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes load_words(const std::uint64_t* words) {
  return _mm512_loadu_si512(words);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store_words(std::uint64_t* words, lanes a) {
  _mm512_storeu_si512(words, a);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store(digest* keys, halves of) {
  const lanes front = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const lanes back = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  _mm512_storeu_si512(keys, _mm512_permutex2var_epi64(of.lo, front, of.hi));
  _mm512_storeu_si512(keys + 4, _mm512_permutex2var_epi64(of.lo, back, of.hi));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes xored(lanes a, lanes b) {
  return _mm512_xor_si512(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes ored(lanes a, lanes b) {
  return _mm512_or_si512(a, b);
}
template <unsigned bits>
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes shifted(lanes a) {  // to the right
  return _mm512_maskz_srli_epi64(every_lane, a, bits);
}
template <unsigned bits>
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes raised(lanes a) {  // to the left
  return _mm512_maskz_slli_epi64(every_lane, a, bits);
}
// The same by so many bits, up to 64, as are known only later.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes shifted_by(lanes a, unsigned bits) {
  return _mm512_maskz_srl_epi64(every_lane, a, _mm_cvtsi32_si128(static_cast<int>(bits)));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes raised_by(lanes a, unsigned bits) {
  return _mm512_maskz_sll_epi64(every_lane, a, _mm_cvtsi32_si128(static_cast<int>(bits)));
}
// Each lane by its own number of bits; by 64 or more nothing is left.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes moved_down(lanes a, lanes bits) {
  return _mm512_maskz_srlv_epi64(every_lane, a, bits);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes moved_up(lanes a, lanes bits) {
  return _mm512_maskz_sllv_epi64(every_lane, a, bits);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes masked(lanes a, lanes b) {
  return _mm512_and_si512(a, b);
}
// Which lanes are less than 0, a bit each.
BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned signs(lanes a) {
  return _mm512_movepi64_mask(a);
}
// Two of the lanes.
template <int pair>
BLOOMERY_TARGET [[gnu::always_inline]] inline __m128i two_lanes(lanes a) {
  return _mm512_maskz_extracti64x2_epi64(every_lane, a, pair);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes plus(lanes a, lanes b) {
  return _mm512_add_epi64(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes minus(lanes a, lanes b) {
  return _mm512_sub_epi64(a, b);
}
// Of the low 32 bits, to 64.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes short_product(lanes a, lanes b) {
  return _mm512_maskz_mul_epu32(every_lane, a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes product(lanes a, lanes b) {
  return _mm512_mullo_epi64(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes upper(lanes a) {
  return _mm512_maskz_srli_epi64(every_lane, a, 32);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes lower(lanes a) {
  return _mm512_and_si512(a, every(0xffffffff));
}
// The lower half of one, the upper of the other.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes joined(lanes low, lanes high) {
  return _mm512_mask_blend_epi32(0xaaaa, low, high);
}
// Of numbers of 16 bits, four in a lane.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes every_16(std::uint64_t x) {
  return _mm512_set1_epi16(static_cast<std::int16_t>(x));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes minus_16(lanes a, lanes b) {
  return _mm512_sub_epi16(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes products_16(lanes a, lanes b) {
  return _mm512_mullo_epi16(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes upper_products_16(lanes a, lanes b) {
  return _mm512_mulhi_epu16(a, b);
}
// `a`, or `a + b` where a is less than 0.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes unwrapped(lanes a, lanes b) {
  return _mm512_maskz_min_epu64(every_lane, a, plus(a, b));
}
// The word from this byte on.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes words_from(const std::byte* data, lanes bytes) {
  return _mm512_mask_i64gather_epi64(lanes{}, every_lane, bytes, data, 1);
}
// The words of these numbers.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes words_at(const std::uint64_t* words,
                                                             lanes numbers) {
  return _mm512_mask_i64gather_epi64(lanes{}, every_lane, numbers, words, 8);
}
// Each lane rotated down by the lowest six bits of its own number.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes brought_down(lanes a, lanes bits) {
  return _mm512_maskz_rorv_epi64(every_lane, a, bits);
}
// The word from this bit on.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes gather(const std::byte* data, lanes bit) {
  const lanes bytes = _mm512_maskz_srli_epi64(every_lane, bit, 3);
  return _mm512_maskz_srlv_epi64(every_lane, words_from(data, bytes),
                                 _mm512_and_si512(bit, every(7)));
}
// A zero, where there is one, at the highest bit of each entry that equals `value`.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes unequal(lanes words, lanes value, lanes rest) {
  const lanes differ = _mm512_xor_si512(words, value);
  return _mm512_or_si512(plus(_mm512_and_si512(differ, rest), rest), differ);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned zero_in(lanes a, lanes b, lanes high) {
  return _mm512_cmpneq_epi64_mask(_mm512_and_si512(_mm512_and_si512(a, b), high), high);
}
// Which lanes are equal, a bit each.
BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned equal(lanes a, lanes b) {
  return _mm512_cmpeq_epi64_mask(a, b);
}

#else

using lanes = __m256i;
constexpr std::size_t at_once = 4;

BLOOMERY_TARGET [[gnu::always_inline]] inline lanes every(std::uint64_t x) {
  return _mm256_set1_epi64x(static_cast<std::int64_t>(x));
}
struct halves {
  lanes lo;
  lanes hi;
};
BLOOMERY_TARGET [[gnu::always_inline]] inline halves load(const digest* keys) {
  const lanes front = _mm256_loadu_si256(reinterpret_cast<const lanes*>(keys));
  const lanes back = _mm256_loadu_si256(reinterpret_cast<const lanes*>(keys + 2));
  constexpr int in_order = 0b11'01'10'00;
  return {_mm256_permute4x64_epi64(_mm256_unpacklo_epi64(front, back), in_order),
          _mm256_permute4x64_epi64(_mm256_unpackhi_epi64(front, back), in_order)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes load_words(const std::uint64_t* words) {
  return _mm256_loadu_si256(reinterpret_cast<const lanes*>(words));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store_words(std::uint64_t* words, lanes a) {
  _mm256_storeu_si256(reinterpret_cast<lanes*>(words), a);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store(digest* keys, halves of) {
  const lanes even = _mm256_unpacklo_epi64(of.lo, of.hi);
  const lanes odd = _mm256_unpackhi_epi64(of.lo, of.hi);
  _mm256_storeu_si256(reinterpret_cast<lanes*>(keys), _mm256_permute2x128_si256(even, odd, 0x20));
  _mm256_storeu_si256(reinterpret_cast<lanes*>(keys + 2),
                      _mm256_permute2x128_si256(even, odd, 0x31));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes xored(lanes a, lanes b) {
  return _mm256_xor_si256(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes ored(lanes a, lanes b) {
  return _mm256_or_si256(a, b);
}
template <int bits>
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes shifted(lanes a) {
  return _mm256_srli_epi64(a, bits);
}
template <int bits>
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes raised(lanes a) {
  return _mm256_slli_epi64(a, bits);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes shifted_by(lanes a, unsigned bits) {
  return _mm256_srl_epi64(a, _mm_cvtsi32_si128(static_cast<int>(bits)));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes raised_by(lanes a, unsigned bits) {
  return _mm256_sll_epi64(a, _mm_cvtsi32_si128(static_cast<int>(bits)));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes moved_down(lanes a, lanes bits) {
  return _mm256_srlv_epi64(a, bits);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes moved_up(lanes a, lanes bits) {
  return _mm256_sllv_epi64(a, bits);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes masked(lanes a, lanes b) {
  return _mm256_and_si256(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned signs(lanes a) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(a)));
}
template <int pair>
BLOOMERY_TARGET [[gnu::always_inline]] inline __m128i two_lanes(lanes a) {
  return _mm256_extracti128_si256(a, pair);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes plus(lanes a, lanes b) {
  return _mm256_add_epi64(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes minus(lanes a, lanes b) {
  return _mm256_sub_epi64(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes short_product(lanes a, lanes b) {
  return _mm256_mul_epu32(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes upper(lanes a) {
  return _mm256_srli_epi64(a, 32);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes lower(lanes a) {
  return _mm256_and_si256(a, every(0xffffffff));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes joined(lanes low, lanes high) {
  return _mm256_blend_epi32(low, high, 0xaa);
}
// Both products of a half with the other's other half come by one instruction, and go on top of the third.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes product(lanes a, lanes b) {
  constexpr int swapped = 0b10'11'00'01;
  constexpr int lower_twice = 0b10'10'00'00;
  const lanes crossed = _mm256_mullo_epi32(a, _mm256_shuffle_epi32(b, swapped));
  const lanes low = short_product(a, b);
  const lanes above = _mm256_add_epi32(crossed, _mm256_shuffle_epi32(crossed, lower_twice));
  return joined(low, _mm256_add_epi32(low, above));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes every_16(std::uint64_t x) {
  return _mm256_set1_epi16(static_cast<std::int16_t>(x));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes minus_16(lanes a, lanes b) {
  return _mm256_sub_epi16(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes products_16(lanes a, lanes b) {
  return _mm256_mullo_epi16(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes upper_products_16(lanes a, lanes b) {
  return _mm256_mulhi_epu16(a, b);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes unwrapped(lanes a, lanes b) {
  return plus(a, _mm256_and_si256(b, _mm256_cmpgt_epi64(_mm256_setzero_si256(), a)));
}
// One after another, which is faster than the instruction for it on processors without AVX-512.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes words_from(const std::byte* data, lanes bytes) {
  alignas(lanes) std::uint64_t at[at_once];
  store_words(at, bytes);
  long long words[at_once];
#pragma GCC unroll 4
  for (std::size_t i = 0; i < at_once; ++i) {
    __builtin_memcpy(words + i, data + at[i], sizeof words[i]);
  }
  return _mm256_set_epi64x(words[3], words[2], words[1], words[0]);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes gather(const std::byte* data, lanes bit) {
  return _mm256_srlv_epi64(words_from(data, _mm256_srli_epi64(bit, 3)),
                           _mm256_and_si256(bit, every(7)));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes unequal(lanes words, lanes value, lanes rest) {
  const lanes differ = _mm256_xor_si256(words, value);
  return _mm256_or_si256(plus(_mm256_and_si256(differ, rest), rest), differ);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned zero_in(lanes a, lanes b, lanes high) {
  const lanes none = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_and_si256(a, b), high), high);
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(none))) ^ 0xf;
}
BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned equal(lanes a, lanes b) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))));
}

#endif

// As product(), where a is below 2^32.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes product_of_short(lanes a, lanes b) {
  return plus(short_product(a, b), raised<32>(short_product(a, upper(b))));
}

// The upper halves are those of reduce(), for ranges below 2^32.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes reduced_above(lanes x, lanes range) {
  return plus(short_product(upper(x), range), upper(short_product(x, range)));
}
// As reduce(), for ranges below 2^32.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes reduced(lanes x, lanes range) {
  return upper(reduced_above(x, range));
}

// As reduce(), for any range, of which `low` has the lower half at least and `high` the upper.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes reduced_wide(lanes x, lanes low, lanes high) {
  const lanes crossed = short_product(upper(x), low);
  const lanes other = short_product(x, high);
  const lanes carried =
      upper(plus(plus(upper(short_product(x, low)), lower(crossed)), lower(other)));
  return plus(plus(short_product(upper(x), high), carried), plus(upper(crossed), upper(other)));
}

// As fold().
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes folded(lanes a, lanes b) {
  const lanes bottom = short_product(a, b);
  const lanes one = plus(short_product(a, upper(b)), upper(bottom));
  const lanes other = plus(short_product(upper(a), b), lower(one));
  const lanes top = plus(short_product(upper(a), upper(b)), plus(upper(one), upper(other)));
  return xored(top, joined(bottom, raised<32>(other)));
}

// As mix().
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes mixed(lanes x) {
  x = product(xored(x, shifted<30>(x)), every(hash::mix_factors[0]));
  x = product(xored(x, shifted<27>(x)), every(hash::mix_factors[1]));
  return xored(x, shifted<31>(x));
}

// As integer_hash, by its offset.
BLOOMERY_TARGET [[gnu::always_inline]] inline halves hashed(lanes keys, lanes offset) {
  const lanes hi = mixed(xored(keys, offset));
  const lanes spread = product(hi, every(hash::golden));
  return {xored(spread, upper(spread)), hi};
}

// The digests of at_once keys of a batch, of which this is the first.
BLOOMERY_TARGET [[gnu::always_inline]] inline halves digests_of(const digest_span& keys,
                                                                std::size_t first) {
  return load(keys.data() + first);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline halves digests_of(const integer_span& keys,
                                                                std::size_t first) {
  return hashed(load_words(keys.unhashed().data() + first), every(keys.hash().offset()));
}

// The same for several times as many, in four stages. Each waits for the one before, and a processor sees only
// a few dozen vector instructions ahead: other work goes between them.
template <class Keys, std::size_t times>
struct staged_digests;

template <std::size_t times>
struct staged_digests<integer_span, times> {
  lanes lo[times];
  lanes hi[times];

  BLOOMERY_TARGET [[gnu::always_inline]] void first(const integer_span& keys, std::size_t from) {
    const std::uint64_t* const words = keys.unhashed().data() + from;
    const lanes offset = every(keys.hash().offset());
#pragma GCC unroll 8
    for (std::size_t i = 0; i < times; ++i) {
      const lanes x = xored(load_words(words + i * at_once), offset);
      hi[i] = product(xored(x, shifted<30>(x)), every(hash::mix_factors[0]));
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void second() {
#pragma GCC unroll 8
    for (lanes& x : hi) x = product(xored(x, shifted<27>(x)), every(hash::mix_factors[1]));
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void third() {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < times; ++i) {
      hi[i] = xored(hi[i], shifted<31>(hi[i]));
      lo[i] = product(hi[i], every(hash::golden));
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void last(const integer_span& /*keys*/,
                                                   std::size_t /*from*/) {
#pragma GCC unroll 8
    for (lanes& x : lo) x = xored(x, upper(x));
  }
};

template <std::size_t times>
struct staged_digests<digest_span, times> {
  lanes lo[times];
  lanes hi[times];

  BLOOMERY_TARGET void first(const digest_span& /*keys*/, std::size_t /*from*/) {}
  BLOOMERY_TARGET void second() {}
  BLOOMERY_TARGET void third() {}
  BLOOMERY_TARGET [[gnu::always_inline]] void last(const digest_span& keys, std::size_t from) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < times; ++i) {
      const halves some = digests_of(keys, from + i * at_once);
      lo[i] = some.lo;
      hi[i] = some.hi;
    }
  }
};
