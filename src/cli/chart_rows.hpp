// A drawing of many things, a row each: what curves in one frame cannot show of more than a few.
#pragma once

#include <string>

#include "chart.hpp"

namespace bloomery::cli {

// A panel is a block of rows, one for each name before the comma of its curves. A point lies across at its
// y, in the colour of its x: a dot, with its interval, of `points`, a stroke of a `line`. Dashes are a line
// across all rows, to compare with.
std::string rows_svg(const drawing& picture);

// For parts of drawings.
std::string xml_escaped(const std::string& text);
const char* chart_color(int color);

}  // namespace bloomery::cli
