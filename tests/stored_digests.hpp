// A set of digests as it would be elsewhere than in memory, and how often it was read.
#pragma once

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>
#include <vector>

#include "bloomery/apps/exchange/digest_set.hpp"

namespace bloomery::testing {

class lying_elsewhere : public exchange::stored_digests {
 public:
  explicit lying_elsewhere(std::vector<digest> keys) : keys_(std::move(keys)) {}
  [[nodiscard]] std::uint64_t size() const override { return keys_.size(); }
  void read(std::uint64_t first, std::span<digest> into) const override {
    assert(first <= keys_.size() && into.size() <= keys_.size() - first);
    std::ranges::copy(std::span(keys_).subspan(first, into.size()), into.begin());
    read_ += into.size();
    most_at_once_ = std::max<std::uint64_t>(most_at_once_, into.size());
  }
  [[nodiscard]] std::uint64_t keys_read() const { return read_; }
  [[nodiscard]] std::uint64_t most_at_once() const { return most_at_once_; }

 private:
  std::vector<digest> keys_;
  mutable std::uint64_t read_ = 0;
  mutable std::uint64_t most_at_once_ = 0;
};

inline exchange::digest_set elsewhere(const exchange::digest_set& held) {
  return exchange::digest_set(std::make_shared<lying_elsewhere>(held.all()), held.bytes());
}

}  // namespace bloomery::testing
