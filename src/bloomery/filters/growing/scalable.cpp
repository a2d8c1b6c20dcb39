#include "bloomery/filters/growing/scalable.hpp"

#include <algorithm>

#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

// The paper's: .8 to .9 takes least space, and growth 2 suits sets that may stay small.
constexpr double planned_tightening = 0.85;
constexpr std::uint64_t planned_growth = 2;
// A first stage that closes before the planned keys are in costs a second of twice its size.
constexpr double planned_early_close = 0.01;

}  // namespace

// The sizes of the stages follow from the shape, so their number follows from the length.
scalable_cells::scalable_cells(const shape& s, storage stored) : plan_(s.stages()) {
  do {
    const std::uint64_t bits = plan_.bits(stages_.size());
    if (bits::bit_array_bytes(bits) > stored.size()) {
      fail(errc::corrupt, "stage " + std::to_string(stages_.size()) + " takes " +
                              std::to_string(bits::bit_array_bytes(bits)) + " bytes, there are " +
                              std::to_string(stored.size()));
    }
    add_stage(bits::bit_array(bits, stored.take_front(bits::bit_array_bytes(bits))));
    const bool last = stored.size() == 0;
    ones_ = stages_.back().bits.count();
    if (last ? ones_ == 0 && stages_.size() > 1 : 2 * ones_ < bits) {
      fail(errc::corrupt, "stage " + std::to_string(stages_.size() - 1) + " has " +
                              std::to_string(ones_) + " ones of " + std::to_string(bits) +
                              (last ? "" : ", and one comes after it"));
    }
  } while (stored.size() != 0);
}

void scalable_cells::add_stage(bits::bit_array bits) {
  const std::uint64_t number = stages_.size();
  stages_.push_back(
      {{plan_.slice_bits(number), plan_.hashes(number)}, number * hash::golden, std::move(bits)});
  ones_ = 0;
}

scalable_shape scalable_cells::plan(std::uint64_t keys, double rate) {
  (void)math::plan_standard(keys, rate);  // refuses what no filter can promise
  shape s{1, rate, planned_tightening, planned_growth};
  s.slice_bits = math::roomy_slice(keys, s.stages().hashes(0), planned_early_close);
  return s;
}

void scalable_cells::stage::prefetch(digest d, std::uint64_t probes_ahead) const {
  probes.all(salted(d), [&](std::uint64_t i) {
    bits.prefetch(i);
    return --probes_ahead != 0;
  });
}

// Half of the keys are in the last stage, and it takes the new ones; a closed one says no at the
// second probe on average.
void scalable_cells::prefetch(digest d) const {
  constexpr std::uint64_t of_closed = 2;
  stages_.back().prefetch(d, max_hashes);
  for (std::size_t i = 0; i + 1 < stages_.size(); ++i) stages_[i].prefetch(d, of_closed);
}

bool scalable_cells::contains(digest d) const {
  return std::any_of(stages_.rbegin(), stages_.rend(), [&](const stage& s) {
    return s.probes.all(s.salted(d), [&](std::uint64_t i) { return s.bits.test(i); });
  });
}

bool scalable_cells::insert(digest d) {
  if (contains(d)) return false;
  if (2 * ones_ >= stages_.back().bits.size())
    add_stage(bits::bit_array(plan_.bits(stages_.size())));
  stage& last = stages_.back();
  hash::each_position(last.probes, last.salted(d),
                      [&](std::uint64_t i) { ones_ += std::uint64_t{last.bits.set(i)}; });
  return true;
}

template struct erasure<scalable_filter>;

}  // namespace bloomery
