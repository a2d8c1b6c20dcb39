#include "csv.hpp"

#include <algorithm>
#include <array>

#include "bloomery/core/error.hpp"

namespace bloomery::cli {

std::size_t csv_scanner::scan(std::string_view piece) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] == '"') {
      quoted_ = !quoted_;
      opened_ = line_;
    } else if (piece[i] == '\n') {
      ++line_;
      if (!quoted_) end = i + 1;
    }
  }
  return end;
}

csv_reader::csv_reader(std::string_view text, char separator, std::string& unquoted)
    : rest_(text), separator_(separator), unquoted_(&unquoted) {
  // Never to grow, or the fields in it would move.
  if (text.find('"') != std::string_view::npos) unquoted.reserve(unquoted.size() + text.size());
}

std::string_view csv_reader::next() {
  fields_.clear();
  std::size_t end = 0;
  for (;;) {
    const bool quoted = end < rest_.size() && rest_[end] == '"';
    end = quoted ? take_quoted(end + 1) : take_plain(end);
    if (end == rest_.size() || rest_[end] == '\n') break;
    ++end;  // the separator
  }
  const std::string_view record = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return record;
}

// Both return where the field's separator, line feed or the end of the text is.
std::size_t csv_reader::take_plain(std::size_t start) {
  const std::array<char, 3> ends{separator_, '\n', '"'};
  const std::size_t end = std::min(
      rest_.find_first_of(std::string_view(ends.data(), ends.size()), start), rest_.size());
  if (end < rest_.size() && rest_[end] == '"') {
    fail(errc::invalid, "a quote stands inside a field that is not quoted");
  }
  std::string_view field = rest_.substr(start, end - start);
  const bool last = end == rest_.size() || rest_[end] == '\n';
  if (last && field.ends_with('\r')) field.remove_suffix(1);
  fields_.push_back(field);
  return end;
}

std::size_t csv_reader::take_quoted(std::size_t start) {
  const std::size_t before = unquoted_->size();
  bool doubled = false;
  for (std::size_t from = start;;) {
    const std::size_t quote = rest_.find('"', from);
    if (quote == std::string_view::npos) fail(errc::invalid, "a quote is not closed");
    if (quote + 1 < rest_.size() && rest_[quote + 1] == '"') {
      doubled = true;
      unquoted_->append(rest_.substr(from, quote + 1 - from));
      from = quote + 2;
      continue;
    }
    if (doubled) unquoted_->append(rest_.substr(from, quote - from));
    fields_.push_back(doubled ? std::string_view(*unquoted_).substr(before)
                              : rest_.substr(start, quote - start));
    std::size_t end = quote + 1;
    const std::string_view behind = rest_.substr(end, 2);
    if (behind == "\r\n" || behind == "\r") ++end;
    if (end < rest_.size() && rest_[end] != separator_ && rest_[end] != '\n') {
      fail(errc::invalid, "text follows the closing quote of a field");
    }
    return end;
  }
}

}  // namespace bloomery::cli
