#include "bloomery/filters/window/time_decaying.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {
namespace {

// Weights are 2^(half-lives since the era began), and an era is that many long: floats hold twice that
// above 1, what a window spans, and the sum of many.
constexpr std::uint64_t era_length = 64;
constexpr std::uint64_t most_half_lives = 32;
// Adding one to more than this changes nothing in a float.
constexpr float most_units = 33'554'432.0F;  // 2^25

time_decaying_shape planned(std::uint64_t keys, double rate, std::uint64_t window,
                            std::uint64_t timed) {
  const std::uint64_t half_life = std::max<std::uint64_t>(1, window / math::planned_half_lives);
  time_decaying_shape s{0, 0, window, half_life, timed};
  const math::time_decay size = math::plan_time_decaying(keys, rate, s.half_lives());
  s.cells = size.cells;
  s.hashes = size.hashes;
  return s;
}

}  // namespace

void time_decaying_shape::check() const {
  math::require_whole("half_life", half_life, (window - 1) / most_half_lives + 1, max_keys);
}

time_decaying_cells::time_decaying_cells(const shape& s, storage stored)
    : time_decaying_cells(s, restored(s, std::move(stored))) {
  require_possible([&](std::uint64_t i, std::uint64_t) {
    return !std::signbit(cell(i)) && cell(i) <= most_units * unit_ &&  // no NaN is
           (time() != 0 || runs_on_time());
  });
}

time_decaying_cells::time_decaying_cells(const shape& s, array cells)
    : aging_cells(s, std::move(cells)) {
  find_phases();
  era_ = oldest_.whole / era_length;
  weigh();
}

time_decaying_shape time_decaying_cells::plan(std::uint64_t keys, double rate) {
  return planned(keys, rate, keys, 0);
}

time_decaying_shape time_decaying_cells::plan_time(std::uint64_t keys, double rate,
                                                   std::uint64_t milliseconds) {
  math::require_whole("milliseconds", milliseconds, 1, max_keys);
  return planned(keys, rate, milliseconds, 1);
}

double time_decaying_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  const bool aged = s.timed != 0 || keys > s.window;
  const std::uint64_t inside = s.timed != 0 ? keys : std::min(keys, s.window);
  return math::time_decaying_rate({s.cells, s.hashes}, static_cast<double>(inside), s.half_lives(),
                                  aged);
}

bool time_decaying_cells::insert(digest d) {
  if (!runs_on_time()) {
    tick();
    step(oldest_);
    step(newest_);
    weigh();
  }
  bool fresh_key = false;
  for (const std::uint64_t i : hash::distinct_positions_of(probes_, d)) {
    fresh_key |= cell(i) < threshold_;
    set(i, std::bit_cast<std::uint32_t>(cell(i) + unit_));
  }
  return fresh_key;
}

std::uint64_t time_decaying_cells::count(digest d, const moment& at) const {
  double least = std::numeric_limits<double>::max();
  each(d, [&](std::uint64_t i) { least = std::min(least, double{cell(i)}); });
  // Rounded as the same division of floats is.
  return least < at.threshold
             ? 0
             : static_cast<std::uint64_t>(std::ceil(static_cast<float>(least / at.unit)));
}

time_decaying_cells::moment time_decaying_cells::as_of(std::uint64_t now) const {
  if (!runs_on_time()) {
    fail(errc::unsupported, "this window is one of arrivals: no time is kept in it");
  }
  cells_.require_later(now);
  return {weight(phase_of(now)), weight(phase_of(now + shape_.window))};
}

void time_decaying_cells::advance(std::uint64_t now) {
  (void)as_of(now);
  cells_.set_time(now);
  find_phases();
  weigh();
}

// An arrival is found at an age up to the window in time, and up to one less in arrivals.
void time_decaying_cells::find_phases() {
  oldest_ = phase_of(time());
  newest_ = phase_of(time() + shape_.window - (runs_on_time() ? 0 : 1));
}

void time_decaying_cells::step(phase& at) const {
  if (++at.parts < shape_.half_life) return;
  at.parts = 0;
  ++at.whole;
}

// Eras end when the oldest arrival of the window has left them; then cells are scaled.
void time_decaying_cells::weigh() {
  const std::uint64_t before = std::exchange(era_, oldest_.whole / era_length);
  threshold_ = static_cast<float>(weight(oldest_));
  unit_ = static_cast<float>(weight(newest_));
  if (era_ == before) return;
  constexpr std::uint64_t all_gone = 8;
  const auto eras = static_cast<int>(std::min(era_ - before, all_gone));
  for (std::uint64_t i = 0; i < shape_.cells; ++i) {
    const float scaled = std::ldexp(cell(i), -eras * static_cast<int>(era_length));
    set(i, std::bit_cast<std::uint32_t>(scaled));
  }
}

// A float but for its exponent, which may be that of a later era.
double time_decaying_cells::weight(const phase& at) const {
  const auto part = static_cast<float>(
      std::exp2(static_cast<double>(at.parts) / static_cast<double>(shape_.half_life)));
  const std::uint64_t half_lives = std::min(at.whole - era_length * era_, 8 * era_length);
  return std::ldexp(double{part}, static_cast<int>(half_lives));
}

template struct erasure<time_decaying_filter>;

}  // namespace bloomery
