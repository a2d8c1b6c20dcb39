#include "chart_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

#include "bloomery/core/units.hpp"
#include "wrap.hpp"

namespace bloomery::cli {
namespace {

constexpr double page = 900;
constexpr double least_left = 190;  // of the scale; longer names push it to the right
constexpr double most_left = 400;
constexpr double name_letter = 7.4;        // the mean width of a letter of a name
constexpr std::size_t line_letters = 125;  // of the small text below
constexpr double right = page - 30;
constexpr double row_height = 18;
constexpr double heading_height = 30;
constexpr double axis_height = 24;
constexpr double spread = 2.8;  // between the marks of one row

struct scale {
  double low;
  double high;
  bool logarithmic;
  double left;

  [[nodiscard]] double at(double value) const {
    const double part =
        logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return left + std::clamp(part, 0.0, 1.0) * (right - left);
  }
};

bool drawable(const axis& shown, double value) {
  return std::isfinite(value) && (!shown.logarithmic || value > 0);
}

// Blocks of the same quantity share their scale.
scale scale_of(const drawing& picture, const axis& shown, double left) {
  constexpr double room = 1.03;
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const panel& block : picture.panels) {
    if (block.y.label != shown.label) continue;
    for (const curve& c : block.curves) {
      for (const chart_point& p : c.points) {
        for (const double value : {p.y, p.low, p.high}) {
          if (!drawable(shown, value)) continue;
          low = std::min(low, value);
          high = std::max(high, value);
        }
      }
    }
  }
  if (!(high > 0)) return {0, 1, false, left};
  if (!shown.logarithmic) return {0, room * high, false, left};
  return {low / (room * room), high * room * room, true, left};
}

// 1, 2 and 5 times powers of ten, some five to ten of them.
std::vector<double> ticks_of(const scale& shown) {
  constexpr std::array steps{1.0, 2.0, 5.0};
  std::vector<double> ticks;
  if (!shown.logarithmic) {
    const double rough = (shown.high - shown.low) / 6;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double width = 10 * power;
    for (const double step : steps) {
      if (step * power >= rough) width = std::min(width, step * power);
    }
    for (int i = 0; i * width <= shown.high; ++i) ticks.push_back(i * width);
    return ticks;
  }
  const bool wide = shown.high / shown.low > 1e4;
  for (double power = std::pow(10, std::floor(std::log10(shown.low))); power < shown.high;
       power *= 10) {
    for (const double step : steps) {
      if (wide && step != 1) continue;
      if (const double tick = step * power; tick >= shown.low && tick <= shown.high) {
        ticks.push_back(tick);
      }
    }
  }
  return ticks;
}

// "standard" of "standard, measured".
std::string row_name(const curve& c) {
  return c.name.substr(0, c.name.find(", "));
}

std::vector<double> series_of(const drawing& picture) {
  std::set<double> found;
  for (const panel& shown : picture.panels) {
    for (const curve& c : shown.curves) {
      if (c.as == drawn::dashes) continue;
      for (const chart_point& p : c.points) found.insert(p.x);
    }
  }
  return {found.begin(), found.end()};
}

double left_of(const drawing& picture) {
  double left = least_left;
  for (const panel& shown : picture.panels) {
    for (const curve& c : shown.curves) {
      if (c.as == drawn::dashes) continue;
      left = std::max(left, 34 + name_letter * static_cast<double>(width_of(row_name(c))));
    }
  }
  return std::min(left, most_left);
}

class rows_drawing {
 public:
  explicit rows_drawing(const drawing& picture)
      : picture_(picture), series_(series_of(picture)), left_(left_of(picture)) {}

  std::string svg() {
    y_ = 34;
    text(24, y_, picture_.title, "font-size=\"18\"");
    y_ += 26;
    if (!picture_.panels.front().x.label.empty()) legend();  // colours mean something
    for (const panel& shown : picture_.panels) block(shown);
    y_ += 14;
    for (const std::string& paragraph : {picture_.source, picture_.command}) {
      std::istringstream lines(wrapped(paragraph, line_letters, 0));
      for (std::string line; std::getline(lines, line);) {
        y_ += 17;
        text(24, y_, line, R"(font-size="12" fill="#555555")");
      }
    }
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"13\">\n"
               "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
               page, y_ + 16) +
           body_ + "</svg>\n";
  }

