#include "lines.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

constexpr std::size_t read_bytes = 1 << 20;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Field number `field` of the line, or nothing if it has fewer.
bool find_field(std::string_view line, std::uint64_t field, char separator, std::string_view& key) {
  for (std::uint64_t i = 1; i < field; ++i) {
    const std::size_t end = line.find(separator);
    if (end == std::string_view::npos) return false;
    line.remove_prefix(end + 1);
  }
  key = line.substr(0, line.find(separator));
  return true;
}

std::vector<std::string_view> columns_of(std::string_view line, char separator) {
  std::vector<std::string_view> columns;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(separator, start), line.size());
    columns.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  return columns;
}

std::uint64_t column_named(const std::string& name, const std::vector<std::string_view>& columns,
                           const std::string& file) {
  const auto found = std::ranges::find(columns, name);
  if (found != columns.end()) return static_cast<std::uint64_t>(found - columns.begin()) + 1;
  std::string known;
  for (const std::string_view column : columns) {
    known.append(known.empty() ? "" : ", ").append(in_quotes(column));
  }
  fail(errc::invalid,
       file + ": the header has no column " + in_quotes(name) + "; its columns: " + known);
}

}  // namespace

std::string line_format::column(std::string_view text) const {
  const bool plain = text.find(separator) == std::string_view::npos &&
                     text.find_first_of("\"\r\n") == std::string_view::npos;
  if (!csv || plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string_view without_return(std::string_view line, bool crlf) {
  if (crlf && line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void line_block::split(const line_format& format) {
  lines.clear();
  keys.clear();
  values.clear();
  line_of_key.clear();
  unquoted.clear();
  skipped = 0;
  if (format.csv) {
    split_records(format);
  } else {
    split_lines(format);
  }
}

// Whether the key is one.
bool line_block::take(const line_format& format, std::string_view line, std::string_view key) {
  lines.push_back(line);
  if (format.skip_empty && key.empty()) return false;
  keys.push_back(key);
  line_of_key.push_back(lines.size() - 1);
  return true;
}

void line_block::split_lines(const line_format& format) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find(format.delimiter);
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    const std::string_view bare = without_return(line, format.crlf);
    std::string_view key = bare;
    if (field != 0 && !find_field(bare, field, format.separator, key)) {
      lines.push_back(line);
      ++skipped;
    } else if (take(format, line, key) && format.pairs) {
      if (key.size() == bare.size()) {
        fail(errc::invalid, place_of(line, format.delimiter) +
                                " has no value: expected KEY, a separator (--separator, a tab) "
                                "and VALUE");
      }
      values.push_back(bare.substr(key.size() + 1));
    }
  }
}

void line_block::split_records(const line_format& format) {
  csv_reader records(text, format.separator, unquoted);
  while (!records.done()) {
    const std::string_view start = records.rest();
    std::string_view record;
    try {
      record = records.next();
    } catch (const error& problem) {
      fail(problem.code(), place_of(start, format.delimiter) + ": " + problem.what());
    }
    const auto& fields = records.fields();
    if (field > fields.size()) {
      lines.push_back(record);
      ++skipped;
    } else if (take(format, record, fields[field - 1]) && format.pairs) {
      if (fields.size() != 2) {
        fail(errc::invalid,
             place_of(record, format.delimiter) + " has " + format_count(fields.size()) +
                 (fields.size() == 1 ? " column" : " columns") + ": expected a key and its value");
      }
      values.push_back(fields[1]);
    }
  }
}

std::string line_block::place_of(std::string_view line, char delimiter) const {
  const auto before = std::count(text.data(), line.data(), delimiter);
  return file + ": line " + format_count(first_line + static_cast<std::uint64_t>(before));
}

line_source::line_source(std::vector<std::string> files, line_format format, progress& shown)
    : files_(std::move(files)), format_(std::move(format)), progress_(&shown) {
  if (files_.empty()) files_.emplace_back("-");
  std::uint64_t total = 0;
  bool known = true;
  for (const std::string& name : files_) {
    struct stat status {};
    const bool found =
        (name == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(name.c_str(), &status)) == 0;
    if (!found) fail(errc::io, name + ": " + std::strerror(errno));
    if (S_ISDIR(status.st_mode)) fail(errc::io, name + ": " + std::strerror(EISDIR));
    known = known && S_ISREG(status.st_mode);
    total += static_cast<std::uint64_t>(status.st_size);
  }
  progress_->expect(known ? total : 0);
}

line_source::~line_source() {
  close();
}

void line_source::close() {
  if (file_ > STDIN_FILENO) ::close(file_);
  file_ = -1;
}

bool line_source::open_next() {
  close();
  if (next_file_ == files_.size()) return false;
  file_name_ = files_[next_file_++];
  file_ = file_name_ == "-" ? STDIN_FILENO : ::open(file_name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) fail(errc::io, file_name_ + ": " + std::strerror(errno));
  ::posix_fadvise(file_, 0, 0, POSIX_FADV_SEQUENTIAL);
  at_start_ = true;
  line_ = 1;
  field_ = format_.field;
  records_ = {};
  return true;
}

std::size_t line_source::read_some(std::string& into) {
  const std::size_t before = into.size();
  if (before > longest_line && records_.open_quote() != 0) {
    fail(errc::limit, file_name_ + ": line " + format_count(records_.open_quote()) +
                          ": a quote is not closed within " + format_size(longest_line));
  }
  if (before > longest_line) {
    fail(errc::limit, file_name_ + ": a line is longer than " + format_size(longest_line));
  }
  into.resize(before + read_bytes);
  ssize_t got = -1;
  do {
    got = ::read(file_, into.data() + before, read_bytes);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail(errc::io, file_name_ + ": " + std::strerror(errno));
  into.resize(before + static_cast<std::size_t>(got));
  progress_->advance(static_cast<std::uint64_t>(got));
  return static_cast<std::size_t>(got);
}

std::size_t line_source::end_of_lines(std::string_view text, std::size_t unsearched) {
  const std::string_view piece = text.substr(unsearched);
  const std::size_t end = format_.csv ? records_.scan(piece) : piece.rfind(format_.delimiter) + 1;
  return end == 0 ? 0 : unsearched + end;  // npos + 1 is 0
}

void line_source::take_header(line_block& block) {
  std::string_view text = block.text;
  std::string unquoted;
  std::vector<std::string_view> columns;
  if (format_.csv) {
    csv_reader records(text, format_.separator, unquoted);
    try {
      (void)records.next();
    } catch (const error& problem) {
      fail(problem.code(), file_name_ + ": line 1: " + problem.what());
    }
    columns = records.fields();
    text.remove_suffix(records.rest().size());
  } else {
    text = text.substr(0, text.find(format_.delimiter));
    columns = columns_of(without_return(text, format_.crlf), format_.separator);
    text = std::string_view(block.text).substr(0, text.size() + 1);
  }
  if (!format_.field_name.empty()) field_ = column_named(format_.field_name, columns, file_name_);
  if (next_file_ == 1) block.header = text;
  line_ += static_cast<std::uint64_t>(std::ranges::count(text, format_.delimiter));
  block.text.erase(0, text.size());
}

bool line_source::next(line_block& block) {
  block.text.clear();
  block.header.clear();
  block.text.swap(carry_);
  for (;;) {
    if (file_ < 0 && !open_next()) return false;
    const std::size_t unsearched = block.text.size();
    const bool at_end = read_some(block.text) == 0;
    if (at_end) {
      if (records_.open_quote() != 0) {
        fail(errc::invalid, file_name_ + ": line " + format_count(records_.open_quote()) +
                                ": a quote is not closed");
      }
      close();  // a file's last line may lack its delimiter
      if (block.text.empty()) continue;
      break;
    }
    const std::size_t end = end_of_lines(block.text, unsearched);
    if (end == 0) continue;
    carry_.assign(block.text, end);
    block.text.resize(end);
    break;
  }
  if (at_start_) {
    at_start_ = false;
    if (format_.csv && block.text.starts_with(byte_order_mark)) {
      block.text.erase(0, byte_order_mark.size());
    }
    if (format_.header) take_header(block);
  }
  block.file = file_name_ == "-" ? "standard input" : file_name_;
  block.field = field_;
  block.first_line = line_;
  if (format_.numbered()) {
    line_ += static_cast<std::uint64_t>(std::ranges::count(block.text, format_.delimiter));
  }
  return true;
}

bool can_be_read_again(const std::string& name) {
  struct stat status {};
  if (name != "-") return ::stat(name.c_str(), &status) != 0 || S_ISREG(status.st_mode);
  return ::fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode) &&
         ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
}

std::shared_ptr<std::FILE> copy_of(const std::string& name) {
  std::shared_ptr<std::FILE> copy(std::tmpfile(), [](std::FILE* file) {
    if (file != nullptr) std::fclose(file);
  });
  const auto failed = [](const char* what) {
    fail(errc::io, std::string(what) + ", a copy of the input to read it twice: " +
                       std::strerror(errno) + "; give --keys to read it once");
  };
  if (!copy) failed("cannot make a temporary file");
  progress shown;
  line_format any;
  any.delimiter = '\n';
  line_source source({name}, any, shown);
  line_block block;
  while (source.next(block)) {
    if (std::fwrite(block.text.data(), 1, block.text.size(), copy.get()) != block.text.size()) {
      failed("cannot write the temporary file");
    }
  }
  if (std::fflush(copy.get()) != 0) failed("cannot write the temporary file");
  return copy;
}

}  // namespace bloomery::cli
