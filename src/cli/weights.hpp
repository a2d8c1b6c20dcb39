// The file of --weights: how often keys are asked for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bloomery/filters/abilities/weighing.hpp"
#include "bloomery/hash/hasher.hpp"
#include "options.hpp"

namespace bloomery::cli {

// A chance of membership left out becomes the share of the keys listed that are members.
std::vector<key_weight> read_weights(const std::string& file, const line_options& options,
                                     const hasher& hash, std::span<const digest> members);

}  // namespace bloomery::cli
