// Filters for the doctor, and what it says of them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any/health.hpp"
#include "bloomery/any/registry.hpp"
#include "testing.hpp"

namespace bloomery::testing {

inline std::string told(const health& found) {
  std::string text = "advice: " + found.advice;
  for (const std::string& reason : found.reasons) text += "\nreason: " + reason;
  for (const std::string& remark : found.remarks) text += "\nremark: " + remark;
  return text;
}

inline bool mentions(const std::vector<std::string>& lines, std::string_view part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

inline any_filter filled(const any_kind& kind, std::uint64_t planned, double rate,
                         std::uint64_t keys, std::uint64_t stream = 1) {
  return kind.build(kind.plan(planned, rate), numbered_digests(stream, keys), {}, {planned, rate},
                    1);
}

inline tally asked(const any_filter& filter, const std::vector<digest>& keys) {
  const auto answers = std::make_unique<bool[]>(keys.size());
  return {keys.size(), filter.as<asks>().may_contain(keys, {answers.get(), keys.size()})};
}

}  // namespace bloomery::testing
