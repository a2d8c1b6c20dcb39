#include "plan_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "chart.hpp"
#include "options.hpp"
#include "wrap.hpp"

namespace bloomery::cli {
namespace {

constexpr const char* rate_axis = "false-positive rate";

std::span<const planned_filter> drawn_choices(const recommendation& answer) {
  constexpr std::size_t most_kinds = 7;  // as there are colours
  return std::span(answer.choices).first(std::min(answer.choices.size(), most_kinds));
}

// The first is drawn widest, so that a later one that coincides leaves its rim to be seen.
curve empty_curve(const planned_filter& plan, std::size_t place) {
  return {std::string(plan.kind->info.name),
          drawn::line,
          {},
          static_cast<int>(place) + 1,
          place == 0 ? 5.0 : 2.0};
}

// The shapes as planned, as they fill up and beyond.
panel rates_by_keys(const recommendation& answer) {
  constexpr int steps = 60;
  const promise first = answer.choices.front().promised;
  const auto smallest = static_cast<double>(first.keys) / 4;  // below lies nothing but tiny rates
  const auto largest = static_cast<double>(first.keys) * 2;
  panel shown{"as keys are added", {"keys", false, true}, {rate_axis, true}, {}};
  shown.curves.push_back(
      {"promised", drawn::dashes, {{smallest, first.rate}, {largest, first.rate}}});
  for (const planned_filter& plan : drawn_choices(answer)) {
    curve rates = empty_curve(plan, shown.curves.size() - 1);
    const std::uint64_t most = plan.kind->can<has_capacity>()
                                   ? plan.kind->as<has_capacity>().capacity(plan.shape)
                                   : max_keys;  // beyond it refuses keys
    for (int i = 0; i <= steps; ++i) {
      const auto keys =
          static_cast<std::uint64_t>(std::ceil(smallest + (largest - smallest) * i / steps));
      if (keys > most) break;
      rates.points.push_back(
          {static_cast<double>(keys), plan.kind->predicted_rate(plan.shape, keys)});
    }
    shown.curves.push_back(std::move(rates));
  }
  return shown;
}

// The same keys, in shapes planned for other rates.
panel rates_by_bits(const recommendation& answer, const needs& wanted) {
  constexpr int most_halvings = 14;
  const std::uint64_t keys = answer.choices.front().promised.keys;
  panel shown{"as bits are spent", {"bits per key"}, {rate_axis, true}, {}};
  for (const planned_filter& plan : drawn_choices(answer)) {
    curve rates = empty_curve(plan, shown.curves.size());
    for (int halvings = 2; halvings <= most_halvings; ++halvings) {
      needs other_rate = wanted;
      other_rate.keys = keys;
      other_rate.rate = std::exp2(-halvings);
      other_rate.memory.reset();
      other_rate.wire.reset();
      const recommendation other = recommend(other_rate, std::array{kind_ref(*plan.kind)});
      if (other.choices.empty()) continue;  // beyond the largest filter
      rates.points.push_back(
          {other.choices.front().bits_per_key(), other.choices.front().predicted_rate});
    }
    shown.curves.push_back(std::move(rates));
  }
  const auto least = [&](int halvings) {
    const double rate = std::exp2(-halvings);
    return chart_point{answer.choices.front().bound(rate), rate};
  };
  shown.curves.push_back({"no filter below", drawn::dashes, {least(2), least(most_halvings)}});
  return shown;
}

drawing draw(const recommendation& answer, std::vector<panel> panels) {
  const promise first = answer.choices.front().promised;
  return {.title = fmt::format("{} keys at {}", format_count(first.keys), format_ratio(first.rate)),
          .source = "Predicted by each kind's own exact formula.",
          .command = invocation(),
          .panels = std::move(panels)};
}

}  // namespace

void save_plot(const recommendation& answer, const needs& wanted, const std::string& path) {
  save_text(to_svg(draw(answer, {rates_by_keys(answer), rates_by_bits(answer, wanted)})), path);
}

void show_on_terminal(const recommendation& answer) {
  fmt::print("{}\n", to_characters(draw(answer, {rates_by_keys(answer)}), page_width));
}

}  // namespace bloomery::cli
