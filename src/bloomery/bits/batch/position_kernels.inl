// Keys against their positions. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

// Which word, and by how much to shift it, modulo 64.
struct cell_place {
  std::uint64_t word;
  std::uint64_t shift;
};

#if BLOOMERY_VECTOR_BITS >= 256
constexpr std::size_t keys_a_step = 8;
#include "bloomery/hash/key_lanes.inl"
constexpr std::size_t vectors_a_step = keys_a_step / at_once;
struct vectors {  // which an array of the library cannot hold without losing their attributes
  lanes of[vectors_a_step];

  BLOOMERY_TARGET [[gnu::always_inline]] lanes& operator[](std::size_t v) { return of[v]; }
  BLOOMERY_TARGET [[gnu::always_inline]] const lanes& operator[](std::size_t v) const {
    return of[v];
  }
};
#include "bloomery/bits/batch/key_steps.inl"

// Row j has position j of each key of a step.
template <class Number>
struct position_rows {
  using row = std::array<Number, keys_a_step>;
  alignas(cache_line_bytes) std::array<row, most_positions> word;
  std::array<row, most_positions> shift;

  [[nodiscard]] cell_place place(std::uint64_t j, std::size_t key) const {
    return {word[j][key], shift[j][key]};
  }
};
#endif

#if BLOOMERY_VECTOR_BITS == 512
constexpr std::uint64_t one_in_each_byte = 0x0101010101010101;
#endif

// What is asked of the memory ahead of its use.
enum class fetched { nothing, into_first, into_second };

// Cells of one bit, as counter_words describes others.
struct bit_width {
  static constexpr unsigned log2_width = 0;
  static constexpr unsigned cells_a_word_log2() { return 6; }
};

#if BLOOMERY_VECTOR_BITS == 256