 private:
  void text(double x, double y, const std::string& what, const char* how = "") {
    body_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, how, xml_escaped(what));
  }
  void line(double x1, double y1, double x2, double y2, const char* color, const char* how = "") {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" {}/>\n", x1,
        y1, x2, y2, color, how);
  }

  void legend() {
    const axis& key = picture_.panels.front().x;
    double x = 24;
    text(x, y_, key.label + ":");
    x += 8.0 * static_cast<double>(width_of(key.label)) + 12;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const std::string name = key.counts ? short_count(static_cast<std::uint64_t>(series_[i]))
                                          : format_ratio(series_[i]);
      body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", x, y_ - 4,
                           color_of(i));
      text(x + 9, y_, name);
      x += 8.0 * static_cast<double>(width_of(name)) + 34;
    }
    y_ += 6;
  }

  // The first series is blue: black is for what all are compared with.
  static const char* color_of(std::size_t series) {
    return chart_color(static_cast<int>(series) + 1);
  }

  void block(const panel& shown) {
    std::vector<std::string> names;
    for (const curve& c : shown.curves) {
      if (c.as != drawn::dashes && std::ranges::find(names, row_name(c)) == names.end()) {
        names.push_back(row_name(c));
      }
    }
    const scale across = scale_of(picture_, shown.y, left_);
    y_ += heading_height;
    text(24, y_ - 9, shown.title, "font-weight=\"bold\"");
    const double top = y_;
    const double bottom = top + row_height * static_cast<double>(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const double middle = top + row_height * (static_cast<double>(i) + 0.5);
      if (i % 2 == 0) {
        body_ += fmt::format(
            "<rect x=\"20\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"#f4f4f4\"/>\n",
            middle - row_height / 2, right - 14, row_height);
      }
      text(24, middle + 4.5, names[i]);
    }
    for (const double tick : ticks_of(across)) {
      line(across.at(tick), top, across.at(tick), bottom, "#cccccc");
      text(across.at(tick), bottom + 15, format_real(tick),
           R"(font-size="11" text-anchor="middle" fill="#333333")");
    }
    text(24, bottom + 15, shown.y.label, R"(font-size="11" fill="#333333")");
    for (const curve& c : shown.curves) {
      if (c.as == drawn::dashes) {
        const double x = across.at(c.points.front().y);
        line(x, top, x, bottom, "#000000", "stroke-dasharray=\"5 4\"");
        continue;
      }
      const auto row = static_cast<double>(std::ranges::find(names, row_name(c)) - names.begin());
      marks(c, shown.y, across, top + row_height * (row + 0.5));
    }
    y_ = bottom + axis_height;
  }

  void marks(const curve& c, const axis& shown, const scale& across, double middle) {
    for (const chart_point& p : c.points) {
      if (!drawable(shown, p.y)) continue;
      const auto series =
          static_cast<std::size_t>(std::ranges::find(series_, p.x) - series_.begin());
      const double y = middle + spread * (static_cast<double>(series) -
                                          (static_cast<double>(series_.size()) - 1) / 2);
      const double x = across.at(p.y);
      const char* color = color_of(series);
      if (c.as == drawn::line) {
        line(x, y - 4, x, y + 4, color, "stroke-width=\"2\"");
        continue;
      }
      if (!std::isnan(p.low)) {
        line(across.at(p.low), y, across.at(p.high), y, color, "stroke-width=\"1.3\"");
      }
      body_ +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", x, y, color);
    }
  }

  const drawing& picture_;
  std::vector<double> series_;
  double left_;
  std::string body_;
  double y_ = 0;
};

}  // namespace

std::string rows_svg(const drawing& picture) {
  return rows_drawing(picture).svg();
}

}  // namespace bloomery::cli
