// Four or eight keys at a time. Compiled once per back end; see each_backend.inl.
namespace bloomery::hash::BLOOMERY_ISA {
#if BLOOMERY_VECTOR_BITS >= 256

#include "bloomery/hash/key_lanes.inl"

BLOOMERY_TARGET inline std::size_t hash_front(std::uint64_t offset, const std::uint64_t* keys,
                                              std::size_t count, digest* digests) {
  const std::size_t done = count - count % at_once;
  for (std::size_t i = 0; i < done; i += at_once) {
    store(digests + i, hashed(load_words(keys + i), every(offset)));
  }
  return done;
}

BLOOMERY_TARGET inline std::size_t locate_front(const digit_probes& probes, const digest* keys,
                                                std::size_t count, std::uint64_t* rows,
                                                std::size_t stride) {
  const std::size_t done = count - count % at_once;
  const lanes slice = every(probes.slice);
  for (std::size_t i = 0; i < done; i += at_once) {
    halves words = load(keys + i);
    lanes base = every(0);
    for (std::uint64_t row = 0; row < probes.count; ++row) {
      store_words(rows + row * stride + i, plus(base, reduced(words.lo, slice)));
      words = {words.hi, product(words.lo, slice)};  // taken in turns
      base = plus(base, slice);
    }
  }
  return done;
}

#else

inline std::size_t hash_front(std::uint64_t /*offset*/, const std::uint64_t* /*keys*/,
                              std::size_t /*count*/, digest* /*digests*/) {
  return 0;
}
inline std::size_t locate_front(const digit_probes& /*probes*/, const digest* /*keys*/,
                                std::size_t /*count*/, std::uint64_t* /*rows*/,
                                std::size_t /*stride*/) {
  return 0;
}

#endif
}  // namespace bloomery::hash::BLOOMERY_ISA
