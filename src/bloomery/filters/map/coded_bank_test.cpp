#include "bloomery/filters/map/coded_bank.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "bloomery/math/numeric/special.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "map_entries.hpp"
#include "rate.hpp"
#include "testing.hpp"
#include "uneven.hpp"

namespace bloomery::testing {
namespace {

constexpr std::uint64_t binary = 0;
constexpr std::uint64_t constant_weight = 1;

// Errors only turn zeros into ones. Crowded, so that there are many.
TEST(coded_bank, the_word_of_a_key_is_always_there) {
  for (const std::uint64_t code : {binary, constant_weight}) {
    const coded_bank_shape shape{2000, 3, 30, code};
    const auto entries = numbered_entries(1, 1000, 30);
    const auto bank = coded_bank_filter::build(shape, entries);
    std::uint64_t longer = 0;
    for (const keyed_value& entry : entries) {
      const std::uint64_t word = shape.words().word(entry.value);
      const std::uint64_t seen = bank.cells().word(entry.key);
      ASSERT_EQ(word & ~seen, 0U);
      longer += std::uint64_t{seen != word};
      ASSERT_NE(bank.value(entry.key).is, mapped::state::absent);
      if (seen == word) {
        ASSERT_EQ(bank.value(entry.key), (mapped{mapped::state::present, entry.value}));
      }
    }
    EXPECT_GT(longer, 100U);
  }
}

// Words of constant weight: crowded as above, no value is wrong; binary ones often are.
TEST(coded_bank, constant_weight_never_tells_a_wrong_value) {
  for (const std::uint64_t code : {binary, constant_weight}) {
    const auto entries = numbered_entries(2, 2000, 30);
    const auto bank = coded_bank_filter::build({3000, 3, 30, code}, entries);
    std::uint64_t wrong = 0;
    for (const keyed_value& entry : entries) {
      const mapped answer = bank.value(entry.key);
      wrong += std::uint64_t{answer.is == mapped::state::present && answer.value != entry.value};
    }
    if (code == binary) {
      EXPECT_GT(wrong, 100U);
    } else {
      EXPECT_EQ(wrong, 0U);
    }
  }
}

// Four filters; the last three hold 10,000 keys each of their own at 1 %. 20,000
// keys of the word 1, which has three zeros, are told right with probability (1-f)^3.
TEST(coded_bank, keys_are_right_as_often_as_predicted) {
  const math::standard_size size = math::plan_standard(10'000, 0.01);
  coded_bank_filter bank(coded_bank_shape{size.bits, size.hashes, 15, binary});
  for (const std::uint64_t word : {2U, 4U, 8U}) {
    for (const digest d : numbered_digests(10 + word, 10'000)) bank.set_value(d, word - 1);
  }
  std::uint64_t right = 0;
  const auto keys = numbered_digests(3, 20'000);
  for (const digest d : keys) {
    bank.set_value(d, 0);
    right += std::uint64_t{bank.value(d) == mapped{mapped::state::present, 0}};
  }
  const double predicted = math::correct_probability(size.rate, 3);
  EXPECT_NEAR(predicted, 0.9703, 0.0005);
  EXPECT_TRUE(plausible_count(right, keys.size(), predicted));
}

// 5000 keys of 13 classes and 400,000 strangers, filters crowded so that several claim.
TEST(coded_bank, strangers_are_claimed_at_the_rate) {
  const auto entries = numbered_entries(4, 5000, 13);
  for (const std::uint64_t code : {binary, constant_weight}) {
    const coded_bank_shape shape{16'000, 4, 13, code};
    EXPECT_TRUE(map_rate_as_predicted<coded_bank_filter>(shape, entries, 400'000)) << code;
  }
}

// Members whose value is lost: fewer than the bound, and not by far.
TEST(coded_bank, members_are_lost_as_bounded) {
  const auto entries = numbered_entries(5, 20'000, 20);
  const auto shape = coded_bank_filter::plan_map(20'000, 0.02, 20);
  const auto bank = coded_bank_filter::build(shape, entries);
  std::uint64_t lost = 0;
  for (const keyed_value& entry : entries) {
    lost += std::uint64_t{bank.value(entry.key).is != mapped::state::present};
  }
  // All 20 words of three ones in six bits: every filter has half of the keys.
  EXPECT_TRUE(plausible_count(lost, entries.size(), math::coded_error(shape.size(), 20'000)));
}

TEST(coded_bank, is_planned_for_the_keys_that_each_class_has) {
  EXPECT_TRUE(uneven_rate_as_planned<coded_bank_filter>(3, 0.05));
  EXPECT_TRUE(uneven_rate_as_planned<coded_bank_filter>(20, 0.05));
}

// 20,000 keys, of which 17,000 have the value 0, in 20 classes: each class is lost as bounded.
TEST(coded_bank, members_of_uneven_classes_are_lost_as_bounded) {
  std::vector<keyed_value> entries = numbered_entries(7, 20'000, 20);
  for (std::size_t i = 0; i < 17'000; ++i) entries[i].value = 0;
  const auto shape = coded_bank_filter::plan_entries(entries, 0.02);
  const auto loads = loads_of(entries);
  EXPECT_LE(math::coded_error(shape.size(), loads), 0.02);
  const auto bank = coded_bank_filter::build(shape, entries);
  std::vector<std::uint64_t> lost(20, 0);
  for (const keyed_value& entry : entries) {
    lost[entry.value] += std::uint64_t{bank.value(entry.key).is != mapped::state::present};
  }
  for (const auto& [value, keys] : loads) {
    EXPECT_GT(math::binomial_upper(lost[value], keys, math::coded_error(shape.size(), loads)),
              significance)
        << value;
  }
}

TEST(coded_bank, merging_is_the_union) {
  const coded_bank_shape shape{1000, 4, 100, constant_weight};
  coded_bank_filter first(shape);
  coded_bank_filter second(shape);
  coded_bank_filter both(shape);
  for (const keyed_value& entry : numbered_entries(6, 600, 100)) {
    (hash::mix(entry.key.lo) % 2 == 0 ? first : second).set_value(entry.key, entry.value);
    both.set_value(entry.key, entry.value);
  }
  first.merge(second);
  EXPECT_EQ(wire::save(first), wire::save(both));
}

}  // namespace
}  // namespace bloomery::testing
