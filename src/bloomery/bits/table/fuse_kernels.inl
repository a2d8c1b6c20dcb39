// Keys against their slots of a fuse table. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

#if BLOOMERY_VECTOR_BITS >= 256
#include "bloomery/hash/key_lanes.inl"
constexpr std::size_t keys_a_step = at_once;
#else
constexpr std::size_t keys_a_step = 4;
#endif
#include "bloomery/bits/batch/key_steps.inl"
#include "bloomery/bits/batch/ring.inl"

constexpr unsigned zero_bits = fuse_probe::zero_bits;

// Up to there asking for lines costs more than it saves: a second-level cache, or most of a large one if slots are
// read at once.
constexpr std::uint64_t cached_bytes = BLOOMERY_VECTOR_BITS == 512 ? 1536 << 10 : 512 << 10;

// As many keys on their way as keep the memory busy: a hundred lines.
constexpr std::size_t fuse_steps_ahead = 32 / keys_a_step;

// Row j has slot j of each key of a step.
template <unsigned arity>
struct noted_slots {
  std::array<std::array<std::uint64_t, keys_a_step>, arity> slots;
  std::array<std::uint64_t, keys_a_step> fingerprints;
};

#if BLOOMERY_VECTOR_BITS >= 256
BLOOMERY_TARGET [[gnu::always_inline]] inline void note(std::array<std::uint64_t, keys_a_step>& to,
                                                        lanes of) {
  store_words(to.data(), of);
}
#endif

// The same for slots that are read at once, by a gathering instruction: on their way through memory they would take
// longer than the table's own words. Without AVX-512, single loads are faster.
#if BLOOMERY_VECTOR_BITS == 512
template <unsigned arity>
struct held_slots {
  lanes slots[arity];
  lanes fingerprints;
};
BLOOMERY_TARGET [[gnu::always_inline]] inline void note(lanes& to, lanes of) {
  to = of;
}

// As Reader reads them; more bits of other slots may come along.
template <class Word>
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes read_slots(const whole_slots<Word>& reader,
                                                               lanes slots) {
  return words_from(reader.cells, raised<std::countr_zero(sizeof(Word))>(slots));
}
template <class Word>
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes read_slots(const packed_slots<Word>& reader,
                                                               lanes slots) {
  return gather(reader.cells, product_of_short(every(reader.width), slots));
}
#else
template <unsigned arity>
using held_slots = noted_slots<arity>;
#endif

// As fuse_probe.
template <template <unsigned> class Slots, unsigned arity, class Keys>
BLOOMERY_TARGET [[gnu::always_inline]] inline Slots<arity> locate_slots(const fuse_slots& table,
                                                                        const Keys& keys,
                                                                        std::size_t first) {
  Slots<arity> at;
  const unsigned shift = table.segment_log2;
#if BLOOMERY_VECTOR_BITS >= 256
  const halves of = digests_of(keys, first);
  const lanes fingerprint = shifted<zero_bits>(
      folded(xored(of.lo, every(table.lo_key)), xored(of.hi, every(table.hi_key))));
  const lanes hash = raised<zero_bits>(fingerprint);
  const lanes range = every(table.first_slots);
  const lanes slot =
      table.first_slots >> 32 == 0 ? reduced(hash, range) : reduced_wide(hash, range, upper(range));
  lanes turns = product(hash, every(hash::golden));
  note(at.fingerprints, fingerprint);
  note(at.slots[0], slot);
#pragma GCC unroll 4
  for (unsigned j = 1; j < arity; ++j) {
    const lanes start = plus(slot, every(std::uint64_t{j} << shift));
    note(at.slots[j], xored(start, shifted_by(turns, 64 - shift)));
    turns = raised_by(turns, shift);
  }
#else
  for (std::size_t i = 0; i < keys_a_step; ++i) {
    const digest key = keys[first + i];
    const std::uint64_t fingerprint =
        hash::fold(key.lo ^ table.lo_key, key.hi ^ table.hi_key) >> zero_bits;
    const std::uint64_t hash = fingerprint << zero_bits;
    const std::uint64_t slot = hash::reduce(hash, table.first_slots);
    std::uint64_t turns = hash * hash::golden;
    at.fingerprints[i] = fingerprint;
    at.slots[0][i] = slot;
    for (unsigned j = 1; j < arity; ++j) {
      at.slots[j][i] = (slot + (std::uint64_t{j} << shift)) ^ (turns >> (64 - shift));
      turns <<= shift;
    }
  }
#endif
  return at;
}

