#include "bloomery/filters/map/bloomier_mutable.hpp"

#include <gtest/gtest.h>

#include <map>

#include "bloomery/wire/filter_io.hpp"
#include "map_entries.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Lemma 4.1: what a key was last given, after 20,000 changes in any order, at several widths.
TEST(bloomier_mutable, keeps_what_was_set_last) {
  for (const std::uint64_t hashes : {3U, 4U, 8U}) {
    for (const std::uint64_t value_bits : {1U, 7U, 32U, 64U}) {
      const std::uint64_t limit = math::values_of_bits(value_bits);
      const auto entries = numbered_entries(hashes, 700, limit);
      std::map<digest, std::uint64_t> oracle;
      for (const keyed_value& entry : entries) oracle[entry.key] = entry.value;
      auto map = bloomier_mutable_filter::build(
          {math::bloomier_slots(700, hashes), hashes, 12, value_bits}, entries);
      for (std::uint64_t step = 0; step < 20'000; ++step) {
        const digest d = entries[hash::mix(step) % 700].key;
        EXPECT_EQ(map.value(d).value, oracle[d]);
        EXPECT_TRUE(map.set_value(d, oracle[d] = hash::mix(~step) % limit));
      }
      for (const auto& [d, value] : oracle) {
        EXPECT_EQ(map.value(d), (mapped{mapped::state::present, value}));
      }
      EXPECT_EQ(map.record().items, 700U);
    }
  }
}

// Lemma 4.2: k/2^q, of 400,000 strangers, whatever the values.
TEST(bloomier_mutable, claims_strangers_at_the_rate_of_the_lemma) {
  for (const auto& [hashes, bits] : {std::pair{3U, 4U}, {3U, 9U}, {5U, 6U}, {8U, 3U}}) {
    const bloomier_mutable_shape shape{math::bloomier_slots(5000, hashes), hashes, bits, 16};
    EXPECT_EQ(bloomier_mutable_filter::predicted_rate(shape, 5000), math::code_rate(hashes, bits));
    EXPECT_TRUE(map_rate_as_predicted<bloomier_mutable_filter>(
        shape, numbered_entries(1, 5000, 60'000), 400'000));
  }
}

// Setting strangers: the claimed ones share a member's slot now and then and spoil its value, and
// nothing else; slots are 1.25 a key, so that some are no member's.
TEST(bloomier_mutable, strangers_that_are_claimed_overwrite_others) {
  constexpr std::uint64_t n = 3000;
  constexpr std::uint64_t mark = 255;
  const auto entries = numbered_entries(1, n, mark);
  auto map = bloomier_mutable_filter::build({math::bloomier_slots(n, 3), 3, 6, 8}, entries);
  const auto before = wire::save(map);
  std::uint64_t claimed = 0;
  for (const digest d : numbered_digests(2, 1000)) {
    const bool present = map.may_contain(d);
    const auto bytes = wire::save(map);
    EXPECT_EQ(map.set_value(d, mark), present);
    if (present) {
      EXPECT_EQ(map.value(d).value, mark);
      ++claimed;
    } else {
      EXPECT_EQ(wire::save(map), bytes);
    }
  }
  EXPECT_TRUE(plausible_count(claimed, 1000, math::code_rate(3, 6)));
  std::uint64_t spoilt = 0;
  for (const keyed_value& entry : entries) {
    const mapped answer = map.value(entry.key);
    ASSERT_EQ(answer.is, mapped::state::present);
    EXPECT_TRUE(answer.value == entry.value || answer.value == mark);
    spoilt += std::uint64_t{answer.value == mark};
  }
  EXPECT_GT(spoilt, 0U);
  EXPECT_LE(spoilt, claimed);
  EXPECT_EQ(map.record().items, n);
}

TEST(bloomier_mutable, views_cannot_be_set) {
  const auto map = bloomier_mutable_filter::build({30, 3, 10, 8}, numbered_entries(1, 10, 8));
  auto bytes = wire::save(map);
  auto copied = wire::load<bloomier_mutable_filter>(bytes);
  EXPECT_TRUE(copied.set_value(numbered_digest(1, 0), 77));
  EXPECT_EQ(copied.value(numbered_digest(1, 0)).value, 77U);
  const storage aligned = wire::copied(bytes);
  auto viewed = wire::view<bloomier_mutable_filter>(aligned.bytes().first(bytes.size()));
  EXPECT_TRUE(
      throws_error(errc::read_only, "view", [&] { viewed.set_value(numbered_digest(1, 0), 1); }));
}

TEST(bloomier_mutable, refuses_what_makes_no_sense) {
  const auto refused = [](const bloomier_mutable_shape& bad, errc code, const char* part) {
    EXPECT_TRUE(throws_error(code, part, [&] { (void)bloomier_mutable_filter(bad); }));
  };
  refused({2, 3, 10, 8}, errc::invalid, "slots is 2");
  refused({100, 5, 2, 8}, errc::invalid, "cell_bits is 2");
  refused({max_bits / 16, 3, 9, 8}, errc::limit, "slots of");
}

TEST(bloomier_mutable, costs_two_tables) {
  const auto shape = bloomier_mutable_filter::plan_map(1'000'000, 0.003, 256);
  EXPECT_EQ(shape.cell_bits, 10U);
  const double bytes = static_cast<double>(bloomier_mutable_filter::payload_bytes(shape));
  EXPECT_NEAR(8e-6 * bytes, 22.02, 0.01);
}

}  // namespace
}  // namespace bloomery::testing
