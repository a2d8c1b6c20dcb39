// How far the classic formula is off: Christensen, Roginsky, Jimeno 2010, Fig. 2.
#include <array>
#include <cmath>

#include "bloomery/core/units.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {

drawing christensen_figure_2() {
  constexpr std::array<std::uint64_t, 4> bits_per_key{4, 8, 12, 16};
  constexpr std::uint64_t largest = 1 << 14;
  constexpr std::uint64_t most_measured = 512;
  constexpr std::uint64_t filters = 20'000;
  const any_kind& standard = find_kind(standard_filter::kind.name);

  panel shown{"", {"m, bits in the filter", true, true}, {"classic is low by, %"}, {}};
  int color = 0;
  for (const std::uint64_t c : bits_per_key) {
    ++color;
    const auto k = static_cast<std::uint64_t>(std::round(static_cast<double>(c) * M_LN2));
    const std::string name = "m/n = " + std::to_string(c) + ", k = " + std::to_string(k);
    curve predicted{name, drawn::line, {}, color};
    curve measured{name + ", measured", drawn::points, {}, color, 2, false};
    // Whole numbers of keys, from at least two on, in steps of a quarter octave or one key.
    for (std::uint64_t n = std::max<std::uint64_t>(2, 32 / c); c * n <= largest;
         n += std::max<std::uint64_t>(1, n / 5)) {
      const std::uint64_t m = c * n;
      const auto x = static_cast<double>(m);
      const double classic = math::classic_rate(m, n, k);
      const auto shortfall = [&](double rate) { return 100 * (1 - classic / rate); };
      predicted.points.push_back({x, shortfall(math::exact_rate(m, n, k))});
      if (m > most_measured) continue;
      const chart_point rate =
          mean_instance_rate(x, standard, std::array<field_value, 2>{m, k}, n, filters);
      measured.points.push_back({x, shortfall(rate.y), shortfall(rate.low), shortfall(rate.high)});
    }
    shown.curves.insert(shown.curves.end(), {predicted, measured});
  }
  return {.title = "The classic formula is low for small filters",
          .source = "After Christensen, Roginsky, Jimeno 2010, Fig. 2. Points: " +
                    format_count(filters) + " real filters each, 99 % intervals.",
          .panels = {shown}};
}

}  // namespace bloomery::cli
