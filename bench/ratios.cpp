#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>

#include "harness.hpp"

namespace bloomery::bench {
namespace {

constexpr double more_bits = 1.01;  // that still count as equal
constexpr double more_mistakes = 1.01;
constexpr double deviations = 2;  // of the measured rates

bool fills(operation what) {
  return what == operation::insert || what == operation::build || what == operation::build_on_two;
}

// Whether both do the same thing; the rival's best way counts, where ours is not of single keys.
bool competes(const bench_row& ours, const bench_row& rival) {
  const bool in_bulk = ours.batch;
  if (!in_bulk) return ours.what == rival.what && !rival.batch;
  if (!fills(ours.what)) return ours.what == rival.what;
  // On two threads it meets those who fill on one, too; nobody on one meets those on two.
  return fills(rival.what) &&
         (ours.what == operation::build_on_two || rival.what != operation::build_on_two);
}

// What a structure can be asked to do beside answering: one that cannot take further keys or give them up is
// no rival of one that can.
std::map<std::string, std::set<operation>> changes_of(std::span<const bench_row> rows) {
  std::map<std::string, std::set<operation>> all;
  for (const bench_row& row : rows) {
    std::set<operation>& changes = all[row.name];
    if (row.what == operation::insert || row.what == operation::remove) changes.insert(row.what);
  }
  return all;
}

bool is_fair(const bench_row& ours, const bench_row& rival) {
  const auto variance = [](const bench_row& row) {
    return row.measured_rate / static_cast<double>(std::max<std::uint64_t>(1, row.rate_sample));
  };
  const double noise = deviations * std::sqrt(variance(ours) + variance(rival));
  return rival.bits_per_key <= more_bits * ours.bits_per_key &&
         rival.measured_rate <= more_mistakes * ours.measured_rate + noise;
}

// How much bits and rate differ, as factors.
double distance(const bench_row& ours, const bench_row& rival) {
  return std::abs(std::log(rival.bits_per_key / ours.bits_per_key)) +
         std::abs(std::log(rival.measured_rate / ours.measured_rate));
}

}  // namespace

std::vector<std::optional<comparison>> against_rivals(std::span<const bench_row> rows) {
  std::vector<std::optional<comparison>> all(rows.size());
  const auto changes = changes_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bench_row& ours = rows[i];
    std::optional<comparison>& best = all[i];
    if (ours.rival) continue;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const bench_row& rival = rows[j];
      if (!rival.rival || !competes(ours, rival)) continue;
      if (!std::ranges::includes(changes.at(rival.name), changes.at(ours.name))) continue;
      const comparison held{j, ours.ns_per_key / rival.ns_per_key, is_fair(ours, rival)};
      const bool comparable = held.fair || (rival.measured_rate > 0 && ours.measured_rate > 0);
      if (!comparable || (best && best->fair && !held.fair)) continue;
      const bool better = !best || held.fair != best->fair ||
                          (held.fair ? held.ratio > best->ratio
                                     : distance(ours, rival) < distance(ours, rows[best->rival]));
      if (better) best = held;
    }
  }
  return all;
}

std::vector<std::optional<double>> ratios_to_rivals(std::span<const hash_row> rows) {
  std::map<std::size_t, double> fastest;
  for (const hash_row& row : rows) {
    if (!row.rival) continue;
    const auto [place, first] = fastest.try_emplace(row.key_bytes, row.ns_per_key);
    if (!first) place->second = std::min(place->second, row.ns_per_key);
  }
  std::vector<std::optional<double>> ratios;
  ratios.reserve(rows.size());
  for (const hash_row& row : rows) {
    const auto place = fastest.find(row.key_bytes);
    ratios.push_back(place == fastest.end() ? std::nullopt
                                            : std::optional(row.ns_per_key / place->second));
  }
  return ratios;
}

double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace bloomery::bench
