// What `plan` tells: its choices, why the others were left out, and last how to make the first.
#pragma once

#include "bloomery/any/planner.hpp"
#include "sizing.hpp"

namespace bloomery::cli {

void report_json(const recommendation& answer, bool keyed, const window_option& window);
// With `why`: all choices and all that was left out, not only a page.
void report_text(const recommendation& answer, const needs& wanted, bool keyed,
                 const window_option& window, bool why);

}  // namespace bloomery::cli
