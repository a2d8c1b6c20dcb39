// The set that a party has: digests in order, each once, and what tells it from another.
//
// Cost:      16 bytes a key, and sorting; or, if they are stored elsewhere, a sixteenth of a byte a key.
// Guarantee: two sets have the same print if they are the same, and else but for a chance of 2^-128; as digests have, this is
//            meant for accidents. Who can choose keys is kept from choosing prints by a keyed hash.
//
//     const bloomery::exchange::digest_set some({{3, 4}, {1, 2}, {3, 4}});
//     assert(some.size() == 2 && some.contains({1, 2}) && !some.contains({2, 1}));
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::exchange {

// A key as it counts in sums, so that keys which differ little do not.
constexpr digest scattered(digest d) {
  return {hash::mix(d.lo + hash::golden * (d.hi | 1)), hash::mix(d.hi ^ hash::mix(d.lo))};
}

// The sum over a set, to which keys are added and taken away.
struct set_print {
  std::uint64_t lo = 0;
  std::uint64_t hi = 0;
  friend constexpr bool operator==(const set_print&, const set_print&) = default;
  constexpr void add(digest d) {
    lo += scattered(d).lo;
    hi += scattered(d).hi;
  }
  constexpr void remove(digest d) {
    lo -= scattered(d).lo;
    hi -= scattered(d).hi;
  }
};

// Digests in order, each once, that lie elsewhere than in memory.
class stored_digests {
 public:
  stored_digests() = default;
  stored_digests(const stored_digests&) = delete;
  stored_digests& operator=(const stored_digests&) = delete;
  virtual ~stored_digests() = default;
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Those from `first` on, as many as there is room for; there are so many.
  virtual void read(std::uint64_t first, std::span<digest> into) const = 0;
};

class digest_set {
 public:
  digest_set() = default;
  // `bytes` are those of the lines that the digests stand for, to be reported.
  explicit digest_set(std::vector<digest> keys, std::uint64_t bytes = 0);
  explicit digest_set(std::shared_ptr<const stored_digests> keys, std::uint64_t bytes = 0);

  // All of them, but of a set that is stored: of that there are only `each`, `read` and `all`.
  [[nodiscard]] std::span<const digest> keys() const { return keys_; }
  [[nodiscard]] bool is_stored() const { return stored_ != nullptr; }
  [[nodiscard]] std::uint64_t size() const { return stored_ ? stored_->size() : keys_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] const set_print& print() const { return print_; }
  [[nodiscard]] bool contains(digest d) const;

  // Calls use(some), in order, until all have come.
  template <class Use>
  void each(Use use) const {
    if (!stored_) return use(keys());
    std::vector<digest> some;
    for (std::uint64_t first = 0; first < size(); first += some.size()) {
      some.resize(static_cast<std::size_t>(std::min(at_once, size() - first)));
      stored_->read(first, some);
      use(std::span<const digest>(some));
    }
  }
  // So many, from `first` on; there must be so many.
  [[nodiscard]] std::vector<digest> read(std::uint64_t first, std::uint64_t count) const;
  [[nodiscard]] std::vector<digest> all() const { return read(0, size()); }

 private:
  static constexpr std::uint64_t at_once = 1 << 14;
  static constexpr std::uint64_t page = 256;  // digests that are read to find one

  std::vector<digest> keys_;
  std::shared_ptr<const stored_digests> stored_;
  std::vector<digest> page_ends_;  // the last of each page of what is stored
  std::uint64_t bytes_ = 0;
  set_print print_;
};

// Goes over a set once, in order.
class digest_cursor {
 public:
  explicit digest_cursor(const digest_set& of) : set_(&of) { fill(); }  // which must live on
  digest_cursor(digest_cursor&&) = default;
  digest_cursor& operator=(digest_cursor&&) = default;
  ~digest_cursor() = default;
  [[nodiscard]] bool at_end() const { return some_.empty(); }
  [[nodiscard]] digest operator*() const { return some_.front(); }
  void advance() {
    some_ = some_.subspan(1);
    if (some_.empty()) fill();
  }

 private:
  void fill();

  const digest_set* set_;
  std::uint64_t read_ = 0;
  std::vector<digest> buffer_;
  std::span<const digest> some_;
};

// What two sets do not share.
struct differences {
  std::vector<digest> only_mine;
  std::vector<digest> only_theirs;
};

}  // namespace bloomery::exchange
