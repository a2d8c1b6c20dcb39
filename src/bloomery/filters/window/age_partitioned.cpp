#include "bloomery/filters/window/age_partitioned.hpp"

#include <algorithm>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

void age_partitioned_shape::check() const {
  detail::require_total_bits(slice_bits, slices(), "slices");
  if ((generation == 0) == (generation_ms == 0)) {
    fail(errc::invalid,
         "generation is " + std::to_string(generation) + " and generation_ms is " +
             std::to_string(generation_ms) +
             "; allowed: a generation ends with arrivals or with time, and the other "
             "is 0");
  }
}

age_partitioned_cells::age_partitioned_cells(const shape& s, storage stored)
    : age_partitioned_cells(s, bits::clocked<bits::bit_array>(std::move(stored), [&](storage rest) {
                              return bits::bit_array(s.slice_bits * s.slices(), std::move(rest));
                            })) {}

// Which generation it is follows from the clock: the arrival that finds a generation full begins the
// next.
age_partitioned_cells::age_partitioned_cells(const shape& s, bits::clocked<bits::bit_array> ring)
    : shape_(s), probes_{s.slice_bits, s.slices()}, ring_(std::move(ring)) {
  const std::uint64_t time = ring_.time();
  std::uint64_t number = 0;
  if (runs_on_time()) {
    number = time / s.generation_ms;
  } else {
    number = time == 0 ? 0 : (time - 1) / s.generation;
    room_ = (number + 1) * s.generation - time;
  }
  youngest_ = (s.slices() - number % s.slices()) % s.slices();
}

age_partitioned_shape age_partitioned_cells::plan(std::uint64_t keys, double rate) {
  const auto size = math::plan_age_partitions(keys, rate);
  return {size.slice_bits, size.hashes, size.generations, size.generation, 0};
}

age_partitioned_shape age_partitioned_cells::plan_time(std::uint64_t keys, double rate,
                                                       std::uint64_t milliseconds) {
  math::require_whole("milliseconds", milliseconds, 1, max_keys);
  const auto size = math::plan_age_partitions(keys, rate);
  return {size.slice_bits, size.hashes, size.generations, 0,
          (milliseconds + size.generations - 1) / size.generations};
}

double age_partitioned_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  if (keys == 0) return 0;
  if (s.generation_ms == 0) {
    return math::age_partitioned_rate({s.slice_bits, s.hashes, s.generations, s.generation}, keys);
  }
  const std::uint64_t each = (keys - 1 + s.generations - 1) / s.generations;
  return math::age_partitioned_peak(
      {s.slice_bits, s.hashes, s.generations, std::max<std::uint64_t>(1, each)});
}

math::query_cost age_partitioned_cells::query_cost(const shape& s, std::uint64_t keys) {
  const std::uint64_t each = std::max<std::uint64_t>(1, keys / s.generations);
  return math::age_partitioned_cost({s.slice_bits, s.hashes, s.generations,
                                     s.generation_ms == 0 ? std::min(s.generation, each) : each});
}

// Where a search looks first, as long as nothing is found.
void age_partitioned_cells::prefetch(digest d) const {
  for (std::uint64_t age = shape_.hashes - 1; age < probes_.count; age += shape_.hashes) {
    ring_.cells.prefetch(bit(d, age));
  }
}

bool age_partitioned_cells::insert(digest d) {
  if (!runs_on_time()) {
    if (room_ == 0) begin_generations(1);
    --room_;
    ring_.set_time(ring_.time() + 1);
  }
  const bool fresh = !contains(d);
  for (std::uint64_t age = 0; age < shape_.hashes; ++age) ring_.cells.set(bit(d, age));
  return fresh;
}

// Looks at k slices from the oldest down. The first that has not got the key rules out every run that
// it is in, so the next one to try starts above it; what was seen of that is not looked at again.
bool age_partitioned_cells::contains(digest d, moment begun) const {
  const std::uint64_t k = shape_.hashes;
  // A slice that has begun since is empty, and the others are that much older.
  const auto has = [&](std::uint64_t age) {
    return age >= begun && ring_.cells.test(bit(d, age - begun));
  };
  std::uint64_t first = 0;
  std::uint64_t seen = 0;  // slices from `first` on that have the key
  while (first + k <= probes_.count) {
    std::uint64_t end = first + k;
    while (end > first + seen && has(end - 1)) --end;
    if (end == first + seen) return true;
    seen = first + k - end;
    first = end;
  }
  return false;
}

age_partitioned_cells::moment age_partitioned_cells::as_of(std::uint64_t now) const {
  if (!runs_on_time()) {
    fail(errc::unsupported, "this window is one of arrivals: no time is kept in it");
  }
  ring_.require_later(now);
  return now / shape_.generation_ms - ring_.time() / shape_.generation_ms;
}

void age_partitioned_cells::advance(std::uint64_t now) {
  begin_generations(as_of(now));
  ring_.set_time(now);
}

void age_partitioned_cells::begin_generations(std::uint64_t count) {
  for (std::uint64_t i = 0; i < std::min(count, probes_.count); ++i) {
    youngest_ = youngest_ == 0 ? probes_.count - 1 : youngest_ - 1;
    ring_.cells.clear(youngest_ * probes_.slice, (youngest_ + 1) * probes_.slice);
  }
  if (count > probes_.count) {  // all is cleared; the ring only turns
    const std::uint64_t turn = (count - probes_.count) % probes_.count;
    youngest_ = (youngest_ + probes_.count - turn) % probes_.count;
  }
  room_ = shape_.generation;
}

template struct erasure<age_partitioned_filter>;

}  // namespace bloomery
