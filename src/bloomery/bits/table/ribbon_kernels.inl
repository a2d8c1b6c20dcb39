// Eight columns of a ribbon table at a time. Compiled once per back end; see each_backend.inl.
namespace bloomery::bits::BLOOMERY_ISA {

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
// The 32 rows from `shift` on.
BLOOMERY_TARGET [[gnu::always_inline]] inline columns window(columns block, columns next,
                                                             std::uint32_t shift) {
  const __m128i down = _mm_cvtsi32_si128(static_cast<int>(shift));
  const __m128i up = _mm_cvtsi32_si128(static_cast<int>(32 - shift));
  return {_mm256_or_si256(_mm256_srl_epi32(block.all, down), _mm256_sll_epi32(next.all, up))};
}
// In each column's highest bit: whether the rows that `coefficients` takes have an odd sum.
BLOOMERY_TARGET [[gnu::always_inline]] inline __m256i sums(__m256i rows) {
  rows = _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 16));
  rows = _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 8));
  rows = _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 4));
  rows = _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 2));
  return _mm256_xor_si256(rows, _mm256_slli_epi32(rows, 1));
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
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint32_t value_of(const band_columns& rows,
                                                                     std::uint64_t coefficients) {
  return static_cast<std::uint32_t>(
      _mm256_movemask_ps(_mm256_castsi256_ps(sums(taken(rows, coefficients)))));
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
inline columns window(const columns& block, const columns& next, std::uint32_t shift) {
  columns c;
  for (unsigned i = 0; i < 8; ++i) {
    c.all[i] =
        static_cast<std::uint32_t>((block.all[i] | std::uint64_t{next.all[i]} << 32) >> shift);
  }
  return c;
}
inline std::uint32_t is_odd(std::uint32_t rows) {
  return static_cast<std::uint32_t>(__builtin_parity(rows));
}
struct band_columns {
  columns low;
  columns high;
};
inline std::uint32_t value_of(const band_columns& rows, std::uint64_t coefficients) {
  const auto low = static_cast<std::uint32_t>(coefficients);
  const auto high = static_cast<std::uint32_t>(coefficients >> 32);
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 8; ++i) {
    value |= is_odd((rows.low.all[i] & low) ^ (rows.high.all[i] & high)) << i;
  }
  return value;
}
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

BLOOMERY_TARGET inline void values(const std::uint32_t* words, unsigned width,
                                   const ribbon_place* places, std::size_t count,
                                   std::uint32_t* values) {
  const std::uint32_t mask = ~std::uint32_t{0} >> (32 - width);
  for (std::size_t i = 0; i < count; ++i) {
    const ribbon_place& at = places[i];
    const std::uint32_t* const block = words + at.word;
    const std::uint32_t* const last = block + std::size_t{at.last} * width;
    std::uint32_t value = 0;
    for (unsigned c = 0; c < width; c += 8) {
      const columns next = load(block + width + c);
      const band_columns rows{window(load(block + c), next, at.shift),
                              window(next, load(last + c), at.shift)};
      value |= value_of(rows, at.coefficients) << c;
    }
    values[i] = value & mask;
  }
}

// Calls act(0) to act(lanes - 1) with constants, so that what belongs to a lane stays in registers.
template <unsigned lanes, class Act>
[[gnu::always_inline]] inline void each(Act act) {
  [&]<unsigned... i>(std::integer_sequence<unsigned, i...>) __attribute__((always_inline)) {
    (act(std::integral_constant<unsigned, i>{}), ...);
  }
  (std::make_integer_sequence<unsigned, lanes>{});
}

// A row added where none is, or an equation whose row is free, changes nothing: all lanes can take
// as many steps as the one that needs most.
BLOOMERY_TARGET inline void eliminate(ribbon_lane* lanes) {
  constexpr unsigned steps_unchecked = 4;
  std::array<std::uint64_t*, ribbon_lanes> lefts;
  std::array<std::uint32_t*, ribbon_lanes> rights;
  bool busy = true;
  for (unsigned i = 0; i < ribbon_lanes; ++i) {
    lefts[i] = lanes[i].left();
    rights[i] = lanes[i].right();
    busy = busy && !lanes[i].done();
  }
  const unsigned band = lanes[0].band();
  while (busy) {
    std::array<std::uint64_t, ribbon_lanes> first;
    std::array<std::uint64_t, ribbon_lanes> row;
    std::array<std::uint64_t, ribbon_lanes> left;
    std::array<std::uint32_t, ribbon_lanes> right;
    each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) {
      const ribbon_equation equation = lanes[i].next();
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
        lanes[i].inserted();
      } else {  // nothing is left of the equation, or it has left its own rows: look more closely
        lanes[i].insert();
      }
      busy = busy && !lanes[i].done();
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

constexpr ribbon_kernels all_ribbon_kernels{values, eliminate, substitute, substitute_together};

}  // namespace bloomery::bits::BLOOMERY_ISA
