// Keys against their positions. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

#if BLOOMERY_VECTOR_BITS >= 256
#include "bloomery/hash/key_lanes.inl"
constexpr std::size_t keys_a_step = at_once;
#else
constexpr std::size_t keys_a_step = 4;
#endif
#include "bloomery/bits/batch/key_steps.inl"
#include "bloomery/bits/batch/ring.inl"

// As many keys on their way as keep the memory busy: a hundred lines and more.
constexpr std::size_t steps_ahead = 16 / keys_a_step;

// Row j has position j of each key of a step.
using position_rows = std::array<std::array<std::uint64_t, keys_a_step>, most_positions>;

template <class Keys>
BLOOMERY_TARGET [[gnu::always_inline]] inline void locate_rows(const position_range& range,
                                                               const Keys& keys, std::size_t first,
                                                               position_rows& rows) {
#if BLOOMERY_VECTOR_BITS >= 256
  const halves of = digests_of(keys, first);
  const lanes step = ored(of.hi, every(1));
  const lanes stride = every(range.stride);
  lanes x = of.lo;
  lanes base = every(0);
  if (range.cells >> 32 == 0) [[likely]] {
    const lanes cells = every(range.cells);
    for (std::uint64_t j = 0; j < range.count; ++j) {
      store_words(rows[j].data(), plus(base, reduced(mixed(x), cells)));
      x = plus(x, step);
      base = plus(base, stride);
    }
  } else {
    const lanes low = every(range.cells);
    const lanes high = every(range.cells >> 32);
    for (std::uint64_t j = 0; j < range.count; ++j) {
      store_words(rows[j].data(), plus(base, reduced_wide(mixed(x), low, high)));
      x = plus(x, step);
      base = plus(base, stride);
    }
  }
#else
  for (std::size_t i = 0; i < keys_a_step; ++i) {
    const digest key = keys[first + i];
    std::uint64_t x = key.lo;
    std::uint64_t base = 0;
    for (std::uint64_t j = 0; j < range.count; ++j) {
      rows[j][i] = base + hash::reduce(hash::mix(x), range.cells);
      x += key.hi | 1;
      base += range.stride;
    }
  }
#endif
}

// A Work of ring.inl. Deed has cells_a_word_log2() and act(rows, number of the first key, how many keys).
template <class Keys, class Deed>
struct position_steps {
  using slot = const position_rows*;
  const position_range range;
  const Keys keys;
  Deed deed;
  const bool into_second;
  std::size_t next = 0;
  alignas(cache_line_bytes) std::array<position_rows, steps_ahead> ring;

  BLOOMERY_TARGET [[gnu::always_inline]] slot locate(std::size_t step) {
    position_rows& rows = ring[next];
    next = (next + 1) % steps_ahead;
    locate_rows(range, keys, step * keys_a_step, rows);
    return &rows;
  }
  template <core::cache_level level>
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_into(const position_rows& rows) const {
    const unsigned shift = deed.cells_a_word_log2();
    for (std::uint64_t j = 0; j < range.count; ++j) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < keys_a_step; ++i) {
        core::prefetch_into<level>(deed.words + (rows[j][i] >> shift));
      }
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch(slot rows) const {
    if (into_second) {
      fetch_into<core::cache_level::second>(*rows);
    } else {
      fetch_into<core::cache_level::first>(*rows);
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t step, slot rows) {
    deed.act(range.count, *rows, step * keys_a_step, keys_a_step);
  }
};

// Does the deed for all keys; how often it said yes.
template <class Keys, class Deed>
BLOOMERY_TARGET std::uint64_t to_positions(const position_range& range, const Keys& keys,
                                           const Deed& deed) {
  const std::size_t rest = keys.size() % keys_a_step;
  const std::size_t whole = keys.size() - rest;
  position_steps<Keys, Deed> work{
      range, keys, deed, core::prefetched_level() == core::cache_level::second, 0, {}};
  if (range.end() >> deed.cells_a_word_log2() <= cached_bits / 64) {
    one_ahead(whole / keys_a_step, work);
  } else {
    in_ring<steps_ahead>(whole / keys_a_step, work);
  }
  if (rest != 0) {
    const auto filled = filled_step(keys.subspan(whole, rest));
    position_rows rows;
    locate_rows(range, like(keys, filled), 0, rows);
    work.fetch(&rows);
    work.deed.act(range.count, rows, whole, rest);
  }
  return work.deed.count;
}

// What a word says now: others may be setting bits of it.
[[gnu::always_inline]] inline std::uint64_t read(const std::uint64_t* word) {
  return core::little_endian(__atomic_load_n(word, __ATOMIC_RELAXED));
}

struct testing_bits {
  const std::uint64_t* words;
  bool* answers;
  std::uint64_t count = 0;

