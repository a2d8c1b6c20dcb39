// Buckets of four fingerprints whose order says nothing, so that it is not stored: a bit less for each.
//
// Purpose:   the table of semi-sorted cuckoo filters. The fingerprints of a bucket are sorted by their
//            first four bits. Four sorted numbers of four bits are one of 3876 sequences, which 12 bits
//            tell instead of 16.
// Cost:      4·(print_bits-1) bits a bucket. A bucket is read by one unaligned load (two beyond 16 bits)
//            and one of a table of 8 KB, searched and changed by some twenty operations without
//            branches; 16 spare bytes at the end keep those loads inside.
// Guarantee: print_bits 5 to 32, or errc::invalid; stored bytes are checked for length, clean padding,
//            numbers of sequences that there are, and free places before the others. A bucket is named by
//            its first bit. 0 is a free place.
// Citation:  Fan, Andersen, Kaminsky, Mitzenmacher 2014, section 5.2. The planes are ours.
//
// In a register a bucket is print_bits planes of four bits: bit s of a plane belongs to the fingerprint in
// place s. All places are then compared, and moved up or down, at once and for any width alike; the
// first four planes are what is sorted. Bit b of a fingerprint is in plane b/4 of those for the same b
// modulo 4, which come one after the other: so three shifts make the planes of a fingerprint.
//
//     bloomery::bits::sorted_buckets table(10, 13);
//     const auto bucket = table.first_bit(7);
//     table.put(bucket, 4321);
//     table.put(bucket, 99);
//     assert(table.count(bucket, 99) == 1 && table.count(bucket, 4321) == 1 && table.has_room(bucket));
//     assert(table.get(bucket)[3] != 0 && table.get(bucket)[1] == 0);
//     table.take(bucket, 3);
//     assert(table.count(bucket, 99) + table.count(bucket, 4321) == 1);
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/prefetch.hpp"

namespace bloomery::bits {

// The sequences of four sorted numbers of four bits, by number. Sequence a <= b <= c <= d is
// C(a,1) + C(b+1,2) + C(c+2,3) + C(d+3,4): so none is missing, and that of four zeros is 0.
struct sorted_sequences {
  static constexpr unsigned count = 3876;
  static constexpr unsigned code_bits = 12;

  std::array<std::uint16_t, 1 << code_bits> planes;  // 0 where there is no such sequence
  std::array<std::uint16_t, 256> front;              // what a and b add to the number
  std::array<std::uint16_t, 256> back;               // what c and d do

  // `four` numbers of four bits.
  [[nodiscard]] constexpr unsigned number(std::uint32_t four) const {
    return unsigned{front[four & 0xff]} + back[four >> 8];
  }
};
extern const sorted_sequences sequences;

// Four planes of four bits to four numbers of four bits, or back.
constexpr std::uint32_t transposed(std::uint32_t x) {
  std::uint32_t swap = (x ^ x >> 3) & 0x0a0a;
  x ^= swap ^ swap << 3;
  swap = (x ^ x >> 6) & 0x00cc;
  return x ^ swap ^ swap << 6;
}

// What vector code needs to know of a table; no data if a bucket's planes are more than a word.
struct sorted_words {
  const std::byte* data;
  std::uint64_t buckets;
  std::uint64_t bucket_bits;
  std::uint64_t max_value;              // of a fingerprint
  std::uint64_t ones;                   // the lowest bit of every plane
  std::array<unsigned char, 3> shifts;  // from fingerprints to planes
};

class sorted_buckets {
 public:
  static constexpr unsigned slots = 4;
  static constexpr unsigned min_print_bits = 5;
  static constexpr unsigned max_print_bits = 32;

  sorted_buckets(std::uint64_t buckets, unsigned print_bits);
  sorted_buckets(std::uint64_t buckets, unsigned print_bits, storage stored);
  static std::uint64_t stored_bytes(std::uint64_t buckets, unsigned print_bits);
  static constexpr unsigned bits_of_bucket(unsigned print_bits) {
    return slots * print_bits - (16 - sorted_sequences::code_bits);
  }

