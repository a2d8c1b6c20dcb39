// Four or eight keys of a semi-sorted cuckoo table at a time. Compiled once per back end; see
// each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {
#if BLOOMERY_VECTOR_BITS >= 256

#include "bloomery/bits/batch/ring.inl"
#include "bloomery/hash/key_lanes.inl"

// As many keys on their way as keep the memory busy.
constexpr std::size_t steps_ahead = 32 / at_once;
// A step is too long for the processor to begin with the next one by itself: locating one goes along with
// searching for another, also where nothing needs to be asked for.
constexpr std::size_t steps_apart = 2;
constexpr int code_bits = sorted_sequences::code_bits;

// A Work of ring.inl. Buckets of whole bytes, of fingerprints of an odd number of bits, need no shifts.
template <class Keys, bool whole_bytes, bool fetches>
struct asking_sorted {
  struct slot {
    lanes first;  // where buckets begin: bytes, or bits
    lanes second;
    lanes wanted;  // the planes of the fingerprint
  };
  const sorted_words in;
  const Keys keys;
  bool* answers;
  const bool into_second;
  std::uint64_t hits = 0;

  // As sorted_cuckoo_cells::locate and searcher::every.
  BLOOMERY_TARGET [[gnu::always_inline]] slot locate(std::size_t step) const {
    const lanes one = every(1);
    const std::uint64_t apart = whole_bytes ? in.bucket_bits / 8 : in.bucket_bits;
    const halves key = digests_of(keys, step * at_once);
    const lanes first = short_product(reduced(key.lo, every(in.buckets)), every(apart));
    const lanes print = plus(one, reduced(key.hi, every(in.max_value)));
    const lanes square = short_product(print, print);  // below 2^32
    const lanes spread = product_of_short(square, every(hash::golden));
    const lanes half = reduced(spread, every(in.buckets / 2));
    const lanes sum = short_product(plus(plus(half, half), one), every(apart));
    const lanes second = unwrapped(minus(sum, first), every(in.buckets * apart));
    const lanes bits =
        ored(ored(print, moved_up(print, every(in.shifts[0]))),
             ored(moved_up(print, every(in.shifts[1])), moved_up(print, every(in.shifts[2]))));
    const lanes lowest = masked(bits, every(in.ones));
    return {first, second, minus(raised<4>(lowest), lowest)};
  }
  template <core::cache_level level>
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_into(const slot& at) const {
    alignas(64) std::array<std::uint64_t, at_once> first;
    alignas(64) std::array<std::uint64_t, at_once> second;
    store_words(first.data(), at.first);
    store_words(second.data(), at.second);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < at_once; ++i) {
      core::prefetch_into<level>(in.data + (whole_bytes ? first[i] : first[i] / 8));
      core::prefetch_into<level>(in.data + (whole_bytes ? second[i] : second[i] / 8));
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch(const slot& at) const {
    if constexpr (!fetches) return;
    if (into_second) {
      fetch_into<core::cache_level::second>(at);
    } else {
      fetch_into<core::cache_level::first>(at);
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] lanes word_of(lanes first) const {
    if constexpr (whole_bytes) return words_from(in.data, first);
    return moved_down(words_from(in.data, shifted<3>(first)), masked(first, every(7)));
  }
  // Bits in which planes of a bucket differ from those wanted; those that are sorted lie upon others.
  BLOOMERY_TARGET [[gnu::always_inline]] lanes differing(lanes first, lanes wanted,
                                                         lanes unsorted) const {
    const lanes packed = word_of(first);
    const lanes code = masked(packed, every(sequences.planes.size() - 1));
    const auto* const planes = reinterpret_cast<const std::byte*>(sequences.planes.data());
    const lanes sorted = words_from(planes, plus(code, code));
    return ored(masked(xored(packed, unsorted), every(15 * in.ones >> 16 << code_bits)),
                masked(xored(sorted, wanted), every(0xffff)));
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t step, const slot& at) {
    const lanes unsorted = shifted<16 - code_bits>(at.wanted);
    const lanes first = differing(at.first, at.wanted, unsorted);
    const lanes second = differing(at.second, at.wanted, unsorted);
    // One half of the lane for each bucket, then one plane for all of its planes.
    lanes any = joined(ored(first, upper(first)), ored(second, raised<32>(second)));
    any = ored(any, shifted<16>(any));
    any = ored(any, shifted<8>(any));
    any = ored(any, shifted<4>(any));
    const unsigned found = zero_in(any, any, every(0x0000'000f'0000'000f));
    const std::uint64_t bytes = _pdep_u64(found, 0x0101010101010101);
    std::memcpy(answers + step * at_once, &bytes, at_once);
    hits += static_cast<unsigned>(std::popcount(found));
  }
};

template <bool whole_bytes, bool fetches, std::size_t ahead, class Keys>
BLOOMERY_TARGET answered contains(const sorted_words& in, const Keys& keys, bool* answers) {
  const std::size_t steps = keys.size() / at_once;
  asking_sorted<Keys, whole_bytes, fetches> work{
      in, keys, answers, core::prefetched_level() == core::cache_level::second};
  in_ring<ahead>(steps, work);
  return {steps * at_once, work.hits};
}

template <bool whole_bytes, class Keys>
BLOOMERY_TARGET answered contains(const sorted_words& in, const Keys& keys, bool* answers) {
  return in.buckets * in.bucket_bits <= cached_sorted_bits
             ? contains<whole_bytes, false, steps_apart>(in, keys, answers)
             : contains<whole_bytes, true, steps_ahead>(in, keys, answers);
}

template <class Keys>
BLOOMERY_TARGET answered contains(const sorted_words& in, const Keys& keys, bool* answers) {
  return in.bucket_bits % 8 == 0 ? contains<true>(in, keys, answers)
                                 : contains<false>(in, keys, answers);
}

#else

template <class Keys>
answered contains(const sorted_words& /*in*/, const Keys& /*keys*/, bool* /*answers*/) {
  return {0, 0};
}

#endif
}  // namespace bloomery::bits::BLOOMERY_ISA
