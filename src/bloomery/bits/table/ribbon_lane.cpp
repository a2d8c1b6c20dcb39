#include "bloomery/bits/table/ribbon_lane.hpp"

#include <algorithm>
#include <utility>

namespace bloomery::bits {
namespace {

constexpr std::uint64_t bucket_rows = math::ribbon_bucket;

// Behind the last row, zeros: an equation that comes to nothing is moved on by 64 rows a step until
// the others of its group are done, at most as many steps as rows can be filled before them, 103, and
// four.
constexpr std::uint64_t spare_rows = (bucket_rows + math::ribbon_wide + 4) * 64;

// A bucket is tried only if its keys, served in order by one row each, never wait this many at a
// time. Measured with 32 rows an equation at 3 M keys, 4.5 % more than rows: 30 takes 1.74 % more bits
// than the values, 31 takes 1.63 %, 32 1.57 % and 33 1.56 %. Trying every bucket saves 0.05 % and
// eliminates for a third longer. With 40 rows at 1 M keys, 7 % more than rows: 34 takes 0.78 % more bits
// and 8.1 row additions a key, 36 0.70 % and 8.9, 38 0.60 % and 10.0, all of them 0.60 % and 10.7.
constexpr int most_waiting(unsigned band) {
  return band == math::ribbon_wide ? 36 : 32;
}

}  // namespace

distinct_keys keep_distinct(std::span<std::uint64_t> hashes, std::span<std::uint32_t> values) {
  if (values.empty()) {
    std::sort(hashes.begin(), hashes.end());
    const auto end = std::unique(hashes.begin(), hashes.end());
    return {static_cast<std::uint64_t>(end - hashes.begin()), false};
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  keys.reserve(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) keys.emplace_back(hashes[i], values[i]);
  std::sort(keys.begin(), keys.end());
  distinct_keys distinct{0, false};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto& [hash, value] = keys[i];
    if (i != 0 && hash == keys[i - 1].first) {
      distinct.contradicted = distinct.contradicted || value != keys[i - 1].second;
      continue;
    }
    hashes[distinct.count] = hash;
    values[distinct.count++] = value;
  }
  return distinct;
}

bool ribbon_equation::add_to(std::uint64_t* lefts, std::uint32_t* rights) {
  while (const std::uint64_t other = lefts[row]) {
    left ^= other;
    right ^= rights[row];
    if (left == 0) return right == 0;
    const int zeros = std::countr_zero(left);
    row += static_cast<unsigned>(zeros);
    left >>= zeros;
  }
  lefts[row] = left;
  rights[row] = right;
  return true;
}

ribbon_lane::ribbon_lane(std::uint64_t most_buckets)
    : most_rows_(most_buckets * bucket_rows),
      memory_(storage::allocate((most_rows_ + spare_rows) *
                                (sizeof(std::uint64_t) + sizeof(std::uint32_t)))),
      left_(reinterpret_cast<std::uint64_t*>(memory_.bytes_for_writing().data())),
      right_(reinterpret_cast<std::uint32_t*>(left_ + most_rows_ + spare_rows)),
      ends_(most_buckets * steps + 1) {}

void ribbon_lane::begin(const job& what) {
  job_ = what;
  bumped_.hashes.clear();
  bumped_.values.clear();
  contradicted_ = false;
  std::fill_n(left_, most_rows_, 0);
  std::fill_n(right_, most_rows_, 0);
  sort();
  bucket_ = 0;
  open_bucket();
}

void ribbon_lane::sort() {
  const std::uint64_t count = job_.hashes.size();
  if (hashes_.size() < count) hashes_.resize(count);
  if (values_.size() < job_.values.size()) values_.resize(job_.values.size());
  const auto step_of = [&](std::uint64_t hash) {
    return (hash::reduce(hash, job_.layer_rows) - job_.first_row) / step;
  };
  const auto end = ends_.begin() + static_cast<std::ptrdiff_t>(job_.buckets * steps + 1);
  std::fill(ends_.begin(), end, 0);
  for (const std::uint64_t hash : job_.hashes) ++ends_[step_of(hash) + 1];
  for (auto at = ends_.begin() + 1; at != end; ++at) *at += *(at - 1);
  // Now the start of each step, and as they fill, its end.
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t to = ends_[step_of(job_.hashes[i])]++;
    hashes_[to] = job_.hashes[i];
    if (!job_.values.empty()) values_[to] = job_.values[i];
  }
}

