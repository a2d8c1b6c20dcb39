// Lines in, by the block. A block holds whole lines and whatever one read gave, so a slow pipe is
// answered line by line.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "csv.hpp"
#include "progress.hpp"

namespace bloomery::cli {

// A key is held in memory whole; this also bounds what a file without line ends can cost.
inline constexpr std::size_t longest_line = std::size_t{256} << 20;

struct line_format {
  char delimiter = '\n';
  std::uint64_t field = 0;  // 1-based column that is the key; 0: the whole line
  char separator = '\t';
  std::string field_name = {};  // of the column, if the header names it
  bool pairs = false;           // lines are KEY SEP VALUE
  bool csv = false;
  bool crlf = false;        // a carriage return at the end of a line is not part of it
  bool skip_empty = false;  // leave out empty keys
  bool header = false;      // the first line of each file names the columns
  bool counted = false;     // lines have numbers

  // A column as it is written: quoted where CSV asks for it.
  [[nodiscard]] std::string column(std::string_view text) const;
  // Whether lines are numbered, at least for complaints about them.
  [[nodiscard]] bool numbered() const { return csv || pairs || counted; }
};

// Without the carriage return at its end, if lines end in CR LF.
std::string_view without_return(std::string_view line, bool crlf);

struct line_block {
  std::string text;
  std::string file;
  std::uint64_t first_line = 1;  // its number in the file, if lines are numbered
  std::uint64_t field = 0;       // as the format's, or where the header names it
  std::string header;            // of the first file, in front of this block

  std::vector<std::string_view> lines;   // as they came, but for the delimiter
  std::vector<std::string_view> keys;    // one per line that has the field
  std::vector<std::string_view> values;  // of pairs, as many
  std::vector<std::size_t> line_of_key;
  std::uint64_t skipped = 0;  // lines without the field
  std::string unquoted;       // keys and values that are not in the text as they are

  void split(const line_format& format);
  // "FILE: line N", for complaints.
  [[nodiscard]] std::string place_of(std::string_view line, char delimiter) const;

 private:
  void split_lines(const line_format& format);
  void split_records(const line_format& format);
  bool take(const line_format& format, std::string_view line, std::string_view key);
};

// Files one after another, or standard input if there are none (`-` also means it).
class line_source {
 public:
  line_source(std::vector<std::string> files, line_format format, progress& shown);
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;
  ~line_source();

  bool next(line_block& block);  // false at the end; one caller at a time

 private:
  bool open_next();
  [[nodiscard]] std::size_t read_some(std::string& into);
  [[nodiscard]] std::size_t end_of_lines(std::string_view text, std::size_t unsearched);
  void take_header(line_block& block);
  void close();

  std::vector<std::string> files_;
  line_format format_;
  progress* progress_;
  std::size_t next_file_ = 0;
  int file_ = -1;
  std::string file_name_;
  bool at_start_ = false;  // of the file
  std::uint64_t line_ = 1;
  std::uint64_t field_ = 0;
  csv_scanner records_;
  std::string carry_;  // the start of a line whose end has not been read
};

// Whether opening the name again gives the same bytes; as a pipe's does not.
bool can_be_read_again(const std::string& name);
// A file without a name that has the same bytes, and opens at their start.
std::shared_ptr<std::FILE> copy_of(const std::string& name);

}  // namespace bloomery::cli
