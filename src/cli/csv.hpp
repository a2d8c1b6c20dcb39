// Comma-separated values as of RFC 4180: a quoted field may hold separators, line ends and, doubled,
// quotes. Lines may end in CR LF or in LF alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::cli {

// Where records end, as the text comes in.
class csv_scanner {
 public:
  // The offset behind the last record that ends in this piece; 0 if none does.
  std::size_t scan(std::string_view piece);

  // The line, counted from 1, of a quote that is not closed yet; 0 if there is none.
  [[nodiscard]] std::uint64_t open_quote() const { return quoted_ ? opened_ : 0; }

 private:
  bool quoted_ = false;
  std::uint64_t line_ = 1;
  std::uint64_t opened_ = 0;
};

// One record at a time.
class csv_reader {
 public:
  // `unquoted` gets the fields whose quotes were doubled; they stay as long as it does.
  csv_reader(std::string_view text, char separator, std::string& unquoted);

  // Takes the next record, without its line feed, and its fields. errc::invalid if quotes are misplaced.
  [[nodiscard]] bool done() const { return rest_.empty(); }
  std::string_view next();
  [[nodiscard]] const std::vector<std::string_view>& fields() const { return fields_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::size_t take_plain(std::size_t start);
  std::size_t take_quoted(std::size_t start);

  std::string_view rest_;
  char separator_;
  std::string* unquoted_;
  std::vector<std::string_view> fields_;
};

}  // namespace bloomery::cli
