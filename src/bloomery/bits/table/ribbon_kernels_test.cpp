#include "bloomery/bits/table/ribbon_kernels.hpp"

#include <memory>
#include <vector>

#include "bloomery/bits/table/ribbon_table.hpp"
#include "bloomery/core/simd.hpp"
#include "bloomery/hash/mix.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;

// The front half of the keys, with values where the layout has some.
ribbon_table table_of_front(const ribbon_layout& layout, const auto& keys) {
  std::vector<digest> held;
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < keys.size() / 2; ++i) {
    held.push_back(keys[i]);
    values.push_back(static_cast<std::uint32_t>(i) & ((1U << layout.value_bits) - 1));
  }
  return layout.value_bits == 0 ? ribbon_table::of_fingerprints(layout, held)
                                : ribbon_table::of_entries(layout, held, values);
}

// Batches of every length around that of two vectors, half of them strangers, on every back end.
template <class Keys>
void expect_agreement(ribbon_layout layout, const Keys& keys) {
  layout.keys = keys.size() / 2;
  const ribbon_table table = table_of_front(layout, keys);
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    const auto& run = chosen_ribbon_kernels().of(keys);
    for (const std::size_t count : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 15U, 16U, 33U, 70U, 1000U}) {
      if (count > keys.size()) continue;
      const Keys some = keys.subspan(keys.size() / 2 - (count + 1) / 2, count);
      const auto answers = std::make_unique<bool[]>(count);
      std::vector<std::uint32_t> values(count);
      std::vector<std::uint32_t> fingerprints(count);
      const std::uint64_t hits = run.matches(table.rows(), some, answers.get());
      run.values(table.rows(), some, values.data(), fingerprints.data());
      std::uint64_t expected = 0;
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(answers[i], table.matches(some[i])) << layout.width << " bits, key " << i;
        ASSERT_EQ(values[i], table.value(some[i])) << layout.width << " bits, key " << i;
        ASSERT_EQ(((values[i] ^ fingerprints[i]) & table.rows().fingerprints) == 0, answers[i]);
        ASSERT_TRUE(i >= (count + 1) / 2 || answers[i]);
        expected += std::uint64_t{answers[i]};
      }
      EXPECT_EQ(hits, expected);
    }
  }
}

// Tables of one layer and of several, and of more than the cache that is reckoned with.
TEST(ribbon_kernels, agree_with_one_key_at_a_time_on_every_back_end) {
  for (const auto& [width, value_bits, keys] : {std::tuple(1U, 0U, 4000U),
                                                {7U, 3U, 40U},
                                                {8U, 0U, 4000U},
                                                {8U, 0U, 60'000U},
                                                {9U, 0U, 4000U},
                                                {16U, 5U, 20'000U},
                                                {32U, 0U, 300'000U},
                                                {32U, 20U, 4000U}}) {
    const auto digests = numbered_digests(width, keys);
    std::vector<std::uint64_t> numbers(keys);
    for (std::uint64_t i = 0; i < keys; ++i) numbers[i] = i * i;
    for (const unsigned band : {math::ribbon_narrow, math::ribbon_wide}) {
      if (keys > 100'000 && band == math::ribbon_narrow) continue;  // slow where it is emulated
      const ribbon_layout layout{1, width, value_bits, band};
      expect_agreement(layout, digest_span(digests));
      expect_agreement(layout, integer_span(integer_hash{7}, numbers));
    }
  }
}

}  // namespace
}  // namespace bloomery::bits
