// Tables whose columns are numbers, for `index`: read to be cut into segments, or to look at single rows.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/shelf/range_index.hpp"
#include "options.hpp"

namespace bloomery::cli {

struct table_options {
  std::string fields;
  bool header = false;

  void declare(command& verb);
  // errc::invalid if something was said of a table where there is none.
  void require_use(bool table) const;
  [[nodiscard]] apps::shelf shelf_of(const std::vector<std::string>& paths, std::uint64_t segments,
                                     double rate, const hasher& hash) const;
};

// A range as people write it: NAME=LOW..HIGH, where either end may be left out.
apps::value_range parse_range(const std::string& text, const apps::range_index& index);

// The rows of the table that lie in all of the ranges, of those with these numbers: calls
// use(row, record). errc::io or errc::invalid if the table cannot be read as it was.
void each_row_inside(const apps::range_index& index, const std::vector<std::uint64_t>& rows,
                     const std::vector<apps::value_range>& ranges,
                     const std::function<void(std::uint64_t, std::string_view)>& use);

}  // namespace bloomery::cli
