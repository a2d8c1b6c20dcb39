// Every registered kind: what was promised, what is predicted, what is measured. A block a family.
#include <algorithm>
#include <array>
#include <vector>

#include "bloomery/core/units.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t keys = 200'000;
constexpr double hits_wanted = 20'000;
constexpr std::uint64_t most_asked = 5'000'000;
constexpr std::array promised{0.1, 0.03, 0.01, 0.003, 0.001};

// The folder that its header is in.
std::string family_of(const any_kind& kind) {
  const std::string_view header = kind.info.header;
  const std::size_t end = header.rfind('/');
  const std::size_t start = header.rfind('/', end - 1) + 1;
  return std::string(header.substr(start, end - start));
}

// What is decoded has no strangers: the rate is that of uncertain counts, and its promise a bound.
void add_kind(panel& shown, const any_kind& kind) {
  const bool decoded = !kind.can<asks>();
  const std::string name(kind.info.name);
  curve predicted{name + (decoded ? ", uncertain at most" : ", exact"), drawn::line, {}};
  curve measured{name + (decoded ? ", uncertain" : ", measured"), drawn::points, {}};
  for (const double rate : promised) {
    const auto shape = kind.plan(keys, rate);
    const any_filter filter = filled(kind, shape, keys);
    predicted.points.push_back({rate, kind.predicted_rate(shape, keys) / rate});
    const auto asked = std::min(most_asked, static_cast<std::uint64_t>(hits_wanted / rate));
    measured.points.push_back(decoded ? chart_point{rate, uncertain_counts(filter, keys) / rate}
                                      : probe_strangers(filter, asked).at(rate, rate));
  }
  shown.curves.insert(shown.curves.end(), {predicted, measured});
}

}  // namespace

drawing kind_rates() {
  std::vector<panel> panels;
  for (const any_kind& kind : kinds()) {
    if (!kind.takes_keys() || !(kind.can<asks>() || kind.can<decodes>())) continue;
    const std::string family = family_of(kind);
    auto shown = std::ranges::find(panels, family, &panel::title);
    if (shown == panels.end()) {
      panels.push_back(
          {family,
           {"promised rate", true},
           {"rate / promised rate"},
           {{"promised", drawn::dashes, {{promised.back(), 1}, {promised.front(), 1}}}}});
      shown = panels.end() - 1;
    }
    add_kind(*shown, kind);
  }
  return {
      .title = "Promised, exact and measured rate of every kind",
      .source = "Ours: " + format_count(keys) + " keys, up to " + format_count(most_asked) +
                " strangers. Dots: measured, 99 % intervals; strokes: exact. Plans aim 1 % low.",
      .panels = std::move(panels),
      .by_rows = true};
}

}  // namespace bloomery::cli
