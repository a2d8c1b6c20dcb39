// Eight columns of a ribbon table at a time. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

#if BLOOMERY_VECTOR_BITS >= 256
#include "bloomery/hash/key_lanes.inl"
constexpr std::size_t keys_a_step = at_once;
#else
constexpr std::size_t keys_a_step = 4;
#endif
#include "bloomery/bits/batch/key_steps.inl"
#include "bloomery/bits/batch/ring.inl"

// As many keys on their way as keep the memory busy.
constexpr std::size_t ribbon_steps_ahead = 32 / keys_a_step;

// Words of eight columns, one for each bit of a value: bit i is row i's.
#if BLOOMERY_VECTOR_BITS >= 256

struct columns {
  __m256i all;
};

BLOOMERY_TARGET [[gnu::always_inline]] inline columns no_columns() {
  return {_mm256_setzero_si256()};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline columns load(const std::uint32_t* words) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline void store(std::uint32_t* words, columns c) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), c.all);
}
// In each column's highest bit: whether the rows that `coefficients` takes have an odd sum.
BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i sums(__m256i rows) {
  rows = _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 16));
  rows = _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 8));
  rows = _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 4));
  rows = _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 2));
  return _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 1));
}
// What an equation takes of eight columns of three blocks.
BLOOMERY_TARGET [[gnu::always_inline]] inline columns taken_of(columns first, columns next,
                                                               columns last, std::uint64_t low,
                                                               std::uint64_t high) {
  const __m256i of_first = _mm256_set1_epi32(static_cast<int>(low));
  const __m256i of_next = _mm256_set1_epi32(static_cast<int>(low >> 32));
  const __m256i of_last = _mm256_set1_epi32(static_cast<int>(high));
  return {_mm256_xor_si256(
      _mm256_xor_si256(_mm256_and_si256(first.all, of_first), _mm256_and_si256(next.all, of_next)),
      _mm256_and_si256(last.all, of_last))};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint32_t parities(columns rows) {
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(sums(rows.all))));
}
// Two halves of each lane, of one vector and the other, added up: to the lower half and the upper.
BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i halved(__m256i a, __m256i b) {
  const __m256i swapped = _mm256_setr_epi64x(0x0504070601000302, 0x0d0c0f0e09080b0a,
                                             0x0504070601000302, 0x0d0c0f0e09080b0a);
  return _mm256_xor_si256(_mm256_blend_epi16(a, b, 0b10101010),
                          _mm256_shuffle_epi8(_mm256_blend_epi16(a, b, 0b01010101), swapped));
}
// The same of lanes of 16 bits.
BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i halved_16(__m256i a, __m256i b) {
  const __m256i swapped = _mm256_setr_epi64x(0x0607040502030001, 0x0e0f0c0d0a0b0809,
                                             0x0607040502030001, 0x0e0f0c0d0a0b0809);
  const __m256i upper_bytes = _mm256_set1_epi16(static_cast<std::int16_t>(0xff00));
  return _mm256_xor_si256(_mm256_blendv_epi8(a, b, upper_bytes),
                          _mm256_shuffle_epi8(_mm256_blendv_epi8(b, a, upper_bytes), swapped));
}
// The same of four keys together: bit 4·j + i is column j of key i.
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint32_t parities(columns a, columns b,
                                                                     columns c, columns d) {
  __m256i rows = halved_16(halved(a.all, c.all), halved(b.all, d.all));
  // What comes from the byte below never reaches the highest bit.
  rows = _mm256_xor_si256(rows, _mm256_slli_epi16(rows, 4));
  rows = _mm256_xor_si256(rows, _mm256_slli_epi16(rows, 2));
  rows = _mm256_xor_si256(rows, _mm256_slli_epi16(rows, 1));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(rows));
}
// Of parities of four keys, those of key i.
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint32_t of_key(std::uint32_t four, unsigned i) {
  return static_cast<std::uint32_t>(_pext_u64(four, std::uint64_t{0x11111111} << i));
}
// Rows 0 to 31 and 32 to 63 from where an equation begins.
struct band_columns {
  columns low;
  columns high;
};
BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i taken(const band_columns& rows,
                                                            std::uint64_t coefficients) {
  const auto low = _mm256_set1_epi32(static_cast<int>(coefficients));
  const auto high = _mm256_set1_epi32(static_cast<int>(coefficients >> 32));
  return _mm256_xor_si256(_mm256_and_si256(rows.low.all, low),
                          _mm256_and_si256(rows.high.all, high));
}
// With one row more before the others: the one that makes its equation true.
BLOOMERY_TARGET [[gnu::always_inline]] inline band_columns with_row(const band_columns& after,
                                                                    std::uint64_t left,
                                                                    std::uint32_t right) {
  const __m256i wanted =
      _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(right)),
                                         _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
                       _mm256_set1_epi32(static_cast<int>(left & 1)));
  const __m256i low = _mm256_slli_epi32(after.low.all, 1);
  const __m256i high =
      _mm256_or_si256(_mm256_slli_epi32(after.high.all, 1), _mm256_srli_epi32(after.low.all, 31));
  const __m256i odd = sums(_mm256_xor_si256(taken({{low}, {high}}, left), wanted));
  return {{_mm256_or_si256(low, _mm256_srli_epi32(odd, 31))}, {high}};
}

