#include "bloomery/filters/map/bank.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"
#include "uneven.hpp"

namespace bloomery::testing {
namespace {

// The oracle is one standard filter a class: what they claim is what the bank claims, to the bit.
// Classes in one word, in a whole one, and in several.
TEST(bank, is_a_standard_filter_for_each_class) {
  for (const std::uint64_t classes : {1U, 5U, 64U, 150U}) {
    const bank_shape shape{300, 3, classes};
    bank_filter bank(shape);
    std::vector<standard_filter> apart;
    for (std::uint64_t c = 0; c < classes; ++c) apart.emplace_back(standard_shape{300, 3});
    for (const digest d : numbered_digests(classes, 40 * classes)) {
      const std::uint64_t c = hash::reduce(hash::mix(d.lo), classes);
      EXPECT_TRUE(bank.set_value(d, c));
      apart[c].insert(d);
    }
    EXPECT_EQ(bank.record().items, 40 * classes);
    for (const digest d : numbered_digests(classes, 500)) {
      std::vector<std::uint64_t> claiming;
      for (std::uint64_t c = 0; c < classes; ++c) {
        if (apart[c].may_contain(d)) claiming.push_back(c);
      }
      ASSERT_EQ(bank.cells().hits(d), claiming);
      const mapped expected = claiming.empty()       ? mapped{}
                              : claiming.size() == 1 ? mapped{mapped::state::present, claiming[0]}
                                                     : mapped{mapped::state::unknown, 0};
      ASSERT_EQ(bank.value(d), expected);
    }
  }
}

// Tarkoma §III-M: the filters that claim a key are those of its classes at least.
TEST(bank, no_class_of_a_key_is_lost) {
  bank_filter bank(bank_filter::plan_map(1000, 0.05, 70));
  std::map<digest, std::set<std::uint64_t>> oracle;
  const auto pool = numbered_digests(9, 300);
  for (std::uint64_t step = 0; step < 1000; ++step) {
    const digest d = pool[hash::mix(step) % pool.size()];
    oracle[d].insert(hash::mix(~step) % 70);
    bank.set_value(d, hash::mix(~step) % 70);
  }
  for (const auto& [d, classes] : oracle) {
    const auto hits = bank.cells().hits(d);
    EXPECT_TRUE(std::includes(hits.begin(), hits.end(), classes.begin(), classes.end()));
    EXPECT_EQ(bank.value(d).is == mapped::state::present, hits.size() == 1);
  }
}

TEST(bank, merging_is_the_union) {
  const bank_shape shape{1000, 4, 100};
  bank_filter first(shape);
  bank_filter second(shape);
  bank_filter both(shape);
  for (const digest d : numbered_digests(4, 600)) {
    (hash::mix(d.hi) % 2 == 0 ? first : second).set_value(d, d.lo % 100);
    both.set_value(d, d.lo % 100);
  }
  first.merge(second);
  EXPECT_EQ(wire::save(first), wire::save(both));
}

// 40,000 keys in 24 classes, 200,000 strangers: as many are claimed as predicted.
TEST(bank, strangers_are_claimed_at_the_rate) {
  const auto shape = bank_filter::plan_map(40'000, 0.02, 24);
  std::vector<keyed_value> entries;
  for (const digest d : numbered_digests(5, 40'000)) entries.push_back({d, hash::mix(d.lo) % 24});
  EXPECT_TRUE(map_rate_as_predicted<bank_filter>(shape, entries, 200'000));
}

TEST(bank, is_planned_for_the_keys_that_each_class_has) {
  EXPECT_TRUE(uneven_rate_as_planned<bank_filter>(3, 0.05));
  EXPECT_TRUE(uneven_rate_as_planned<bank_filter>(100, 0.05));
  const std::vector<keyed_value> none;
  EXPECT_EQ(bank_filter::plan_entries(none, 0.05).bits, bank_filter::plan_map(1, 0.05, 1).bits);
}

TEST(loads, are_the_distinct_keys_of_each_value) {
  const std::vector<keyed_value> entries{{{1, 1}, 7}, {{2, 2}, 0}, {{1, 1}, 7}, {{1, 1}, 0}};
  const auto loads = loads_of(entries);
  ASSERT_EQ(loads.size(), 2U);
  EXPECT_TRUE(loads[0].value == 0 && loads[0].keys == 2);
  EXPECT_TRUE(loads[1].value == 7 && loads[1].keys == 1);
}

TEST(bank, refuses_bits_of_classes_there_are_not) {
  const bank_shape shape{10, 2, 70};
  bank_filter bank(shape);
  bank.set_value({1, 2}, 69);
  auto bytes = std::vector<std::byte>(bank.payload()[0].begin(), bank.payload()[0].end());
  EXPECT_NO_THROW((void)bank_filter::restore(shape, {}, wire::copied(bytes)));
  bytes[8] |= std::byte{0x40};  // class 70 of row 0
  EXPECT_TRUE(throws_error(errc::corrupt, "row 0",
                           [&] { (void)bank_filter::restore(shape, {}, wire::copied(bytes)); }));
}

}  // namespace
}  // namespace bloomery::testing
