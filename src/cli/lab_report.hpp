// What an experiment found, for people, for programs and as a picture.
#pragma once

#include "bloomery/apps/systems/registry.hpp"
#include "chart.hpp"
#include "report.hpp"

namespace bloomery::cli {

void print_lab(const systems::system_info& tried, const lab::result& found);
json lab_json(const systems::system_info& tried, std::uint64_t seed, const lab::result& found);
// Its curves; if it has none, each figure in its predicted interval.
drawing lab_drawing(const systems::system_info& tried, const lab::result& found);

}  // namespace bloomery::cli
