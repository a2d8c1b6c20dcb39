#include "bloomery/core/did_you_mean.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace bloomery {
namespace {

// Letters added, left out, replaced, or swapped with their neighbour, none twice.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min(
          {above[j] + 1, row[j - 1] + 1, above[j - 1] + std::size_t{a[i - 1] != b[j - 1]}});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(std::string_view text, std::span<const std::string_view> names) {
  constexpr std::size_t longest_name = 64;
  if (text.empty() || text.size() > longest_name) return {};
  std::string_view nearest;
  std::size_t least = text.size();
  for (const std::string_view name : names) {
    const std::size_t changes = distance(text, name);
    if (changes < least && changes <= std::max<std::size_t>(1, name.size() / 3)) {
      least = changes;
      nearest = name;
    }
  }
  const auto begins = [&](std::string_view name) { return name.starts_with(text); };
  if (std::ranges::count_if(names, begins) == 1) nearest = *std::ranges::find_if(names, begins);
  return nearest.empty() ? std::string() : "; did you mean '" + std::string(nearest) + "'?";
}

}  // namespace bloomery
