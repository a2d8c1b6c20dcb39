#include "bloomery/bits/batch/counter_line_kernels.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "bloomery/bits/array/line_counters.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using bloomery::testing::numbered_digests;

std::vector<core::backend> runnable_backends() {
  std::vector<core::backend> all;
  for (const core::backend which : core::all_backends) {
    if (core::runnable(which)) all.push_back(which);
  }
  return all;
}

// The reference: counter by counter.
class plain_counters {
 public:
  plain_counters(std::uint64_t blocks, std::uint64_t k, unsigned width)
      : counters_(blocks, width), pattern_(k, counters_.per_lane()) {}

  [[nodiscard]] counter_lines lines() const {
    return {pattern_, counters_.lanes(), counters_.blocks(), counters_.width()};
  }
  [[nodiscard]] byte_view bytes() const { return counters_.bytes(); }
  [[nodiscard]] std::uint64_t least(digest key) const {
    std::uint64_t least = counters_.max_value();
    each(key, [&](std::uint64_t block, unsigned lane, unsigned cell) {
      least = std::min(least, counters_.get(block, lane, cell));
    });
    return least;
  }
  bool raise(digest key) {
    const bool fresh = least(key) == 0;
    each(key, [&](std::uint64_t block, unsigned lane, unsigned cell) {
      counters_.increment(block, lane, cell);
    });
    return fresh;
  }
  bool lower(digest key) {
    if (least(key) == 0 || least(key) == counters_.max_value()) return false;
    each(key, [&](std::uint64_t block, unsigned lane, unsigned cell) {
      counters_.decrement(block, lane, cell);
    });
    return true;
  }

 private:
  void each(digest key, auto visit) const {
    const std::uint64_t block = hash::reduce(key.lo, counters_.blocks());
    pattern_.each(key.hi, [&](unsigned lane, unsigned cell) { visit(block, lane, cell); });
  }

  line_counters counters_;
  hash::lane_cells pattern_;
};

bool same_counters(const plain_counters& a, const plain_counters& b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

class CounterLineKernels : public ::testing::TestWithParam<core::backend> {
 protected:
  core::forced_backend forced_{GetParam()};
};

// Batches of many lengths, so many that counters stick, and with keys that come twice in one.
void expect_as_counted_singly(std::uint64_t blocks, std::uint64_t k, unsigned width,
                              std::size_t most_keys) {
  SCOPED_TRACE("k " + std::to_string(k) + ", width " + std::to_string(width));
  const auto& run = counter_line_kernels_now().digests;
  plain_counters expected(blocks, k, width);
  const plain_counters batched(blocks, k, width);
  std::vector<digest> keys = numbered_digests(50, most_keys);
  keys.push_back({0, 0});
  keys.push_back({~std::uint64_t{0}, ~std::uint64_t{0}});
  keys.push_back(keys[0]);
  const auto told = std::make_unique<bool[]>(keys.size());
  for (std::size_t round = 0; round < 60; ++round) {
    const std::size_t first = round * 7 % keys.size();
    const digest_span part = digest_span(keys).subspan(first, std::min(round, keys.size() - first));
    std::uint64_t count = 0;
    if (round % 3 == 2) {
      for (const digest key : part) count += std::uint64_t{expected.lower(key)};
      EXPECT_EQ(run.lower(batched.lines(), part), count);
    } else {
      std::vector<bool> fresh;
      for (const digest key : part) {
        fresh.push_back(expected.raise(key));
        count += std::uint64_t{fresh.back()};
      }
      const bool tells = round % 2 == 0;
      EXPECT_EQ(run.raise(batched.lines(), part, tells ? told.get() : nullptr), count);
      for (std::size_t i = 0; tells && i < part.size(); ++i) EXPECT_EQ(told[i], fresh[i]);
    }
    ASSERT_TRUE(same_counters(batched, expected));
    std::uint64_t hits = 0;
    const std::uint64_t counted = run.test(batched.lines(), keys, told.get());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(told[i], expected.least(keys[i]) != 0);
      hits += std::uint64_t{told[i]};
    }
    EXPECT_EQ(counted, hits);
  }
}

TEST_P(CounterLineKernels, CountAsCountersDoOneByOne) {
  for (std::uint64_t k = 1; k <= hash::lane_count; ++k) {
    for (unsigned width = line_counters::min_width; width <= line_counters::max_width; ++width) {
      expect_as_counted_singly(3, k, width, 70);
    }
  }
}

TEST_P(CounterLineKernels, CountInMoreLinesThanTheCacheHolds) {
  expect_as_counted_singly(50'000, 6, 3, 70);
  expect_as_counted_singly(50'000, 8, 4, 70);
}

TEST_P(CounterLineKernels, HashIntegersAsThePolicyDoes) {
  std::vector<std::uint64_t> ids(100);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i * 12'345;
  const integer_hash hash;
  plain_counters expected(20, 6, 3);
  for (const std::uint64_t id : ids) expected.raise(hash(id));
  const plain_counters batched(20, 6, 3);
  const auto& run = counter_line_kernels_now().integers;
  run.raise(batched.lines(), integer_span(hash, ids), nullptr);
  EXPECT_TRUE(same_counters(batched, expected));
  const auto answers = std::make_unique<bool[]>(ids.size());
  EXPECT_EQ(run.test(batched.lines(), integer_span(hash, ids), answers.get()), ids.size());
  std::uint64_t lowered = 0;
  for (const std::uint64_t id : ids) lowered += std::uint64_t{expected.lower(hash(id))};
  EXPECT_EQ(run.lower(batched.lines(), integer_span(hash, ids)), lowered);
  EXPECT_TRUE(same_counters(batched, expected));
}

INSTANTIATE_TEST_SUITE_P(Backends, CounterLineKernels, ::testing::ValuesIn(runnable_backends()),
                         [](const auto& each) { return std::string(name_of(each.param)); });

}  // namespace
}  // namespace bloomery::bits