  static constexpr unsigned cells_a_word_log2() { return 6; }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::uint64_t positions,
                                                  const position_rows& rows, std::size_t first,
                                                  std::size_t keys) {
    std::array<std::uint64_t, keys_a_step> all;
    all.fill(1);
    for (std::uint64_t j = 0; j < positions; ++j) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < keys_a_step; ++i) {
        all[i] &= read(words + rows[j][i] / 64) >> (rows[j][i] % 64);
      }
    }
    for (std::size_t i = 0; i < keys; ++i) {
      answers[first + i] = all[i] != 0;
      count += all[i];
    }
  }
};

struct setting_bits {
  std::uint64_t* words;
  bool* fresh;
  std::uint64_t count = 0;

  static constexpr unsigned cells_a_word_log2() { return 6; }
  // Key by key: the first of two that share a clear bit is the new one.
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::uint64_t positions,
                                                  const position_rows& rows, std::size_t first,
                                                  std::size_t keys) {
    for (std::size_t i = 0; i < keys; ++i) {
      std::uint64_t known = 1;
      for (std::uint64_t j = 0; j < positions; ++j) {
        std::uint64_t& word = words[rows[j][i] / 64];
        const std::uint64_t before = core::little_endian(word);
        known &= before >> (rows[j][i] % 64);
        word = core::little_endian(before | std::uint64_t{1} << (rows[j][i] % 64));
      }
      if (fresh != nullptr) fresh[first + i] = known == 0;
      count += known ^ 1;
    }
  }
};

struct testing_counters : counter_words {
  bool* answers;
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::uint64_t positions,
                                                  const position_rows& rows, std::size_t first,
                                                  std::size_t keys) {
    std::array<std::uint64_t, keys_a_step> zeros{};
    for (std::uint64_t j = 0; j < positions; ++j) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < keys_a_step; ++i) zeros[i] |= std::uint64_t{get(rows[j][i]) == 0};
    }
    for (std::size_t i = 0; i < keys; ++i) {
      answers[first + i] = zeros[i] == 0;
      count += zeros[i] ^ 1;
    }
  }
};

// Whether a position of one of the keys comes twice.
BLOOMERY_TARGET [[gnu::always_inline]] inline bool some_repeat(std::uint64_t positions,
                                                               const position_rows& rows) {
#if BLOOMERY_VECTOR_BITS >= 256
  unsigned found = 0;
  for (std::uint64_t j = 1; j < positions; ++j) {
    const lanes row = load_words(rows[j].data());
    for (std::uint64_t before = 0; before < j; ++before) {
      found |= equal(row, load_words(rows[before].data()));
    }
  }
  return found != 0;
#else
  (void)positions, (void)rows;
  return true;
#endif
}

struct raising_counters : counter_words {
  bool* fresh;
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::uint64_t positions,
                                                  const position_rows& rows, std::size_t first,
                                                  std::size_t keys) {
    const bool repeats = some_repeat(positions, rows);
    for (std::size_t i = 0; i < keys; ++i) {
      const std::uint64_t is_new =
          one_key::raise(*this, positions, repeats, [&](std::uint64_t j) { return rows[j][i]; });
      if (fresh != nullptr) fresh[first + i] = is_new != 0;
      count += is_new;
    }
  }
};

