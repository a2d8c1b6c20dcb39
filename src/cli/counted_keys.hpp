// Keys and their counts: what `count` and `top` share.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "input.hpp"
#include "message.hpp"
#include "report.hpp"

namespace bloomery::cli {

// Tells a person, on standard error, of counts that may be wrong, or too low.
inline void report_doubts(std::uint64_t uncertain, std::uint64_t at_least) {
  if (uncertain != 0) {
    tell(fmt::format(
        "{} of the counts could not be certified: keys are missing from the list, or the "
        "filter is too small for them",
        uncertain));
  }
  if (at_least != 0) {
    tell(fmt::format(
        "{} of the counts are as high as this filter counts: the keys may have come more "
        "often",
        at_least));
  }
}

// Whether a count is as high as the filter counts.
inline bool is_full(const any_filter& filter, digest key) {
  const auto* ends = filter.can<saturates>();
  return ends != nullptr && ends->count_is_full(key);
}

// Calls use(key, count, whether it may be more) for each key, in order, as of `now` if the filter runs
// on time. A kind that must know all keys
// first gets them, distinct; the answer is how many of the counts it could not certify.
template <class Use>
std::uint64_t for_counts(const any_filter& filter, std::optional<std::uint64_t> now,
                         const hasher& hash, const key_input& input, Use use) {
  const any_kind& kind = filter.kind();
  if (!kind.counts()) refuse(kind, " does not count; kinds that do: bloomery kinds");
  if (kind.can<counts>()) {
    std::vector<std::uint64_t> told;
    input.each(hash, [&](const line_block& block, std::span<const digest> digests) {
      told.resize(digests.size());
      if (now) {
        filter.as<keeps_time>().count(digests, told, *now);
      } else {
        filter.as<counts>().count(digests, told);
      }
      for (std::size_t i = 0; i < told.size(); ++i) {
        use(block.keys[i], told[i], is_full(filter, digests[i]));
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
  constexpr auto digest_of = &std::pair<digest, std::string>::first;
  std::ranges::stable_sort(named, std::less<>{}, digest_of);
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  named.erase(std::unique(named.begin(), named.end(), same), named.end());
  std::vector<digest> digests;
  digests.reserve(named.size());
  for (const auto& [key, name] : named) digests.push_back(key);
  const decoded_counts decoded = filter.as<decodes>().decode(digests);
  for (std::size_t i = 0; i < named.size(); ++i) use(named[i].second, decoded.counts[i], false);
  return decoded.uncertain;
}

}  // namespace bloomery::cli
