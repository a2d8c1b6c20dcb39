// Lines in, by the block. A block holds whole lines and whatever one read gave, so a slow pipe is
// answered line by line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "progress.hpp"

namespace bloomery::cli {

struct line_format {
  char delimiter = '\n';
  std::uint64_t field = 0;  // 1-based column that is the key; 0: the whole line
  char separator = '\t';
};

struct line_block {
  std::string text;
  std::vector<std::string_view> lines;
  std::vector<std::string_view> keys;  // one per line that has the field
  std::vector<std::size_t> line_of_key;
  std::uint64_t skipped = 0;  // lines without the field

  void split(const line_format& format);
};

// Files one after another, or standard input if there are none (`-` also means it).
class line_source {
 public:
  line_source(std::vector<std::string> files, char delimiter, progress& shown);
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;
  ~line_source();

  bool next(line_block& block);  // false at the end; one caller at a time

 private:
  bool open_next();
  [[nodiscard]] std::size_t read_some(std::string& into);
  void close();

  std::vector<std::string> files_;
  char delimiter_;
  progress* progress_;
  std::size_t next_file_ = 0;
  int file_ = -1;
  std::string file_name_;
  std::string carry_;  // the start of a line whose end has not been read
};

}  // namespace bloomery::cli
