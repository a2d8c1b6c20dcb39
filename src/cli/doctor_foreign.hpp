// doctor of a filter of another program: what can be told without a record and a plan of ours.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bloomery/any/health.hpp"
#include "bloomery/wire/foreign/format.hpp"

namespace bloomery::cli {

struct foreign_health {
  double confidence = 0;
  std::optional<double> rate;  // held to; none: the file promises none, and none was asked
  measurement measured;
  std::vector<std::string> reasons;  // why it is degraded
  std::vector<std::string> remarks;
  std::string advice;

  [[nodiscard]] bool healthy() const { return reasons.empty(); }
};

// Keys of the format's form that nobody inserted, unless chance hits on one of 2^64.
tally ask_foreign_strangers(const foreign::filter& filter, const examine_options& how);

// By the same odds as a filter of ours. The rate is that of the caller's negatives, if there are any. What other
// programs make of a key need not be independent places, so that random keys are asked, and not the cells, what
// strangers meet.
foreign_health examine(const foreign::filter& filter, const tally& strangers,
                       const std::optional<tally>& negatives, const examine_options& how);

void print(const foreign::filter& filter, const foreign_health& found, bool as_json);

}  // namespace bloomery::cli
