// Batches of keys with one line each, as steps of keys_a_step keys. Included by kernels once per back end,
// within its namespace.

constexpr std::size_t keys_a_step = 8;

// Up to 1 MiB, about a second-level cache, lines need not be asked for. Measured on Zen 3 by AVX2, a look-up in
// 1.3 MiB takes 4.1 ns without asking and 3.0 with it, in 13 MiB 30 and 9.6.
constexpr std::uint64_t cached_lines = (std::uint64_t{1} << 20) / cache_line_bytes;
// 16 keys ahead starve the memory (15 ns in 13 MiB), 64 gain nothing sure.
constexpr std::size_t steps_ahead = 4;

// A Work of ring.inl. Of the halves of a step's digests that say what the keys have in their lines, Deed
// makes prepared(halves), and does act(number of the key, its line, prepared[which of the step]). A Deed whose
// lines have others beside them says by `beside` where those begin.
using half_digests = std::array<std::uint64_t, keys_a_step>;
template <class Keys, class Deed>
struct line_steps {
  struct slot {
    std::array<std::uint64_t, keys_a_step> block;
    half_digests bits;
  };
  std::uint64_t* const words;
  const std::uint64_t blocks;
  const Keys keys;
  Deed deed;
  const bool into_second;

  BLOOMERY_TARGET [[gnu::always_inline]] slot locate(std::size_t step) const {
    slot at;
    const std::size_t first = step * keys_a_step;
#if BLOOMERY_VECTOR_BITS >= 256
#pragma GCC unroll 2
    for (std::size_t i = 0; i < keys_a_step; i += at_once) {
      const halves of = digests_of(keys, first + i);
      const lanes block = blocks >> 32 == 0
                              ? reduced(of.lo, every(blocks))
                              : reduced_wide(of.lo, every(blocks), every(blocks >> 32));
      store_words(at.block.data() + i, block);
      store_words(at.bits.data() + i, of.hi);
    }
#else
#pragma GCC unroll 8
    for (std::size_t i = 0; i < keys_a_step; ++i) {
      const digest key = keys[first + i];
      at.block[i] = hash::reduce(key.lo, blocks);
      at.bits[i] = key.hi;
    }
#endif
    return at;
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch(const slot& at) const {
    if (into_second) {
      fetch_into<core::cache_level::second>(at);
    } else {
      fetch_into<core::cache_level::first>(at);
    }
  }
  template <core::cache_level level>
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_into(const slot& at) const {
#pragma GCC unroll 8
    for (const std::uint64_t block : at.block) {
      core::prefetch_into<level>(words + block * hash::lane_count);
      if constexpr (requires { deed.beside(); }) {
        core::prefetch_into<level>(deed.beside() + block * hash::lane_count);
      }
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t step, const slot& at) {
    const auto& has = deed.prepared(at.bits);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < keys_a_step; ++i) {
      deed.act(step * keys_a_step + i, words + at.block[i] * hash::lane_count, has[i]);
    }
  }
  // The last keys of a batch, too few for a step.
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on_rest(std::size_t first) {
    slot at{};
    for (std::size_t i = first; i < keys.size(); ++i) {
      const digest key = keys[i];
      at.block[i - first] = hash::reduce(key.lo, blocks);
      at.bits[i - first] = key.hi;
    }
    const auto& has = deed.prepared(at.bits);
    for (std::size_t i = first; i < keys.size(); ++i) {
      deed.act(i, words + at.block[i - first] * hash::lane_count, has[i - first]);
    }
  }
};

// Does the deed for all keys, in their order; how often it said yes.
template <class Keys, class Deed>
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint64_t to_lines(std::uint64_t* words,
                                                                     std::uint64_t blocks,
                                                                     const Keys& keys,
                                                                     const Deed& deed) {
  line_steps<Keys, Deed> work{words, blocks, keys, deed,
                              core::prefetched_level() == core::cache_level::second};
  const std::size_t steps = keys.size() / keys_a_step;
  if (blocks <= cached_lines) {
    in_turn(steps, work);
  } else {
    in_ring<steps_ahead>(steps, work);
  }
  if (keys.size() % keys_a_step != 0) work.act_on_rest(steps * keys_a_step);
  return work.deed.count;
}
