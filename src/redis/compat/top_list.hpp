// The value of TOPK.* keys: HeavyKeeper (Gong, Yang, Zhang, Li, Uhlig, Chen, Uden, Li 2018), rows of
// fingerprints with counts that other keys wear down by chance, and a heap of the keys with most; in the
// cells and the encoding of the type TopK-TYPE.
//
// Guarantee: the same calls make the same value on every server: chance is drawn from a state that is part
//            of the value. It is stored where the encoding has a pointer that no reader uses, in the first
//            record of the heap. Keys are bytes, any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "redis/type.hpp"

namespace bloomery::redis {

class top_list : public stored<top_list> {
 public:
  static constexpr const char* type_name = "TopK-TYPE";
  static constexpr int encoding = 0;
  static constexpr std::uint32_t most_increment = 100'000;

  using text = std::basic_string<char, std::char_traits<char>, allocator<char>>;

  // The numbers must be above 0 and below 2^32, the decay above 0 and at most 1.
  top_list(std::uint64_t k, std::uint64_t width, std::uint64_t depth, double decay, budget allowed);

  // The key that it drove out of the list, if any.
  std::optional<text> add(byte_view key, std::uint32_t times);
  [[nodiscard]] bool has(byte_view key) const;
  [[nodiscard]] std::uint32_t count(byte_view key) const;

  struct entry {
    std::uint32_t fingerprint = 0;
    std::uint32_t count = 0;  // 0: there is none
    text key;
  };
  // Most frequent first; of equal ones, in the order of the heap.
  [[nodiscard]] std::vector<const entry*> listed() const;

  [[nodiscard]] std::uint64_t k() const { return heap_.size(); }
  [[nodiscard]] std::uint64_t width() const { return width_; }
  [[nodiscard]] std::uint64_t depth() const { return depth_; }
  [[nodiscard]] double decay() const { return decay_; }

  static top_list load(reading& from, int encoding);
  void save(writing& to) const;
  void rewrite(rewriting& to);
  [[nodiscard]] std::size_t memory() const;
  [[nodiscard]] top_list copy() const;
  template <class Move>
  void relocate(const Move& move) {
    cells_.relocate(move);
  }

 private:
  struct cell {
    std::uint32_t fingerprint;
    std::uint32_t count;
  };

  top_list() = default;
  [[nodiscard]] std::uint64_t place(byte_view key, std::uint64_t row) const;
  [[nodiscard]] cell at(std::uint64_t place) const;
  void set(std::uint64_t place, cell value);
  // The count of the row's cell if it is the key's after that, else 0.
  std::uint32_t add_to_row(std::uint64_t where, std::uint32_t fingerprint, std::uint32_t times);
  [[nodiscard]] std::uint64_t tries_to_wear(std::uint32_t count);
  [[nodiscard]] std::size_t find(byte_view key, std::uint32_t fingerprint) const;
  void sink(std::size_t from);

  block cells_;  // rows one behind the other
  std::vector<entry, allocator<entry>> heap_;
  std::uint64_t width_ = 0;
  std::uint64_t depth_ = 0;
  double decay_ = 0;
  std::uint64_t chance_ = 0;
};

}  // namespace bloomery::redis
