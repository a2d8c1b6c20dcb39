// What `plan` tells: its choices, how to make the first, and what was left out.
#pragma once

#include "bloomery/any/planner.hpp"
#include "sizing.hpp"

namespace bloomery::cli {

void report_json(const recommendation& answer, bool keyed, const window_option& window);
void report_text(const recommendation& answer, const needs& wanted, bool keyed,
                 const window_option& window);

}  // namespace bloomery::cli
