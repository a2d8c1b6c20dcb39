#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "bloomery/bits/memory/file_writer.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"
#include "chart_rows.hpp"
#include "child.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

// Panels below each other, as wide as a page shows without making letters small.
constexpr unsigned panel_width = 900;
constexpr unsigned panel_height = 440;
constexpr unsigned caption_height = 44;  // above the first panel, and below the last
constexpr unsigned title_room = 46;      // of a panel
constexpr unsigned axis_room = 76;
constexpr const char* font = "sans-serif";
// Eight colours that stay apart for colour-blind eyes (Okabe and Ito 2008), black first.
constexpr std::array colors{"#000000", "#0072b2", "#d55e00", "#009e73",
                            "#cc79a7", "#56b4e9", "#e69f00", "#8a7500"};

// A gnuplot string: quotes are doubled, nothing else is special in single quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\n') continue;
    result += c;
    if (c == '\'') result += c;
  }
  return result + "'";
}

bool has_interval(const curve& c) {
  return std::ranges::any_of(c.points, [](const chart_point& p) { return !std::isnan(p.low); });
}

void append_data(std::string& script, const panel& shown) {
  for (std::size_t i = 0; i < shown.curves.size(); ++i) {
    script += fmt::format("$data{} << END\n", i);
    for (const chart_point& p : shown.curves[i].points) {
      if (shown.y.logarithmic && !(p.y > 0)) continue;
      script += fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}\n", p.x, p.y,
                            std::isnan(p.low) ? p.y : p.low, std::isnan(p.high) ? p.y : p.high);
    }
    script += "END\n";
  }
}

std::string style_of(const curve& c) {
  const char* ink = chart_color(c.color);
  switch (c.as) {
    case drawn::line:
      return fmt::format("with lines lw {} lc rgb '{}'", c.width, ink);
    case drawn::dashes:
      return fmt::format("with lines lw {} dt 2 lc rgb '{}'", c.width, ink);
    case drawn::points:
      break;
  }
  return fmt::format("with {} pt 7 ps {:.1f} lw 1.5 lc rgb '{}'",
                     has_interval(c) ? "yerrorbars" : "points", 0.3 * c.width, ink);
}

// How powers of ten are written where raised text can be drawn, and where it cannot.
constexpr const char* raised_power = "10^{%L}";
constexpr const char* plain_power = "10^%L";

void append_axis(std::string& script, char name, const axis& shown, const char* power) {
  const char* plain = shown.logarithmic ? power : "%g";
  script += fmt::format("set {0}label {1} noenhanced\n{2} logscale {0}\nset format {0} '{3}'\n",
                        name, quoted(shown.label), shown.logarithmic ? "set" : "unset",
                        shown.counts ? "%.0s%c" : plain);
  script += fmt::format("set {}tics {}\n", name, shown.whole ? "1" : "autofreq");
}

// 500k, 1M, 1.5M: gnuplot would round them all to 1M.
void append_count_tics(std::string& script, const panel& shown) {
  constexpr double wanted = 5;
  double high = 1;
  for (const curve& c : shown.curves) {
    for (const chart_point& p : c.points) high = std::max(high, p.x);
  }
  const double power = std::pow(10, std::floor(std::log10(high / wanted)));
  const double step = std::max(1.0, power * (high / wanted < 2 * power   ? 1
                                             : high / wanted < 5 * power ? 2
                                                                         : 5));
  script += "set xtics (";
  for (double tic = 0; tic <= high; tic += step) {
    script += fmt::format("{}'{}' {:.17g}", tic == 0 ? "" : ", ",
                          short_count(static_cast<std::uint64_t>(tic)), tic);
  }
  script += ")\n";
}

void append_panel(std::string& script, const panel& shown, const char* power) {
  append_data(script, shown);
  script += fmt::format("set title {} noenhanced\nset key {}\nset autoscale xfix\n",
                        quoted(shown.title), shown.legend);
  append_axis(script, 'x', shown.x, power);
  if (shown.x.counts && !shown.x.logarithmic) append_count_tics(script, shown);
  append_axis(script, 'y', shown.y, power);
  script += "plot ";
  for (std::size_t i = 0; i < shown.curves.size(); ++i) {
    const curve& c = shown.curves[i];
    script +=
        fmt::format("{}$data{} using 1:2{} {} {}", i == 0 ? "" : ", ", i,
                    c.as == drawn::points && has_interval(c) ? ":3:4" : "", style_of(c),
                    !c.listed ? "notitle" : fmt::format("title {} noenhanced", quoted(c.name)));
  }
  script += "\n";
}

std::string run_gnuplot(const std::string& script) {
  const finished_child gnuplot = run_child({"gnuplot", "-"}, script);
  if (!gnuplot.started) {
    fail(errc::unsupported, "drawing needs gnuplot (Debian: gnuplot-nox), which is not here");
  }
  if (gnuplot.status != 0 || gnuplot.output.empty()) {
    fail(errc::io, "gnuplot failed: " + gnuplot.complaint);
  }
  return gnuplot.output;
}

