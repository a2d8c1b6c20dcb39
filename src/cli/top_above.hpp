// top --above: the lines that are a share of all, with exact counts.
#pragma once

#include <cstdint>
#include <optional>

#include "input.hpp"
#include "verbs.hpp"

namespace bloomery::cli {

// Reads the input twice: what cannot be is copied to a temporary file first.
exit_status top_above(double share, const key_input& input, std::optional<std::uint64_t> most,
                      bool as_json);

}  // namespace bloomery::cli
