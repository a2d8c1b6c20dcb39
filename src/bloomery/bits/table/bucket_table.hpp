// Buckets of a few packed cells, searched all at once.
//
// Purpose:   fingerprint tables. A bucket is `slots` cells of `width` bits, its own and all buckets
//            packed without gaps; a cell may hold a fingerprint and a counter, and a search may care
//            about only some of its bits.
// Cost:      one unaligned load (two beyond 57 bits) and a dozen operations on a word to search a
//            bucket, without branches; 16 spare bytes at the end keep that load inside.
// Guarantee: width 1 to 57 and a bucket of at most 128 bits, or errc::invalid; stored bytes are
//            checked for length and clean padding. A cell is named by its first bit in the table,
//            a bucket by its first cell.
//
//     bloomery::bits::bucket_table table(10, 4, 12);
//     const auto bucket = table.cell(7, 0);
//     const auto free = table.find(bucket, 0);
//     table.set(free, 99);
//     assert(table.get(free) == 99 && table.find(bucket, 99) == free);
//     assert(table.find(bucket, 98) == bloomery::bits::bucket_table::none);
//     assert(table.search([&](auto in) { return in.equal(in.bucket(bucket), in.every(99)) != 0; }));
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/prefetch.hpp"

namespace bloomery::bits {

// `a` if first, else `b`, without the branch that compilers would make of it, which could not be
// predicted.
template <class Word>
constexpr Word either(bool first, Word a, Word b) {
  return b ^ ((a ^ b) & (Word{0} - Word{first}));
}

// A table whose buckets lie within a word each, from the byte in which they begin: what vector code
// needs to know of it. No data if they do not.
struct bucket_words {
  const std::byte* data;
  std::uint64_t buckets;
  std::uint64_t bucket_bits;
  std::uint64_t max_value;  // of a cell
  std::uint64_t low;        // the lowest bit of every cell of a bucket
  std::uint64_t high;       // the highest
  std::uint64_t rest;       // the others
};

// The same for a table whose buckets are of whole bytes and two halves, each within a word from the byte in
// which it begins.
struct bucket_pairs {
  const std::byte* data;
  std::uint64_t bucket_bits;
  std::uint64_t half_bits;
  std::uint64_t width;  // of a cell
  std::uint64_t low;    // the lowest bit of every cell of a half
};

class bucket_table {
 public:
  static constexpr unsigned max_width = 57;
  static constexpr unsigned max_bucket_bits = 128;
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  bucket_table(std::uint64_t buckets, unsigned slots, unsigned width);
  bucket_table(std::uint64_t buckets, unsigned slots, unsigned width, storage stored);
  static std::uint64_t stored_bytes(std::uint64_t buckets, unsigned slots, unsigned width);

  [[nodiscard]] std::uint64_t buckets() const { return buckets_; }
  [[nodiscard]] std::uint64_t bits() const { return buckets_ * bucket_bits_; }
  [[nodiscard]] unsigned bucket_bits() const { return bucket_bits_; }
  [[nodiscard]] unsigned slots() const { return slots_; }
  [[nodiscard]] unsigned width() const { return width_; }
  [[nodiscard]] std::uint64_t max_value() const { return max_value_; }
  [[nodiscard]] bucket_words words() const {
    return {narrow_ ? start() : nullptr,
            buckets_,
            bucket_bits_,
            max_value_,
            static_cast<std::uint64_t>(low_),
            static_cast<std::uint64_t>(high_),
            static_cast<std::uint64_t>(rest_)};
  }
  [[nodiscard]] bucket_pairs pairs() const {
    return {paired_ ? start() : nullptr, bucket_bits_, bucket_bits_ / 2, width_,
            static_cast<std::uint64_t>(low_ & ((core::uint128{1} << bucket_bits_ / 2) - 1))};
  }

