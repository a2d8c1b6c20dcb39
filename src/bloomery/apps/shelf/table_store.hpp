// Sorted tables that are written once, each behind filters of its rows and of its (row, column) pairs.
//
// Purpose:   a log-structured store asks the newest table first and goes on to older ones; the filters say
//            which tables need not be read. Tables are in memory here, and reads are counted.
// Cost:      a question to a filter a table, and a search of each table that is let through.
// Guarantee: what the newest table says of a row and column counts. A row or pair that is nowhere costs as many
//            tables as the rate of the filters says, of all there are.
// Citation:  Chang et al. 2006 (Bigtable), §6; Tarkoma §IV-A, §IV-F.
//
//     bloomery::apps::table_store store("ribbon", 0.01);
//     store.write({{"ant", "legs", "6"}, {"bee", "legs", "6"}});
//     store.write({{"bee", "sting", "yes"}});
//     assert(store.read("ant", "legs") == "6" && !store.read("ant", "sting"));
//     assert(store.scan("bee").size() == 2 && store.tables() == 2);
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/any/compact.hpp"
#include "bloomery/apps/ledger.hpp"
#include "bloomery/apps/table_cell.hpp"

namespace bloomery::apps {

class table_store {
 public:
  // Filters of a kind that compact_filters takes.
  table_store(std::string_view kind, double rate) : filters_(kind, rate) {}

  void write(const std::vector<table_cell>& cells);
  [[nodiscard]] std::optional<std::string> read(const std::string& row, const std::string& column);
  // The columns of a row and their values.
  [[nodiscard]] std::map<std::string, std::string> scan(const std::string& row);

  [[nodiscard]] std::uint64_t tables() const { return tables_.size(); }
  // Of the filters of (row, column).
  [[nodiscard]] std::uint64_t filter_bytes() const;
  // Each question to a filter: whether the table was read, and whether it had what was asked for.
  [[nodiscard]] const ledger& book() const { return book_; }
  // What share of strangers the filters let pass, summed over the questions so far.
  [[nodiscard]] double expected_passed() const { return expected_; }

 private:
  struct guard {
    std::string packed;
    std::optional<any_filter> filter;
    double rate = 1;
  };
  struct table {
    std::map<std::pair<std::string, std::string>, std::string> cells;
    guard rows;
    guard pairs;
  };
  [[nodiscard]] guard guard_of(const std::vector<digest>& keys) const;
  bool passes(const guard& before, digest key);

  compact_filters filters_;
  std::deque<table> tables_;  // the newest first
  ledger book_;
  double expected_ = 0;
};

}  // namespace bloomery::apps