// Rows of text with a rule under the heading and every other row shaded.
std::string table_svg(const drawing& picture) {
  constexpr double letter = 7.6;  // the mean width of a 13-pixel letter
  constexpr double row_height = 24;
  constexpr double gap = 22;
  constexpr double left = 24;
  constexpr double top = 84;
  std::vector<double> widths;
  double width = left;
  for (const std::size_t letters : column_widths(picture.cells)) {
    widths.push_back(letter * static_cast<double>(letters));
    width += widths.back() + gap;
  }
  const auto caption = static_cast<double>(
      std::max({width_of(picture.source), width_of(picture.command), width_of(picture.title)}));
  width = std::max(width, 2 * left + letter * caption);
  const double bottom = top + row_height * static_cast<double>(picture.cells.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"{2}\" font-size=\"13\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{3}\" y=\"34\" font-size=\"17\">{4}</text>\n",
      width, bottom + 64, font, left, xml_escaped(picture.title));
  for (std::size_t r = 0; r < picture.cells.size(); ++r) {
    const double y = top + row_height * static_cast<double>(r);
    if (r % 2 == 1) {
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#f2f2f2\"/>\n",
                         left - 8, y - row_height + 7, width - 2 * left + 16, row_height);
    }
    double x = left;
    for (std::size_t i = 0; i < picture.cells[r].size(); ++i) {
      svg += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>\n", x, y,
                         r == 0 ? " font-weight=\"bold\"" : "", xml_escaped(picture.cells[r][i]));
      x += widths[i] + gap;
    }
  }
  svg += fmt::format(
      "<g font-size=\"11\" fill=\"#555555\"><text x=\"{0}\" y=\"{1}\">{2}</text>"
      "<text x=\"{0}\" y=\"{3}\">{4}</text></g>\n</svg>\n",
      left, bottom + 18, xml_escaped(picture.source), bottom + 36, xml_escaped(picture.command));
  return svg;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    result += c;
    if (c == '"') result += c;
  }
  return result + "\"";
}

std::string csv_number(double value) {
  return std::isnan(value) ? "" : fmt::format("{:.6g}", value);
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

const char* chart_color(int color) {
  return colors.at(static_cast<std::size_t>(color) % colors.size());
}

std::string to_svg(const drawing& picture) {
  if (picture.panels.empty()) return table_svg(picture);
  if (picture.by_rows) return rows_svg(picture);
  const auto panels = static_cast<unsigned>(picture.panels.size());
  const double height = panels * panel_height + 2 * caption_height;
  std::string script = fmt::format(
      "set terminal svg enhanced size {},{} font '{},14' background 'white'\n"
      "set encoding utf8\n"
      "set label 1 {} at screen 0.5, screen {:.4f} center noenhanced font ',18'\n"
      "set label 2 {} at screen 0.015, screen {:.4f} left noenhanced font ',12' tc rgb '#555555'\n"
      "set label 3 {} at screen 0.015, screen {:.4f} left noenhanced font ',12' tc rgb '#555555'\n"
      "set grid lc rgb '#dddddd' lt 1\nset border 3\nset tics nomirror out\n"
      "set key opaque box lc rgb '#cccccc' samplen 2 spacing 1.15 Left reverse\n"
      "set multiplot\n",
      panel_width, height, font, quoted(picture.title), 1 - 26.0 / height, quoted(picture.source),
      34.0 / height, quoted(picture.command), 15.0 / height);
  for (unsigned i = 0; i < panels; ++i) {
    if (i == 1) script += "unset label 1\nunset label 2\nunset label 3\n";
    const double top = caption_height + i * panel_height;
    script +=
        fmt::format("set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n",
                    1 - (top + title_room) / height, 1 - (top + panel_height - axis_room) / height);
    append_panel(script, picture.panels[i], raised_power);
  }
  return run_gnuplot(script + "unset multiplot\n");
}

std::string to_csv(const drawing& picture) {
  std::string text =
      fmt::format("# {}\n# {}\n# {}\n", picture.title, picture.source, picture.command);
  for (const auto& row : picture.cells) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(row[i]);
    text += "\n";
  }
  if (picture.panels.empty()) return text;
  text += "panel,curve,x,y,low,high\n";
  for (const panel& shown : picture.panels) {
    for (const curve& c : shown.curves) {
      for (const chart_point& p : c.points) {
        text +=
            fmt::format("{},{},{},{},{},{}\n", csv_cell(shown.title), csv_cell(c.name),
                        csv_number(p.x), csv_number(p.y), csv_number(p.low), csv_number(p.high));
      }
    }
  }
  return text;
}

std::string to_characters(const drawing& picture, unsigned columns) {
  constexpr unsigned rows = 20;
  std::string text;
  for (const panel& shown : picture.panels) {
    std::string script = fmt::format(
        "set terminal dumb noenhanced size {},{}\nset encoding utf8\n"
        "set border 3\nset tics nomirror out scale 0.5\n",
        columns, rows);
    panel inside = shown;
    inside.legend = "bottom right";
    append_panel(script, inside, plain_power);
    text += run_gnuplot(script);
  }
  return text;
}

void save_text(const std::string& text, const std::string& path) {
  bits::write_file(path, std::array{bytes_of(text)});
}

}  // namespace bloomery::cli
