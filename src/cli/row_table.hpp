// A file of rows as a table that parties read: one column is the key, the others are the rest.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/apps/exchange/semijoin.hpp"
#include "lines.hpp"
#include "progress.hpp"

namespace bloomery::cli {

// Column `format.field`, or the one that the header names, is the key. Rows that lack it are left out. The rest of a row
// are its other columns, each behind a separator.
class row_table final : public apps::table {
 public:
  // What cannot be read again, such as a pipe, is copied to a temporary file.
  row_table(std::string file, line_format format);
  // The same rows from the beginning, for another reader.
  [[nodiscard]] std::unique_ptr<row_table> another() const;

  void rewind() override;
  std::span<const apps::table_row> next() override;
  [[nodiscard]] std::string form() const override;
  // The other columns, as the header names them, as in a row; empty without one. Known once a row was read.
  [[nodiscard]] std::string heading() const override { return heading_; }

  // errc::corrupt unless this is the rest of one row, as others say it is.
  void require_rest(std::string_view text) const;

  [[nodiscard]] std::string_view key_heading() const { return key_heading_; }
  [[nodiscard]] std::string_view header_line() const { return header_line_; }  // with its end
  [[nodiscard]] const line_format& format() const { return format_; }
  // The lines of the rows of the last block, as they came.
  [[nodiscard]] std::string_view line(std::size_t row) const { return lines_[row]; }
  // Tells a person of the rows that were left out, if there were any.
  void report_skipped() const;

 private:
  void take(std::string_view line, const std::vector<std::string_view>& columns);
  void take_heading();

  std::string name_;  // as it was given, for complaints
  std::string file_;
  line_format format_;
  std::shared_ptr<std::FILE> copy_;
  progress shown_;
  std::optional<line_source> source_;
  line_block block_;
  std::string unquoted_;
  std::vector<std::string> rests_;
  std::vector<std::string_view> keys_;
  std::vector<std::string_view> lines_;
  std::vector<apps::table_row> rows_;
  std::string heading_;
  std::string key_heading_;
  std::string header_line_;
  std::uint64_t skipped_ = 0;
};

}  // namespace bloomery::cli
