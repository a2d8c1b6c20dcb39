// A value of a table, by row and column, as Bigtable and its kin keep them.
//
//     const bloomery::apps::table_cell cell{"ant", "legs", "6"};
//     assert(bloomery::apps::joined(cell.row, cell.column) == std::string("ant\0legs", 8));
#pragma once

#include <string>
#include <string_view>

namespace bloomery::apps {

// Rows and columns are texts without a byte 0.
struct table_cell {
  std::string row;
  std::string column;
  std::string value;
};

// One text for both, which sorts as they do.
inline std::string joined(std::string_view row, std::string_view column) {
  return std::string(row) + '\0' + std::string(column);
}

}  // namespace bloomery::apps
