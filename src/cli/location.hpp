// Where a filter is kept: a FILTER argument. A file today; other stores get another prefix.
#pragma once

#include <string>
#include <vector>

#include "bloomery/any/stored.hpp"
#include "bloomery/bits/memory/mapped_file.hpp"
#include "bloomery/core/error.hpp"

namespace bloomery::cli {

class location {
 public:
  // A path, or `-` for standard input (to read) and standard output (to write).
  explicit location(const std::string& text);

  [[nodiscard]] any_filter open() const { return open_file(input()); }  // read-only, mapped
  [[nodiscard]] any_filter load() const { return open().copy(); }       // owned, to be changed
  void save(const any_filter& filter) const;

  // What is kept there and no filter by itself.
  [[nodiscard]] bits::mapped_file read() const;
  void save(byte_view bytes) const;

 private:
  [[nodiscard]] std::string input() const { return text_ == "-" ? "/dev/stdin" : text_; }

  std::string text_;
};

// The result of `work` on the locations of these names, which go before its complaints.
template <class Work>
auto with_names(const std::vector<std::string>& names, const Work& work) {
  try {
    return work();
  } catch (const error& problem) {
    std::string listed;
    for (const std::string& name : names) listed += (listed.empty() ? "" : " and ") + name;
    fail(problem.code(), listed + ": " + problem.what());
  }
}

}  // namespace bloomery::cli
