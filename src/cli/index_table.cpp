#include "index_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "bloomery/bits/memory/file_reader.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/key.hpp"
#include "csv.hpp"
#include "index_shelf.hpp"

namespace bloomery::cli {
namespace {

// The source of a shelf's rows: whether there is a header, the columns by number, and the path, so that the
// table can be read again as it was.
struct table_source {
  bool header = false;
  std::vector<std::size_t> columns;  // from 0
  std::string path;
};

std::string stored_source(const table_source& source) {
  std::string text = source.header ? "header" : "plain";
  for (const std::size_t column : source.columns) text += " " + std::to_string(column + 1);
  return text + "\n" + source.path;
}

std::optional<std::uint64_t> column_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> parts_of(const std::string& text, char by) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

table_source read_source(const std::string& text) {
  const std::size_t end = text.find('\n');
  table_source source;
  if (end != std::string::npos) {
    const std::vector<std::string> words = parts_of(text.substr(0, end), ' ');
    source.header = words.front() == "header";
    for (std::size_t i = 1; i < words.size(); ++i) {
      source.columns.push_back(column_number(words[i]).value_or(0) - 1);
    }
    source.path = text.substr(end + 1);
  }
  if (source.columns.empty() || source.path.empty()) {
    fail(errc::corrupt, "the shelf does not say which table it is of");
  }
  return source;
}

std::optional<double> table_number(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// Calls use(row, record, fields) for each record behind the header, which head(fields) is given.
template <class Head, class Use>
void each_record(const std::string& path, bool header, Head head, Use use) {
  const bits::file_contents file = bits::read_file(path, largest_document);
  std::string unquoted;
  csv_reader reader(text_of(file.bytes()), ',', unquoted);
  std::uint64_t line = 0;
  try {
    if (header && !reader.done()) {
      ++line;
      (void)reader.next();
      head(reader.fields());
    }
    for (std::uint64_t row = 0; !reader.done(); ++row) {
      ++line;
      const std::string_view record = reader.next();
      use(row, record, reader.fields());
    }
  } catch (const error& problem) {
    fail(problem.code(), path + ": record " + format_count(line) + ": " + problem.what());
  }
}

double value_of_column(const std::vector<std::string_view>& fields, std::size_t column) {
  if (column >= fields.size()) {
    fail(errc::invalid, "there is no column " + format_count(column + 1));
  }
  const auto value = table_number(fields[column]);
  if (!value) {
    fail(errc::invalid, "column " + format_count(column + 1) + " is " + in_quotes(fields[column]) +
                            ", which is no number");
  }
  return *value;
}

double range_end(std::string_view text, double otherwise, const std::string& range) {
  if (text.empty()) return otherwise;
  const auto value = table_number(text);
  if (!value) {
    fail(errc::invalid, "--range " + printable(range) + ": " + in_quotes(text) + " is no number");
  }
  return *value;
}

}  // namespace

void table_options::declare(command& verb) {
  verb.add_option("--fields", "N|NAME,...", fields,
                  "with --ranges: the columns, by number from 1, or by name with --header");
  verb.add_flag("--header", header, "with --ranges: the first line names the columns");
}

void table_options::require_use(bool table) const {
  if (table && fields.empty()) fail(errc::invalid, "--ranges needs --fields: which columns?");
  if (!table && (header || !fields.empty())) {
    fail(errc::invalid, "--fields and --header are for tables, with --ranges");
  }
}

apps::shelf table_options::shelf_of(const std::vector<std::string>& paths, std::uint64_t segments,
                                    double rate, const hasher& hash) const {
  if (paths.size() != 1) fail(errc::invalid, "--ranges takes one table, not several files");
  table_source source{.header = header, .columns = {}, .path = paths.front()};
  std::vector<apps::column> table;
  const auto find_columns = [&](const std::vector<std::string_view>& names) {
    for (const std::string& field : parts_of(fields, ',')) {
      const auto named = std::ranges::find(names, field);
      const auto number = column_number(field);
      if (named != names.end()) {
        source.columns.push_back(static_cast<std::size_t>(named - names.begin()));
      } else if (number && *number > 0) {
        source.columns.push_back(*number - 1);
      } else {
        fail(errc::invalid, "there is no column " + in_quotes(field) +
                                (header ? "" : "; names need --header, numbers begin with 1"));
      }
      table.push_back({field, {}});
    }
  };
  if (!header) find_columns({});
  each_record(source.path, header, find_columns,
              [&](std::uint64_t, std::string_view, const std::vector<std::string_view>& values) {
                for (std::size_t i = 0; i < table.size(); ++i) {
                  table[i].values.push_back(value_of_column(values, source.columns[i]));
                }
              });
  return apps::segmented(table, segments, rate, hash, stored_source(source));
}

apps::value_range parse_range(const std::string& text, const apps::range_index& index) {
  const std::size_t equals = text.find('=');
  const std::size_t dots = equals == std::string::npos ? equals : text.find("..", equals);
  if (dots == std::string::npos) {
    fail(errc::invalid, "--range " + printable(text) + ": expected NAME=LOW..HIGH");
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::string_view ends = std::string_view(text).substr(equals + 1);
  return {index.attribute_named(std::string_view(text).substr(0, equals)),
          range_end(ends.substr(0, dots - equals - 1), -infinity, text),
          range_end(ends.substr(dots - equals + 1), infinity, text)};
}

void each_row_inside(const apps::range_index& index, const std::vector<std::uint64_t>& rows,
                     const std::vector<apps::value_range>& ranges,
                     const std::function<void(std::uint64_t, std::string_view)>& use) {
  const table_source source = read_source(index.source());
  if (source.columns.size() != index.attributes().size()) {
    fail(errc::corrupt, "the shelf does not say which columns it is of");
  }
  std::size_t next = 0;
  std::uint64_t seen = 0;
  const auto inside = [&](const std::vector<std::string_view>& values) {
    return std::ranges::all_of(ranges, [&](const apps::value_range& range) {
      const double value = value_of_column(values, source.columns[range.attribute]);
      return range.low <= value && value <= range.high;
    });
  };
  each_record(
      source.path, source.header, [](const auto&) {},
      [&](std::uint64_t row, std::string_view record, const std::vector<std::string_view>& values) {
        seen = row + 1;
        if (next == rows.size() || rows[next] != row) return;
        ++next;
        if (inside(values)) use(row, record);
      });
  if (seen != index.row_count()) {
    fail(errc::incompatible, source.path + " has " + format_count(seen) +
                                 " rows, and the shelf was made of " +
                                 format_count(index.row_count()));
  }
}

}  // namespace bloomery::cli