  [[nodiscard]] std::uint64_t first_bit(std::uint64_t bucket) const { return cell(bucket, 0); }
  [[nodiscard]] std::uint64_t cell(std::uint64_t bucket, unsigned slot) const {
    assert(bucket < buckets_ && slot < slots());
    return bucket * bucket_bits_ + std::uint64_t{slot} * width_;
  }
  [[nodiscard]] std::uint64_t get(std::uint64_t cell) const {
    return load<std::uint64_t>(cell) & max_value_;
  }
  void set(std::uint64_t cell, std::uint64_t value) {
    assert(value <= max_value_);
    const unsigned shift = cell % 8;
    std::byte* to = writable(cell);
    // Nothing else is read or written: setting two cells side by side need not wait.
    if (width_ == 16) return core::store_le(to, static_cast<std::uint16_t>(value));
    core::store_le(to,
                   (core::load_le<std::uint64_t>(to) & ~(max_value_ << shift)) | value << shift);
  }

  // The most cells of this width in a bucket that is searched in pairs; or 0.
  static unsigned most_paired(unsigned width);

  // A bucket as one word, uint64_t or uint128, and sets of its cells as the highest bit of each.
  // Buckets of whole bytes need no shifts.
  template <class Word, bool whole_bytes = false>
  class searcher {
   public:
    using cells = Word;

    explicit searcher(const bucket_table& table)
        : table_(table),
          low_(static_cast<Word>(table.low_)),
          high_(static_cast<Word>(table.high_)),
          rest_(static_cast<Word>(table.rest_)) {}

    // The bucket whose first cell this is.
    [[nodiscard]] Word bucket(std::uint64_t cell) const {
      assert(cell % table_.bucket_bits_ == 0 && cell / table_.bucket_bits_ < table_.buckets_);
      return table_.load<Word, whole_bytes>(cell);
    }
    // `value` in every cell.
    [[nodiscard]] Word every(std::uint64_t value) const { return low_ * value; }

    // The cells of a bucket that have the value that `every` repeated, where `care`, repeated as well,
    // has ones. A cell's lower bits carry into its highest unless they are all zero, and no carry
    // leaves the cell.
    [[nodiscard]] Word equal(Word bucket, Word value) const { return zero(bucket ^ value); }
    [[nodiscard]] Word equal(Word bucket, Word value, Word care) const {
      return zero((bucket ^ value) & care);
    }
    [[nodiscard]] static Word either_of(Word a, Word b) { return a | b; }
    [[nodiscard]] static bool any(Word set) { return set != 0; }
    // Larger for a set that has all cells of another and more; 0 for none.
    [[nodiscard]] static Word amount(Word set) { return set; }
    // The first cell of a set that is not empty, in the bucket that begins with `bucket`.
    [[nodiscard]] std::uint64_t first(std::uint64_t bucket, Word set) const {
      assert(set != 0);
      return bucket + trailing_zeros(set) - (table_.width_ - 1);
    }
    // The cells that are 0; one of them to be filled, and the first of a set that has the value to be emptied, as in
    // sorted_buckets.
    [[nodiscard]] Word free(Word bucket) const { return zero(bucket); }
    void put(std::uint64_t at, Word /*bucket*/, Word free, Word value) const {
      toggle(at, free, value);
    }
    void take(std::uint64_t at, Word /*bucket*/, Word set, Word value) const {
      toggle(at, set, value);
    }
    // By exclusive or, puts what `every` repeated into the first of a set of empty cells, or takes it
    // out of the first of a set that has it. The table must be writable.
    void toggle(std::uint64_t bucket, Word set, Word value) const {
      if constexpr (sizeof(Word) == 8) {
        const Word highest = set & (0 - set);
        const Word ones = 2 * highest - (highest >> (table_.width_ - 1));
        std::byte* to = table_.writable(bucket);
        core::store_le(to, core::load_le<Word>(to) ^ (value & ones)
                                                         << (whole_bytes ? 0 : bucket % 8));
      } else {
        std::byte* to = table_.writable(first(bucket, set));
        const auto once = static_cast<std::uint64_t>(value) & table_.max_value_;
        core::store_le(to, core::load_le<std::uint64_t>(to) ^ once << first(bucket, set) % 8);
      }
    }