  [[nodiscard]] std::uint64_t buckets() const { return buckets_; }
  [[nodiscard]] unsigned print_bits() const { return print_bits_; }
  [[nodiscard]] unsigned bucket_bits() const { return bits_of_bucket(print_bits_); }
  [[nodiscard]] std::uint64_t max_value() const { return max_value_; }
  [[nodiscard]] sorted_words words() const {
    return {narrow() ? start() : nullptr,      buckets_, bucket_bits(), max_value_,
            static_cast<std::uint64_t>(ones_), shifts_};
  }
  [[nodiscard]] std::uint64_t first_bit(std::uint64_t bucket) const {
    assert(bucket < buckets_);
    return bucket * bucket_bits();
  }

  // Planes are a Word, uint64_t or uint128; sets of places are the lower four bits of a number.
  template <class Word>
  class searcher {
   public:
    explicit searcher(const sorted_buckets& table)
        : data_(const_cast<std::byte*>(table.start())),  // only changed where it is owned
          ones_(static_cast<Word>(table.ones_)),
          used_(static_cast<Word>(table.ones_ * 15)),
          shifts_(table.shifts_) {}

    // The planes of the bucket that begins with this bit.
    [[nodiscard]] Word bucket(std::uint64_t first) const {
      const Word packed = load(data_ + first / 8) >> first % 8;
      const auto code = static_cast<unsigned>(packed) & (sequences.planes.size() - 1);
      return (packed >> sorted_sequences::code_bits << 16 | sequences.planes[code]) & used_;
    }
    // The planes of a bucket with this fingerprint in every place.
    [[nodiscard]] Word every(std::uint64_t print) const {
      const Word bits = print;
      const Word lowest =
          (bits | bits << shifts_[0] | bits << shifts_[1] | bits << shifts_[2]) & ones_;
      return (lowest << 4) - lowest;
    }
    // The places that have it.
    [[nodiscard]] static unsigned equal(Word bucket, Word value) {
      const Word differ = bucket ^ value;
      auto any = static_cast<std::uint64_t>(differ);
      if constexpr (sizeof(Word) > 8) any |= static_cast<std::uint64_t>(differ >> 64);
      any |= any >> 32;
      any |= any >> 16;
      any |= any >> 8;
      any |= any >> 4;
      return ~static_cast<unsigned>(any) & 15;
    }
    // Those that are free: the first ones, so that more are a larger number.
    [[nodiscard]] static unsigned free(Word bucket) { return equal(bucket, 0); }
    [[nodiscard]] bool has_room(Word bucket) const { return (bucket & ones_) == 0; }

    // Puts what `every` repeated into a bucket that has room: behind all that are not greater, which
    // move to the place before their own.
    void put(std::uint64_t first, Word held, unsigned /*free*/, Word value) const {
      assert(has_room(held));
      const std::uint32_t four = transposed(static_cast<std::uint16_t>(held));
      const std::uint32_t its = transposed(static_cast<std::uint16_t>(value)) & 15;
      std::uint32_t apart = (four | four << 8) & 0x00ff00ff;  // a byte each
      apart = (apart | apart << 4) & 0x0f0f0f0f;
      const std::uint32_t not_greater = (its * 0x01010101 + 0x80808080 - apart) & 0x80808080;
      const auto place = static_cast<unsigned>(std::bit_width(not_greater)) / 8 - 1;
      const Word here = ones_ << place;
      const Word up_to = 2 * here - ones_;
      store(first, (held & ~up_to) | (held >> 1 & (here - ones_)) | (value & here));
    }
    // Empties the first of a set of places: what is before it moves up.
    void take(std::uint64_t first, Word held, unsigned set, Word /*value*/) const {
      assert(set != 0);
      const Word here = ones_ << std::countr_zero(set);
      const Word up_to = 2 * here - ones_;
      store(first, (held & ~up_to) | (held << 1 & (up_to - ones_)));
    }
    [[nodiscard]] std::uint64_t print_in(Word held, unsigned place, std::uint64_t max_value) const {
      const Word bits = held >> place & ones_;
      return static_cast<std::uint64_t>(bits | bits >> shifts_[0] | bits >> shifts_[1] |
                                        bits >> shifts_[2]) &
             max_value;
    }

