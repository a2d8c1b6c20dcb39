// The figures that `bloomery figures` draws. Each is a file here, a function below and a line in
// list.cpp; it computes its curves from math/ and measures its points on real filters.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/any/registry.hpp"
#include "chart.hpp"

namespace bloomery::cli {

struct figure {
  std::string_view name;  // of its files
  drawing (*draw)();
};

std::span<const figure> figures();

drawing christensen_experiments();
drawing christensen_figure_2();
drawing broder_table_1();
drawing broder_compression();
drawing tarkoma_figure_3();
drawing tarkoma_figure_5();
drawing tarkoma_figure_7();
drawing tarkoma_table_1();
drawing tarkoma_table_2();
drawing kind_rates();
drawing windows();

// Intervals of measured points.
inline constexpr double measured_confidence = 0.99;

// The mean over `filters` filters of `keys` random keys each.
chart_point mean_over_filters(double x, const any_kind& kind, std::span<const field_value> shape,
                              std::uint64_t keys, std::uint64_t filters,
                              double (*of)(const any_filter&));
// Of the rates that their bits give: the second experiment of Christensen et al., eq. 4.
chart_point mean_instance_rate(double x, const any_kind& kind, std::span<const field_value> shape,
                               std::uint64_t keys, std::uint64_t filters);

// What one filter answers to random strangers.
struct probed {
  std::uint64_t asked;
  std::uint64_t hits;
  [[nodiscard]] chart_point at(double x, double unit = 1) const;  // the rate in multiples of unit
};
probed probe_strangers(const any_filter& filter, std::uint64_t asked);
any_filter filled(const any_kind& kind, std::span<const field_value> shape, std::uint64_t keys);
// The share of the counts that a filter so filled, told its keys, cannot certify.
double uncertain_counts(const any_filter& filter, std::uint64_t keys);

}  // namespace bloomery::cli
