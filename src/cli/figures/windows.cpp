// The kinds that forget, for one window: what they take, how they err, what a query costs.
#include <algorithm>
#include <array>
#include <cmath>

#include "bloomery/core/units.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {

drawing windows() {
  constexpr std::uint64_t window = 100'000;
  constexpr std::array rates{0.1, 0.03, 0.01, 0.003, 0.001};
  constexpr double hits_wanted = 5'000;
  const axis promised{"promised rate", true};
  panel memory{"memory", promised, {"bits per key of the window", true}, {}};
  panel rate{"rate after one window (large points), ten (small), and its highest ever",
             promised,
             {"rate / promised rate"},
             {}};
  panel cost{"query", promised, {"cache lines, absent key"}, {}};
  const double middle =
      (1 + static_cast<double>(std::ranges::count_if(
               kinds(), [](const any_kind& kind) { return kind.can<forgets>(); }))) /
      2;
  int color = 0;
  for (const any_kind& kind : kinds()) {
    if (!kind.can<forgets>()) continue;
    ++color;
    const std::string name(kind.info.name);
    curve bits{name, drawn::line, {}, color};
    curve predicted{name + ", exact", drawn::line, {}, color};
    curve measured{name + ", measured", drawn::points, {}, color, 2, false};
    curve highest{name + ", highest", drawn::dashes, {}, color, 1, false};
    curve later{name + ", after ten windows", drawn::points, {}, color, 1, false};
    curve lines{name, drawn::line, {}, color};
    for (const double asked_for : rates) {
      const auto shape = kind.plan(window, asked_for);
      const double x = asked_for * std::pow(1.06, color - middle);  // side by side
      bits.points.push_back(
          {asked_for, 8 * static_cast<double>(kind.payload_bytes(shape)) / window});
      lines.points.push_back({asked_for, kind.query_cost(shape, window).absent});
      predicted.points.push_back({x, kind.predicted_rate(shape, window) / asked_for});
      highest.points.push_back({x, kind.predicted_rate(shape, 10 * window) / asked_for});
      const auto asked = static_cast<std::uint64_t>(hits_wanted / asked_for);
      const auto measure = [&](std::uint64_t arrivals) {
        return probe_strangers(filled(kind, shape, arrivals), asked).at(x, asked_for);
      };
      measured.points.push_back(measure(window));
      later.points.push_back({x, measure(10 * window).y});
    }
    memory.curves.push_back(std::move(bits));
    rate.curves.insert(rate.curves.end(), {predicted, measured, highest, later});
    cost.curves.push_back(std::move(lines));
  }
  return {
      .title = "One window of " + format_count(window) + " keys, kept by every kind that forgets",
      .source =
          "Ours. Stable and variable-signature filters may miss keys inside the window. Points: "
          "measured, 99 % intervals.",
      .panels = {memory, rate, cost}};
}

}  // namespace bloomery::cli
