// Lines of a key and its value, as `map build` collects them. Values are numbers if all of them are, and
// names otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filters/abilities/mapping.hpp"

namespace bloomery::cli {

// A decimal number below 2^64; 007 is a name.
std::optional<std::uint64_t> as_number(std::string_view text);

class map_pairs {
 public:
  void add(std::string_view key, digest d, std::string_view value);

  // Once all have been added: numbers the values and counts the keys.
  void settle();

  // Refuses two values for one key.
  void require_one_value_each() const;

  [[nodiscard]] std::uint64_t distinct_keys() const { return distinct_keys_; }
  [[nodiscard]] std::uint64_t largest_value() const;
  [[nodiscard]] std::span<const keyed_value> entries() const { return entries_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  [[nodiscard]] std::string_view key(std::size_t i) const;
  [[nodiscard]] std::string text_of_value(std::uint64_t value) const;

  std::vector<keyed_value> entries_;
  std::string keys_;
  std::vector<std::size_t> key_ends_;
  bool numeric_ = true;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::string> names_;
  std::map<std::string, std::uint64_t, std::less<>> id_of_;
  std::uint64_t distinct_keys_ = 0;
  std::optional<std::pair<std::size_t, std::size_t>> conflict_;  // two entries of one key
};

}  // namespace bloomery::cli