   private:
    static Word load(const std::byte* from) {
      if constexpr (sizeof(Word) == 8) {
        return core::load_le<std::uint64_t>(from);
      } else {
        return Word{core::load_le<std::uint64_t>(from + 8)} << 64 |
               core::load_le<std::uint64_t>(from);
      }
    }
    void store(std::uint64_t first, Word planes) const {
      const unsigned code = sequences.number(transposed(static_cast<std::uint16_t>(planes)));
      const Word packed = planes >> 16 << sorted_sequences::code_bits | code;
      const Word mask = used_ >> (16 - sorted_sequences::code_bits);
      std::byte* to = data_ + first / 8;
      const Word now = (load(to) & ~(mask << first % 8)) | packed << first % 8;
      core::store_le(to, static_cast<std::uint64_t>(now));
      if constexpr (sizeof(Word) > 8) {
        core::store_le(to + 8, static_cast<std::uint64_t>(now >> 64));
      }
    }

    std::byte* data_;
    Word ones_;  // the lowest bit of every plane
    Word used_;  // all of them
    std::array<unsigned char, 3> shifts_;
  };

  // act(searcher) with the narrower word that holds the planes of a bucket.
  template <class Act>
  auto search(Act act) const {
    return narrow() ? act(searcher<std::uint64_t>(*this)) : act(searcher<core::uint128>(*this));
  }

  [[nodiscard]] unsigned count(std::uint64_t bucket, std::uint64_t print) const {
    return search([&](const auto& in) {
      return static_cast<unsigned>(std::popcount(in.equal(in.bucket(bucket), in.every(print))));
    });
  }
  [[nodiscard]] bool has_room(std::uint64_t bucket) const {
    return search([&](const auto& in) { return in.has_room(in.bucket(bucket)); });
  }
  [[nodiscard]] std::array<std::uint64_t, slots> get(std::uint64_t bucket) const {
    return search([&](const auto& in) {
      const auto planes = in.bucket(bucket);
      std::array<std::uint64_t, slots> prints;
      for (unsigned place = 0; place < slots; ++place) {
        prints[place] = in.print_in(planes, place, max_value_);
      }
      return prints;
    });
  }
  // Into a bucket that has room.
  void put(std::uint64_t bucket, std::uint64_t print) {
    assert(stored_.writable() && print != 0 && print <= max_value_);
    search([&](const auto& in) {
      const auto planes = in.bucket(bucket);
      in.put(bucket, planes, in.free(planes), in.every(print));
    });
  }
  // Out of a place that is not free.
  void take(std::uint64_t bucket, unsigned place) {
    assert(stored_.writable() && place < slots);
    search([&](const auto& in) {
      const auto planes = in.bucket(bucket);
      in.take(bucket, planes, 1U << place, planes);
    });
  }

  void prefetch(std::uint64_t bucket) const {
    core::prefetch(start() + bucket / 8);
    if (straddling_) core::prefetch(start() + (bucket + bucket_bits() - 1) / 8);
  }

  // Throws errc::read_only for a view; call before a run of changes.
  void require_writable() {
    if (!stored_.writable()) (void)stored_.bytes_for_writing();  // a call a key would cost
  }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }

 private:
  [[nodiscard]] bool narrow() const { return print_bits_ <= 16; }
  [[nodiscard]] const std::byte* start() const { return stored_.words<std::byte>(); }
  void require_sorted() const;

  storage stored_;
  std::uint64_t buckets_;
  unsigned print_bits_;
  bool straddling_;  // some buckets lie in two lines
  std::array<unsigned char, 3> shifts_;
  std::uint64_t max_value_;
  core::uint128 ones_;
};

}  // namespace bloomery::bits
