#include "bloomery/filters/window/sliding_count.hpp"

#include <algorithm>
#include <bit>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {
namespace {

math::sliding_count_size size_of(const sliding_count_shape& s) {
  return {s.width, s.depth, s.panes, s.pane};
}

// Of whole little-endian counters: takes the pane off the totals, and clears it.
template <class T>
void take_off_totals(std::byte* totals, std::byte* pane, std::uint64_t columns) {
  for (std::uint64_t i = 0; i < columns; ++i) {
    std::byte* const total = totals + i * sizeof(T);
    const auto left =
        static_cast<T>(core::load_le<T>(total) - core::load_le<T>(pane + i * sizeof(T)));
    core::store_le(total, left);
    core::store_le(pane + i * sizeof(T), T{0});
  }
}

}  // namespace

void sliding_count_shape::check() const {
  if ((pane == 0) == (pane_ms == 0)) {
    fail(errc::invalid,
         "pane is " + std::to_string(pane) + " and pane_ms is " + std::to_string(pane_ms) +
             "; allowed: a pane ends with arrivals or with time, and the other is 0");
  }
  detail::require_total_bits(width, depth, "rows");
  detail::require_total_bits(columns(), (panes + 2) * counter_bits(), "bits of a pane's counters");
}

sliding_count_shape sliding_count_shape::for_error(double epsilon, double delta,
                                                   std::uint64_t window) {
  const auto size = math::sliding_count_for(epsilon, delta, window);
  return {size.width, size.depth, size.panes, size.pane, 0};
}

unsigned sliding_count_shape::counter_bits() const {
  constexpr unsigned unknown = 32;
  if (pane == 0) return unknown;
  const auto least = static_cast<unsigned>(std::bit_width((panes + 1) * pane));
  return std::max(8U, std::bit_ceil(least));
}

sliding_count_cells::sliding_count_cells(const shape& s, array ring)
    : shape_(s), probes_{s.width, s.depth}, ring_(std::move(ring)) {
  const std::uint64_t time = ring_.time();
  if (runs_on_time()) {
    number_ = time / s.pane_ms;
  } else {
    number_ = time == 0 ? 0 : (time - 1) / s.pane;
  }
}

sliding_count_cells::sliding_count_cells(const shape& s, storage stored)
    : sliding_count_cells(s, array(std::move(stored), [&](storage rest) {
                            return bits::packed_array(s.counters(), s.counter_bits(),
                                                      std::move(rest));
                          })) {
  for (std::uint64_t i = 0; i < s.columns(); ++i) {
    std::uint64_t sum = 0;  // of at most 65 numbers of 32 bits, or fewer than a window's arrivals
    for (std::uint64_t pane = 0; pane < kept_panes(); ++pane) {
      const std::uint64_t count = ring_.cells.get(pane_of(pane) + i);
      if (s.pane != 0 && count > s.pane) {
        fail(errc::corrupt,
             "a pane of " + std::to_string(s.pane) + " arrivals counts " + std::to_string(count));
      }
      sum += count;
    }
    if (sum != ring_.cells.get(i)) {
      fail(errc::corrupt, "column " + std::to_string(i) + " is not the sum of its panes");
    }
  }
}

sliding_count_shape sliding_count_cells::plan(std::uint64_t keys, double rate) {
  const auto size = math::plan_sliding_count(keys, rate);
  return {size.width, size.depth, size.panes, size.pane, 0};
}

sliding_count_shape sliding_count_cells::plan_time(std::uint64_t keys, double rate,
                                                   std::uint64_t milliseconds) {
  math::require_whole("milliseconds", milliseconds, 1, max_keys);
  const auto size = math::plan_sliding_count(keys, rate);
  return {size.width, size.depth, size.panes, 0, (milliseconds + size.panes - 1) / size.panes};
}

double sliding_count_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  if (keys == 0) return 0;
  if (s.pane != 0) return math::sliding_count_rate(size_of(s), keys);
  const std::uint64_t each = std::max<std::uint64_t>(1, (keys - 1 + s.panes - 1) / s.panes);
  return math::sliding_count_rate({s.width, s.depth, s.panes, each}, (s.panes + 1) * each);
}

math::query_cost sliding_count_cells::query_cost(const shape& s, std::uint64_t keys) {
  const std::uint64_t kept = s.pane == 0 ? keys : std::min(keys, (s.panes + 1) * s.pane);
  return math::partitioned_cost(s.width, kept, s.depth, s.counter_bits());
}

bool sliding_count_cells::insert(digest d) {
  if (!runs_on_time()) {
    if (ring_.time() == (number_ + 1) * shape_.pane) begin_panes(1);
    ring_.set_time(ring_.time() + 1);
  }
  const std::uint64_t before = count(d);
  const std::uint64_t pane = pane_of(number_);
  bits::packed_array& counters = ring_.cells;
  probes_.all(d, [&](std::uint64_t i) {
    if (counters.get(i) != counters.max_value()) return true;
    fail(errc::limit,
         "a counter is full: " + std::to_string(counters.max_value()) + " arrivals in one window");
  });
  hash::each_position(probes_, d, [&](std::uint64_t i) {
    counters.set(i, counters.get(i) + 1);
    counters.set(pane + i, counters.get(pane + i) + 1);
  });
  return before == 0;
}

std::uint64_t sliding_count_cells::count(digest d, moment begun) const {
  if (begun >= kept_panes()) return 0;
  std::uint64_t least = ring_.cells.max_value();
  probes_.all(d, [&](std::uint64_t i) {
    std::uint64_t left = ring_.cells.get(i);
    for (std::uint64_t later = 1; later <= begun; ++later) {
      left -= std::min(left, ring_.cells.get(pane_of(number_ + later) + i));
    }
    least = std::min(least, left);
    return least != 0;
  });
  return least;
}

sliding_count_cells::moment sliding_count_cells::as_of(std::uint64_t now) const {
  if (!runs_on_time()) {
    fail(errc::unsupported, "this window is one of arrivals: no time is kept in it");
  }
  ring_.require_later(now);
  return now / shape_.pane_ms - number_;
}

void sliding_count_cells::advance(std::uint64_t now) {
  begin_panes(as_of(now));
  ring_.set_time(now);
}

// What was in a new pane's place is the oldest of the ring, and leaves.
void sliding_count_cells::begin_panes(std::uint64_t count) {
  for (std::uint64_t i = 1; i <= std::min(count, kept_panes()); ++i) take_off(number_ + i);
  number_ += count;
}

void sliding_count_cells::take_off(std::uint64_t number) {
  const std::uint64_t bytes = ring_.cells.width() / 8;
  std::byte* const totals = ring_.cells.data();
  std::byte* const pane = totals + pane_of(number) * bytes;
  switch (bytes) {
    case 1:
      return take_off_totals<std::uint8_t>(totals, pane, shape_.columns());
    case 2:
      return take_off_totals<std::uint16_t>(totals, pane, shape_.columns());
    case 4:
      return take_off_totals<std::uint32_t>(totals, pane, shape_.columns());
    default:
      return take_off_totals<std::uint64_t>(totals, pane, shape_.columns());
  }
}

std::uint64_t sliding_count_cells::payload_bytes(const shape& s) {
  return array::payload_bytes(bits::bit_array_bytes(s.counters() * s.counter_bits()));
}

template struct erasure<sliding_count_filter>;

}  // namespace bloomery
