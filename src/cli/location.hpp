// Where a filter is kept: a FILTER argument. A file today; other stores get another prefix.
#pragma once

#include <string>

#include "bloomery/any/any_filter.hpp"

namespace bloomery::cli {

class location {
 public:
  // A path, or `-` for standard input (to read) and standard output (to write).
  explicit location(const std::string& text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] any_filter open() const;  // read-only, mapped
  [[nodiscard]] any_filter load() const;  // owned, to be changed
  void save(const any_filter& filter) const;

 private:
  std::string text_;
};

}  // namespace bloomery::cli
