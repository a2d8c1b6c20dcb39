// Gaussian elimination over one segment of a ribbon table.
//
// Purpose:   takes the keys of a segment, bucket by bucket from the left, and finds for each bucket
//            the lowest threshold with which its equations are solvable. What it bumps is for the
//            next layer. Four lanes are advanced together by ribbon_kernels.inl, as a single one
//            mostly waits for memory it has just written.
// Cost:      twelve bytes a row and sixteen a key; some nine row additions a key.
// Guarantee: thresholds and bumped keys depend on the set of keys, not on their order or repeats.
//
//     const std::vector<std::uint64_t> hashes{std::uint64_t{1} << 60, std::uint64_t{1} << 61};
//     std::array<std::byte, 1> thresholds{};
//     bloomery::bits::ribbon_lane lane(4);
//     lane.begin({.layer_rows = 256, .buckets = 4, .hashes = hashes, .values = {},
//                 .thresholds = thresholds.data()});
//     lane.finish();
//     assert(lane.bumped().hashes.empty());
//     assert(thresholds[0] == std::byte{0b11'00'00'00});  // a segment's last bucket has no keys
//     assert(lane.left()[16] != 0 && lane.left()[17] == 0);
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/ribbon.hpp"

namespace bloomery::bits {

// What a key's hash in a layer says beside where its equation begins.
struct ribbon_bits {
  std::uint64_t coefficients;  // of the rows, the lowest bit for the first, and set
  std::uint32_t fingerprint;

  // Where an equation begins depends on the upper bits of the hash, so that the lower can serve for the
  // rows after the first 32.
  ribbon_bits(std::uint64_t hash, unsigned band) {
    const std::uint64_t folded = hash::fold(hash, hash::golden);
    const std::uint64_t further = (std::uint64_t{1} << band) - (std::uint64_t{1} << 32);
    coefficients = static_cast<std::uint32_t>(folded) | 1 | (hash << 32 & further);
    fingerprint = static_cast<std::uint32_t>(folded >> 32);
  }
};

// Keys as the solver moves them about: without values they have their fingerprints.
struct ribbon_keys {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint32_t> values;  // none, or as many
};

// Sorts keys and moves one of each hash to the front; values are none or as many.
struct distinct_keys {
  std::uint64_t count;
  bool contradicted;  // one hash came with two values
};
distinct_keys keep_distinct(std::span<std::uint64_t> hashes, std::span<std::uint32_t> values);

// An equation on its way to a free row: coefficients from that row on, and the value.
struct ribbon_equation {
  std::uint64_t row;
  std::uint64_t left;
  std::uint32_t right;

  ribbon_equation(std::uint64_t first_row, const ribbon_bits& bits, std::uint32_t value)
      : row(first_row), left(bits.coefficients), right(value) {}

  // Adds it to the rows, whose left sides are 0 where free; false if it contradicts them.
  [[nodiscard]] bool add_to(std::uint64_t* lefts, std::uint32_t* rights);
};

class ribbon_lane {
 public:
  struct job {
    unsigned band = math::ribbon_narrow;
    std::uint64_t layer_rows = 0;
    std::uint64_t first_row = 0;  // of the segment
    std::uint64_t buckets = 0;
    std::uint32_t fingerprint_mask = ~std::uint32_t{0};  // none of it where there are values alone
    std::span<const std::uint64_t> hashes;
    std::span<const std::uint32_t> values;  // none, or as many, where no fingerprint is
    std::byte* thresholds = nullptr;        // two bits a bucket, zeros
    std::uint64_t first_bucket = 0;         // of them
  };

  explicit ribbon_lane(std::uint64_t most_buckets);

  void begin(const job& what);

  // The equation to insert next. Not when done.
  [[nodiscard]] ribbon_equation next() const {
    const std::uint64_t hash = hashes_[next_];
    const ribbon_bits bits(hash, job_.band);
    const std::uint32_t fingerprint = bits.fingerprint & job_.fingerprint_mask;
    const std::uint32_t value = job_.values.empty() ? 0 : values_[next_];
    return {hash::reduce(hash, job_.layer_rows) - job_.first_row, bits, fingerprint | value};
  }
  // After it has gone into a free row, or follows from others.
  void inserted() {
    if (++next_ == end_) next_bucket();
  }
  // Inserts it, or raises the bucket's threshold if it contradicts others.
  void insert();
  void finish() {
    while (!done()) insert();
  }

  [[nodiscard]] bool done() const { return bucket_ == job_.buckets; }
  // The sides of the rows, zeros where free.
  [[nodiscard]] std::uint64_t* left() { return left_; }
  [[nodiscard]] std::uint32_t* right() { return right_; }
  [[nodiscard]] unsigned band() const { return job_.band; }
  [[nodiscard]] std::uint64_t row_count() const { return job_.buckets * math::ribbon_bucket; }
  [[nodiscard]] const ribbon_keys& bumped() const { return bumped_; }
  // One hash came with two values.
  [[nodiscard]] bool contradicted() const { return contradicted_; }

 private:
  // Keys are sorted to steps of four rows: finer order would save nothing.
  static constexpr unsigned step = 4;
  static constexpr unsigned steps = math::ribbon_bucket / step;
  static constexpr unsigned all_bumped = 3;

  void sort();
  void next_bucket();
  void open_bucket();
  void close_bucket();
  void raise_threshold();
  void drop_repeats();
  [[nodiscard]] bool has_repeats() const;
  [[nodiscard]] std::uint32_t first_kept() const;
  [[nodiscard]] bool seems_to_fit(unsigned spilled) const;

  std::uint64_t most_rows_;
  storage memory_;
  std::uint64_t* left_;
  std::uint32_t* right_;
  job job_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> ends_;  // of the steps

  std::uint64_t bucket_ = 0;
  std::uint32_t first_ = 0;  // key of the bucket
  std::uint32_t next_ = 0;
  std::uint32_t end_ = 0;
  unsigned code_ = 0;
  bool distinct_ = false;
  std::array<std::uint32_t, steps> step_ends_;
  // Rows of the bucket that earlier buckets have filled, and zeros.
  std::array<std::uint64_t, math::ribbon_wide> left_before_;
  std::array<std::uint32_t, math::ribbon_wide> right_before_;

  ribbon_keys bumped_;
  bool contradicted_ = false;
};

}  // namespace bloomery::bits
