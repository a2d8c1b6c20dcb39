#include "bloomery/apps/shelf/table_store.hpp"

namespace bloomery::apps {

void table_store::write(const std::vector<table_cell>& cells) {
  table made;
  std::vector<digest> rows;
  std::vector<digest> pairs;
  for (const table_cell& each : cells) {
    made.cells[{each.row, each.column}] = each.value;
    rows.push_back(filters_.digest_of(each.row));
    pairs.push_back(filters_.digest_of(joined(each.row, each.column)));
  }
  made.rows = guard_of(rows);
  made.pairs = guard_of(pairs);
  tables_.push_front(std::move(made));
}

table_store::guard table_store::guard_of(const std::vector<digest>& keys) const {
  std::string packed = filters_.pack(keys);
  std::optional<any_filter> filter = filters_.open(packed);
  const double rate = filters_.rate_of(packed);
  return {std::move(packed), std::move(filter), rate};
}

bool table_store::passes(const guard& before, digest key) {
  expected_ += before.rate;
  const bool passed = !before.filter || before.filter->as<asks>().may_contain(key);
  if (!passed) book_.record(false, false);
  return passed;
}

std::optional<std::string> table_store::read(const std::string& row, const std::string& column) {
  const digest key = filters_.digest_of(joined(row, column));
  for (const table& each : tables_) {
    if (!passes(each.pairs, key)) continue;
    const auto found = each.cells.find({row, column});
    book_.record(true, found != each.cells.end());
    if (found != each.cells.end()) return found->second;
  }
  return std::nullopt;
}

std::map<std::string, std::string> table_store::scan(const std::string& row) {
  const digest key = filters_.digest_of(row);
  std::map<std::string, std::string> columns;
  for (const table& each : tables_) {
    if (!passes(each.rows, key)) continue;
    auto at = each.cells.lower_bound({row, ""});
    book_.record(true, at != each.cells.end() && at->first.first == row);
    for (; at != each.cells.end() && at->first.first == row; ++at) {
      columns.emplace(at->first.second, at->second);  // unless a newer table has it
    }
  }
  return columns;
}

std::uint64_t table_store::filter_bytes() const {
  std::uint64_t bytes = 0;
  for (const table& each : tables_) bytes += each.pairs.packed.size();
  return bytes;
}

}  // namespace bloomery::apps
