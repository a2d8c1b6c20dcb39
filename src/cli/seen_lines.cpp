#include "seen_lines.hpp"

#include <algorithm>
#include <numeric>

#include "bloomery/core/limits.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t growth = 4;
constexpr double tightening = 0.5;
// The last thousandth of a filter stays empty: lines would have to be inserted a few at a time.
constexpr std::uint64_t unfilled_part = 1024;

}  // namespace

seen_lines::seen_lines(const planned_filter& first, hash_identity hash)
    : kind_(first.kind),
      hash_(hash),
      all_promised_{first.promised.keys, 2 * first.promised.rate},
      promised_(first.promised),
      room_(first.promised.keys),
      filling_(first.create(hash)) {}

void seen_lines::open_next() {
  full_.push_back(std::move(filling_));
  promised_.keys = std::min(promised_.keys, max_keys / growth) * growth;
  promised_.rate *= tightening;
  filling_ = kind_->for_keys(promised_.keys, promised_.rate, hash_);
  room_ = promised_.keys;
}

std::uint64_t seen_lines::insert(std::span<const digest> lines, std::span<bool> fresh) {
  std::uint64_t count = 0;
  while (!lines.empty()) {
    if (room_ <= promised_.keys / unfilled_part) open_next();
    const std::size_t some = std::min<std::uint64_t>(lines.size(), room_);
    const std::uint64_t new_ones = insert_some(lines.first(some), fresh.first(some));
    count += new_ones;
    room_ -= new_ones;
    lines = lines.subspan(some);
    fresh = fresh.subspan(some);
  }
  return count;
}

std::uint64_t seen_lines::insert_some(std::span<const digest> lines, std::span<bool> fresh) {
  if (full_.empty()) return filling_.as<inserts>().insert(lines, fresh);
  // The larger ones know more of them; who is known is not asked for again.
  unseen_.assign(lines.begin(), lines.end());
  places_.resize(lines.size());
  std::iota(places_.begin(), places_.end(), std::size_t{0});
  std::fill(fresh.begin(), fresh.end(), false);
  for (std::size_t at = full_.size(); at-- > 0;) {
    const std::span<bool> known = fresh.first(unseen_.size());
    full_[at].as<asks>().may_contain(unseen_, known);
    std::size_t left = 0;
    for (std::size_t i = 0; i < unseen_.size(); ++i) {
      unseen_[left] = unseen_[i];
      places_[left] = places_[i];
      left += std::size_t{!known[i]};
    }
    unseen_.resize(left);
    places_.resize(left);
  }
  const std::span<bool> is_new = fresh.first(unseen_.size());
  const std::uint64_t count = filling_.as<inserts>().insert(unseen_, is_new);
  // Every line has its place at or behind that of its answer, so the last goes first.
  for (std::size_t i = fresh.size(), j = unseen_.size(); i-- > 0;) {
    fresh[i] = j > 0 && places_[j - 1] == i ? bool{is_new[--j]} : false;
  }
  return count;
}

std::uint64_t seen_lines::bytes() const {
  std::uint64_t sum = filling_.bytes();
  for (const any_filter& filter : full_) sum += filter.bytes();
  return sum;
}

}  // namespace bloomery::cli
