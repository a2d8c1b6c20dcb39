// Shapes that are fixed by hand, so that equal sizes can be compared.
#pragma once

#include <string_view>
#include <vector>

#include "bloomery/filters/any_kind.hpp"
#include "harness.hpp"

namespace bloomery::bench {

// The fields that were fixed, and for the others what the kind plans around them.
std::vector<field_value> shape_values_of(const any_kind& kind, const fixed_shape& fixed,
                                         std::uint64_t keys, double rate);

}  // namespace bloomery::bench
