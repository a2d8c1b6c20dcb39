// What the tool says beside its output: one line on standard error.
#pragma once

#include <string_view>

namespace bloomery::cli {

// "bloomery: " and the message; what it echoes cannot command the terminal, nor fill it.
void tell(std::string_view message);

}  // namespace bloomery::cli