// A Work of ring.inl. Deed has act(number of the key, what its slots are together, its fingerprint), and
// act_on(number of the first key, how many, slots, fingerprints) for keys that are held.
template <template <unsigned> class Slots, unsigned arity, class Reader, class Keys, class Deed>
struct fuse_steps {
  using slot = Slots<arity>;
  const fuse_slots table;
  const Reader reader;
  const Keys keys;
  Deed deed;
  const bool into_second;

  BLOOMERY_TARGET [[gnu::always_inline]] slot locate(std::size_t step) const {
    return locate_slots<Slots, arity>(table, keys, step * keys_a_step);
  }
  template <core::cache_level level>
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_into(const slot& at) const {
#pragma GCC unroll 4
    for (unsigned j = 0; j < arity; ++j) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < keys_a_step; ++i) {
        core::prefetch_into<level>(reader.place(at.slots[j][i]));
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
#if BLOOMERY_VECTOR_BITS == 512
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on(const held_slots<arity>& at, std::size_t first,
                                                     std::size_t count) {
    lanes joined = read_slots(reader, at.slots[0]);
#pragma GCC unroll 4
    for (unsigned j = 1; j < arity; ++j) joined = xored(joined, read_slots(reader, at.slots[j]));
    deed.act_on(first, count, joined, at.fingerprints);
  }
#endif
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on(const noted_slots<arity>& at,
                                                     std::size_t first, std::size_t count) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
      auto joined = reader.read(at.slots[0][i]);
#pragma GCC unroll 4
      for (unsigned j = 1; j < arity; ++j) joined ^= reader.read(at.slots[j][i]);
      deed.act(first + i, joined, at.fingerprints[i]);
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t step, const slot& at) {
    act_on(at, step * keys_a_step, keys_a_step);
  }
};

#if BLOOMERY_VECTOR_BITS == 512
// Says of the first `keys` lanes which are zero, and how many.
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint64_t answered_zero(lanes of, bool* answers,
                                                                          std::size_t keys) {
  const unsigned zero = equal(of, lanes{}) & ((1U << keys) - 1);
  const std::uint64_t bytes = _pdep_u64(zero, 0x0101010101010101);
  std::memcpy(answers, &bytes, keys);
  return static_cast<unsigned>(std::popcount(zero));
}
#endif

// Of slots that are all fingerprint and a whole word.
template <class Word>
struct matching_whole {
  bool* answers;
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t key, std::uint64_t joined,
                                                  std::uint64_t fingerprint) {
    answers[key] = static_cast<Word>(joined) == static_cast<Word>(fingerprint);
    count += std::uint64_t{answers[key]};
  }
#if BLOOMERY_VECTOR_BITS == 512
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on(std::size_t first, std::size_t keys,
                                                     lanes joined, lanes prints) {
    const lanes differ = masked(xored(joined, prints), every(static_cast<Word>(~Word{0})));
    count += answered_zero(differ, answers + first, keys);
  }
#endif
};
struct matching_part {
  std::uint64_t fingerprints;
  bool* answers;
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t key, std::uint64_t joined,
                                                  std::uint64_t fingerprint) {
    const bool match = ((joined ^ fingerprint) & fingerprints) == 0;
    answers[key] = match;
    count += std::uint64_t{match};
  }