#else

struct columns {
  std::array<std::uint32_t, 8> all;
};

inline columns no_columns() {
  return {};
}
inline columns load(const std::uint32_t* words) {
  columns c;
  for (unsigned i = 0; i < 8; ++i) c.all[i] = core::little_endian(words[i]);
  return c;
}
inline void store(std::uint32_t* words, const columns& c) {
  for (unsigned i = 0; i < 8; ++i) words[i] = core::little_endian(c.all[i]);
}
inline std::uint32_t is_odd(std::uint32_t rows) {
  return static_cast<std::uint32_t>(__builtin_parity(rows));
}
inline columns taken_of(const columns& first, const columns& next, const columns& last,
                        std::uint64_t low, std::uint64_t high) {
  columns c;
  for (unsigned i = 0; i < 8; ++i) {
    c.all[i] = (first.all[i] & static_cast<std::uint32_t>(low)) ^
               (next.all[i] & static_cast<std::uint32_t>(low >> 32)) ^
               (last.all[i] & static_cast<std::uint32_t>(high));
  }
  return c;
}
inline std::uint32_t parities(const columns& rows) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= is_odd(rows.all[i]) << i;
  return value;
}
struct band_columns {
  columns low;
  columns high;
};
inline band_columns with_row(const band_columns& after, std::uint64_t left, std::uint32_t right) {
  const auto of_low = static_cast<std::uint32_t>(left);
  const auto of_high = static_cast<std::uint32_t>(left >> 32);
  band_columns c;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint32_t low = after.low.all[i] << 1;
    const std::uint32_t high = after.high.all[i] << 1 | after.low.all[i] >> 31;
    c.low.all[i] = low | is_odd(((low | (right >> i & 1)) & of_low) ^ (high & of_high));
    c.high.all[i] = high;
  }
  return c;
}

#endif

// Where a key's rows are: coefficients not from where its equation begins, but from where its blocks do.
struct ribbon_rows_of_key {
  std::uint64_t first;  // words of blocks
  std::uint64_t last;
  std::uint64_t low;  // of the first two blocks
  std::uint64_t high;
};
inline ribbon_rows_of_key rows_of(const ribbon_place& at, unsigned width) {
  return {at.word, at.word + std::uint64_t{at.last} * width, at.coefficients << at.shift,
          at.coefficients >> 1 >> (63 - at.shift)};
}
BLOOMERY_TARGET [[gnu::always_inline]] inline columns taken_by(const std::uint32_t* words,
                                                               unsigned width,
                                                               const ribbon_rows_of_key& at) {
  return taken_of(load(words + at.first), load(words + at.first + width), load(words + at.last),
                  at.low, at.high);
}

BLOOMERY_TARGET inline std::uint32_t value(const std::uint32_t* words, unsigned width,
                                           const ribbon_place& at) {
  const ribbon_rows_of_key rows = rows_of(at, width);
  std::uint32_t all = 0;
  for (unsigned c = 0; c < width; c += 8) all |= parities(taken_by(words + c, width, rows)) << c;
  return all & (~std::uint32_t{0} >> (32 - width));
}

// The keys of a step.
struct ribbon_places {
  std::array<std::uint64_t, keys_a_step> first;
  std::array<std::uint64_t, keys_a_step> last;
  std::array<std::uint64_t, keys_a_step> low;
  std::array<std::uint64_t, keys_a_step> high;
  std::array<std::uint64_t, keys_a_step> fingerprints;  // and bits above them

