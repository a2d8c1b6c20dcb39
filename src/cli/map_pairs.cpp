#include "map_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/wire/envelope.hpp"

namespace bloomery::cli {

std::optional<std::uint64_t> as_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool plain = text == "0" || !text.starts_with('0');
  if (problem != std::errc{} || end != text.data() + text.size() || !plain) return std::nullopt;
  return number;
}

void map_pairs::add(std::string_view key, digest d, std::string_view value) {
  entries_.push_back({d, 0});
  key_ends_.push_back(keys_.append(key).size());
  if (numeric_) {
    const auto number = as_number(value);
    numeric_ = number.has_value();
    if (number) numbers_.push_back(*number);
  }
  if (ids_.size() == entries_.size() - 1) {
    const auto found = id_of_.find(value);
    if (found != id_of_.end()) {
      ids_.push_back(found->second);
    } else if (names_.size() < wire::max_names) {
      id_of_.emplace(value, names_.size());
      ids_.push_back(names_.size());
      names_.emplace_back(value);
    }
  }
}

void map_pairs::settle() {
  if (!numeric_ && ids_.size() < entries_.size()) {
    fail(errc::limit, "there are more than " + format_count(wire::max_names) +
                          " different values; values that are no numbers are kept by name");
  }
  const auto& values = numeric_ ? numbers_ : ids_;
  for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].value = values[i];
  if (numeric_) names_.clear();
  std::vector<std::size_t> order(entries_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return entries_[a].key < entries_[b].key; });
  distinct_keys_ = order.empty() ? 0 : 1;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const keyed_value& one = entries_[order[i - 1]];
    const keyed_value& two = entries_[order[i]];
    distinct_keys_ += std::uint64_t{one.key != two.key};
    if (!conflict_ && one.key == two.key && one.value != two.value) {
      conflict_.emplace(order[i - 1], order[i]);
    }
  }
}

void map_pairs::require_one_value_each() const {
  if (!conflict_) return;
  const auto [one, two] = *conflict_;
  fail(errc::invalid, fmt::format("the key {} has two values: {} and {}", in_quotes(key(two)),
                                  in_quotes(text_of_value(entries_[one].value)),
                                  in_quotes(text_of_value(entries_[two].value))));
}

std::uint64_t map_pairs::largest_value() const {
  std::uint64_t most = 0;
  for (const keyed_value& entry : entries_) most = std::max(most, entry.value);
  return most;
}

std::string_view map_pairs::key(std::size_t i) const {
  const std::size_t start = i == 0 ? 0 : key_ends_[i - 1];
  return std::string_view(keys_).substr(start, key_ends_[i] - start);
}

std::string map_pairs::text_of_value(std::uint64_t value) const {
  return names_.empty() ? std::to_string(value) : names_[value];
}

}  // namespace bloomery::cli
