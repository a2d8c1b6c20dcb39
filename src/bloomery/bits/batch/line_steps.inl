// Batches of keys with one line each, as steps of keys_a_step keys. Included by kernels once per back end,
// within its namespace and after line_vector.inl.

constexpr std::size_t keys_a_step = 16;
constexpr unsigned line_bytes_bits = std::countr_zero(std::uint64_t{cache_line_bytes});

// Up to 256 KiB, the first-level cache and the nearest of the second, lines need not be asked for: that costs as
// much as it gains. Up to 1 MiB, about a second-level cache, they are wanted in the first level: on Zen 4 by AVX2, a
// look-up in 800 KiB takes 2.8 ns without asking and 2.5 with it.
constexpr std::uint64_t near_lines = (std::uint64_t{256} << 10) / cache_line_bytes;
constexpr std::uint64_t cached_lines = (std::uint64_t{1} << 20) / cache_line_bytes;
// 32 keys ahead starve the memory (8.9 ns in 13 MiB on Zen 4, with 64 5.6), 96 gain nothing.
constexpr std::size_t steps_ahead = 4;

// A Work of ring.inl. Of the halves of a step's digests that say what the keys have in their lines, Deed
// makes prepared(halves); act(line, prepared[which of the step]) does it to one key's line, and answers. If
// Deed::inverted, the opposite of that is told and counted. A Deed whose lines have others beside them says by
// `beside` where those begin.
enum class asked_level : unsigned char { none, first, second };
using half_digests = std::array<std::uint64_t, keys_a_step>;
template <class Keys, class Deed>
struct line_steps {
  struct slot {
    std::array<std::uint64_t*, keys_a_step> line;
    half_digests bits;
  };
  std::uint64_t* const words;
  const std::uint64_t blocks;
  const Keys keys;
  const Deed deed;
  bool* const told;  // a place for each key, or null
  const asked_level asks;
  std::uint64_t count = 0;  // of those told yes