  void set(std::size_t i, const ribbon_place& place, unsigned width) {
    const ribbon_rows_of_key rows = rows_of(place, width);
    first[i] = rows.first;
    last[i] = rows.last;
    low[i] = rows.low;
    high[i] = rows.high;
    fingerprints[i] = place.fingerprint;
  }
  [[nodiscard]] BLOOMERY_TARGET [[gnu::always_inline]] ribbon_rows_of_key rows(
      std::size_t i) const {
    return {first[i], last[i], low[i], high[i]};
  }
};

#if BLOOMERY_VECTOR_BITS >= 256

// The byte at each of these places. Not by way of memory: what is stored byte by byte cannot be loaded as a
// vector at once.
BLOOMERY_TARGET [[gnu::always_inline]] inline lanes bytes_from(const std::byte* data, lanes at) {
  alignas(lanes) std::array<std::uint64_t, at_once> place;
  store_words(place.data(), at);
  const auto byte = [&](std::size_t i) { return std::to_integer<std::int64_t>(data[place[i]]); };
#if BLOOMERY_VECTOR_BITS == 512
  return _mm512_setr_epi64(byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7));
#else
  return _mm256_setr_epi64x(byte(0), byte(1), byte(2), byte(3));
#endif
}

// Lanes whose keys do not stay in the first layer, by its thresholds.
BLOOMERY_TARGET [[gnu::always_inline]] inline unsigned bumped_lanes(const std::byte* thresholds,
                                                                    lanes row) {
  const lanes offset = raised<1>(masked(shifted<6>(row), every(3)));
  const lanes code = masked(moved_down(bytes_from(thresholds, shifted<8>(row)), offset), every(3));
  const lanes threshold =
      masked(moved_down(every(ribbon_probe::packed_thresholds), raised<3>(code)), every(255));
  return signs(minus(masked(row, every(63)), threshold));
}

// As ribbon_probe.
template <class Keys>
BLOOMERY_TARGET [[gnu::always_inline]] inline ribbon_places locate_rows(const ribbon_words& table,
                                                                        const Keys& keys,
                                                                        std::size_t first) {
  const ribbon_probe& probe = *table.probe;
  const bool wide = probe.first_starts() >> 32 != 0;
  const halves of = digests_of(keys, first);
  const lanes hash =
      folded(xored(of.lo, every(probe.seed())), xored(of.hi, every(probe.other_seed())));
  const lanes starts = every(probe.first_starts());
  const lanes row = wide ? reduced_wide(hash, starts, upper(starts)) : reduced(hash, starts);
  // As ribbon_bits, but from where the first block begins.
  const unsigned band = probe.band();
  const lanes bits = folded(hash, every(hash::golden));
  const lanes further = every((std::uint64_t{1} << band) - (std::uint64_t{1} << 32));
  const lanes coefficients = ored(ored(lower(bits), every(1)), masked(raised<32>(hash), further));
  const lanes shift = masked(row, every(math::ribbon_block - 1));
  const lanes block = shifted<5>(row);
  const lanes word =
      wide ? product_of_short(every(table.width), block) : short_product(every(table.width), block);
  // One block more, or two if the equation reaches the third.
  const lanes reach = shifted<6>(plus(shift, every(std::uint64_t{band} + 63)));
  ribbon_places at;
  store_words(at.first.data(), word);
  store_words(at.last.data(), plus(word, short_product(reach, every(table.width))));
  store_words(at.low.data(), moved_up(coefficients, shift));
  store_words(at.high.data(), moved_down(coefficients, minus(every(64), shift)));
  store_words(at.fingerprints.data(), upper(bits));
  if (probe.bumps()) {
    unsigned bumped = bumped_lanes(table.thresholds, row);
    if (bumped != 0) {
      alignas(lanes) std::array<std::uint64_t, at_once> hashes;
      store_words(hashes.data(), hash);
      for (; bumped != 0; bumped &= bumped - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(bumped));
        at.set(lane, probe.place(hashes[lane], table.thresholds, table.width), table.width);
      }
    }
  }
  return at;
}

#else

template <class Keys>
ribbon_places locate_rows(const ribbon_words& table, const Keys& keys, std::size_t first) {
  ribbon_places at;
  for (std::size_t i = 0; i < keys_a_step; ++i) {
    const ribbon_probe& probe = *table.probe;
    at.set(i, probe.place(probe.hash(keys[first + i]), table.thresholds, table.width), table.width);
  }
  return at;
}

#endif

// A Work of ring.inl. Deed has act(number of the key, the sum of its rows, its fingerprint).
template <class Keys, class Deed>
struct ribbon_steps {
  using slot = ribbon_places;
  const ribbon_words table;
  const Keys keys;
  Deed deed;
  const bool into_second;

