// What `plan` draws: the rates of its choices.
#pragma once

#include <string>

#include "bloomery/any/planner.hpp"

namespace bloomery::cli {

// Against keys and against size. There must be a choice.
void save_plot(const recommendation& answer, const needs& wanted, const std::string& path);
// Against keys, in characters.
void show_on_terminal(const recommendation& answer);

}  // namespace bloomery::cli
