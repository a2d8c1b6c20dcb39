#include <algorithm>
#include <cassert>
#include <map>

#include "harness.hpp"

namespace bloomery::bench {
namespace {

// `match` gives what a row must share with a rival's to be held against it.
template <class Row, class Match>
std::vector<std::optional<double>> ratios_by(std::span<const Row> rows, Match match) {
  std::map<decltype(match(rows[0])), double> fastest;
  for (const Row& row : rows) {
    if (!row.rival) continue;
    const auto [place, first] = fastest.try_emplace(match(row), row.ns_per_key);
    if (!first) place->second = std::min(place->second, row.ns_per_key);
  }
  std::vector<std::optional<double>> ratios;
  ratios.reserve(rows.size());
  for (const Row& row : rows) {
    const auto place = fastest.find(match(row));
    ratios.push_back(place == fastest.end() ? std::nullopt
                                            : std::optional(row.ns_per_key / place->second));
  }
  return ratios;
}

}  // namespace

std::vector<std::optional<double>> ratios_to_rivals(std::span<const bench_row> rows) {
  return ratios_by(rows, [](const bench_row& row) {
    const bool builds = row.what == operation::build || row.what == operation::build_on_two;
    return builds ? operation::insert : row.what;
  });
}

std::vector<std::optional<double>> ratios_to_rivals(std::span<const hash_row> rows) {
  return ratios_by(rows, [](const hash_row& row) { return row.key_bytes; });
}

double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace bloomery::bench