  BLOOMERY_TARGET [[gnu::always_inline]] slot locate(std::size_t step) const {
    return locate_rows(table, keys, step * keys_a_step);
  }
  template <core::cache_level level>
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch_into(const slot& at) const {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < keys_a_step; ++i) {
      core::prefetch_into<level>(table.words + at.first[i]);
      core::prefetch_into<level>(table.words + at.last[i] + table.width - 1);
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void fetch(const slot& at) const {
    if (into_second) {
      fetch_into<core::cache_level::second>(at);
    } else {
      fetch_into<core::cache_level::first>(at);
    }
  }
  // Of the first `count` keys.
  BLOOMERY_TARGET [[gnu::always_inline]] void act_on(const slot& at, std::size_t first,
                                                     std::size_t count) {
    std::array<std::uint32_t, keys_a_step> sums{};
    const unsigned width = table.width;
    for (unsigned c = 0; c < width; c += 8) {
      const std::uint32_t* const words = table.words + c;
#if BLOOMERY_VECTOR_BITS >= 256
#pragma GCC unroll 2
      for (std::size_t i = 0; i < keys_a_step; i += 4) {
        const std::uint32_t four = parities(
            taken_by(words, width, at.rows(i)), taken_by(words, width, at.rows(i + 1)),
            taken_by(words, width, at.rows(i + 2)), taken_by(words, width, at.rows(i + 3)));
#pragma GCC unroll 4
        for (unsigned key = 0; key < 4; ++key) sums[i + key] |= of_key(four, key) << c;
      }
#else
      for (std::size_t i = 0; i < keys_a_step; ++i) {
        sums[i] |= parities(taken_by(words, width, at.rows(i))) << c;
      }
#endif
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count; ++i) {
      deed.act(first + i, sums[i], static_cast<std::uint32_t>(at.fingerprints[i]));
    }
  }
  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t step, const slot& at) {
    act_on(at, step * keys_a_step, keys_a_step);
  }
};

struct matching_rows {
  std::uint32_t fingerprints;
  bool* answers;
  std::uint64_t count = 0;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t key, std::uint32_t sum,
                                                  std::uint32_t fingerprint) {
    const bool match = ((sum ^ fingerprint) & fingerprints) == 0;
    answers[key] = match;
    count += std::uint64_t{match};
  }
};
struct reading_rows {
  std::uint32_t used;  // of the bits of a row
  std::uint32_t* values;
  std::uint32_t* fingerprints;

  BLOOMERY_TARGET [[gnu::always_inline]] void act(std::size_t key, std::uint32_t sum,
                                                  std::uint32_t fingerprint) {
    values[key] = sum & used;
    fingerprints[key] = fingerprint;
  }
};

template <class Keys, class Deed>
BLOOMERY_TARGET Deed to_rows(const ribbon_words& table, const Keys& keys, const Deed& deed) {
  const std::size_t rest = keys.size() % keys_a_step;
  const std::size_t whole = keys.size() - rest;
  ribbon_steps<Keys, Deed> work{table, keys, deed,
                                core::prefetched_level() == core::cache_level::second};
  if (table.bytes <= cached_bytes) {
    in_twos(whole / keys_a_step, work);
  } else {
    in_ring<ribbon_steps_ahead>(whole / keys_a_step, work);
  }
  if (rest != 0) {
    const auto filled = filled_step(keys.subspan(whole, rest));
    work.act_on(locate_rows(table, like(keys, filled), 0), whole, rest);
  }
  return work.deed;
}

template <class Keys>
BLOOMERY_TARGET std::uint64_t ribbon_matches(const ribbon_words& table, const Keys& keys,
                                             bool* answers) {
  return to_rows(table, keys, matching_rows{table.fingerprints, answers}).count;
}

template <class Keys>
BLOOMERY_TARGET void ribbon_values(const ribbon_words& table, const Keys& keys,
                                   std::uint32_t* values, std::uint32_t* fingerprints) {
  to_rows(table, keys, reading_rows{~std::uint32_t{0} >> (32 - table.width), values, fingerprints});
}

// Calls act(0) to act(count - 1) with constants, so that what belongs to a lane stays in registers.
template <unsigned count, class Act>
[[gnu::always_inline]] inline void each(Act act) {
  [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) __attribute__((always_inline)) {
    (act(std::integral_constant<unsigned, i>{}), ...);
  }
  (std::make_integer_sequence<unsigned, count>{});
}

