// Keys of a d-left table: located several at a time, then looked for in all buckets of a key at once.
// Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {
#if BLOOMERY_VECTOR_BITS >= 256

#include "bloomery/bits/batch/ring.inl"
#include "bloomery/hash/key_lanes.inl"

// As many keys on their way as keep the memory busy: a hundred lines.
constexpr std::size_t dleft_steps_ahead = 32 / at_once;

template <unsigned tables>
struct dleft_places {
  std::array<std::array<std::uint64_t, at_once>, tables> buckets;  // the bytes in which they begin
  std::array<std::uint64_t, at_once> wanted;  // the remainder in every cell of half a bucket
};

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

// A Work of ring.inl. Eight cells of 16 bits are compared with less work than others.
template <unsigned tables, bool sixteen, class Keys>
struct dleft_steps {
  using slot = dleft_places<tables>;
  const dleft_words table;
  const dleft_masks by;
  const Keys keys;
  bool* const answers;
  const bool into_second;
  std::uint64_t hits = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] slot locate(std::size_t step) const {
    const std::uint64_t bucket_bytes = table.in.bucket_bits / 8;
    const std::uint64_t table_bytes = table.buckets * bucket_bytes;
    const lanes buckets = every(table.buckets);
    const lanes size = every(bucket_bytes);
    const halves key = digests_of(keys, step * at_once);
    const lanes remainder = plus(every(1), reduced(key.hi, every(table.most)));
    const lanes square = short_product(remainder, remainder);
    const lanes first = short_product(reduced(key.lo, buckets), size);
    slot at;
    store_words(at.buckets[0].data(), first);
    store_words(at.wanted.data(),
                product_of_short(remainder, every(table.in.low << table.counter_bits)));
    std::uint64_t factor = hash::golden;
#pragma GCC unroll 4
    for (unsigned t = 1; t < tables; ++t) {
      const lanes uniform = table.most >> 16 == 0 ? product_of_short(square, every(factor))
                                                  : product(square, every(factor));
      const lanes moved =
          minus(plus(first, short_product(reduced(uniform, buckets), size)), every(table_bytes));
      store_words(at.buckets[t].data(),
                  plus(unwrapped(moved, every(table_bytes)), every(t * table_bytes)));
      factor *= hash::golden;
    }
    return at;
  }
  template <core::cache_level level>
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_into(const slot& at) const {
#pragma GCC unroll 4
    for (unsigned t = 0; t < tables; ++t) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < at_once; ++i) {
        core::prefetch_into<level>(table.in.data + at.buckets[t][i]);
      }
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch(const slot& at) const {
    if (into_second) {
      fetch_into<core::cache_level::second>(at);
    } else {
      fetch_into<core::cache_level::first>(at);
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] bool found(const slot& at, std::size_t i) const {
    const __m128i remainder = _mm_set1_epi64x(static_cast<std::int64_t>(at.wanted[i]));
    const __m128i wanted = sixteen ? remainder : _mm_sllv_epi64(remainder, by.shift);
    __m128i equal = _mm_setzero_si128();
    __m128i unequal = by.high;
#pragma GCC unroll 4
    for (unsigned t = 0; t < tables; ++t) {
      const auto* const bucket = reinterpret_cast<const __m128i*>(table.in.data + at.buckets[t][i]);
      const __m128i cells = _mm_loadu_si128(bucket);
      const __m128i word = sixteen ? cells : _mm_shuffle_epi8(cells, by.order);
      const __m128i differ = _mm_and_si128(_mm_xor_si128(word, wanted), by.care);
      if constexpr (sixteen) {
        equal = _mm_or_si128(equal, _mm_cmpeq_epi16(differ, _mm_setzero_si128()));
      } else {
        const __m128i carried = _mm_add_epi64(_mm_and_si128(differ, by.rest), by.rest);
        unequal = _mm_and_si128(unequal, _mm_or_si128(carried, differ));
      }
    }
    return sixteen ? _mm_testz_si128(equal, equal) == 0 : _mm_testc_si128(unequal, by.high) == 0;
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t step, const slot& at) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < at_once; ++i) {
      const bool there = found(at, i);
      answers[step * at_once + i] = there;
      hits += std::uint64_t{there};
    }
  }
};

template <unsigned tables, bool sixteen, class Keys>
BLOOMERY_TARGET answered contains_by(const dleft_words& table, const Keys& keys, bool* answers) {
  const std::size_t steps = keys.size() / at_once;
  dleft_steps<tables, sixteen, Keys> work{table, masks_of(table), keys, answers,
                                          core::prefetched_level() == core::cache_level::second};
  if (table.tables * table.buckets * table.in.bucket_bits <= cached_bits) {
    in_twos(steps, work);
  } else {
    in_ring<dleft_steps_ahead>(steps, work);
  }
  return {steps * at_once, work.hits};
}

template <unsigned tables, class Keys>
BLOOMERY_TARGET answered contains_in(const dleft_words& table, const Keys& keys, bool* answers) {
  return table.in.width == 16 && table.in.bucket_bits == 128
             ? contains_by<tables, true>(table, keys, answers)
             : contains_by<tables, false>(table, keys, answers);
}

template <class Keys>
BLOOMERY_TARGET answered contains(const dleft_words& table, const Keys& keys, bool* answers) {
  switch (table.tables) {
    case 2:
      return contains_in<2>(table, keys, answers);
    case 3:
      return contains_in<3>(table, keys, answers);
    case 4:
      return contains_in<4>(table, keys, answers);
    default:
      return {0, 0};
  }
}

#else

template <class Keys>
answered contains(const dleft_words& /*table*/, const Keys& /*keys*/, bool* /*answers*/) {
  return {0, 0};
}

#endif
}  // namespace bloomery::bits::BLOOMERY_ISA