void ribbon_lane::open_bucket() {
  for (; !done(); close_bucket()) {
    const std::uint64_t first_step = bucket_ * steps;
    first_ = bucket_ == 0 ? 0 : ends_[first_step - 1];
    std::copy_n(ends_.begin() + static_cast<std::ptrdiff_t>(first_step), steps, step_ends_.begin());
    end_ = step_ends_.back();
    distinct_ = false;
    const std::uint64_t row = bucket_ * bucket_rows;
    unsigned spilled = 0;
    for (unsigned i = 0; i < left_before_.size(); ++i) {
      left_before_[i] = left_[row + i];
      right_before_[i] = right_[row + i];
      spilled += std::uint32_t{left_before_[i] != 0};
    }
    code_ = 0;
    if (bucket_ + 1 == job_.buckets) code_ = all_bumped;
    if (code_ != 0 || !seems_to_fit(spilled)) drop_repeats();
    while (code_ != all_bumped && !seems_to_fit(spilled)) ++code_;
    next_ = first_kept();
    if (next_ != end_) return;
  }
}

void ribbon_lane::next_bucket() {
  close_bucket();
  open_bucket();
}

void ribbon_lane::close_bucket() {
  const std::uint32_t kept = first_kept();
  const auto bump = [&](auto& to, const auto& from) {
    to.insert(to.end(), from.begin() + first_, from.begin() + kept);
  };
  bump(bumped_.hashes, hashes_);
  if (!job_.values.empty()) bump(bumped_.values, values_);
  const std::uint64_t bucket = job_.first_bucket + bucket_;
  auto* const four = reinterpret_cast<unsigned char*>(job_.thresholds + bucket / 4);
  // Segments meet in the middle of a byte, and other threads may be at the next one.
  __atomic_fetch_or(four, static_cast<unsigned char>(code_ << bucket % 4 * 2), __ATOMIC_RELAXED);
  ++bucket_;
}

// The contradiction is the attempt's: its rows are cleared, and a smaller attempt begins.
void ribbon_lane::raise_threshold() {
  const std::uint64_t row = bucket_ * bucket_rows;
  std::fill_n(std::ranges::copy(left_before_, left_ + row).out, bucket_rows, 0);
  std::fill_n(std::ranges::copy(right_before_, right_ + row).out, bucket_rows, 0);
  drop_repeats();
  ++code_;
  next_ = first_kept();
  if (next_ == end_) next_bucket();
}

std::uint32_t ribbon_lane::first_kept() const {
  if (code_ == 0) return first_;
  return step_ends_[math::ribbon_thresholds[code_] / step - 1];
}

bool ribbon_lane::seems_to_fit(unsigned spilled) const {
  const unsigned threshold = math::ribbon_thresholds[code_];
  const int most = most_waiting(job_.band);
  int waiting = std::max(static_cast<int>(spilled) - static_cast<int>(threshold), 0);
  std::uint32_t served = first_kept();
  bool fits = true;
  for (unsigned i = threshold / step; i < steps; ++i) {
    waiting += static_cast<int>(step_ends_[i] - served);
    served = step_ends_[i];
    fits = fits && waiting <= most;
    waiting = std::max(waiting - static_cast<int>(step), 0);
  }
  return fits;
}

// Repeats are rows of zeros to the elimination, but would count twice in seems_to_fit and below.
void ribbon_lane::drop_repeats() {
  if (std::exchange(distinct_, true) || !has_repeats()) return;
  const std::uint32_t count = end_ - first_;
  const auto hashes = std::span(hashes_).subspan(first_, count);
  const auto values =
      job_.values.empty() ? std::span<std::uint32_t>() : std::span(values_).subspan(first_, count);
  const distinct_keys distinct = keep_distinct(hashes, values);
  contradicted_ = contradicted_ || distinct.contradicted;
  end_ = first_;
  step_ends_.fill(first_);
  for (const std::uint64_t hash : hashes.first(distinct.count)) {
    step_ends_[hash::reduce(hash, job_.layer_rows) / step % steps] = ++end_;
  }
  for (unsigned i = 1; i < steps; ++i) step_ends_[i] = std::max(step_ends_[i], step_ends_[i - 1]);
}

bool ribbon_lane::has_repeats() const {
  constexpr std::uint32_t many = 32;  // better sorted than compared
  std::uint32_t begin = first_;
  for (const std::uint32_t end : step_ends_) {
    if (end - begin > many) return true;
    for (std::uint32_t i = begin; i < end; ++i) {
      for (std::uint32_t j = begin; j < i; ++j) {
        if (hashes_[i] == hashes_[j]) return true;
      }
    }
    begin = end;
  }
  return false;
}

void ribbon_lane::insert() {
  if (next().add_to(left_, right_)) {
    inserted();
  } else {
    raise_threshold();
  }
}

}  // namespace bloomery::bits
