// What fuzzers of filters share: a kind and a shape drawn from the input, and a filter's cells.
#pragma once

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "fuzzing.hpp"

namespace bloomery::fuzzing {

struct drawn_shape {
  std::vector<field_value> values;
  promise promised;
};

inline std::vector<field_value> take_fields(input& in, const any_kind& kind) {
  std::vector<field_value> shape;
  for (const field_info& field : kind.fields) {
    if (const auto* low = std::get_if<std::uint64_t>(&field.low)) {
      const std::uint64_t span = std::get<std::uint64_t>(field.high) - *low;
      shape.emplace_back(*low + std::min<std::uint64_t>(span, in.take<std::uint16_t>()));
    } else {
      const double real_low = std::get<double>(field.low);
      const double real_high = std::get<double>(field.high);
      shape.emplace_back(real_low + (real_high - real_low) * in.take<std::uint8_t>() / 255);
    }
  }
  return shape;
}

// Planned for up to `most_keys`, or any fields at all; none if there is no such shape within the limit.
inline std::optional<drawn_shape> take_shape(input& in, const any_kind& kind,
                                             std::uint64_t most_keys,
                                             std::uint64_t largest_payload) {
  drawn_shape drawn;
  try {
    if (in.take<std::uint8_t>() % 2 == 0) {
      drawn.promised = {1 + in.below(1000) * most_keys / 1000,
                        (1 + static_cast<double>(in.take<std::uint8_t>())) / 257};
      drawn.values = kind.plan(drawn.promised.keys, drawn.promised.rate);
    } else {
      drawn.values = take_fields(in, kind);
    }
    if (kind.payload_bytes(drawn.values) > largest_payload) return {};
  } catch (const error&) {
    return {};
  }
  return drawn;
}

inline std::vector<std::byte> cells_of(const any_filter& filter) {
  std::vector<std::byte> cells;
  for (const byte_view part : filter.payload()) {
    cells.insert(cells.end(), part.begin(), part.end());
  }
  return cells;
}

}  // namespace bloomery::fuzzing
