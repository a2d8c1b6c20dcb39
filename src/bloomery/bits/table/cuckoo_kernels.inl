// Four or eight keys of a cuckoo table at a time. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {
#if BLOOMERY_VECTOR_BITS >= 256

#include "bloomery/bits/batch/ring.inl"
#include "bloomery/hash/key_lanes.inl"

// As many keys on their way as keep the memory busy.
constexpr std::size_t cuckoo_steps_ahead = 32 / at_once;

// Where to look for each of at_once keys, and for which fingerprint.
struct cuckoo_places {
  lanes first;  // where buckets begin
  lanes second;
  lanes wanted;  // the fingerprint in every entry
};

// A Work of ring.inl. Buckets of whole bytes begin at a byte, others at a bit.
template <bool whole_bytes, class Keys>
struct cuckoo_steps {
  using slot = cuckoo_places;
  const bucket_words in;
  const std::uint64_t bucket_size;  // in bytes or bits
  const Keys keys;
  bool* const answers;
  const bool into_second;
  std::uint64_t hits = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] slot locate(std::size_t step) const {
    const lanes one = every(1);
    const lanes size = every(bucket_size);
    const halves key = digests_of(keys, step * at_once);
    const lanes first = short_product(reduced(key.lo, every(in.buckets)), size);
    const lanes print = plus(one, reduced(key.hi, every(in.max_value)));
    const lanes square = short_product(print, print);
    const lanes spread = in.max_value >> 16 == 0 ? product_of_short(square, every(hash::golden))
                                                 : product(square, every(hash::golden));
    const lanes half = reduced(spread, every(in.buckets / 2));
    const lanes sum = short_product(plus(plus(half, half), one), size);
    const lanes second = unwrapped(minus(sum, first), every(in.buckets * bucket_size));
    return {first, second, product_of_short(print, every(in.low))};
  }
  template <core::cache_level level>
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_into(const slot& at) const {
    std::array<std::uint64_t, at_once> first;
    std::array<std::uint64_t, at_once> second;
    store_words(first.data(), whole_bytes ? at.first : shifted<3>(at.first));
    store_words(second.data(), whole_bytes ? at.second : shifted<3>(at.second));
#pragma GCC unroll 8
    for (std::size_t i = 0; i < at_once; ++i) {
      core::prefetch_into<level>(in.data + first[i]);
      core::prefetch_into<level>(in.data + second[i]);
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch(const slot& at) const {
    if (into_second) {
      fetch_into<core::cache_level::second>(at);
    } else {
      fetch_into<core::cache_level::first>(at);
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] lanes buckets(lanes at) const {
    return whole_bytes ? words_from(in.data, at) : gather(in.data, at);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t step, const slot& at) {
    const lanes rest = every(in.rest);
    const unsigned found = zero_in(unequal(buckets(at.first), at.wanted, rest),
                                   unequal(buckets(at.second), at.wanted, rest), every(in.high));
    const std::uint64_t bytes = _pdep_u64(found, 0x0101010101010101);
    std::memcpy(answers + step * at_once, &bytes, at_once);
    hits += static_cast<unsigned>(std::popcount(found));
  }
};

template <bool whole_bytes, class Keys>
BLOOMERY_TARGET answered contains_by(const bucket_words& table, const Keys& keys, bool* answers) {
  const std::size_t steps = keys.size() / at_once;
  cuckoo_steps<whole_bytes, Keys> work{
      table, whole_bytes ? table.bucket_bits / 8 : table.bucket_bits, keys, answers,
      core::prefetched_level() == core::cache_level::second};
  if (table.buckets * table.bucket_bits <= cached_bits) {
    in_twos(steps, work);
  } else {
    in_ring<cuckoo_steps_ahead>(steps, work);
  }
  return {steps * at_once, work.hits};
}

template <class Keys>
BLOOMERY_TARGET answered contains(const bucket_words& table, const Keys& keys, bool* answers) {
  return table.bucket_bits % 8 == 0 ? contains_by<true>(table, keys, answers)
                                    : contains_by<false>(table, keys, answers);
}

#else

template <class Keys>
answered contains(const bucket_words& /*table*/, const Keys& /*keys*/, bool* /*answers*/) {
  return {0, 0};
}

#endif
}  // namespace bloomery::bits::BLOOMERY_ISA
