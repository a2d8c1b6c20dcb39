// Keys of a d-left table: located several at a time, then looked for in all buckets of a key at once.
// Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {
#if BLOOMERY_VECTOR_BITS >= 256

#include "bloomery/hash/key_lanes.inl"

constexpr unsigned pairs = at_once / 2;
constexpr unsigned pairs_ahead = 2;  // to prefetch: more would wait for one another

template <unsigned tables>
struct dleft_places {
  lanes buckets[tables];  // the bytes in which they begin
  lanes wanted;           // the remainder in every cell of half a bucket
};

template <unsigned tables>
BLOOMERY_TARGET [[gnu::always_inline]] inline dleft_places<tables> locate(const dleft_words& table,
                                                                          const digest* keys) {
  const std::uint64_t bucket_bytes = table.in.bucket_bits / 8;
  const std::uint64_t table_bytes = table.buckets * bucket_bytes;
  const lanes size = every(bucket_bytes);
  const halves key = load(keys);
  const lanes remainder = plus(every(1), reduced(key.hi, every(table.most)));
  dleft_places<tables> at;
  at.buckets[0] = short_product(reduced(key.lo, every(table.buckets)), size);
  at.wanted = product(every(table.in.low << table.counter_bits), remainder);
  lanes uniform = product(short_product(remainder, remainder), every(hash::golden));
#pragma GCC unroll 4
  for (unsigned t = 1; t < tables; ++t) {
    const lanes step = short_product(reduced(uniform, every(table.buckets)), size);
    const lanes moved = minus(plus(at.buckets[0], step), every(table_bytes));
    at.buckets[t] = plus(unwrapped(moved, every(table_bytes)), every(t * table_bytes));
    uniform = product(uniform, every(hash::golden));
  }
  return at;
}

// The buckets of two keys, as addresses.
template <unsigned tables>
struct dleft_pair {
  const std::byte* buckets[2][tables];
};
template <unsigned pair, unsigned tables>
BLOOMERY_TARGET [[gnu::always_inline]] inline dleft_pair<tables> pair_of(
    const std::byte* data, const dleft_places<tables>& at) {
  dleft_pair<tables> result;
#pragma GCC unroll 4
  for (unsigned t = 0; t < tables; ++t) {
    const __m128i both = two_lanes<pair>(at.buckets[t]);
    result.buckets[0][t] = data + _mm_cvtsi128_si64(both);
    result.buckets[1][t] = data + _mm_extract_epi64(both, 1);
  }
  return result;
}

struct dleft_masks {
  __m128i order;  // of the bytes of a bucket, to make words of its halves
  __m128i shift;  // of what is wanted in them
  __m128i care;   // the bits of the remainders
  __m128i high;   // the highest bit of every cell
  __m128i rest;   // the others
};

BLOOMERY_TARGET inline dleft_masks masks_of(const dleft_words& table) {
  const bucket_pairs& in = table.in;
  constexpr std::uint64_t bytes = 0x0706050403020100;
  const auto pair = [](std::uint64_t first, std::uint64_t second) {
    return _mm_set_epi64x(static_cast<std::int64_t>(second), static_cast<std::int64_t>(first));
  };
  const auto every_cell = [&](std::uint64_t value) {
    return pair(in.low * value, in.low * value << in.half_bits % 8);
  };
  const std::uint64_t highest = std::uint64_t{1} << (in.width - 1);
  return {pair(bytes, bytes + in.half_bits / 8 * 0x0101010101010101), pair(0, in.half_bits % 8),
          every_cell(table.most << table.counter_bits), every_cell(highest),
          every_cell(highest - 1)};
}

template <unsigned tables>
BLOOMERY_TARGET [[gnu::always_inline]] inline bool found(const std::byte* const (&buckets)[tables],
                                                         __m128i remainder, const dleft_masks& by) {
  const __m128i wanted = _mm_sllv_epi64(remainder, by.shift);
  __m128i unequal = by.high;
#pragma GCC unroll 4
  for (unsigned t = 0; t < tables; ++t) {
    const __m128i bucket = _mm_loadu_si128(reinterpret_cast<const __m128i*>(buckets[t]));
    const __m128i differ =
        _mm_and_si128(_mm_xor_si128(_mm_shuffle_epi8(bucket, by.order), wanted), by.care);
    const __m128i carried = _mm_add_epi64(_mm_and_si128(differ, by.rest), by.rest);
    unequal = _mm_and_si128(unequal, _mm_or_si128(carried, differ));
  }
  return _mm_testc_si128(unequal, by.high) == 0;
}

// Answers pairs of `now` from this one on, and asks for those that come two later.
template <unsigned pair, unsigned tables>
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint64_t answer_from(
    const std::byte* data, const dleft_masks& by, const dleft_places<tables>& now,
    const dleft_places<tables>& next, bool* answers) {
  constexpr unsigned later = pair + pairs_ahead;
  const auto coming = pair_of<later % pairs>(data, later < pairs ? now : next);
  for (const auto& buckets : coming.buckets) {
    for (const std::byte* bucket : buckets) core::prefetch(bucket);
  }
  const auto here = pair_of<pair>(data, now);
  const __m128i wanted = two_lanes<pair>(now.wanted);
  answers[2 * pair] = found(here.buckets[0], _mm_unpacklo_epi64(wanted, wanted), by);
  answers[2 * pair + 1] = found(here.buckets[1], _mm_unpackhi_epi64(wanted, wanted), by);
  const std::uint64_t hits =
      std::uint64_t{answers[2 * pair]} + std::uint64_t{answers[2 * pair + 1]};
  if constexpr (pair + 1 < pairs) {
    return hits + answer_from<pair + 1>(data, by, now, next, answers);
  }
  return hits;
}

template <unsigned tables>
BLOOMERY_TARGET inline answered contains(const dleft_words& given, const digest* keys,
                                         std::size_t count, bool* answers) {
  const dleft_words table = given;  // which no answer written can change
  const dleft_masks by = masks_of(table);
  answered done{count - count % at_once, 0};
  if (done.keys == 0) return done;
  dleft_places<tables> now = locate<tables>(table, keys);
  for (std::size_t i = 0; i < done.keys; i += at_once) {
    const std::size_t last = done.keys - at_once;
    // Among loads from all over, the processor does not see that keys come in a row.
    for (std::size_t k = 0; k < at_once; k += 4) core::prefetch(keys + std::min(i + 32, last) + k);
    const auto next = locate<tables>(table, keys + std::min(i + at_once, last));
    done.hits += answer_from<0>(table.in.data, by, now, next, answers + i);
    now = next;
  }
  return done;
}

BLOOMERY_TARGET inline answered contains(const dleft_words& table, const digest* keys,
                                         std::size_t count, bool* answers) {
  switch (table.tables) {
    case 2:
      return contains<2>(table, keys, count, answers);
    case 3:
      return contains<3>(table, keys, count, answers);
    case 4:
      return contains<4>(table, keys, count, answers);
    default:
      return {0, 0};
  }
}

#else

inline answered contains(const dleft_words& /*table*/, const digest* /*keys*/,
                         std::size_t /*count*/, bool* /*answers*/) {
  return {0, 0};
}

#endif
}  // namespace bloomery::bits::BLOOMERY_ISA
