// Rows of a table by ranges of several attributes: a filter for each segment of each attribute's range.
//
// Purpose:   the range of an attribute is cut into equal segments, and each segment has a filter of the numbers
//            of the rows whose value lies in it. A row may lie in a range of an attribute if one of the
//            segments that overlap it may have it, and is read if that holds for every attribute asked for.
// Cost:      a key a row and attribute; a query asks every row's number of the segments that overlap.
// Guarantee: no row inside the ranges is missed. A row outside the overlapping segments of an attribute passes
//            it with 1 - Π(1 - f), over the rates f of the segments asked.
// Citation:  Tarkoma §IV-F, "segmenting the attribute range into separate Bloom filters that represent
//            membership in that segment".
//
//     const bloomery::hasher hash;
//     const std::vector<bloomery::apps::column> table{{"price", {10, 20, 90}}, {"age", {1, 2, 3}}};
//     const auto shelf = bloomery::apps::segmented(table, 8, 0.001, hash, "table.csv");
//     const bloomery::apps::range_index index(shelf, hash);
//     assert(index.rows({{0, 20, 25}}) == std::vector<std::uint64_t>{1});
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/apps/shelf/shelf.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::apps {

struct column {
  std::string name;
  std::vector<double> values;  // finite, a value a row
};

// errc::invalid unless there are attributes, of as many rows each, and segments in 1..most_segments,
// at a rate of at most a half. `source`
// is where the rows are, for whoever reads them.
shelf segmented(const std::vector<column>& table, std::uint64_t segments, double rate,
                const hasher& hash, const std::string& source);

// Of an attribute, both ends included.
struct value_range {
  std::size_t attribute = 0;
  double low = 0;
  double high = 0;
};

// What a column ranges over.
struct attribute_range {
  std::string name;
  double low = 0;
  double high = 0;
};

class range_index {
 public:
  // The shelf must live on. errc::incompatible unless it is one of segments, errc::corrupt unless it is whole.
  range_index(const apps::shelf& shelf, hasher hash);

  [[nodiscard]] const std::string& source() const { return shelf_->notes().front(); }
  [[nodiscard]] std::uint64_t row_count() const { return rows_; }
  [[nodiscard]] const std::vector<attribute_range>& attributes() const { return attributes_; }
  // errc::invalid if there is none of that name.
  [[nodiscard]] std::size_t attribute_named(std::string_view name) const;
  // In which segment of its attribute a value lies; outside of the range, the nearest.
  [[nodiscard]] std::uint64_t segment_of(std::size_t attribute, double value) const;
  [[nodiscard]] std::size_t box_of(std::size_t attribute, std::uint64_t segment) const {
    return attribute * shelf_->grain() + segment;
  }

  // The numbers, from 0, of the rows that may lie in all of the ranges.
  [[nodiscard]] std::vector<std::uint64_t> rows(const std::vector<value_range>& ranges) const;

 private:
  [[nodiscard]] bool may_lie(digest row, const value_range& range) const;

  const apps::shelf* shelf_;
  std::vector<attribute_range> attributes_;
  hasher hash_;
  std::uint64_t rows_ = 0;
};

}  // namespace bloomery::apps
