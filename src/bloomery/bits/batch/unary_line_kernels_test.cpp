#include "bloomery/bits/batch/unary_line_kernels.hpp"

#include <algorithm>
#include <memory>

#include "bloomery/hash/mix.hpp"
#include "parts.hpp"

namespace bloomery::testing {
namespace {

using bits::unary_lines;

std::vector<core::backend> backends_to_run() {
  std::vector<core::backend> all;
  for (const core::backend which : core::all_backends) {
    if (core::runnable(which)) all.push_back(which);
  }
  return all;
}

class unary_line_kernels_now : public ::testing::TestWithParam<core::backend> {
 protected:
  core::forced_backend forced_{GetParam()};
};

// As unary_lines has it, which walks from bit to bit. Batches of many lengths, of keys that come several times,
// so many that lines spill, freeze and come back, and strangers that are claimed.
void expect_as_one_by_one(std::uint64_t blocks, std::uint64_t k, std::uint64_t spill,
                          std::size_t pool) {
  SCOPED_TRACE("k " + std::to_string(k) + ", blocks " + std::to_string(blocks));
  const hash::line_pattern pattern(k);
  const auto& run = bits::unary_kernels_for(pattern);
  unary_lines expected(blocks, spill);
  unary_lines batched(blocks, spill);
  std::vector<digest> keys = numbered_digests(51, pool);
  keys.push_back({0, 0});
  keys.push_back({~std::uint64_t{0}, ~std::uint64_t{0}});
  keys.push_back(keys[0]);
  const auto told = std::make_unique<bool[]>(keys.size());
  const auto line_of = [&](digest key) { return hash::reduce(key.lo, blocks); };
  for (std::size_t round = 0; round < 120; ++round) {
    const std::size_t first = round * 7 % keys.size();
    const digest_span part =
        digest_span(keys).subspan(first, std::min(2 * round, keys.size() - first));
    std::uint64_t count = 0;
    if (round % 3 == 2 || round > 90) {
      for (const digest key : part) {
        count += std::uint64_t{expected.lower(line_of(key), pattern, key.hi)};
      }
      if (round % 2 == 0) {
        EXPECT_EQ(run.digests.lower(pattern, batched, part), count);
      } else {
        for (const digest key : part) {
          count -= std::uint64_t{run.lower_one(pattern, batched, line_of(key), key.hi)};
        }
        EXPECT_EQ(count, 0U);
      }
    } else {
      std::vector<bool> fresh;
      for (const digest key : part) {
        fresh.push_back(expected.raise(line_of(key), pattern, key.hi));
        count += std::uint64_t{fresh.back()};
      }
      const bool tells = round % 2 == 0;
      EXPECT_EQ(run.digests.raise(pattern, batched, part, tells ? told.get() : nullptr), count);
      for (std::size_t i = 0; tells && i < part.size(); ++i) EXPECT_EQ(told[i], fresh[i]);
    }
    ASSERT_EQ(bytes_of(batched), bytes_of(expected)) << "round " << round;
  }
}

TEST_P(unary_line_kernels_now, CountAsOneByOne) {
  for (std::uint64_t k = 1; k <= hash::line_pattern::most_hashes; ++k) {
    expect_as_one_by_one(3, k, 40, 150);
    expect_as_one_by_one(2, k, 1, 150);
  }
}

TEST_P(unary_line_kernels_now, CountInMoreLinesThanTheCacheHolds) {
  expect_as_one_by_one(20'000, 6, 3, 250);
  expect_as_one_by_one(20'000, 8, 3, 250);
}

TEST_P(unary_line_kernels_now, HashIntegersAsThePolicyDoes) {
  std::vector<std::uint64_t> ids(301);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i * 12'345;
  const integer_hash hash;
  const hash::line_pattern pattern(6);
  unary_lines expected(6, 3);
  unary_lines batched(6, 3);
  for (const std::uint64_t id : ids) {
    const digest key = hash(id);
    expected.raise(hash::reduce(key.lo, 6), pattern, key.hi);
  }
  const auto& run = bits::unary_kernels_for(pattern).integers;
  run.raise(pattern, batched, integer_span(hash, ids), nullptr);
  EXPECT_EQ(bytes_of(batched), bytes_of(expected));
  EXPECT_EQ(run.lower(pattern, batched, integer_span(hash, ids)), ids.size());
  EXPECT_EQ(batched.bits().count(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Backends, unary_line_kernels_now, ::testing::ValuesIn(backends_to_run()),
                         [](const auto& each) { return std::string(name_of(each.param)); });

}  // namespace
}  // namespace bloomery::testing
