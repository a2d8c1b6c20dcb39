// A store of sorted tables as an experiment sees it: LevelDB, RocksDB, or one in memory.
//
// Purpose:   the same questions to each of them, and what they cost.
//
//     const bloomery::lab::store_plan plan{.kind = "ribbon", .rate = 0.01};
//     assert(!plan.built_in() && bloomery::lab::store_plan{}.built_in());
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/apps/table_cell.hpp"

namespace bloomery::lab {

struct store_plan {
  std::string kind = {};  // of the filters; empty for those that the store brings itself
  double rate = 0.01;
  std::uint64_t block_bytes = 4096;  // of data, where each block has a filter

  [[nodiscard]] bool built_in() const { return kind.empty(); }
};

struct store_counts {
  std::uint64_t asked = 0;     // filters
  std::uint64_t passed = 0;    // of them, those that said "perhaps"
  std::uint64_t read = 0;      // blocks or tables, whichever has a filter
  double expected_passed = 0;  // by the rates of the very filters asked, for keys in none of them
};

class store {
 public:
  store() = default;
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  virtual ~store() = default;

  // Becomes a table of its own. What a later one has under the same row and column counts.
  virtual void write(const std::vector<apps::table_cell>& cells) = 0;
  // The value there; nothing if there is none.
  virtual std::optional<std::string> read(const std::string& row, const std::string& column) = 0;
  // All columns of a row with their values, where filters of rows help to find them.
  [[nodiscard]] virtual bool scans() const = 0;
  virtual std::map<std::string, std::string> scan(const std::string& row) = 0;

  // Since the last time.
  virtual store_counts take_counts() = 0;
  // What the filters of (row, column) take.
  [[nodiscard]] virtual double bits_a_key() = 0;
};

}  // namespace bloomery::lab
