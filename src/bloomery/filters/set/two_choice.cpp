#include "bloomery/filters/set/two_choice.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/two_choice.hpp"

namespace bloomery {
namespace {

// The paper's: more sets lower the rate further at low rates, and cost a query as much again each.
constexpr std::uint64_t planned_choices = 2;

}  // namespace

two_choice_shape two_choice_cells::plan(std::uint64_t keys, double rate) {
  const math::two_choice_size size = math::plan_two_choice(keys, rate, planned_choices);
  return {size.bits, size.hashes, planned_choices};
}

double two_choice_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::two_choice_rate(s.bits, keys, s.hashes, s.choices);
}

math::query_cost two_choice_cells::query_cost(const shape& s, std::uint64_t keys) {
  return math::two_choice_cost(s.bits, keys, s.hashes, s.choices);
}

hash::positions two_choice_cells::zeros_of(digest d, std::uint64_t set) const {
  hash::positions zeros;
  hash::each_position(probes_, hash::digest_of_set(d, set, shape_.hashes), [&](std::uint64_t i) {
    if (!bits_.test(i) && !zeros.contains(i)) zeros.push_back(i);
  });
  return zeros;
}

bool two_choice_cells::insert(place d) {
  hash::positions fewest = zeros_of(d, 0);
  for (std::uint64_t set = 1; set < shape_.choices; ++set) {
    const hash::positions zeros = zeros_of(d, set);
    if (zeros.size() < fewest.size()) fewest = zeros;
  }
  for (const std::uint64_t i : fewest) bits_.set(i);
  return fewest.size() != 0;
}

bool two_choice_cells::contains(place d) const {
  for (std::uint64_t set = 0; set < shape_.choices; ++set) {
    const digest of_set = hash::digest_of_set(d, set, shape_.hashes);
    if (probes_.all(of_set, [&](std::uint64_t i) { return bits_.test(i); })) return true;
  }
  return false;
}

double two_choice_cells::current_rate() const {
  return math::two_choice_instance_rate(fill(), shape_.hashes, shape_.choices);
}

template struct erasure<two_choice_filter>;

}  // namespace bloomery
