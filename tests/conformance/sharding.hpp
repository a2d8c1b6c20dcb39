// Every kind behind shards: hash::shard_of must leave each shard digests that look uniform to it.
#pragma once

#include "bloomery/hash/shard.hpp"
#include "conformance/suite.hpp"

namespace bloomery::testing {

inline constexpr std::uint64_t suite_shards = 16;

// The stream's digests from `first` on, dealt out until every shard has so many; what is beyond that in one goes.
inline std::vector<std::vector<digest>> dealt_to_shards(std::uint64_t stream, std::uint64_t each,
                                                        std::uint64_t first) {
  std::vector<std::vector<digest>> shards(suite_shards);
  std::size_t full = 0;
  constexpr std::uint64_t batch = 1000;
  for (; full != shards.size(); first += batch) {
    for (const digest d : numbered_digests(stream, batch, first)) {
      std::vector<digest>& shard = shards[hash::shard_of(d, suite_shards)];
      if (shard.size() == each) continue;
      shard.push_back(d);
      full += std::size_t{shard.size() == each};
    }
  }
  return shards;
}

// 16 shards five times, 1,000 keys and 2,000 strangers each: a rate half as high again is seen.
template <class F>
void expect_shards_to_keep_the_rate() {
  constexpr std::uint64_t keys = 1000;
  constexpr std::uint64_t asked = 2000;
  constexpr std::uint64_t behind_all = std::uint64_t{1} << 32;
  const auto shape = F::plan(keys, suite_rate);
  sample rates;
  for (std::uint64_t round = 0; round < 5 * full_factor(); ++round) {
    const auto inserted = dealt_to_shards(2000 + round, keys, 0);
    const auto strangers = dealt_to_shards(2000 + round, asked, behind_all);
    for (std::uint64_t i = 0; i < suite_shards; ++i) {
      const F shard = filled_with<F>(shape, inserted[i]);
      rates.add(static_cast<double>(hits(shard, strangers[i])) / static_cast<double>(asked));
    }
  }
  const double predicted = F::predicted_rate(shape, keys);
  if (rates.mean() == 0) {
    EXPECT_TRUE(plausible_count(0, 5 * full_factor() * suite_shards * asked, predicted));
  } else {
    EXPECT_TRUE(plausible_mean(rates, predicted));
  }
}

}  // namespace bloomery::testing
