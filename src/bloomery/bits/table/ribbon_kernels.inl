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
BLOOMERY_TARGET [[gnu::always_inline]] inline std::uint32_t value_of(columns rows,
                                                                     std::uint32_t coefficients) {
  const __m256i taken =
      _mm256_and_si256(rows.all, _mm256_set1_epi32(static_cast<int>(coefficients)));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(sums(taken))));
}
// With one row more before the others: the one that makes its equation true.
BLOOMERY_TARGET [[gnu::always_inline]] inline columns with_row(columns after, std::uint32_t left,
                                                               std::uint32_t right) {
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i wanted =
      _mm256_and_si256(_mm256_srlv_epi32(_mm256_set1_epi32(static_cast<int>(right)),
                                         _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
                       one);
  const __m256i moved = _mm256_slli_epi32(after.all, 1);
  const __m256i taken =
      _mm256_and_si256(_mm256_or_si256(moved, wanted), _mm256_set1_epi32(static_cast<int>(left)));
  return {_mm256_or_si256(moved, _mm256_srli_epi32(sums(taken), 31))};
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
inline std::uint32_t value_of(const columns& rows, std::uint32_t coefficients) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= is_odd(rows.all[i] & coefficients) << i;
  return value;
}
inline columns with_row(const columns& after, std::uint32_t left, std::uint32_t right) {
  columns c;
  for (unsigned i = 0; i < 8; ++i) {
    const std::uint32_t moved = after.all[i] << 1;
    c.all[i] = moved | is_odd((moved | (right >> i & 1)) & left);
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
    std::uint32_t value = 0;
    for (unsigned c = 0; c < width; c += 8) {
      value |= value_of(window(load(block + c), load(block + width + c), at.shift), at.coefficients)
               << c;
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
  std::array<std::uint64_t*, ribbon_lanes> rows;
  bool busy = true;
  for (unsigned i = 0; i < ribbon_lanes; ++i) {
    rows[i] = lanes[i].rows();
    busy = busy && !lanes[i].done();
  }
  while (busy) {
    std::array<std::uint64_t, ribbon_lanes> first;
    std::array<std::uint64_t, ribbon_lanes> row;
    std::array<std::uint32_t, ribbon_lanes> left;
    std::array<std::uint64_t, ribbon_lanes> sides;  // the lower halves are not kept up
    each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) {
      const ribbon_equation equation = lanes[i].next();
      first[i] = row[i] = equation.row;
      left[i] = equation.left();
      sides[i] = equation.sides;
    });
    std::uint64_t taken = 0;
    do {
      each<steps_unchecked>([&](auto) __attribute__((always_inline)) {
        each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) {
          const std::uint64_t other = rows[i][row[i]];
          left[i] ^= static_cast<std::uint32_t>(other);
          sides[i] ^= other;
          const int zeros = std::countr_zero(left[i]);
          row[i] += static_cast<unsigned>(zeros);
          left[i] >>= zeros & 31;
        });
      });
      taken = 0;
      each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) { taken |= rows[i][row[i]]; });
    } while (taken != 0);
    each<ribbon_lanes>([&](auto i) __attribute__((always_inline)) {
      if (row[i] - first[i] < math::ribbon_width) {
        rows[i][row[i]] = (sides[i] & ~std::uint64_t{0} << 32) | left[i];
        lanes[i].inserted();
      } else {  // nothing is left of the equation, or it has left its own rows: look more closely
        lanes[i].insert();
      }
      busy = busy && !lanes[i].done();
    });
  }
}

template <unsigned lane, std::size_t count>
BLOOMERY_TARGET [[gnu::always_inline]] inline void prepend_row(std::array<columns, count>& after,
                                                               const std::uint64_t* const* rows,
                                                               std::uint64_t row, unsigned column) {
  const std::uint64_t sides = rows[lane][row];
  after[lane] = with_row(after[lane], static_cast<std::uint32_t>(sides),
                         static_cast<std::uint32_t>(sides >> 32) >> column);
  if constexpr (lane + 1 < count) prepend_row<lane + 1>(after, rows, row, column);
}

// From the last row to the first; free rows are zero. Groups of columns one after another.
template <unsigned count>
BLOOMERY_TARGET [[gnu::always_inline]] inline void substitute_lanes(
    const std::uint64_t* const* rows, std::uint64_t row_count, unsigned width,
    std::uint32_t* const* words) {
  for (unsigned c = 0; c < width; c += 8) {
    const unsigned used = std::min(8U, width - c);
    std::array<columns, count> after;
    after.fill(no_columns());
    for (std::uint64_t block = row_count / 32; block-- > 0;) {
      for (std::uint64_t row = block * 32 + 32; row-- > block * 32;) {
        prepend_row<0>(after, rows, row, c);
      }
      for (unsigned i = 0; i < count; ++i) {
        std::array<std::uint32_t, 8> eight;
        store(eight.data(), after[i]);
        std::copy_n(eight.begin(), used, words[i] + block * width + c);
      }
    }
  }
}

BLOOMERY_TARGET inline void substitute(const std::uint64_t* rows, std::uint64_t count,
                                       unsigned width, std::uint32_t* words) {
  substitute_lanes<1>(&rows, count, width, &words);
}

BLOOMERY_TARGET inline void substitute_together(const std::uint64_t* const* rows,
                                                std::uint64_t count, unsigned width,
                                                std::uint32_t* const* words) {
  substitute_lanes<ribbon_lanes>(rows, count, width, words);
}

constexpr ribbon_kernels all_ribbon_kernels{values, eliminate, substitute, substitute_together};

}  // namespace bloomery::bits::BLOOMERY_ISA
