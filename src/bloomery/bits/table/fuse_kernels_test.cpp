#include "bloomery/bits/table/fuse_kernels.hpp"

#include <memory>
#include <vector>

#include "bloomery/bits/table/fuse_table.hpp"
#include "bloomery/core/simd.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;

std::vector<std::uint64_t> numbers_upto(std::size_t count) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(i * i);
  return numbers;
}

// Every other one of the keys, where there are values as well.
fuse_table table_of(const fuse_layout& layout, const auto& keys) {
  std::vector<digest> held;
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < keys.size(); i += 2) {
    held.push_back(keys[i]);
    values.push_back(i & ((std::uint64_t{1} << layout.value_bits) - 1));
  }
  return layout.value_bits == 0 ? fuse_table::of_fingerprints(layout, held)
                                : fuse_table::of_entries(layout, held, values);
}

// Batches of every length around that of two vectors, on every back end.
template <class Keys>
void expect_agreement(const fuse_layout& layout, const Keys& keys) {
  const fuse_table table = table_of(layout, keys);
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    const core::forced_backend forced(which);
    const auto& run = fuse_kernels_now().of(keys);
    for (const std::size_t count : {0U, 1U, 3U, 4U, 7U, 8U, 9U, 15U, 16U, 33U, 70U, 1001U}) {
      const Keys some = keys.subspan(1, count);
      const auto answers = std::make_unique<bool[]>(count);
      std::vector<std::uint64_t> contents(count);
      const std::uint64_t hits = run.matches(table.slots(), some, answers.get());
      run.contents(table.slots(), some, contents.data());
      std::uint64_t expected = 0;
      const std::uint64_t slot = ~std::uint64_t{0} >> (64 - layout.width);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(answers[i], table.matches(some[i])) << layout.width << " bits, key " << i;
        expected += std::uint64_t{answers[i]};
        const auto value = table.found(some[i]);
        ASSERT_EQ((contents[i] & table.slots().fingerprints) == 0, value.has_value());
        if (value) {
          ASSERT_EQ((contents[i] & slot) >> layout.fingerprint_bits(), *value);
        }
      }
      EXPECT_EQ(hits, expected);
      EXPECT_GE(hits, count / 2);
    }
  }
}

// Slots of whole bytes and not, in tables that a cache holds and that none does.
TEST(fuse_kernels, agree_with_one_key_at_a_time_on_every_back_end) {
  const auto digests = numbered_digests(6, 1100);
  const auto numbers = numbers_upto(1100);
  for (const unsigned arity : {3U, 4U}) {
    for (const auto& [width, value_bits] : {std::pair(1U, 0U),
                                            {8U, 0U},
                                            {8U, 3U},
                                            {12U, 0U},
                                            {16U, 0U},
                                            {16U, 8U},
                                            {25U, 0U},
                                            {26U, 5U},
                                            {32U, 0U},
                                            {57U, 31U}}) {
      for (const std::uint64_t segments : {20U, 30'000U}) {
        const fuse_layout layout{segments, 6, arity, width, value_bits};
        expect_agreement(layout, digest_span(digests));
        expect_agreement(layout, integer_span(integer_hash{7}, numbers));
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::bits
