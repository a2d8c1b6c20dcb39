#include "distinct.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>
#include <thread>

namespace bloomery::cli {
namespace {

// Digests are uniform, so their top bits deal them into parts that sort within the cache.
constexpr unsigned part_bits = 12;
constexpr std::size_t parts = std::size_t{1} << part_bits;

std::size_t part_of(digest d) {
  return d.lo >> (64 - part_bits);
}

}  // namespace

std::uint64_t count_distinct(const digest_spool& spool, unsigned threads) {
  std::vector<std::size_t> ends(parts + 1, 0);
  for (const auto& chunk : spool) {
    for (const digest d : chunk) ++ends[part_of(d) + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
  std::vector<std::uint64_t> dealt(ends.back());
  for (const auto& chunk : spool) {
    for (const digest d : chunk) dealt[next[part_of(d)]++] = d.lo;
  }

  std::atomic<std::size_t> next_part{0};
  std::atomic<std::uint64_t> distinct{0};
  const auto worker = [&] {
    for (std::size_t part = next_part++; part < parts; part = next_part++) {
      const auto values = std::span(dealt).subspan(ends[part], ends[part + 1] - ends[part]);
      std::sort(values.begin(), values.end());
      distinct +=
          static_cast<std::uint64_t>(std::unique(values.begin(), values.end()) - values.begin());
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(worker);
  worker();
  for (std::thread& other : others) other.join();
  return distinct;
}

}  // namespace bloomery::cli
