// Asking a window of time as of a later moment, against a copy that was advanced to it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bloomery/filters/filter.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// One by one and in a batch, present or absent, and counts where there are any; returns how many of
// the answers were "yes". The filter asked stays as it is, byte for byte.
template <class F>
std::uint64_t expect_asked_later_as_advanced(const F& filter, std::span<const digest> keys,
                                             std::span<const std::uint64_t> moments) {
  const auto bytes = [&] {
    std::vector<std::vector<std::byte>> parts;
    for (const byte_view part : filter.payload()) parts.emplace_back(part.begin(), part.end());
    return parts;
  };
  const auto before = bytes();
  const std::unique_ptr<bool[]> memory(new bool[keys.size()]);
  const std::span<bool> answers(memory.get(), keys.size());
  std::uint64_t found = 0;
  for (const std::uint64_t now : moments) {
    F advanced = filter;
    advanced.advance(now);
    const std::uint64_t hits = filter.may_contain(keys, answers, now);
    std::uint64_t present = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool expected = advanced.may_contain(keys[i]);
      EXPECT_EQ(filter.may_contain(keys[i], now), expected) << i << " at " << now;
      EXPECT_EQ(answers[i], expected) << i << " at " << now;
      present += std::uint64_t{expected};
    }
    EXPECT_EQ(hits, present) << now;
    if constexpr (able<F, counts>) {
      std::vector<std::uint64_t> counted(keys.size());
      std::vector<std::uint64_t> expected(keys.size());
      filter.count(keys, counted, now);
      advanced.count(keys, expected);
      EXPECT_EQ(counted, expected) << now;
    }
    found += hits;
  }
  EXPECT_EQ(bytes(), before);
  return found;
}

}  // namespace bloomery::testing
