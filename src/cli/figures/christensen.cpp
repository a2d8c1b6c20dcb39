// Christensen, Roginsky, Jimeno 2010: the two experiments (eqs. 3 and 4), and how far the classic formula
// is off (Fig. 2).
#include <array>
#include <cmath>

#include "bloomery/core/units.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t filters = 20'000;

double fill_of(const any_filter& filter) {
  return filter.as<tells_rate>().fill();
}

}  // namespace

// The same filters, judged twice: by the mean of their fills, and by the mean of their rates.
drawing christensen_experiments() {
  constexpr std::uint64_t bits_per_key = 8;
  constexpr std::uint64_t k = 6;
  const any_kind& standard = find_kind(standard_filter::kind.name);
  const std::string first = "eq. 3: mean fill, to the power k";
  const std::string second = "eq. 4: mean of fill to the power k";
  curve classic{first, drawn::line, {}, 1};
  curve exact{second, drawn::line, {}, 2};
  curve by_fill{first + ", measured", drawn::points, {}, 1, 2, false};
  curve by_rate{second + ", measured", drawn::points, {}, 2, 2, false};
  for (std::uint64_t n = 2; n <= 32; n += std::max<std::uint64_t>(1, n / 4)) {
    const std::uint64_t m = bits_per_key * n;
    const auto x = static_cast<double>(m);
    const std::array<field_value, 2> shape{m, k};
    classic.points.push_back({x, 100 * math::classic_rate(m, n, k)});
    exact.points.push_back({x, 100 * math::exact_rate(m, n, k)});
    const chart_point fill = mean_over_filters(x, standard, shape, n, filters, fill_of);
    const chart_point rate = mean_instance_rate(x, standard, shape, n, filters);
    const auto powered = [](double part) { return 100 * math::instance_rate(part, k); };
    by_fill.points.push_back({x, powered(fill.y), powered(fill.low), powered(fill.high)});
    by_rate.points.push_back({x, 100 * rate.y, 100 * rate.low, 100 * rate.high});
  }
  panel shown{"m/n = 8, k = 6",
              {"m, bits in the filter", true, true},
              {"false-positive rate, %"},
              {classic, by_fill, exact, by_rate}};
  shown.legend = "inside right top";
  return {.title = "Two experiments, two rates: only the second is what strangers meet",
          .source = "Christensen, Roginsky, Jimeno 2010, eqs. 3 and 4. Points: " +
                    format_count(filters) + " real filters each, 99 % intervals.",
          .panels = {shown}};
}

drawing christensen_figure_2() {
  constexpr std::array<std::uint64_t, 4> bits_per_key{4, 8, 12, 16};
  constexpr std::uint64_t largest = 1 << 14;
  constexpr std::uint64_t most_measured = 512;
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
