#include "bloomery/filters/frequency/count_min.hpp"

#include <bit>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/hash/batch_kernels.hpp"
#include "bloomery/math/kinds/count_min.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

void count_min_shape::check() const {
  if (!std::has_single_bit(counter_bits)) {
    fail(errc::invalid,
         "counter_bits is " + std::to_string(counter_bits) + "; allowed: 8, 16, 32 and 64");
  }
  detail::require_total_bits(width, depth, "rows");
  detail::require_total_bits(counter_bits, width * depth, "counters");
}

count_min_shape count_min_shape::for_error(double epsilon, double delta, std::uint64_t top) {
  const math::count_min_size size = math::count_min_for(epsilon, delta);
  return {.width = size.width, .depth = size.depth, .top = top};
}

count_min_cells::count_min_cells(const shape& s)
    : probes_{s.width, s.depth},
      conservative_(s.update == 1),
      counters_(s.width * s.depth, static_cast<unsigned>(s.counter_bits)),
      listed_(s.top) {}

count_min_cells::count_min_cells(const shape& s, storage stored)
    : probes_{s.width, s.depth},
      conservative_(s.update == 1),
      counters_(s.width * s.depth, static_cast<unsigned>(s.counter_bits),
                stored.take_stored(bits::bit_array_bytes(s.width * s.depth * s.counter_bits))),
      listed_(s.top, std::move(stored)) {
  require_equal_rows();
  for (std::uint64_t i = 0; i < listed_.size(); ++i) {
    if (listed_.count(i) > count(listed_.key(i))) {
      fail(errc::corrupt, "a listed key has a higher count than its counters");
    }
  }
}

// Every occurrence is in each row once; less of it under conservative update or in full counters.
void count_min_cells::require_equal_rows() const {
  if (conservative_) return;
  core::uint128 first = 0;
  bool comparable = overflows() == 0;
  for (std::uint64_t row = 0; comparable && row < probes_.count; ++row) {
    core::uint128 total = 0;
    for (std::uint64_t i = 0; i < probes_.slice; ++i)
      total += counters_.get(row * probes_.slice + i);
    if (row == 0) first = total;
    if (total != first) fail(errc::corrupt, "the rows of the sketch do not add up to the same");
  }
}

count_min_shape count_min_cells::plan(std::uint64_t keys, double rate) {
  const math::partitioned_size size = math::plan_partitioned(keys, rate);
  return {.width = size.slice_bits, .depth = size.hashes};
}

double count_min_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::partitioned_rate(s.width, keys, s.depth);
}

// Row by row while vectors locate the keys, then key by key.
std::uint64_t count_min_cells::insert_batch(digest_span keys, std::span<bool> fresh,
                                            std::uint64_t& items) {
  std::uint64_t count = 0;
  const auto note = [&](std::size_t i, bool is_new) {
    ++items;
    count += std::uint64_t{is_new};
    if (!fresh.empty()) fresh[i] = is_new;
  };
  std::size_t first = 0;
  std::array<bool, 64> told;  // NOLINT(cppcoreguidelines-pro-type-member-init): as far as told
  while (const std::size_t taken = insert_front(keys.subspan(first), told)) {
    for (std::size_t i = 0; i < taken; ++i) note(first + i, told[i]);
    first += taken;
  }
  detail::each_place(*this, keys.subspan(first),
                     [&](std::size_t i, const auto& at) { note(first + i, insert(at)); });
  return count;
}

// Takes keys from the front of a batch, as many as the kernel locates, and says how many.
std::size_t count_min_cells::insert_front(digest_span keys, std::span<bool> fresh) {
  constexpr std::size_t at_most = 64;
  constexpr std::uint64_t most_rows = 16;
  if (conservative_ || listed_.capacity() != 0 || probes_.count > most_rows) return 0;
  std::array<std::uint64_t, at_most * most_rows> rows;  // NOLINT(*-member-init): as far as located
  const std::size_t taken = hash::locate_front(
      probes_, keys.data(), std::min({at_most, keys.size(), fresh.size()}), rows.data(), at_most);
  std::fill_n(fresh.begin(), taken, false);
  as_counters([&](auto zero) {
    using counter = decltype(zero);
    std::byte* const cells = counters_.data();
    for (std::uint64_t row = 0; row < probes_.count; ++row) {
      for (std::size_t i = 0; i < taken; ++i) {
        std::byte* const cell = cells + rows[row * at_most + i] * sizeof(counter);
        const auto value = core::load_le<counter>(cell);
        fresh[i] |= value == 0;
        core::store_le(cell, one_more(value));
      }
    }
    return true;
  });
  return taken;
}

