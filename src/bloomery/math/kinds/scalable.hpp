// Scalable filters: stages that fill up one after another, each larger and stricter than the last.
//
// Purpose:   stages and compound rate.
// Cost:      microseconds a stage; an answer for n keys visits the stages that n keys fill.
// Guarantee: a stranger is claimed if any stage claims it, and stages err independently. A key that
//            is claimed already is not stored again. Expected values; what fluctuates does so by
//            1/√bits.
// Citation:  Almeida, Baquero, Preguiça, Hutchison 2007 (Tarkoma §III-N, with stage i in place of its
//            slip of slices and stages).
//
//     const bloomery::math::scalable_stages stages{1443, 0.01, 0.9, 2};
//     assert(stages.hashes(0) == 10 && stages.hashes(1) == 11 && stages.slice_bits(1) == 2886);
//     assert(stages.rate(1'000'000) < 0.01);
#pragma once

#include <cstdint>

namespace bloomery::math {

// Stage i is a partitioned filter of ⌈log2 1/P_i⌉ slices of slice·growth^i bits, P_i = rate·(1-r)·r^i,
// and full when half of its bits are set: then it errs at 2^-slices, and all of them together at less
// than the sum of P_i, which is `rate`.
struct scalable_stages {
  std::uint64_t first_slice_bits;
  double compound_rate;
  double tightening;
  std::uint64_t growth;

  [[nodiscard]] std::uint64_t hashes(std::uint64_t stage) const;
  [[nodiscard]] std::uint64_t slice_bits(std::uint64_t stage) const;  // errc::limit beyond max_bits
  [[nodiscard]] std::uint64_t bits(std::uint64_t stage) const;        // likewise
  [[nodiscard]] double rate(std::uint64_t keys) const;
};

// Bits of a slice, each key setting one, that is half full of `keys` keys.
std::uint64_t half_filled_slice(std::uint64_t keys);

// At most the chance that a stage of so many slices is half full before it has taken `keys` keys, so that
// the last of them opens another: by McDiarmid's inequality (1989), since each of the bits that are set
// one by one changes their number by one or not at all.
double early_close_bound(std::uint64_t slice_bits, std::uint64_t slices, std::uint64_t keys);

// Bits of the smallest slice for which that is at most `chance`.
std::uint64_t roomy_slice(std::uint64_t keys, std::uint64_t slices, double chance);

}  // namespace bloomery::math
