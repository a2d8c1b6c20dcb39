// Every registered kind: what was promised, what is predicted, what is measured. A panel a family.
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

void add_kind(panel& shown, const any_kind& kind) {
  const int color = static_cast<int>(shown.curves.size() / 2) + 1;
  const std::string name(kind.info.name);
  curve predicted{name + ", exact", drawn::line, {}, color};
  curve measured{name + ", measured", drawn::points, {}, color, 2, false};
  // Points of one rate side by side.
  const double shift = 1 + 0.06 * color;
  for (const double rate : promised) {
    const auto shape = kind.plan(keys, rate);
    const double x = rate * shift;
    predicted.points.push_back({x, kind.predicted_rate(shape, keys) / rate});
    const auto asked = std::min(most_asked, static_cast<std::uint64_t>(hits_wanted / rate));
    measured.points.push_back(probe_strangers(filled(kind, shape, keys), asked).at(x, rate));
  }
  shown.curves.push_back(std::move(predicted));
  shown.curves.push_back(std::move(measured));
}

// What is decoded has no strangers: the rate is that of uncertain counts, and its promise a bound.
void add_decoded(panel& shown, const any_kind& kind) {
  const int color = static_cast<int>(shown.curves.size() / 2) + 1;
  const std::string name(kind.info.name);
  curve predicted{name + ", uncertain at most", drawn::dashes, {}, color};
  curve measured{name + ", uncertain", drawn::points, {}, color, 2, false};
  for (const double rate : promised) {
    const auto shape = kind.plan(keys, rate);
    predicted.points.push_back({rate, kind.predicted_rate(shape, keys) / rate});
    const double uncertain = uncertain_counts(filled(kind, shape, keys), keys);
    measured.points.push_back({rate, uncertain / rate});
  }
  shown.curves.push_back(std::move(predicted));
  shown.curves.push_back(std::move(measured));
}

}  // namespace

drawing kind_rates() {
  std::vector<panel> panels;
  for (const any_kind& kind : kinds()) {
    if (!kind.takes_keys() || !(kind.can<asks>() || kind.can<decodes>())) continue;
    const std::string family = family_of(kind);
    auto shown = std::find_if(panels.begin(), panels.end(),
                              [&](const panel& p) { return p.title == family; });
    if (shown == panels.end()) {
      panels.push_back(
          {family,
           {"promised rate", true},
           {"rate / promised rate"},
           {{"promised", drawn::dashes, {{promised.back(), 1}, {promised.front(), 1}}}}});
      shown = panels.end() - 1;
    }
    (kind.can<asks>() ? add_kind : add_decoded)(*shown, kind);
  }
  return {.title = "Promised, exact and measured rate of every kind",
          .source = "Ours: " + format_count(keys) + " keys, up to " + format_count(most_asked) +
                    " strangers. Points: measured, 99 % intervals. Plans keep a reserve of 1 %.",
          .command = {},
          .panels = std::move(panels),
          .cells = {}};
}

}  // namespace bloomery::cli