// Of eight keys, those of even number and those of odd.
BLOOMERY_TARGET [[gnu::always_inline]] inline vectors unlaced(lanes front, lanes back) {
  const lanes outer = _mm256_permute2x128_si256(front, back, 0x20);
  const lanes inner = _mm256_permute2x128_si256(front, back, 0x31);
  return {{_mm256_unpacklo_epi64(outer, inner), _mm256_unpackhi_epi64(outer, inner)}};
}
struct step_digests {
  vectors lo;
  vectors hi;
};
BLOOMERY_TARGET [[gnu::always_inline]] inline step_digests digests_of_step(const digest_span& keys,
                                                                           std::size_t first) {
  const halves front = digests_of(keys, first);
  const halves back = digests_of(keys, first + at_once);
  return {unlaced(front.lo, back.lo), unlaced(front.hi, back.hi)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline step_digests digests_of_step(const integer_span& keys,
                                                                           std::size_t first) {
  const std::uint64_t* const at = keys.unhashed().data() + first;
  const vectors words = unlaced(load_words(at), load_words(at + at_once));
  const lanes offset = every(keys.hash().offset());
  const halves even = hashed(words[0], offset);
  const halves odd = hashed(words[1], offset);
  return {{{even.lo, odd.lo}}, {{even.hi, odd.hi}}};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store_row(
    std::array<std::uint64_t, keys_a_step>& row, const vectors& unlaced_row) {
  const lanes front = _mm256_unpacklo_epi64(unlaced_row[0], unlaced_row[1]);
  const lanes back = _mm256_unpackhi_epi64(unlaced_row[0], unlaced_row[1]);
  store_words(row.data(), _mm256_permute2x128_si256(front, back, 0x20));
  store_words(row.data() + at_once, _mm256_permute2x128_si256(front, back, 0x31));
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store_row(
    std::array<std::uint32_t, keys_a_step>& row, lanes numbers) {
  _mm256_storeu_si256(reinterpret_cast<lanes*>(row.data()), numbers);
}
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes load_row(const void* numbers) {
  return _mm256_loadu_si256(static_cast<const lanes*>(numbers));
}

#elif BLOOMERY_VECTOR_BITS == 512

struct step_digests {
  vectors lo;
  vectors hi;
};
template <class Keys>
BLOOMERY_TARGET [[gnu::always_inline]] inline step_digests digests_of_step(const Keys& keys,
                                                                           std::size_t first) {
  const halves of = digests_of(keys, first);
  return {{{of.lo}}, {{of.hi}}};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store_row(
    std::array<std::uint64_t, keys_a_step>& row, const vectors& numbers) {
  store_words(row.data(), numbers[0]);
}

#endif

#if BLOOMERY_VECTOR_BITS >= 256

// Works out the positions of one step after the other, row by row. Number has 32 bits where the range is
// below 2^32, which is faster.
template <class Keys, class Number, class Width>
struct locating {
  const position_range range;
  const Keys keys;
  const Width width;
  using rows = position_rows<Number>;

  locating(const position_range& of_range, const Keys& of_keys, const Width& of_width)
      : range(of_range), keys(of_keys), width(of_width) {}

  vectors x;
  vectors step;
  lanes base;  // of 32 bits each, or of 64, as a Number is

  BLOOMERY_TARGET [[gnu::always_inline]] void begin(std::size_t first, rows& /*to*/) {
    const step_digests of = digests_of_step(keys, first);
    base = every(0);
    for (std::size_t v = 0; v < vectors_a_step; ++v) {
      x[v] = of.lo[v];
      step[v] = ored(of.hi[v], every(1));
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void row(std::uint64_t j, rows& to) {
    if constexpr (sizeof(Number) == 4) {
      short_row(j, to);
    } else {
      long_row(j, to);
    }
    for (std::size_t v = 0; v < vectors_a_step; ++v) x[v] = plus(x[v], step[v]);
    base =
        plus(base, every(sizeof(Number) == 4 ? range.stride | range.stride << 32 : range.stride));
  }

 private:
  BLOOMERY_TARGET [[gnu::always_inline]] void short_row([[maybe_unused]] std::uint64_t j,
                                                        [[maybe_unused]] rows& to) {
#if BLOOMERY_VECTOR_BITS == 256
    const lanes cells = every(range.cells);
    const lanes even = reduced_above(mixed(x[0]), cells);
    const lanes odd = reduced_above(mixed(x[1]), cells);
    const lanes at = _mm256_add_epi32(joined(upper(even), odd), base);
    store_row(to.word[j], _mm256_srl_epi32(at, count_of(width.cells_a_word_log2())));
    store_row(to.shift[j], _mm256_sll_epi32(at, count_of(width.log2_width)));
#endif
  }
  BLOOMERY_TARGET [[gnu::always_inline]] static __m128i count_of(unsigned bits) {
    return _mm_cvtsi32_si128(static_cast<int>(bits));
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void long_row(std::uint64_t j, rows& to) {
    const lanes low = every(range.cells);
    const lanes high = every(range.cells >> 32);
    vectors word;
    vectors shift;
    for (std::size_t v = 0; v < vectors_a_step; ++v) {
      const lanes z = mixed(x[v]);
      const lanes at =
          plus(base, range.cells >> 32 == 0 ? reduced(z, low) : reduced_wide(z, low, high));
      word[v] = shifted_by(at, width.cells_a_word_log2());
      shift[v] = raised_by(at, width.log2_width);
    }
    store_row(to.word[j], word);
    store_row(to.shift[j], shift);
  }
};

template <core::cache_level level, class Rows>
BLOOMERY_TARGET [[gnu::always_inline]] inline void fetch_row(const std::uint64_t* words,
                                                             const Rows& rows, std::uint64_t j) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < keys_a_step; ++i) {
    core::prefetch_into<level>(words + rows.word[j][i]);
  }
}

template <fetched what, class Rows>
BLOOMERY_TARGET [[gnu::always_inline]] inline void fetch(const std::uint64_t* words,
                                                         const Rows& rows, std::uint64_t j) {
  if constexpr (what == fetched::into_first) fetch_row<core::cache_level::first>(words, rows, j);
  if constexpr (what == fetched::into_second) fetch_row<core::cache_level::second>(words, rows, j);
}

// Locates a step while it acts on another, `ahead` before it, row by row: the arithmetic of the one is done by
// vectors, what the other does to the memory is not, and side by side each hides the other's delays. In between
// lies a step whose lines are being asked for.
//
// For a whole step Deed has begin(rows), which returns what it notes of one, row(notes, rows, j) and end(notes, rows,
// number of the first key); and few(rows, number of the first key, how many). `in_memory` says that it goes to
// the words.
template <fetched what, std::size_t ahead, class Locating, class Deed>
BLOOMERY_TARGET [[gnu::always_inline]] inline void in_rows(std::size_t steps, Locating& locating,
                                                           Deed& deed) {
  constexpr std::size_t places = ahead + 1;
  static_assert((places & ahead) == 0);
  std::array<typename Locating::rows, places> ring;
  const std::uint64_t count = locating.range.count;
  const std::uint64_t* const words = deed.words;
  const std::size_t before = std::min(ahead, steps);
  for (std::size_t step = 0; step < before; ++step) {
    locating.begin(step * keys_a_step, ring[step]);
    for (std::uint64_t j = 0; j < count; ++j) locating.row(j, ring[step]);
    for (std::uint64_t j = 0; j < count; ++j) fetch<what>(words, ring[step], j);
  }
  for (std::size_t step = before; step < steps; ++step) {
    auto& next = ring[step % places];
    const auto& between = ring[(step + ahead) % places];
    const auto& now = ring[(step + 1) % places];
    locating.begin(step * keys_a_step, next);
    auto notes = deed.begin(now);
    for (std::uint64_t j = 0; j < count; ++j) {
      locating.row(j, next);
      fetch<what>(words, between, j);
      deed.row(notes, now, j);
    }
    deed.end(notes, now, (step - ahead) * keys_a_step);
  }
  for (std::size_t step = steps - before; step < steps; ++step) {
    const auto& now = ring[step % places];
    auto notes = deed.begin(now);
    for (std::uint64_t j = 0; j < count; ++j) deed.row(notes, now, j);
    deed.end(notes, now, step * keys_a_step);
  }
}

template <class Number, class Keys, class Deed>
BLOOMERY_TARGET std::uint64_t to_rows(const position_range& range, const Keys& keys, Deed deed) {
  const std::size_t rest = keys.size() % keys_a_step;
  const std::size_t whole = keys.size() - rest;
  const std::size_t steps = whole / keys_a_step;
  const auto width = deed.width();
  locating<Keys, Number, decltype(width)> located(range, keys, width);
  if (!Deed::in_memory || range.end() >> width.cells_a_word_log2() <= cached_words) {
    in_rows<fetched::nothing, 1>(steps, located, deed);
  } else if (core::prefetched_level() == core::cache_level::second) {
    in_rows<fetched::into_second, 3>(steps, located, deed);
  } else {
    in_rows<fetched::into_first, 3>(steps, located, deed);
  }
  if (rest != 0) {
    const auto filled = filled_step(keys.subspan(whole, rest));
    locating<Keys, Number, decltype(width)> last(range, like(keys, filled), width);
    position_rows<Number> rows;
    last.begin(0, rows);
    for (std::uint64_t j = 0; j < range.count; ++j) last.row(j, rows);
    deed.few(rows, whole, rest);
  }
  return deed.count;
}

// Does the deed for all keys; how often it said yes.
template <class Keys, class Deed>
BLOOMERY_TARGET std::uint64_t to_positions(const position_range& range, const Keys& keys,
                                           const Deed& deed) {
#if BLOOMERY_VECTOR_BITS == 256
  if (range.end() >> 32 == 0) [[likely]]
    return to_rows<std::uint32_t>(range, keys, deed);
#endif
  return to_rows<std::uint64_t>(range, keys, deed);
}

#else
#include "bloomery/bits/batch/plain_positions.inl"
#endif

// What a word says now: others may be setting bits of it.
[[gnu::always_inline]] inline std::uint64_t read(const std::uint64_t* word) {
  return core::little_endian(__atomic_load_n(word, __ATOMIC_RELAXED));
}

// What has been seen of each key of a step, from Cells::yes on.
#if BLOOMERY_VECTOR_BITS == 512
using seen_of_step = lanes;
template <class Cells>
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes nothing_seen() {
  return every(Cells::yes);
}
template <class Cells, class Rows>
BLOOMERY_TARGET [[gnu::always_inline]] inline void see_row(const Cells& cells, lanes& seen,
                                                           const std::uint64_t* words,
                                                           const Rows& rows, std::uint64_t j) {
  const lanes of_keys = words_at(words, load_words(rows.word[j].data()));
  seen = cells.also(seen, brought_down(of_keys, load_words(rows.shift[j].data())));
}
#elif BLOOMERY_VECTOR_BITS == 256
using seen_of_step = std::array<std::uint64_t, keys_a_step>;
template <class Cells>
BLOOMERY_TARGET [[gnu::always_inline]] inline seen_of_step nothing_seen() {
  seen_of_step seen;
  seen.fill(Cells::yes);
  return seen;
}
template <class Cells, class Rows>
BLOOMERY_TARGET [[gnu::always_inline]] inline void see_row(const Cells& cells, seen_of_step& seen,
                                                           const std::uint64_t* words,
                                                           const Rows& rows, std::uint64_t j) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < keys_a_step; ++i) {
    seen[i] = cells.also(seen[i], read(words + rows.word[j][i]) >> rows.shift[j][i] % 64);
  }
}
#endif

// Whether keys are there, for a step side by side. Cells keep what they saw of a key in a number, `yes` at first.
template <class Cells>
struct asking {
  static constexpr bool in_memory = true;
  static constexpr bool goes_once = true;
  Cells cells;
  const std::uint64_t* words;
  std::uint64_t positions;
  bool* answers;
  std::uint64_t count = 0;

  [[nodiscard]] auto width() const { return cells.width(); }
#if BLOOMERY_VECTOR_BITS >= 256
  using notes = seen_of_step;
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] notes begin(const Rows& /*rows*/) const {
    return nothing_seen<Cells>();
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void row(notes& seen, const Rows& rows,
                                                  std::uint64_t j) const {
    see_row(cells, seen, words, rows, j);
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void end(const notes& seen, const Rows& /*rows*/,
                                                  std::size_t first) {
#if BLOOMERY_VECTOR_BITS == 512
    const unsigned says = cells.answers(seen);
    const std::uint64_t bytes = _pdep_u64(says, one_in_each_byte);
    __builtin_memcpy(answers + first, &bytes, sizeof bytes);
    count += static_cast<unsigned>(std::popcount(says));
#else
#pragma GCC unroll 8
    for (std::size_t i = 0; i < keys_a_step; ++i) tell(cells.answer(seen[i]), first + i);
#endif
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void few(const Rows& rows, std::size_t first,
                                                  std::size_t keys) {
    notes seen = begin(rows);
    for (std::uint64_t j = 0; j < positions; ++j) row(seen, rows, j);
#if BLOOMERY_VECTOR_BITS == 512
    const unsigned says = cells.answers(seen);
    for (std::size_t i = 0; i < keys; ++i) tell(says >> i & 1, first + i);
#else
    for (std::size_t i = 0; i < keys; ++i) tell(cells.answer(seen[i]), first + i);
#endif
  }
#else
  template <class Rows>
  [[gnu::always_inline]] void few(Rows& rows, std::size_t first, std::size_t keys) {
    for (std::size_t i = 0; i < keys; ++i) {
      std::uint64_t seen = Cells::yes;
#pragma GCC unroll 4
      for (std::uint64_t j = 0; j < positions; ++j) {
        const cell_place at = rows.place(j, i);
        seen = cells.also(seen, read(words + at.word) >> at.shift % 64);
      }
      tell(cells.answer(seen), first + i);
    }
  }
#endif

 private:
  BLOOMERY_TARGET [[gnu::always_inline]] void tell(std::uint64_t answer, std::size_t key) {
    answers[key] = answer != 0;
    count += answer;
  }
};

struct asked_bits {
  static constexpr std::uint64_t yes = 1;
  [[nodiscard]] static bit_width width() { return {}; }
  [[gnu::always_inline]] static std::uint64_t also(std::uint64_t seen, std::uint64_t from_bit) {
    return seen & from_bit;
  }
  [[gnu::always_inline]] static std::uint64_t answer(std::uint64_t seen) { return seen; }
#if BLOOMERY_VECTOR_BITS == 512
  BLOOMERY_TARGET [[gnu::always_inline]] static lanes also(lanes seen, lanes from_bit) {
    return masked(seen, from_bit);
  }
  BLOOMERY_TARGET [[gnu::always_inline]] static unsigned answers(lanes seen) {
    return signs(raised<63>(seen));
  }
#endif
};
// Of a counter that is zero one less has the highest bit set.
struct asked_counters {
  counter_words counters;

  static constexpr std::uint64_t yes = 0;
  [[nodiscard]] counter_words width() const { return counters; }
  [[gnu::always_inline]] std::uint64_t also(std::uint64_t seen, std::uint64_t from_bit) const {
    return seen | ((from_bit & counters.most()) - 1);
  }
  [[gnu::always_inline]] static std::uint64_t answer(std::uint64_t seen) { return ~seen >> 63; }
#if BLOOMERY_VECTOR_BITS == 512
  BLOOMERY_TARGET [[gnu::always_inline]] lanes also(lanes seen, lanes from_bit) const {
    return ored(seen, minus(masked(from_bit, every(counters.most())), every(1)));
  }
  BLOOMERY_TARGET [[gnu::always_inline]] static unsigned answers(lanes seen) {
    return signs(seen) ^ every_lane;
  }
#endif
};

// What keys change, one after the other: of two that share a cell the first finds it as it was. Change has
// notes, begin(rows, positions) and one(notes, words, rows, positions, key), which says 1 or 0.
template <class Change>
struct changing {
  static constexpr bool in_memory = true;
  static constexpr bool goes_once = Change::goes_once;
  Change change;
  std::uint64_t* words;
  std::uint64_t positions;
  bool* told;
  std::uint64_t count = 0;

  struct notes {
    typename Change::notes of_step;
    std::array<bool, keys_a_step> said;
  };

  [[nodiscard]] auto width() const { return change.width(); }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] notes begin(const Rows& rows) const {
    return {change.begin(rows, positions), {}};
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void row(notes& seen, const Rows& rows, std::uint64_t j) {
    if (j < keys_a_step) one(seen, rows, j);
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void end(notes& seen, const Rows& rows,
                                                  std::size_t first) {
    for (std::size_t i = positions; i < keys_a_step; ++i) one(seen, rows, i);
    if (told != nullptr) std::copy(seen.said.begin(), seen.said.end(), told + first);
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void few(Rows& rows, std::size_t first, std::size_t keys) {
    notes seen = begin(rows);
    for (std::size_t i = 0; i < keys; ++i) {
      one(seen, rows, i);
      if (told != nullptr) told[first + i] = seen.said[i];
    }
  }

 private:
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void one(notes& seen, Rows& rows, std::size_t i) {
    const std::uint64_t says = change.one(seen.of_step, words, rows, positions, i);
    seen.said[i] = says != 0;
    count += says;
  }
};

struct set_bit {
  static constexpr bool goes_once = true;
  struct notes {};

  [[nodiscard]] static bit_width width() { return {}; }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] static notes begin(const Rows& /*rows*/,
                                                            std::uint64_t /*positions*/) {
    return {};
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] static std::uint64_t one(notes /*of_step*/,
                                                                  std::uint64_t* words, Rows& rows,
                                                                  std::uint64_t positions,
                                                                  std::size_t i) {
    std::uint64_t known = 0;
#if BLOOMERY_VECTOR_BITS == 0
#pragma GCC unroll 4
#endif
    for (std::uint64_t j = 0; j < positions; ++j) {
      const cell_place at = rows.place(j, i);
      set(words[at.word], at.shift, known);
    }
    return std::uint64_t{known != positions};
  }

 private:
  // Counts if the bit was set before.
  [[gnu::always_inline]] static void set(std::uint64_t& word, std::uint64_t at,
                                         std::uint64_t& known) {
#if BLOOMERY_X86
    // What GCC makes of the other takes two instructions more, and there are k of them for each key.
    std::uint64_t after = word;
    asm("btsq %[at], %[after]\n\tadcq $0, %[known]"
        : [after] "+r"(after), [known] "+r"(known)
        : [at] "r"(at)
        : "cc");
    word = after;
#else
    const std::uint64_t before = core::little_endian(word);
    known += before >> at % 64 & 1;
    word = core::little_endian(before | std::uint64_t{1} << at % 64);
#endif
  }
};

#if BLOOMERY_VECTOR_BITS >= 256
// Whether a position of one of the keys may come twice: so if this says no, none does.
template <class Number>
BLOOMERY_TARGET [[gnu::always_inline]] inline bool some_repeat(std::uint64_t positions,
                                                               const position_rows<Number>& rows) {
#if BLOOMERY_VECTOR_BITS == 256
  constexpr std::size_t numbers = sizeof(lanes) / sizeof(Number);
  lanes found = every(0);
  for (std::size_t key = 0; key < keys_a_step; key += numbers) {
    for (std::uint64_t j = 1; j < positions; ++j) {
      const lanes row = load_row(rows.shift[j].data() + key);
      for (std::uint64_t before = 0; before < j; ++before) {
        const lanes other = load_row(rows.shift[before].data() + key);
        found = ored(found, sizeof(Number) == 4 ? _mm256_cmpeq_epi32(row, other)
                                                : _mm256_cmpeq_epi64(row, other));
      }
    }
  }
  return _mm256_testz_si256(found, found) == 0;
#elif BLOOMERY_VECTOR_BITS == 512
  unsigned found = 0;
  for (std::uint64_t j = 1; j < positions; ++j) {
    const lanes row = load_words(rows.shift[j].data());
    for (std::uint64_t before = 0; before < j; ++before) {
      found |= equal(row, load_words(rows.shift[before].data()));
    }
  }
  return found != 0;
#endif
}
#else
template <class Rows>
bool some_repeat(std::uint64_t positions, const Rows& rows) {
  return rows.some_repeat(positions);
}
#endif

// Counters are changed first, and looked at afterwards: only if one was at its end, or comes twice, are all put
// back and changed with care.
template <class Rule>
struct change_counters {
  static constexpr bool goes_once = false;
  counter_words counters;
  struct notes {
    bool repeats;
  };

  [[nodiscard]] counter_words width() const { return counters; }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] static notes begin(const Rows& rows,
                                                            std::uint64_t positions) {
    return {some_repeat(positions, rows)};
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] std::uint64_t one(notes of_step, std::uint64_t* words,
                                                           const Rows& rows,
                                                           std::uint64_t positions,
                                                           std::size_t i) const {
    if (!of_step.repeats) [[likely]] {
      typename Rule::seen seen{counters.most()};
#pragma GCC unroll 4
      for (std::uint64_t j = 0; j < positions; ++j) {
        const cell_place at = rows.place(j, i);
        seen.also(add(words, at, Rule::by) >> at.shift % 64 & counters.most());
      }
      if (!seen.at_an_end()) [[likely]]
        return seen.answer();
      for (std::uint64_t j = 0; j < positions; ++j) add(words, rows.place(j, i), 0 - Rule::by);
    }
    return Rule::with_care(counters, positions, of_step.repeats,
                           [&](std::uint64_t j) { return at(rows, j, i); });
  }

 private:
  // What the word is then.
  BLOOMERY_TARGET [[gnu::always_inline]] static std::uint64_t add(std::uint64_t* words,
                                                                  const cell_place& at,
                                                                  std::uint64_t by) {
    std::uint64_t& word = words[at.word];
    const std::uint64_t sum = core::little_endian(word) + (by << at.shift % 64);
    word = core::little_endian(sum);
    return sum;
  }
  template <class Rows>
  [[nodiscard]] std::uint64_t at(const Rows& rows, std::uint64_t j, std::size_t i) const {
    const cell_place place = rows.place(j, i);
    return (place.word << counters.cells_a_word_log2()) + (place.shift % 64 >> counters.log2_width);
  }
};

// A counter that was full is zero now, one that was zero is one.
struct raising {
  static constexpr std::uint64_t by = 1;
  struct seen {
    std::uint64_t most;
    std::uint64_t less_one = 0;  // the highest bit if a counter is zero now
    std::uint64_t less_two = 0;  // or one
    [[gnu::always_inline]] void also(std::uint64_t value) {
      less_one |= value - 1;
      less_two |= value - 2;
    }
    [[nodiscard]] bool at_an_end() const { return less_one >> 63 != 0; }
    [[nodiscard]] std::uint64_t answer() const { return less_two >> 63; }
  };
  static std::uint64_t with_care(const counter_words& counters, std::uint64_t positions,
                                 bool repeats, auto at) {
    return one_key::raise(counters, positions, repeats, at);
  }
};
// One that was zero is full now, one that was full is one less.
struct lowering {
  static constexpr std::uint64_t by = ~std::uint64_t{0};
  struct seen {
    std::uint64_t most;
    std::uint64_t and_two = 0;  // beyond `most` in these cases
    [[gnu::always_inline]] void also(std::uint64_t value) { and_two |= value + 2; }
    [[nodiscard]] bool at_an_end() const { return (and_two & (most + 1)) != 0; }
    [[nodiscard]] static std::uint64_t answer() { return 1; }
  };
  static std::uint64_t with_care(const counter_words& counters, std::uint64_t positions,
                                 bool repeats, auto at) {
    return one_key::lower(counters, positions, repeats, at);
  }
};

template <class Keys>
BLOOMERY_TARGET std::uint64_t test_bits(const position_range& range, const std::uint64_t* words,
                                        const Keys& keys, bool* answers) {
  return to_positions(range, keys, asking<asked_bits>{{}, words, range.count, answers});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t set_bits(const position_range& range, std::uint64_t* words,
                                       const Keys& keys, bool* fresh) {
  return to_positions(range, keys, changing<set_bit>{{}, words, range.count, fresh});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t test_counters(const position_range& range,
                                            const counter_words& counters, const Keys& keys,
                                            bool* answers) {
  return to_positions(range, keys,
                      asking<asked_counters>{{counters}, counters.words, range.count, answers});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t raise_counters(const position_range& range,
                                             const counter_words& counters, const Keys& keys,
                                             bool* fresh) {
  return to_positions(
      range, keys,
      changing<change_counters<raising>>{{counters}, counters.words, range.count, fresh});
}
template <class Keys>
BLOOMERY_TARGET std::uint64_t lower_counters(const position_range& range,
                                             const counter_words& counters, const Keys& keys) {
  return to_positions(
      range, keys,
      changing<change_counters<lowering>>{{counters}, counters.words, range.count, nullptr});
}

// A record for each position: where it is within its region.
template <class Put>
struct putting {
  static constexpr bool in_memory = false;
  static constexpr bool goes_once = true;
  struct notes {};
  Put& put;
  std::uint64_t positions;
  const std::uint64_t* words = nullptr;
  std::uint64_t count = 0;

  static bit_width width() { return {}; }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] static notes begin(const Rows& /*rows*/) {
    return {};
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void row(notes /*none*/, const Rows& rows,
                                                  std::uint64_t j) {
    put_row(rows, j, keys_a_step);
  }
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] static void end(notes /*none*/, const Rows& /*rows*/,
                                                         std::size_t /*first*/) {}
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void few(Rows& rows, std::size_t /*first*/,
                                                  std::size_t keys) {
    for (std::uint64_t j = 0; j < positions; ++j) put_row(rows, j, keys);
  }

 private:
  template <class Rows>
  BLOOMERY_TARGET [[gnu::always_inline]] void put_row(Rows& rows, std::uint64_t j,
                                                      std::size_t keys) {
    for (std::size_t i = 0; i < keys; ++i) {
      const std::uint64_t at = rows.place(j, i).shift;
      put(at / region_bits, static_cast<std::uint32_t>(at % region_bits));
    }
  }
};

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
        to_positions(range, keys.subspan(first, count),
                     putting<std::remove_reference_t<decltype(put)>>{put, range.count});
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
