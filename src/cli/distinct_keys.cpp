#include "distinct_keys.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "bloomery/bits/batch/dealing.hpp"

namespace bloomery::cli {
namespace {

// Each piece is large enough for the allocator to give it back by itself, so that the digests are never
// there twice.
constexpr std::uint64_t piece_size = (std::uint64_t{32} << 20) / sizeof(digest);
constexpr std::uint64_t few = 1 << 18;   // not worth looking for repeats among
constexpr std::uint64_t sampled = 1024;  // one digest in so many

}  // namespace

std::vector<digest> without_close_repeats(std::vector<digest> keys) {
  constexpr std::size_t remembered = 1 << 14;
  std::vector<digest> latest(std::min(remembered, std::max<std::size_t>(1, keys.size())));
  bool zero_met = false;  // which an empty place looks like
  std::erase_if(keys, [&](digest key) {
    digest& place = latest[key.lo % latest.size()];
    const bool repeat = place == key && (key != digest{} || zero_met);
    zero_met = zero_met || key == digest{};
    place = key;
    return repeat;
  });
  return keys;
}

const digest& distinct_keys::at(std::uint64_t i) const {
  return pieces_[i / piece_size][i % piece_size];
}

std::uint64_t distinct_keys::size() const {
  return pieces_.empty() ? 0 : (pieces_.size() - 1) * piece_size + pieces_.back().size();
}

void distinct_keys::append(digest key) {
  if (pieces_.empty() || pieces_.back().size() == piece_size) {
    pieces_.emplace_back().reserve(piece_size);
  }
  pieces_.back().push_back(key);
}

void distinct_keys::add(std::span<const digest> keys, std::uint64_t insertions) {
  insertions_ += insertions;
  for (const digest key : keys) {
    append(key);
    if (key.hi % sampled == 0) sample_.insert(key.lo);
  }
  const std::uint64_t distinct = std::max(known_distinct_, sampled * sample_.size());
  if (size() > few && size() > 2 * distinct) leave_out_repeats();
}

void distinct_keys::leave_out_repeats() {
  std::vector<std::uint64_t> order(size());
  bits::deal_in_order(
      std::span(order), bits::threads_for(size(), threads_), std::identity{},
      [&](std::uint64_t i) { return at(i).lo; },
      [&](std::uint64_t i) { return std::tuple(at(i).lo, at(i).hi, i); });
  std::vector<bool> repeat(size());
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (at(order[i]) == at(order[i - 1])) repeat[order[i]] = true;
  }
  std::vector<std::vector<digest>> all;
  all.swap(pieces_);
  std::uint64_t number = 0;
  for (std::vector<digest>& piece : all) {
    for (const digest key : piece) {
      if (!repeat[number++]) append(key);
    }
    std::vector<digest>().swap(piece);
  }
  known_distinct_ = size();
}

std::vector<digest> distinct_keys::take() {
  std::vector<digest> all;
  if (pieces_.size() == 1) {
    all.swap(pieces_.front());
    return all;
  }
  all.reserve(size());
  for (std::vector<digest>& piece : pieces_) {
    all.insert(all.end(), piece.begin(), piece.end());
    std::vector<digest>().swap(piece);
  }
  return all;
}

std::uint64_t count_distinct(std::span<const digest> keys, unsigned threads) {
  std::vector<std::uint64_t> sorted(keys.size());
  bits::deal_in_order(
      std::span(sorted), bits::threads_for(keys.size(), threads),
      [&](std::uint64_t i) { return keys[i].lo; }, std::identity{}, std::identity{});
  return static_cast<std::uint64_t>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
}

}  // namespace bloomery::cli