struct lowering_counters : counter_words {
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::uint64_t positions,
                                                  const position_rows& rows, std::size_t /*first*/,
                                                  std::size_t keys) {
    const bool repeats = some_repeat(positions, rows);
    for (std::size_t i = 0; i < keys; ++i) {
      count +=
          one_key::lower(*this, positions, repeats, [&](std::uint64_t j) { return rows[j][i]; });
    }
  }
};

template <class Keys>
BLOOMERY_TARGET std::uint64_t test_bits(const position_range& range, const std::uint64_t* words,
                                        const Keys& keys, bool* answers) {
  return to_positions(range, keys, testing_bits{words, answers});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t set_bits(const position_range& range, std::uint64_t* words,
                                       const Keys& keys, bool* fresh) {
  return to_positions(range, keys, setting_bits{words, fresh});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t test_counters(const position_range& range,
                                            const counter_words& counters, const Keys& keys,
                                            bool* answers) {
  return to_positions(range, keys, testing_counters{{counters}, answers});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t raise_counters(const position_range& range,
                                             const counter_words& counters, const Keys& keys,
                                             bool* fresh) {
  return to_positions(range, keys, raising_counters{{counters}, fresh});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t lower_counters(const position_range& range,
                                             const counter_words& counters, const Keys& keys) {
  return to_positions(range, keys, lowering_counters{{counters}});
}

template <class Put>
BLOOMERY_TARGET [[gnu::always_inline]] inline void put_rows(std::uint64_t positions,
                                                            const position_rows& rows,
                                                            std::size_t keys, Put& put) {
  for (std::uint64_t j = 0; j < positions; ++j) {
    for (std::size_t i = 0; i < keys; ++i) {
      put(rows[j][i] / region_bits, static_cast<std::uint32_t>(rows[j][i] % region_bits));
    }
  }
}

// A record for each position: where it is within its region.
template <class Keys, class Put>
BLOOMERY_TARGET void split(const position_range& range, const Keys& keys, Put& put) {
  const std::size_t rest = keys.size() % keys_a_step;
  const std::size_t whole = keys.size() - rest;
  position_rows rows;
  for (std::size_t first = 0; first < whole; first += keys_a_step) {
    locate_rows(range, keys, first, rows);
    put_rows(range.count, rows, keys_a_step, put);
  }
  if (rest != 0) {
    const auto filled = filled_step(keys.subspan(whole, rest));
    locate_rows(range, like(keys, filled), 0, rows);
    put_rows(range.count, rows, rest, put);
  }
}

BLOOMERY_TARGET inline void set_in_region(std::uint64_t* words,
                                          std::span<const std::uint32_t> positions) {
  for (const std::uint32_t at : positions) {
    words[at / 64] |= core::little_endian(std::uint64_t{1} << at % 64);
  }
}

template <class Keys>
BLOOMERY_TARGET void set_bulk(const position_range& range, std::uint64_t* words, const Keys& keys,
                              unsigned threads) {
  by_region<std::uint32_t>(
      keys.size(), (range.end() - 1) / region_bits + 1, threads,
      [&](std::size_t first, std::size_t count, auto& put) {
        split(range, keys.subspan(first, count), put);
      },
      [&](std::uint64_t region, std::span<const std::uint32_t> positions) {
        set_in_region(words + region * (region_bits / 64), positions);
      },
      range.count);
}

template <class Keys>
constexpr position_batches<Keys> batches_of{
    .test_bits = test_bits<Keys>,
    .set_bits = set_bits<Keys>,
    .test_counters = test_counters<Keys>,
    .raise_counters = raise_counters<Keys>,
    .lower_counters = lower_counters<Keys>,
    .set_bulk = set_bulk<Keys>,
};
constexpr position_kernels all_position_kernels{batches_of<digest_span>, batches_of<integer_span>};

}  // namespace bloomery::bits::BLOOMERY_ISA
