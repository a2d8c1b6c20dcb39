#include "bloomery/apps/meter/iceberg.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/kinds/count_min.hpp"

namespace bloomery::apps {
namespace {

// A count strays by a quarter of the share at most but for e^-5 of the keys.
count_min_shape multistage_for(double share) {
  constexpr double quarter = 0.25;
  constexpr double seldom = 0.01;
  if (!(share > 0 && share <= 1)) {
    fail(errc::invalid,
         "the share is " + format_ratio(share) + "; allowed: above 0 and at most 100 %");
  }
  const math::count_min_size size = math::count_min_for(quarter * share, seldom);
  return {.width = size.width, .depth = size.depth, .counter_bits = 64, .update = 1};
}

}  // namespace

iceberg::iceberg(double share) : iceberg(share, multistage_for(share)) {}
iceberg::iceberg(double share, const count_min_shape& shape) : share_(share), sketch_(shape) {}

void iceberg::count(std::span<const digest> keys) {
  sketch_.insert(keys);
  total_ += keys.size();
}

std::uint64_t iceberg::threshold() const {
  const auto near = static_cast<std::uint64_t>(share_ * static_cast<double>(total_));
  // Multiplying back decides, so that 20 of 200 are 10 % though 0.1 is not a tenth.
  const auto reaches = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(total_) >= share_;
  };
  std::uint64_t least = std::max<std::uint64_t>(near, 2) - 1;
  while (total_ > 0 && !reaches(least)) ++least;
  return least;
}

void iceberg::recount(std::span<const digest> keys, std::span<const std::string_view> names) {
  const std::uint64_t least = threshold();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (sketch_.count(keys[i]) < least) continue;
    auto at = counts_.find(names[i]);
    if (at == counts_.end()) at = counts_.emplace(names[i], 0).first;
    ++at->second;
  }
}

std::vector<iceberg::tip> iceberg::found() const {
  const std::uint64_t least = threshold();
  std::vector<tip> above;
  for (const auto& [key, count] : counts_) {
    if (count >= least) above.push_back({key, count});
  }
  std::ranges::stable_sort(above, std::greater<>{}, &tip::count);
  return above;
}

}  // namespace bloomery::apps
