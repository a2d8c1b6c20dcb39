// The keys of an input as digests, most repeats left out: memory grows with the distinct keys.
//
// Cost:      24 bytes a key while they are counted if none repeats; at most about 48 a distinct key, and
//            6 MB, whatever repeats. Whether keys repeat is told by a sample of their digests.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "bloomery/hash/digest.hpp"

namespace bloomery::cli {

// Leaves out digests that came shortly before, as those of hot keys do. For any thread.
std::vector<digest> without_close_repeats(std::vector<digest> keys);

class distinct_keys {
 public:
  explicit distinct_keys(unsigned threads) : threads_(threads) {}

  // `insertions` of them came, of which these are left.
  void add(std::span<const digest> keys, std::uint64_t insertions);

  // Repeats counted.
  [[nodiscard]] std::uint64_t insertions() const { return insertions_; }
  // In the order in which they first came; some may still be there twice.
  [[nodiscard]] std::vector<digest> take();

 private:
  [[nodiscard]] const digest& at(std::uint64_t i) const;
  [[nodiscard]] std::uint64_t size() const;
  void append(digest key);
  void leave_out_repeats();

  unsigned threads_;
  std::vector<std::vector<digest>> pieces_;  // all but the last are full
  std::uint64_t insertions_ = 0;
  std::uint64_t known_distinct_ = 0;
  std::set<std::uint64_t> sample_;
};

// Told apart by 64 bits of digest: short by about n²/2^65, far below one in practice. Takes 8 bytes a
// key meanwhile.
std::uint64_t count_distinct(std::span<const digest> keys, unsigned threads);

}  // namespace bloomery::cli