#if BLOOMERY_VECTOR_BITS == 512
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on(std::size_t first, std::size_t keys,
                                                     lanes joined, lanes prints) {
    const lanes differ = masked(xored(joined, prints), every(fingerprints));
    count += answered_zero(differ, answers + first, keys);
  }
#endif
};

struct reading_contents {
  std::uint64_t fingerprints;
  std::uint64_t* contents;
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t key, std::uint64_t joined,
                                                  std::uint64_t fingerprint) {
    contents[key] = joined ^ (fingerprint & fingerprints);
  }
#if BLOOMERY_VECTOR_BITS == 512
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on(std::size_t first, std::size_t keys,
                                                     lanes joined, lanes prints) const {
    std::array<std::uint64_t, keys_a_step> all;
    store_words(all.data(), xored(joined, masked(prints, every(fingerprints))));
    std::copy_n(all.data(), keys, contents + first);
  }
#endif
};

template <unsigned arity, class Reader, class Keys, class Deed>
BLOOMERY_TARGET std::uint64_t to_slots_by(const fuse_slots& table, const Reader& reader,
                                          const Keys& keys, const Deed& deed) {
  const std::size_t rest = keys.size() % keys_a_step;
  const std::size_t whole = keys.size() - rest;
  const bool cached = table.bytes <= cached_bytes;
  fuse_steps<held_slots, arity, Reader, Keys, Deed> near{table, reader, keys, deed, false};
  std::uint64_t count = 0;
  if (cached) {
    in_twos(whole / keys_a_step, near);
  } else {
    fuse_steps<noted_slots, arity, Reader, Keys, Deed> far{
        table, reader, keys, deed, core::prefetched_level() == core::cache_level::second};
    in_ring<fuse_steps_ahead>(whole / keys_a_step, far);
    count = far.deed.count;
  }
  if (rest != 0) {
    const auto filled = filled_step(keys.subspan(whole, rest));
    near.act_on(locate_slots<held_slots, arity>(table, like(keys, filled), 0), whole, rest);
  }
  return count + near.deed.count;
}

template <class Reader, class Keys, class Deed>
BLOOMERY_TARGET std::uint64_t to_slots(const fuse_slots& table, const Reader& reader,
                                       const Keys& keys, const Deed& deed) {
  return table.arity == 3 ? to_slots_by<3>(table, reader, keys, deed)
                          : to_slots_by<4>(table, reader, keys, deed);
}

template <class Keys>
BLOOMERY_TARGET std::uint64_t fuse_matches(const fuse_slots& table, const Keys& keys,
                                           bool* answers) {
  if (table.width == 8 && table.fingerprints == 0xff) {
    return to_slots(table, whole_slots<std::uint8_t>{table.cells}, keys,
                    matching_whole<std::uint8_t>{answers});
  }
  if (table.width == 16 && table.fingerprints == 0xffff) {
    return to_slots(table, whole_slots<std::uint16_t>{table.cells}, keys,
                    matching_whole<std::uint16_t>{answers});
  }
  const matching_part deed{table.fingerprints, answers};
  if (table.width <= 25) {
    return to_slots(table, packed_slots<std::uint32_t>{table.cells, table.width}, keys, deed);
  }
  return to_slots(table, packed_slots<std::uint64_t>{table.cells, table.width}, keys, deed);
}

template <class Keys>
BLOOMERY_TARGET void fuse_contents(const fuse_slots& table, const Keys& keys,
                                   std::uint64_t* contents) {
  to_slots(table, packed_slots<std::uint64_t>{table.cells, table.width}, keys,
           reading_contents{table.fingerprints, contents});
}

template <class Keys>
constexpr fuse_batches<Keys> fuse_batches_of{.matches = fuse_matches<Keys>,
                                             .contents = fuse_contents<Keys>};
constexpr fuse_kernels all_fuse_kernels{fuse_batches_of<digest_span>,
                                        fuse_batches_of<integer_span>};

}  // namespace bloomery::bits::BLOOMERY_ISA