std::uint64_t count_min_cells::count(place d) const {
  std::uint64_t least = counters_.max_value();
  hash::each_position(probes_, d,
                      [&](std::uint64_t i) { least = std::min(least, counters_.get(i)); });
  return least;
}

// A full counter has lost count and stays.
bool count_min_cells::erase(place d) {
  if (conservative_) {
    fail(errc::unsupported,
         "sketches under conservative update take no keys back: what another key left out would be "
         "missing");
  }
  if (listed_.capacity() != 0) {
    fail(errc::unsupported,
         "a sketch that lists its top keys takes none back: a key left out may belong in the list "
         "then");
  }
  const std::uint64_t least = count(d);
  if (least == 0 || least == counters_.max_value()) return false;
  hash::each_position(probes_, d, [&](std::uint64_t i) {
    const std::uint64_t value = counters_.get(i);
    if (value != counters_.max_value()) counters_.set(i, value - 1);
  });
  return true;
}

double count_min_cells::inner_product(const count_min_cells& other) const {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t row = 0; row < probes_.count; ++row) {
    double sum = 0;
    for (std::uint64_t i = row * probes_.slice; i < (row + 1) * probes_.slice; ++i) {
      sum += static_cast<double>(counters_.get(i)) * static_cast<double>(other.counters_.get(i));
    }
    least = std::min(least, sum);
  }
  return least;
}

// Never too low.
math::estimate count_min_cells::estimated_join(const count_min_cells& other, double pairs,
                                               double confidence) const {
  const double told = inner_product(other);
  const double off = math::count_min_excess(probes_.slice, probes_.count, confidence) * pairs;
  return {told, std::max(0.0, told - off), told, overflows() + other.overflows() != 0};
}

void count_min_cells::merge(const count_min_cells& other) {
  if (conservative_) {
    fail(errc::unsupported,
         "sketches under conservative update do not merge: what one left out, the other may need");
  }
  for (std::uint64_t i = 0; i < counters_.size(); ++i) {
    const std::uint64_t room = counters_.max_value() - counters_.get(i);
    counters_.set(i, counters_.get(i) + std::min(room, other.counters_.get(i)));
  }
  const bits::top_keys mine = listed_;
  listed_.clear();
  for (const bits::top_keys* source : {&mine, &other.listed_}) {
    for (std::uint64_t i = 0; i < source->size(); ++i) {
      listed_.offer(source->key(i), count(source->key(i)));
      const std::uint64_t at = listed_.find(source->key(i));
      if (at != listed_.size()) listed_.adopt_label(at, *source, i);
    }
  }
}

std::vector<ranked_key> count_min_cells::top() const {
  std::vector<ranked_key> keys;
  for (std::uint64_t i = 0; i < listed_.size(); ++i) {
    keys.push_back({listed_.key(i), listed_.count(i), listed_.label(i)});
  }
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  return keys;
}

bool count_min_cells::wants_label(digest d) const {
  const std::uint64_t i = listed_.find(d);
  return i != listed_.size() && !listed_.labelled(i);
}

void count_min_cells::label(digest d, std::string_view name) {
  const std::uint64_t i = listed_.find(d);
  if (i != listed_.size()) listed_.label(i, name);
}

std::uint64_t count_min_cells::overflows() const {
  std::uint64_t full = 0;
  for (std::uint64_t i = 0; i < counters_.size(); ++i) {
    full += std::uint64_t{counters_.get(i) == counters_.max_value()};
  }
  return full;
}

partitioned_filter count_min_cells::occupied() const {
  const partitioned_shape rows{probes_.slice, probes_.count};
  return {rows, filter_record{}, partitioned_cells(rows, bits::nonzero(counters_))};
}

std::vector<ranked_key> heavy_hitters(const count_min_filter& filter, double share) {
  math::require_share("share", share);
  if (filter.shape().top == 0) fail(errc::unsupported, "the sketch lists no keys: its top is 0");
  const double least = share * static_cast<double>(filter.record().items);
  std::vector<ranked_key> keys = filter.top();
  std::erase_if(keys, [&](const ranked_key& k) { return static_cast<double>(k.count) < least; });
  return keys;
}

double inner_product(const count_min_filter& one, const count_min_filter& two) {
  one.require_combinable(two);
  return one.cells().inner_product(two.cells());
}

template struct erasure<count_min_filter>;

}  // namespace bloomery
