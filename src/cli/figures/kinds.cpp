// Every registered kind: what was promised, what is predicted, what is measured.
#include <algorithm>
#include <array>

#include "bloomery/core/units.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {

drawing kind_rates() {
  constexpr std::array promised{0.1, 0.03, 0.01, 0.003, 0.001, 0.000'3, 0.000'1};
  constexpr std::uint64_t keys = 1'000'000;
  constexpr double hits_wanted = 20'000;
  constexpr std::uint64_t most_asked = 20'000'000;
  panel shown{"",
              {"promised rate", true},
              {"rate / promised rate"},
              {{"promised", drawn::dashes, {{promised.back(), 1}, {promised.front(), 1}}}}};
  int color = 0;
  for (const kind_entry& kind : kinds()) {
    if (!kind.can.plan || !kind.can.build || !kind.can.query) continue;
    ++color;
    const std::string name(kind.info.name);
    curve predicted{name + ", exact", drawn::line, {}, color};
    curve measured{name + ", measured", drawn::points, {}, color, 2, false};
    // Points of one rate side by side.
    const double shift = 1 + 0.12 * color;
    for (const double rate : promised) {
      const auto shape = kind.plan_shape(keys, rate);
      const double x = rate * shift;
      predicted.points.push_back({x, kind.predicted_rate(shape, keys) / rate});
      const auto asked = std::min(most_asked, static_cast<std::uint64_t>(hits_wanted / rate));
      measured.points.push_back(probe_strangers(filled(kind, shape, keys), asked).at(x, rate));
    }
    shown.curves.push_back(std::move(predicted));
    shown.curves.push_back(std::move(measured));
  }
  return {.title = "Promised, exact and measured rate of every kind",
          .source = "Ours: " + format_count(keys) + " keys, up to " + format_count(most_asked) +
                    " strangers. Points: measured, 99 % intervals. Plans keep a reserve of 1 %.",
          .command = {},
          .panels = {shown},
          .cells = {}};
}

}  // namespace bloomery::cli
