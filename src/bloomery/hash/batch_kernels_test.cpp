#include "bloomery/hash/batch_kernels.hpp"

#include <vector>

#include "bloomery/core/simd.hpp"
#include "testing.hpp"

namespace bloomery::hash {
namespace {

using testing::numbered_digests;

// Small and structured keys, and any; batches of every length around that of a vector.
TEST(batch_kernels, hash_as_one_key_at_a_time_on_every_back_end) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 40; ++i) {
    for (const std::uint64_t key : {i, ~i, i << 32, mix(i)}) keys.push_back(key);
  }
  const integer_hash hash(99);
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    for (std::size_t count = 0; count <= keys.size(); count += count < 40 ? 1 : 30) {
      std::vector<digest> digests(count + 1, digest{7, 7});
      hash.all(std::span(keys).first(count), digests.data());
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(digests[i], hash(keys[i])) << i;
      EXPECT_EQ(digests[count], (digest{7, 7})) << "nothing beyond the batch";
    }
  }
}

TEST(batch_kernels, locate_as_one_key_at_a_time_on_every_back_end) {
  constexpr std::size_t stride = 70;
  constexpr std::uint64_t untouched = ~std::uint64_t{0};
  const auto keys = numbered_digests(6, stride);
  for (const std::uint64_t slice : {1ULL, 2ULL, 272ULL, 27'183ULL, (1ULL << 32) - 1}) {
    const std::uint64_t most = 2 * digit_probes(slice, 1).digits;
    for (std::uint64_t rows = 1; rows <= most; rows += rows < 6 ? 1 : 17) {
      const digit_probes probes(slice, rows);
      for (const core::backend which : core::all_backends) {
        if (!core::runnable(which)) continue;
        const core::forced_backend forced(which);
        for (const std::size_t count : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 64U, 70U}) {
          std::vector<std::uint64_t> found(rows * stride, untouched);
          const std::size_t done = locate_front(probes, keys.data(), count, found.data(), stride);
          EXPECT_LE(done, count);
          EXPECT_EQ(done + 8 > count, which != core::backend::portable || count < 8);
          for (std::size_t i = 0; i < stride; ++i) {
            std::size_t row = 0;
            probes.all(keys[i], [&](std::uint64_t at) {
              EXPECT_EQ(found[row++ * stride + i], i < done ? at : untouched);
              return true;
            });
          }
        }
      }
    }
  }
}

TEST(batch_kernels, leave_other_probes_alone) {
  const auto keys = numbered_digests(7, 8);
  std::vector<std::uint64_t> rows(64 * 8);
  const auto located = [&](const digit_probes& probes) {
    return locate_front(probes, keys.data(), 8, rows.data(), 8);
  };
  EXPECT_EQ(located(digit_probes(1000, 2 * digit_probes(1000, 1).digits + 1)), 0U);
  EXPECT_EQ(located(digit_probes(std::uint64_t{1} << 32, 1)), 0U);
}

}  // namespace
}  // namespace bloomery::hash
