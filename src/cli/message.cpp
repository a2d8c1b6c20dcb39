#include "message.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "bloomery/core/printable.hpp"

namespace bloomery::cli {

void tell(std::string_view message) {
  constexpr std::size_t longest = 2000;
  fmt::print(stderr, "bloomery: {}\n", printable(message, longest));
}

}  // namespace bloomery::cli