  // The whole of a step: acts on one, and puts another in its place. Hashing that one is spread over it, and so are
  // the lines of `latest`, which are asked for.
  BLOOMERY_TARGET [[gnu::always_inline]] void turn(std::size_t acted, slot& place,
                                                   std::size_t located, const slot& latest) {
    const auto& has = deed.prepared(place.bits);
    eight_answers answers;
#if BLOOMERY_VECTOR_BITS >= 256
    staged_digests<Keys, vectors> next;
    next.first(keys, located * keys_a_step);
    act_on_quarter<0>(acted, place, has, answers, latest);
    next.second();
    act_on_quarter<1>(acted, place, has, answers, latest);
    next.third();
    act_on_quarter<2>(acted, place, has, answers, latest);
    next.last(keys, located * keys_a_step);
    act_on_quarter<3>(acted, place, has, answers, latest);
    note(next, place);
#else
    act_on_quarter<0>(acted, place, has, answers, latest);
    act_on_quarter<1>(acted, place, has, answers, latest);
    act_on_quarter<2>(acted, place, has, answers, latest);
    act_on_quarter<3>(acted, place, has, answers, latest);
    locate(located, place);
#endif
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void locate(std::size_t step, slot& place) const {
    const std::size_t first = step * keys_a_step;
#if BLOOMERY_VECTOR_BITS >= 256
    staged_digests<Keys, vectors> all;
    all.first(keys, first);
    all.second();
    all.third();
    all.last(keys, first);
    note(all, place);
#else
#pragma GCC unroll 16
    for (std::size_t i = 0; i < keys_a_step; ++i) {
      const digest key = keys[first + i];
      place.line[i] = words + hash::reduce(key.lo, blocks) * hash::lane_count;
      place.bits[i] = key.hi;
    }
#endif
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch(const slot& at) const {
#pragma GCC unroll 1
    for (std::size_t i = 0; i < keys_a_step; i += quarter) fetch_quarter(at, i);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t step, const slot& at) {
    const auto& has = deed.prepared(at.bits);
#pragma GCC unroll 1
    for (std::size_t from = 0; from < keys_a_step; from += 8) {
      eight_answers answers;
#pragma GCC unroll 8
      for (std::size_t i = 0; i < 8; ++i) {
        answers.put(i, deed.act(at.line[from + i], has[from + i]));
      }
      tell(step * keys_a_step + from, answers);
    }
  }
  // The last keys of a batch, too few for a step.
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on_rest(std::size_t first) {
    slot at{};
    for (std::size_t i = first; i < keys.size(); ++i) {
      const digest key = keys[i];
      at.line[i - first] = words + hash::reduce(key.lo, blocks) * hash::lane_count;
      at.bits[i - first] = key.hi;
    }
    const auto& has = deed.prepared(at.bits);
    for (std::size_t i = first; i < keys.size(); ++i) {
      const lane_answers answers = deed.act(at.line[i - first], has[i - first]);
      const bool answer = all_say_yes(answers) != Deed::inverted;
      if (told != nullptr) told[i] = answer;
      count += std::uint64_t{answer};
    }
  }

  static constexpr std::size_t quarter = keys_a_step / 4;
#if BLOOMERY_VECTOR_BITS >= 256
  static constexpr std::size_t vectors = keys_a_step / at_once;

  BLOOMERY_TARGET [[gnu::always_inline]] void note(const staged_digests<Keys, vectors>& of,
                                                   slot& place) const {
    const lanes base = every(reinterpret_cast<std::uintptr_t>(words));
#pragma GCC unroll 8
    for (std::size_t i = 0; i < vectors; ++i) {
      const lanes block = blocks >> 32 == 0
                              ? reduced(of.lo[i], every(blocks))
                              : reduced_wide(of.lo[i], every(blocks), every(blocks >> 32));
      const lanes line = plus(raised<line_bytes_bits>(block), base);
      store_words(reinterpret_cast<std::uint64_t*>(place.line.data() + i * at_once), line);
      store_words(place.bits.data() + i * at_once, of.hi[i]);
    }
  }
#endif
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_quarter(const slot& at,
                                                            std::size_t from) const {
    if (asks == asked_level::none) return;
    if (asks == asked_level::second) {
      fetch_into<core::cache_level::second>(at, from);
    } else {
      fetch_into<core::cache_level::first>(at, from);
    }
  }
  template <core::cache_level level>
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_into(const slot& at, std::size_t from) const {
#pragma GCC unroll 4
    for (std::size_t i = from; i < from + quarter; ++i) {
      core::prefetch_into<level>(at.line[i]);
      if constexpr (requires { deed.beside(); }) {
        core::prefetch_into<level>(deed.beside() + (at.line[i] - words));
      }
    }
  }
  template <std::size_t which>
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on_quarter(std::size_t step, const slot& at,
                                                             const auto& has,
                                                             eight_answers& answers,
                                                             const slot& latest) {
    constexpr std::size_t from = which * quarter;
    fetch_quarter(latest, from);
#pragma GCC unroll 4
    for (std::size_t i = from; i < from + quarter; ++i) {
      answers.put(i % 8, deed.act(at.line[i], has[i]));
    }
    if constexpr (which % 2 == 1) tell(step * keys_a_step + from - quarter, answers);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void tell(std::size_t first,
                                                   const eight_answers& answers) {
    const std::uint64_t bytes = answers.bytes() ^ (Deed::inverted ? one_in_each_byte : 0);
    if (told != nullptr) __builtin_memcpy(told + first, &bytes, sizeof bytes);
    count += bytes * one_in_each_byte >> 56;
  }
};

// Does the deed for all keys, in their order; how many were told yes.
template <class Keys, class Deed>
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint64_t to_lines(std::uint64_t* words,
                                                                     std::uint64_t blocks,
                                                                     const Keys& keys,
                                                                     const Deed& deed, bool* told) {
  asked_level asks = asked_level::none;
  if (blocks > near_lines) asks = asked_level::first;
#if BLOOMERY_VECTOR_BITS >= 256
  // Without vectors a line is visited word by word, so slowly that the first level can follow: in 13 MiB on Zen 5 an
  // insertion takes 6.4 ns with lines there, and 8.2 with lines in the second.
  if (blocks > cached_lines && core::prefetched_level() == core::cache_level::second) {
    asks = asked_level::second;
  }
#endif
  line_steps<Keys, Deed> work{words, blocks, keys, deed, told, asks};
  const std::size_t steps = keys.size() / keys_a_step;
  in_woven_ring<steps_ahead>(steps, work);
  if (keys.size() % keys_a_step != 0) work.act_on_rest(steps * keys_a_step);
  return work.count;
}
