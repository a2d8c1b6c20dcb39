// More keys than a filter was planned for: found and told alike by every verb that puts keys in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/any/registry.hpp"
#include "report.hpp"

namespace bloomery::cli {

// How well the number of distinct keys is known.
enum class knowledge { at_least, about, at_most };

struct over_filling {
  promise planned;
  std::uint64_t keys = 0;
  knowledge known = knowledge::about;
  double rate = 0;  // now
  std::string advice;
};

// Of a filter that has taken more keys than were planned and does not keep its rate for it. Nothing for one
// that grows, forgets by arrivals, takes no keys or has promised nothing. Looks at the cells only if
// there were more insertions than were planned for.
std::optional<over_filling> over_filled(const any_filter& filter);

json to_json(const std::optional<over_filling>& found);
// `what` is over-filled.
std::string to_text(const over_filling& found, const std::string& what);

// What every verb says, on standard error, of a filter that it has written: that it is over-filled, and on
// a terminal what was made.
void tell_of(const any_filter& filter, const std::string& name);

// The rate of the cells as they stand, told by themselves or by asking for strangers.
double rate_now(const any_filter& filter);

}  // namespace bloomery::cli
