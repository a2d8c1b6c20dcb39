#include "lines.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

constexpr std::size_t read_bytes = 1 << 20;
// A key is held in memory whole; this also bounds what a file without line ends can cost.
constexpr std::size_t longest_line = std::size_t{256} << 20;

// Field number `field` of the line, or nothing if it has fewer.
bool find_field(std::string_view line, const line_format& format, std::string_view& key) {
  for (std::uint64_t i = 1; i < format.field; ++i) {
    const std::size_t end = line.find(format.separator);
    if (end == std::string_view::npos) return false;
    line.remove_prefix(end + 1);
  }
  key = line.substr(0, line.find(format.separator));
  return true;
}

}  // namespace

void line_block::split(const line_format& format) {
  lines.clear();
  keys.clear();
  line_of_key.clear();
  skipped = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find(format.delimiter);
    lines.push_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view key = lines[i];
    if (format.field == 0 || find_field(lines[i], format, key)) {
      keys.push_back(key);
      line_of_key.push_back(i);
    } else {
      ++skipped;
    }
  }
}

line_source::line_source(std::vector<std::string> files, char delimiter, progress& shown)
    : files_(std::move(files)), delimiter_(delimiter), progress_(&shown) {
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
  return true;
}

std::size_t line_source::read_some(std::string& into) {
  const std::size_t before = into.size();
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

bool line_source::next(line_block& block) {
  block.text.clear();
  block.text.swap(carry_);
  for (;;) {
    if (file_ < 0 && !open_next()) return false;
    const std::size_t unsearched = block.text.size();
    const bool at_end = read_some(block.text) == 0;
    if (at_end) {
      close();  // a file's last line may lack its delimiter
      if (block.text.empty()) continue;
      break;
    }
    const std::size_t last = std::string_view(block.text).substr(unsearched).rfind(delimiter_);
    if (last == std::string_view::npos) continue;
    carry_.assign(block.text, unsearched + last + 1);
    block.text.resize(unsearched + last + 1);
    break;
  }
  return true;
}

}  // namespace bloomery::cli