// A row added where none is, or an equation whose row is free, changes nothing: all lanes can take
// as many steps as the one that needs most.
BLOOMERY_TARGET inline void eliminate(ribbon_lane* all) {
  constexpr unsigned steps_unchecked = 4;
  std::array<std::uint64_t*, ribbon_lanes> lefts;
  std::array<std::uint32_t*, ribbon_lanes> rights;
  bool busy = true;
  for (unsigned i = 0; i < ribbon_lanes; ++i) {
    lefts[i] = all[i].left();
    rights[i] = all[i].right();
    busy = busy && !all[i].done();
  }
  const unsigned band = all[0].band();
  while (busy) {
    std::array<std::uint64_t, ribbon_lanes> first;
    std::array<std::uint64_t, ribbon_lanes> row;
    std::array<std::uint64_t, ribbon_lanes> left;
    std::array<std::uint32_t, ribbon_lanes> right;
    each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) {
      const ribbon_equation equation = all[i].next();
      first[i] = row[i] = equation.row;
      left[i] = equation.left;
      right[i] = equation.right;
    });
    std::uint64_t taken = 0;
    do {
      each<steps_unchecked>([&](auto) __attribute__((always_inline)) {
        each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) {
          left[i] ^= lefts[i][row[i]];
          right[i] ^= rights[i][row[i]];
          const int zeros = std::countr_zero(left[i]);
          row[i] += static_cast<unsigned>(zeros);
          left[i] >>= zeros & 63;
        });
      });
      taken = 0;
      each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) { taken |= lefts[i][row[i]]; });
    } while (taken != 0);
    each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) {
      if (row[i] - first[i] < band) {
        lefts[i][row[i]] = left[i];
        rights[i][row[i]] = right[i];
        all[i].inserted();
      } else {  // nothing is left of the equation, or it has left its own rows: look more closely
        all[i].insert();
      }
      busy = busy && !all[i].done();
    });
  }
}

template <unsigned lane, std::size_t count>
BLOOMERY_TARGET [[gnu::always_inline]] inline void prepend_row(
    std::array<band_columns, count>& after, const std::array<ribbon_rows, count>& rows,
    std::uint64_t row, unsigned column) {
  after[lane] = with_row(after[lane], rows[lane].left[row], rows[lane].right[row] >> column);
  if constexpr (lane + 1 < count) prepend_row<lane + 1>(after, rows, row, column);
}

// From the last row to the first; free rows are zero. Groups of columns one after another.
template <unsigned count>
BLOOMERY_TARGET [[gnu::always_inline]] inline void substitute_lanes(const ribbon_rows* from,
                                                                    std::uint64_t row_count,
                                                                    unsigned width,
                                                                    std::uint32_t* const* words) {
  std::array<ribbon_rows, count> rows;
  std::copy_n(from, count, rows.begin());
  for (unsigned c = 0; c < width; c += 8) {
    const unsigned used = std::min(8U, width - c);
    std::array<band_columns, count> after;
    after.fill({no_columns(), no_columns()});
    for (std::uint64_t block = row_count / 32; block-- > 0;) {
      for (std::uint64_t row = block * 32 + 32; row-- > block * 32;) {
        prepend_row<0>(after, rows, row, c);
      }
      for (unsigned i = 0; i < count; ++i) {
        std::array<std::uint32_t, 8> eight;
        store(eight.data(), after[i].low);
        std::copy_n(eight.begin(), used, words[i] + block * width + c);
      }
    }
  }
}

BLOOMERY_TARGET inline void substitute(const ribbon_rows* rows, std::uint64_t count, unsigned width,
                                       std::uint32_t* const* words) {
  substitute_lanes<1>(rows, count, width, words);
}

BLOOMERY_TARGET inline void substitute_together(const ribbon_rows* rows, std::uint64_t count,
                                                unsigned width, std::uint32_t* const* words) {
  substitute_lanes<ribbon_lanes>(rows, count, width, words);
}

template <class Keys>
constexpr ribbon_batches<Keys> ribbon_batches_of{.matches = ribbon_matches<Keys>,
                                                 .values = ribbon_values<Keys>};
constexpr ribbon_kernels all_ribbon_kernels{ribbon_batches_of<digest_span>,
                                            ribbon_batches_of<integer_span>,
                                            value,
                                            eliminate,
                                            substitute,
                                            substitute_together};

}  // namespace bloomery::bits::BLOOMERY_ISA