   private:
    [[nodiscard]] Word zero(Word differ) const {
      return ~(((differ & rest_) + rest_) | differ) & high_;
    }

    const bucket_table& table_;
    Word low_;   // the lowest bit of every cell
    Word high_;  // the highest
    Word rest_;  // the others
  };

#ifdef __SSE2__
  // The same for cells of at least a byte, in buckets of whole bytes and two halves, each of up to 64
  // bits from the byte in which it begins: both are searched at once, eight cells of 16 bits with
  // less work.
  template <bool sixteen>
  class pair_searcher {
   public:
    using word = __m128i;
    using cells = __m128i;  // not zero in the byte where the highest bit of a cell is

    explicit pair_searcher(const bucket_table& table)
        : data_(table.start()),
          starts_(&table.starts_),
          half_bits_(table.bucket_bits_ / 2),
          low_(table.pairs().low),
          high_(every(std::uint64_t{1} << (table.width_ - 1))),
          rest_(every(table.max_value_ >> 1)) {}

    [[nodiscard]] word bucket(std::uint64_t cell) const {
      const std::byte* from = data_ + cell / 8;
      if constexpr (sixteen) return _mm_loadu_si128(reinterpret_cast<const word*>(from));
      return pair(core::load_le<std::uint64_t>(from),
                  core::load_le<std::uint64_t>(from + half_bits_ / 8));
    }
    [[nodiscard]] word every(std::uint64_t value) const {
      if constexpr (sixteen) return _mm_set1_epi16(static_cast<std::int16_t>(value));
      return pair(low_ * value, low_ * value << half_bits_ % 8);
    }
    [[nodiscard]] cells equal(word bucket, word value, word care) const {
      const word differ = _mm_and_si128(_mm_xor_si128(bucket, value), care);
      if constexpr (sixteen) return _mm_cmpeq_epi16(differ, word{});
      const word nonzero = _mm_or_si128(_mm_add_epi64(_mm_and_si128(differ, rest_), rest_), differ);
      return _mm_andnot_si128(nonzero, high_);
    }
    [[nodiscard]] static cells either_of(cells a, cells b) { return _mm_or_si128(a, b); }
    [[nodiscard]] static bool any(cells set) { return amount(set) != 0; }
    [[nodiscard]] static unsigned amount(cells set) {
      if constexpr (sixteen) return static_cast<unsigned>(_mm_movemask_epi8(set));
      return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(set, cells{}))) ^ 0xffff;
    }
    [[nodiscard]] std::uint64_t first(std::uint64_t bucket, cells set) const {
      assert(any(set));
      return bucket + (*starts_)[static_cast<unsigned>(std::countr_zero(amount(set)))];
    }

   private:
    static word pair(std::uint64_t first, std::uint64_t second) {
      return _mm_set_epi64x(static_cast<std::int64_t>(second), static_cast<std::int64_t>(first));
    }

    const std::byte* data_;
    const std::array<std::uint8_t, 16>* starts_;
    unsigned half_bits_;
    std::uint64_t low_;  // the lowest bit of every cell of a half
    word high_;          // the highest bit of every cell
    word rest_;          // the others
  };
