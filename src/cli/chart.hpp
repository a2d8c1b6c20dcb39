// Drawings: panels of curves through gnuplot, tables and rows by ourselves; as SVG, CSV or plain
// characters.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace bloomery::cli {

enum class drawn { line, dashes, points };

struct chart_point {
  double x;
  double y;
  double low = std::numeric_limits<double>::quiet_NaN();  // an interval, if there is one
  double high = std::numeric_limits<double>::quiet_NaN();
};

struct curve {
  std::string name;
  drawn as;
  std::vector<chart_point> points;
  int color = 0;  // curves of one colour belong together; 0: black
  double width = 2;
  bool listed = true;  // in the legend
};

struct axis {
  std::string label;
  bool logarithmic = false;
  bool counts = false;  // 10M, not 1e+07
  bool whole = false;   // a tic at every whole number
};

struct panel {
  std::string title;
  axis x;
  axis y;
  std::vector<curve> curves;
  std::string legend = "outside right top";
};

using table = std::vector<std::vector<std::string>>;  // the first row is the heading

// A drawing is one or more panels below each other, or a table.
struct drawing {
  std::string title;
  std::string source;        // where the original is, or what it shows
  std::string command = {};  // what drew it
  std::vector<panel> panels = {};
  table cells = {};
  bool by_rows = false;  // panels as chart_rows.hpp draws them
};

// errc::unsupported if gnuplot is not installed, errc::io if it fails.
std::string to_svg(const drawing& picture);
std::string to_csv(const drawing& picture);
// For a terminal of this many columns; panels only.
std::string to_characters(const drawing& picture, unsigned columns);

// Written whole or not at all.
void save_text(const std::string& text, const std::string& path);

}  // namespace bloomery::cli
