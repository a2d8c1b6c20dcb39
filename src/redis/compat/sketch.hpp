// The value of CMS.* keys: a Count-Min sketch (Cormode, Muthukrishnan 2005) of 32-bit counters, in the
// counters and the encoding of the type CMSk-TYPE. Each row hashes the key anew, so it takes keys, not digests.
//
// Guarantee: an estimate is never less than the count, unless a counter has stopped at its greatest value,
//            which every answer that it takes part in says.
#pragma once

#include <optional>

#include "redis/type.hpp"

namespace bloomery::redis {

class sketch : public stored<sketch> {
 public:
  static constexpr const char* type_name = "CMSk-TYPE";
  static constexpr int encoding = 0;
  static constexpr std::uint32_t most_count = UINT32_MAX;

  // Both must be above 0.
  sketch(std::uint64_t width, std::uint64_t depth, budget allowed);

  // The estimate after that; most_count if a counter of the key has stopped.
  std::uint32_t add(byte_view key, std::uint64_t times);
  [[nodiscard]] std::uint32_t count(byte_view key) const;

  struct part {
    const sketch* from;
    long long weight;
  };
  // Becomes the weighted sum of sketches of its width and depth, of which it may be one; false, and
  // unchanged, if a sum is negative or more than a counter holds.
  bool become_sum(std::span<const part> parts);

  [[nodiscard]] std::uint64_t width() const { return width_; }
  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  // Of all insertions, modulo 2^64.
  [[nodiscard]] std::uint64_t total() const { return total_; }

  static sketch load(reading& from, int encoding);
  void save(writing& to) const;
  void rewrite(rewriting& to);
  [[nodiscard]] std::size_t memory() const { return counters_.usable(); }
  [[nodiscard]] sketch copy() const;
  template <class Move>
  void relocate(const Move& move) {
    counters_.relocate(move);
  }

 private:
  sketch() = default;
  [[nodiscard]] std::uint64_t place(byte_view key, std::uint64_t row) const;
  [[nodiscard]] std::uint32_t at(std::uint64_t place) const;
  void set(std::uint64_t place, std::uint32_t value);

  block counters_;  // rows one behind the other
  std::uint64_t width_ = 0;
  std::uint64_t depth_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace bloomery::redis