#endif

 private:
  // Out of the way of narrow tables, which are many and whose loops are short.
  template <class Act>
  [[gnu::noinline]] auto search_wide(Act& act) const {
    return act(searcher<core::uint128>(*this));
  }

 public:
  // act(searcher) with the narrower word that holds a whole bucket.
  template <class Act>
  auto search(Act act) const {
    if (!narrow_) return search_wide(act);
    return bucket_bits_ % 8 == 0 ? act(searcher<std::uint64_t, true>(*this))
                                 : act(searcher<std::uint64_t>(*this));
  }
  // As above, or in pairs, which only compare with care.
  template <class Act>
  auto search_pairs(Act act) const {
#ifdef __SSE2__
    if (paired_) {
      return width_ == 16 && slots_ == 8 ? act(pair_searcher<true>(*this))
                                         : act(pair_searcher<false>(*this));
    }
#endif
    return search(act);
  }

  // The first cell, of the bucket that begins with this one, that has the value; or none.
  [[nodiscard]] std::uint64_t find(std::uint64_t bucket, std::uint64_t value) const {
    return search([&](const auto& in) {
      const auto equal = in.equal(in.bucket(bucket), in.every(value));
      return equal == 0 ? none : in.first(bucket, equal);
    });
  }

  // All bits of the bucket that begins with this cell, at once.
  [[nodiscard]] core::uint128 whole(std::uint64_t bucket) const {
    return load<core::uint128>(bucket) & (high_ | rest_);
  }
  void set_whole(std::uint64_t bucket, core::uint128 bits) {
    for (unsigned slot = 0; slot < slots_; ++slot, bits >>= width_) {
      set(bucket + std::uint64_t{slot} * width_, static_cast<std::uint64_t>(bits) & max_value());
    }
  }

  // All of the bucket that begins with this cell.
  void prefetch(std::uint64_t bucket) const {
    core::prefetch(start() + bucket / 8);
    if (straddling_) core::prefetch(start() + (bucket + bucket_bits_ - 1) / 8);
  }

  // Throws errc::read_only for a view; call before a run of set.
  void require_writable() {
    if (!stored_.writable()) (void)stored_.bytes_for_writing();  // a call a key would cost
  }
  [[nodiscard]] byte_view bytes() const {
    return stored_.bytes();
  }

 private:
  [[nodiscard]] const std::byte* start() const {
    return stored_.words<std::byte>();
  }

  // From bit `first` on, as many bits as a bucket has.
  template <class Word, bool whole_bytes = false>
  [[nodiscard]] Word load(std::uint64_t first) const {
    const std::byte* from = start() + first / 8;
    const unsigned shift = whole_bytes ? 0 : first % 8;
    if constexpr (sizeof(Word) == 8) {
      return core::load_le<std::uint64_t>(from) >> shift;
    } else {
      const auto front = core::load_le<std::uint64_t>(from);
      const auto back = core::load_le<std::uint64_t>(from + 8);
      const auto last = std::to_integer<std::uint64_t>(from[16]);
      // A shift of the whole by a variable costs more; by less than 8 it is this. Not asking whether
      // the last byte is needed spares a branch that could not be predicted.
      const std::uint64_t low = front >> shift | back << 1 << (63 - shift);
      const std::uint64_t high = back >> shift | last << 1 << (63 - shift);
      return core::uint128{high} << 64 | low;
    }
  }

  [[nodiscard]] std::byte* writable(std::uint64_t bit) const {
    assert(stored_.writable());
    return const_cast<std::byte*>(start()) + bit / 8;  // owned, and never const
  }

  static unsigned trailing_zeros(std::uint64_t word) {
    return static_cast<unsigned>(std::countr_zero(word));
  }
  static unsigned trailing_zeros(core::uint128 word) {
    const auto low = static_cast<std::uint64_t>(word);
    return low != 0 ? trailing_zeros(low)
                    : 64 + trailing_zeros(static_cast<std::uint64_t>(word >> 64));
  }

  storage stored_;
  std::uint64_t buckets_;
  unsigned slots_;
  unsigned width_;
  unsigned bucket_bits_;
  bool narrow_;      // a bucket, from where its first byte begins, lies within 64 bits
  bool paired_;      // wider, of whole bytes, and each half so
  bool straddling_;  // some lie in two lines
  std::array<std::uint8_t, 16> starts_;  // of the cell at each byte of a pair
  std::uint64_t max_value_;
  core::uint128 low_;   // the lowest bit of every cell
  core::uint128 high_;  // the highest
  core::uint128 rest_;  // the others
};

}  // namespace bloomery::bits
