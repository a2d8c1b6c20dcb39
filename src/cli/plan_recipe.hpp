// How to make what `plan` chose.
#pragma once

#include <string>
#include <vector>

#include "bloomery/any/planner.hpp"
#include "sizing.hpp"

namespace bloomery::cli {

// The lines that make the first choice: in C++, in a shell, in Redis.
struct recipe {
  std::vector<std::string> cpp;
  std::string shell;
  std::string redis;  // empty for a kind that Redis commands cannot fill
};

recipe recipe_for(const planned_filter& plan, bool keyed, const window_option& window);

}  // namespace bloomery::cli
