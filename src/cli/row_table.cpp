#include "row_table.hpp"

#include <fmt/format.h>

#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "message.hpp"

namespace bloomery::cli {
namespace {

std::vector<std::string_view> split_columns(std::string_view line, char separator) {
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t end = line.find(separator);
    columns.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return columns;
    line.remove_prefix(end + 1);
  }
}

// All columns but one, as they are written, each behind a separator: an empty column is one still.
std::string all_but(const std::vector<std::string_view>& columns, std::uint64_t field,
                    const line_format& format) {
  std::string rest;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i + 1 == field) continue;
    (rest += format.separator) += format.column(columns[i]);
  }
  return rest;
}

// Whether a text can stand where `all_but` made another one.
bool is_rest(std::string_view text, const line_format& format) {
  if (text.empty()) return true;
  if (text.front() != format.separator) return false;
  if (!format.csv) return text.find(format.delimiter) == std::string_view::npos;
  std::string unquoted;
  csv_reader records(text, format.separator, unquoted);
  try {
    return records.next().size() == text.size();
  } catch (const error&) {
    return false;
  }
}

}  // namespace

row_table::row_table(std::string file, line_format format)
    : name_(std::move(file)), file_(name_), format_(std::move(format)) {
  if (format_.field == 0 && format_.field_name.empty()) format_.field = 1;
  format_.counted = true;
  if (!can_be_read_again(name_)) {
    copy_ = copy_of(name_);
    file_ = fmt::format("/dev/fd/{}", ::fileno(copy_.get()));
  } else if (file_ == "-") {
    file_ = "/dev/stdin";  // which begins anew each time it is opened
  }
  source_.emplace(std::vector{file_}, format_, shown_);  // a file that is not there is refused now
}

std::unique_ptr<row_table> row_table::another() const {
  auto made = std::make_unique<row_table>(file_, format_);
  made->name_ = name_;
  made->copy_ = copy_;  // for as long as it is read
  return made;
}

void row_table::rewind() {
  if (copy_) std::rewind(copy_.get());
  source_.emplace(std::vector{file_}, format_, shown_);
  skipped_ = 0;
}

void row_table::take_heading() {
  if (block_.header.empty()) return;
  header_line_ = block_.header;
  std::string unquoted;
  std::vector<std::string_view> columns;
  std::string_view text = block_.header;
  if (format_.csv) {
    csv_reader records(text, format_.separator, unquoted);
    (void)records.next();
    columns = records.fields();
  } else {
    if (text.ends_with(format_.delimiter)) text.remove_suffix(1);
    columns = split_columns(without_return(text, format_.crlf), format_.separator);
  }
  heading_ = all_but(columns, block_.field, format_);
  key_heading_ = block_.field <= columns.size() ? format_.column(columns[block_.field - 1]) : "";
}

void row_table::take(std::string_view line, const std::vector<std::string_view>& columns) {
  if (block_.field > columns.size()) {
    ++skipped_;
    return;
  }
  const std::string_view key = columns[block_.field - 1];
  if (format_.skip_empty && key.empty()) return;
  lines_.push_back(line);
  keys_.push_back(key);
  rests_.push_back(all_but(columns, block_.field, format_));
}

std::span<const apps::table_row> row_table::next() {
  rows_.clear();
  while (rows_.empty() && source_->next(block_)) {
    block_.file = name_ == "-" ? "standard input" : name_;
    take_heading();
    lines_.clear();
    keys_.clear();
    rests_.clear();
    unquoted_.clear();
    if (format_.csv) {
      csv_reader records(block_.text, format_.separator, unquoted_);
      while (!records.done()) {
        const std::string_view start = records.rest();
        try {
          const std::string_view record = records.next();
          take(record, records.fields());
        } catch (const error& problem) {
          fail(problem.code(), block_.place_of(start, format_.delimiter) + ": " + problem.what());
        }
      }
    } else {
      block_.split({.delimiter = format_.delimiter, .crlf = format_.crlf});
      for (const std::string_view line : block_.lines) {
        take(line, split_columns(without_return(line, format_.crlf), format_.separator));
      }
    }
    for (std::size_t i = 0; i < keys_.size(); ++i) rows_.push_back({keys_[i], rests_[i]});
  }
  return rows_;
}

void row_table::require_rest(std::string_view text) const {
  if (!is_rest(text, format_)) {
    fail(errc::corrupt, "what should be columns of one row is none: " + printable(text));
  }
}

std::string row_table::form() const {
  std::string form = format_.csv ? "CSV with " : "columns with ";
  form += printable(std::string_view(&format_.separator, 1));
  if (format_.delimiter != '\n')
    form += ", rows with " + printable(std::string_view(&format_.delimiter, 1));
  return form;
}

void row_table::report_skipped() const {
  if (skipped_ == 0) return;
  tell(fmt::format(
      "{}: skipped {} {} without column {}", name_, format_count(skipped_),
      skipped_ == 1 ? "row" : "rows",
      format_.field_name.empty() ? std::to_string(format_.field) : in_quotes(format_.field_name)));
}

}  // namespace bloomery::cli
