// Keys and their counts: what `count` and `top` share.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "input.hpp"

namespace bloomery::cli {

// Tells a person, on standard error, of counts that may be wrong, or too low.
inline void report_doubts(std::uint64_t uncertain, std::uint64_t at_least) {
  if (uncertain != 0) {
    fmt::print(stderr,
               "bloomery: {} of the counts could not be certified: keys are missing from the list, "
               "or the filter is too small for them\n",
               uncertain);
  }
  if (at_least != 0) {
    fmt::print(
        stderr,
        "bloomery: {} of the counts are as high as this filter counts: the keys may have come "
        "more often\n",
        at_least);
  }
}

// Calls use(key, count, whether it may be more) for each key, in order. A kind that must know all keys
// first gets them, distinct; the answer is how many of the counts it could not certify.
template <class Use>
std::uint64_t for_counts(const any_filter& filter, const hasher& hash, const key_input& input,
                         Use use) {
  const capabilities& can = filter.kind().can;
  if (!can<counts>() && !can<decodes>()) {
    fail(errc::unsupported,
         a_filter(filter.kind().info.name) + " does not count; kinds that do: bloomery kinds");
  }
  if (can<counts>()) {
    std::vector<std::uint64_t> counts;
    input.each(hash, [&](const line_block& block, std::span<const digest> digests) {
      counts.resize(digests.size());
      filter.as<counts>().count(digests, counts);
      for (std::size_t i = 0; i < counts.size(); ++i) {
        use(block.keys[i], counts[i], filter.as<saturates>().count_is_full(digests[i]));
      }
    });
    return 0;
  }
  std::vector<std::pair<digest, std::string>> named;
  input.each(hash, [&](const line_block& block, std::span<const digest> digests) {
    for (std::size_t i = 0; i < digests.size(); ++i) {
      named.emplace_back(digests[i], block.keys[i]);
    }
  });
  std::stable_sort(named.begin(), named.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  named.erase(std::unique(named.begin(), named.end(),
                          [](const auto& a, const auto& b) { return a.first == b.first; }),
              named.end());
  std::vector<digest> digests;
  digests.reserve(named.size());
  for (const auto& [key, name] : named) digests.push_back(key);
  const decoded_counts decoded = filter.as<decodes>().decode(digests);
  for (std::size_t i = 0; i < named.size(); ++i) use(named[i].second, decoded.counts[i], false);
  return decoded.uncertain;
}

}  // namespace bloomery::cli
