#include "bloomery/apps/exchange/digest_set.hpp"

#include <iterator>
#include <utility>

namespace bloomery::exchange {

digest_set::digest_set(std::vector<digest> keys, std::uint64_t bytes)
    : keys_(std::move(keys)), bytes_(bytes) {
  std::ranges::sort(keys_, std::less<>());
  keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
  for (const digest d : keys_) print_.add(d);
}

digest_set::digest_set(std::shared_ptr<const stored_digests> keys, std::uint64_t bytes)
    : stored_(std::move(keys)), bytes_(bytes) {
  static_assert(at_once % page == 0);
  page_ends_.reserve(static_cast<std::size_t>((size() + page - 1) / page));
  each([&](std::span<const digest> some) {
    for (const digest d : some) print_.add(d);
    for (; some.size() > page; some = some.subspan(page)) page_ends_.push_back(some[page - 1]);
    page_ends_.push_back(some.back());
  });
}

bool digest_set::contains(digest d) const {
  if (!stored_) return std::binary_search(keys_.begin(), keys_.end(), d);
  const auto found = std::ranges::lower_bound(page_ends_, d, std::less<>());
  if (found == page_ends_.end()) return false;
  const auto first = page * static_cast<std::uint64_t>(found - page_ends_.begin());
  const std::vector<digest> some = read(first, std::min(page, size() - first));
  return std::binary_search(some.begin(), some.end(), d);
}

std::vector<digest> digest_set::read(std::uint64_t first, std::uint64_t count) const {
  std::vector<digest> some(static_cast<std::size_t>(count));
  if (stored_) {
    stored_->read(first, some);
  } else {
    std::ranges::copy(keys().subspan(static_cast<std::size_t>(first), some.size()), some.begin());
  }
  return some;
}

void digest_cursor::fill() {
  if (read_ == set_->size()) return;
  constexpr std::uint64_t at_once = 4096;
  if (set_->is_stored()) {
    buffer_ = set_->read(read_, std::min(at_once, set_->size() - read_));
    some_ = buffer_;
  } else {
    some_ = set_->keys();
  }
  read_ += some_.size();
}

}  // namespace bloomery::exchange
