#include "lab_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

std::string in_units(double value, lab::unit unit) {
  switch (unit) {
    case lab::unit::share:
      return format_ratio(value);
    case lab::unit::count:
      if (value >= 0 && value == std::floor(value)) {
        return format_count(static_cast<std::uint64_t>(value));
      }
      return format_real(value);
    case lab::unit::bytes:
      return format_size(static_cast<std::uint64_t>(std::max(0.0, std::round(value))));
    default:
      return format_real(value);
  }
}

std::string_view unit_name(lab::unit unit) {
  constexpr std::array<std::string_view, 4> names{"share", "count", "bytes", "number"};
  return names[static_cast<std::size_t>(unit)];
}

std::string predicted_text(const lab::figure& figure) {
  if (!figure.predicted) return "";
  const auto [low, high] = *figure.predicted;
  const std::string text = low == high
                               ? in_units(low, figure.in)
                               : in_units(low, figure.in) + " to " + in_units(high, figure.in);
  return figure.as_predicted() ? text : text + ": OFF";
}

json interval_json(const std::optional<math::interval>& interval) {
  return interval ? json{{"low", interval->low}, {"high", interval->high}} : json(nullptr);
}

}  // namespace

void print_lab(const systems::system_info& tried, const lab::result& found) {
  print_paragraph(fmt::format("{}: {}", tried.id, tried.name));
  std::vector<std::vector<std::string>> nevers;
  for (const lab::never& each : found.nevers()) {
    nevers.push_back({each.times == 0 ? "  never" : "  HAPPENED",
                      fmt::format("{}: {} of {}", each.what, format_count(each.times),
                                  format_count(each.chances))});
  }
  print_table(nevers);
  std::vector<std::vector<std::string>> rows{{"  measured", "predicted", "paper", "figure"}};
  for (const lab::figure& each : found.figures()) {
    std::string what = each.what;
    for (const lab::rival& other : each.rivals) {
      what += fmt::format("; {}: {}", other.name, in_units(other.value, each.in));
    }
    rows.push_back({"  " + in_units(each.measured, each.in), predicted_text(each),
                    each.paper ? in_units(*each.paper, each.in) : "", what});
  }
  if (std::none_of(rows.begin() + 1, rows.end(), [](const auto& row) { return !row[2].empty(); })) {
    for (auto& row : rows) row.erase(row.begin() + 2);
  }
  if (rows.size() > 1) print_table(rows);
  for (const std::string& note : found.notes()) print_paragraph(note, 2);
  fmt::print("  {}\n", found.as_promised() ? "as promised" : "NOT as promised");
}

json lab_json(const systems::system_info& tried, std::uint64_t seed, const lab::result& found) {
  json nevers = json::array();
  for (const lab::never& each : found.nevers()) {
    nevers.push_back({{"what", each.what}, {"times", each.times}, {"chances", each.chances}});
  }
  json figures = json::array();
  for (const lab::figure& each : found.figures()) {
    json rivals = json::object();
    for (const lab::rival& other : each.rivals) rivals[other.name] = other.value;
    figures.push_back({{"what", each.what},
                       {"unit", unit_name(each.in)},
                       {"measured", each.measured},
                       {"predicted", interval_json(each.predicted)},
                       {"as_predicted", each.as_predicted()},
                       {"paper", or_null(each.paper)},
                       {"rivals", rivals}});
  }
  return {{"id", tried.id},        {"name", tried.name},
          {"seed", seed},          {"as_promised", found.as_promised()},
          {"nevers", nevers},      {"figures", figures},
          {"notes", found.notes()}};
}

drawing lab_drawing(const systems::system_info& tried, const lab::result& found) {
  drawing picture{.title = fmt::format("{}: {}", tried.id, tried.name),
                  .source = std::string(tried.source),
                  .command = fmt::format("Drawn by: bloomery lab {} --plot FILE", tried.id)};
  for (const lab::series& each : found.curves()) {
    auto place = std::ranges::find(picture.panels, each.panel, &panel::title);
    if (place == picture.panels.end()) {
      picture.panels.push_back(
          {each.panel, {each.x, each.logarithmic_x}, {each.y, each.logarithmic_y}, {}});
      place = picture.panels.end() - 1;
    }
    curve drawn_curve{each.name, drawn::line, {}, static_cast<int>(place->curves.size()) + 1};
    for (const auto& [x, y] : each.points) drawn_curve.points.push_back({x, y});
    place->curves.push_back(std::move(drawn_curve));
  }
  if (!picture.panels.empty()) return picture;
  picture.by_rows = true;
  panel figures{"measured (stroke) in the predicted interval", {}, {"of the prediction"}, {}};
  for (const lab::figure& each : found.figures()) {
    if (!each.predicted) continue;
    const auto [low, high] = *each.predicted;
    const double middle = (low + high) / 2;
    if (middle <= 0) continue;
    figures.curves.push_back(
        {each.what + ", predicted", drawn::points, {{1, 1, low / middle, high / middle}}, 1});
    figures.curves.push_back(
        {each.what + ", measured", drawn::line, {{1, each.measured / middle}}, 1});
  }
  picture.panels.push_back(std::move(figures));
  return picture;
}

}  // namespace bloomery::cli
