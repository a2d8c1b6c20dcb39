// Four or eight keys of a cuckoo table at a time. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {
#if BLOOMERY_VECTOR_BITS >= 256

#include "bloomery/hash/key_lanes.inl"

// Where to look for each of at_once keys, and for which fingerprint.
struct places {
  lanes first;  // bits of buckets
  lanes second;
  lanes wanted;  // the fingerprint in every entry
};

BLOOMERY_TARGET [[gnu::always_inline]] inline places locate(const bucket_words& in,
                                                            const digest* keys) {
  const lanes one = every(1);
  const lanes bucket_bits = every(in.bucket_bits);
  const halves key = load(keys);
  const lanes first = short_product(reduced(key.lo, every(in.buckets)), bucket_bits);
  const lanes print = plus(one, reduced(key.hi, every(in.max_value)));
  const lanes spread = product(short_product(print, print), every(hash::golden));
  const lanes half = reduced(spread, every(in.buckets / 2));
  const lanes sum = short_product(plus(plus(half, half), one), bucket_bits);
  const lanes second = unwrapped(minus(sum, first), every(in.buckets * in.bucket_bits));
  return {first, second, product(every(in.low), print)};
}

BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned answer(const bucket_words& in, places at,
                                                              bool* answers) {
  const lanes rest = every(in.rest);
  const unsigned found =
      zero_in(unequal(gather(in.data, at.first), at.wanted, rest),
              unequal(gather(in.data, at.second), at.wanted, rest), every(in.high));
  const std::uint64_t bytes = _pdep_u64(found, 0x0101010101010101);
  std::memcpy(answers, &bytes, at_once);
  return static_cast<unsigned>(std::popcount(found));
}

BLOOMERY_TARGET inline answered contains(const bucket_words& table, const digest* keys,
                                         std::size_t count, bool* answers) {
  const bucket_words in = table;  // which no answer written can change
  answered done{count - count % at_once, 0};
  for (std::size_t i = 0; i < done.keys; i += at_once) {
    done.hits += answer(in, locate(in, keys + i), answers + i);
  }
  return done;
}

#else

inline answered contains(const bucket_words& /*table*/, const digest* /*keys*/,
                         std::size_t /*count*/, bool* /*answers*/) {
  return {0, 0};
}

#endif
}  // namespace bloomery::bits::BLOOMERY_ISA
