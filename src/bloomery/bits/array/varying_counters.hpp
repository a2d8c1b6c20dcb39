// Counters that take as many bits as their values need.
//
// Purpose:   counts of a skewed multiset, most of them 0 or 1 and a few in the millions.
// Cost:      counters are Elias delta codes of value + 1, packed: N + o(N) bits where N is the sum of
//            the values' lengths, and less than 2 bits a counter for index and slack. Access
//            decodes up to 15 neighbours; a change of length shifts up to 255. A run of 256 that
//            outgrows its slack of 80 bits makes all be packed anew, with fresh slack.
// Guarantee: values to 2^63 - 2, where they stay. The bounds are those of the string-array index:
//            N + o(N) + O(m) bits and O(1) access. Stored bytes are checked whole.
// Citation:  Elias 1975; the string-array index of Cohen, Matias 2003 keeps the same bounds with
//            offset vectors and lookup tables instead.
//
// Layout, in 64-bit words: first word of each run, and the end of the last; in a run, 16 ends of its
// groups of 16 counters, in bits from the first code, 16 bits each; codes, least bits first; slack.
//
//     bloomery::bits::varying_counters counts(1000);
//     counts.set(7, 1'000'000);
//     assert(counts.get(7) == 1'000'000 && counts.get(6) == 0 && counts.get(8) == 0);
//     assert(counts.bytes().size() == bloomery::bits::varying_counters::empty_bytes(1000));
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/bits/memory/storage.hpp"

namespace bloomery::bits {

class varying_counters {
 public:
  static constexpr std::uint64_t max_value = (std::uint64_t{1} << 63) - 2;

  explicit varying_counters(std::uint64_t counters);
  varying_counters(std::uint64_t counters, storage stored);
  static std::uint64_t empty_bytes(std::uint64_t counters);
  // Just packed, when each counter has had `load` increments on average. Before that is due, those that
  // grew up to it take less, by at most the slack of 80 bits for 256.
  static std::uint64_t expected_bytes(std::uint64_t counters, double load);

  // The bytes of the counters in front of `stored`, whose length they tell; errc::corrupt if it is
  // absurd.
  static std::uint64_t stored_bytes(std::uint64_t counters, byte_view stored);

  [[nodiscard]] std::uint64_t size() const { return counters_; }
  [[nodiscard]] std::uint64_t get(std::uint64_t i) const;
  void set(std::uint64_t i, std::uint64_t value);
  std::uint64_t add(std::uint64_t i, std::uint64_t weight);  // the value before
  // Of as many counters, one by one; takes two passes over both.
  [[nodiscard]] varying_counters sum(const varying_counters& other) const;

  void prefetch(std::uint64_t i) const;
  void require_writable() { (void)stored_.bytes_for_writing(); }
  [[nodiscard]] byte_view bytes() const { return stored_.bytes(); }

 private:
  struct run;
  // Runs with room for bits_of(r) bits of codes each, filled by write(r, run).
  template <class BitsOf, class Write>
  varying_counters(std::uint64_t counters, BitsOf bits_of, Write write);
  [[nodiscard]] run run_at(std::uint64_t r) const;
  [[nodiscard]] std::uint64_t in_run(std::uint64_t r) const;
  void replace(std::uint64_t i, std::uint64_t at, std::uint64_t before, std::uint64_t value);
  void pack_anew();
  void read_run(std::uint64_t r, std::span<std::uint64_t> values) const;
  void check() const;

  std::uint64_t counters_;
  storage stored_;
};

}  // namespace bloomery::bits
