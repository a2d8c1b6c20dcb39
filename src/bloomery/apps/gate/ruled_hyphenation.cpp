#include "bloomery/apps/gate/ruled_hyphenation.hpp"

#include <algorithm>
#include <numeric>

#include "bloomery/apps/gate/planned_set.hpp"

namespace bloomery::apps {
namespace {

// Of equally used ones, those that come first.
hyphen_patterns most_used(const hyphen_patterns& all, std::span<const std::string> words,
                          std::uint64_t rules) {
  std::vector<std::uint64_t> uses(all.size());
  for (const std::string& word : words) (void)all.breaks(word, uses);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return uses[a] > uses[b]; });
  order.resize(std::min<std::size_t>(order.size(), rules));
  return all.with_only(order);
}

std::map<std::string, std::vector<std::size_t>> differing(const hyphen_patterns& all,
                                                          const hyphen_patterns& rules,
                                                          std::span<const std::string> words) {
  std::map<std::string, std::vector<std::size_t>> table;
  for (const std::string& word : words) {
    std::vector<std::size_t> right = all.breaks(word);
    if (rules.breaks(word) != right) table.emplace(word, std::move(right));
  }
  return table;
}

any_filter filter_of(const std::map<std::string, std::vector<std::size_t>>& table,
                     const ruled_hyphenation::settings& chosen) {
  std::vector<digest> keys;
  for (const auto& [word, right] : table) keys.push_back(chosen.hash(word));
  return planned_set(std::move(keys), chosen.rate, chosen.kind, chosen.hash.identity());
}

}  // namespace

ruled_hyphenation::ruled_hyphenation(const hyphen_patterns& all, std::span<const std::string> words,
                                     const settings& chosen)
    : hash_(chosen.hash),
      rules_(most_used(all, words, chosen.rules)),
      table_(differing(all, rules_, words)),
      filter_(filter_of(table_, chosen)) {}

std::vector<std::size_t> ruled_hyphenation::breaks(std::string_view word, ledger& book) const {
  const bool passed = filter_.as<asks>().may_contain(hash_(word));
  if (passed) {
    const auto found = table_.find(std::string(word));
    book.record(true, found != table_.end());
    if (found != table_.end()) return found->second;
  } else {
    book.record(false, false);
  }
  return rules_.breaks(word);
}

}  // namespace bloomery::apps
