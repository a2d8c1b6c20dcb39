#include "bloomery/filters/set/golomb.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "bloomery/wire/filter_io.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// What comes out is the set of hashes that went in, no more and no less.
TEST(golomb, holds_exactly_the_values_of_its_keys) {
  const auto keys = numbered_digests(1, 700);
  for (const golomb_shape shape : {golomb_shape{1, 5000, 3, 100'000},
                                   {40, 300, 0, 100'000},
                                   {7, 1'000'000, 2, 100'000},
                                   {700, 3, 8, 100'000}}) {
    const auto filter = golomb_filter::build(shape, keys);
    std::set<std::pair<std::uint64_t, std::uint64_t>> oracle;
    for (const digest d : keys) {
      const auto at = filter.cells().locate(d);
      oracle.insert({at.section, at.value});
    }
    EXPECT_EQ(filter.cells().distinct_values(), oracle.size());
    for (const digest d : numbered_digests(1, 20'000)) {
      const auto at = filter.cells().locate(d);
      ASSERT_EQ(filter.may_contain(d), oracle.contains({at.section, at.value}));
    }
  }
}

// The bits of a key as they are stored. 40 sets of 5000 keys for each: the mean length against
// math/, and that against the limit for geometric gaps.
TEST(golomb, codes_are_as_long_as_predicted) {
  constexpr std::uint64_t keys = 5000;
  constexpr std::uint64_t sets = 40;
  struct choice {
    std::uint64_t gap;
    std::uint64_t rice_bits;
    double bits;
  };
  for (const choice c : {choice{1024, 10, 11.582}, {1024, 9, 11.5415}, {784'931, 19, 21.05}}) {
    const golomb_shape shape{1, keys * c.gap, c.rice_bits, 30 * keys};
    sample bits;
    for (std::uint64_t i = 0; i < sets; ++i) {
      const auto filter = golomb_filter::build(shape, numbered_digests(100 + i, keys));
      bits.add(static_cast<double>(filter.cells().coded_bits()));
    }
    const double predicted = math::golomb_code_bits(shape.size(), keys);
    EXPECT_TRUE(plausible_mean(bits, predicted));
    EXPECT_NEAR(predicted / keys, c.bits, 0.01);
  }
}

// The page's table, and where it wins: a standard filter is smaller only for high rates.
TEST(golomb, total_bits_a_key) {
  const auto bits = [](std::uint64_t keys, double rate) {
    return 8 * static_cast<double>(golomb_filter::payload_bytes(golomb_filter::plan(keys, rate))) /
           static_cast<double>(keys);
  };
  EXPECT_NEAR(bits(1'000'000, 0.01), 8.49, 0.01);
  EXPECT_NEAR(bits(1'000'000, 0.001), 11.90, 0.01);
  EXPECT_NEAR(bits(1'000'000, 0.0001), 15.18, 0.01);
  const auto standard = [](double rate) {
    return static_cast<double>(math::plan_standard(1'000'000, math::with_reserve(rate)).bits) / 1e6;
  };
  EXPECT_GT(bits(1'000'000, 0.07), standard(0.07));
  EXPECT_LT(bits(1'000'000, 0.03), standard(0.03));
}

// A gap far beyond what the parameter was made for: not a million ones, but 88 bits.
TEST(golomb, a_lone_key_takes_a_bounded_code) {
  const golomb_shape shape{1, math::max_golomb_width, 0, 88};
  const std::vector<digest> key{{5, ~std::uint64_t{0}}};
  const auto filter = golomb_filter::build(shape, key);
  EXPECT_EQ(filter.cells().coded_bits(), 88U);
  EXPECT_TRUE(filter.may_contain(key[0]));
  EXPECT_FALSE(filter.may_contain({5, 0})) << "padding is no gap";
  EXPECT_FALSE(golomb_filter(shape).may_contain({5, 0}));
  EXPECT_EQ(wire::save(wire::load<golomb_filter>(wire::save(filter))), wire::save(filter));
}

TEST(golomb, refuses_keys_that_do_not_fit) {
  const golomb_shape shape = golomb_filter::plan(1000, 0.01);
  EXPECT_EQ(golomb_filter::predicted_rate(shape, 2000), 1);
  EXPECT_TRUE(throws_error(errc::limit, "do not fit",
                           [&] { (void)golomb_filter::build(shape, numbered_digests(4, 2000)); }));
}

// One value in a section of 100: quotient and remainder of the only code, then what is wrong with it.
TEST(golomb, refuses_codes_that_it_would_not_write) {
  const golomb_shape shape{1, 100, 2, 200};
  const auto restored = [&](std::uint64_t end, std::uint64_t low, std::uint64_t high) {
    storage bytes = storage::allocate(golomb_filter::payload_bytes(shape));
    core::store_le<std::uint64_t>(bytes.bytes_for_writing().data(), end << 8);  // ends of 8 bits
    core::store_le(bytes.bytes_for_writing().data() + 64, low);
    core::store_le(bytes.bytes_for_writing().data() + 72, high);
    return [&shape, end, stored = std::make_shared<storage>(std::move(bytes))] {
      (void)golomb_filter::restore(shape, {{}, {}, end == 0 ? 0U : 9U}, *stored);
    };
  };
  EXPECT_NO_THROW(restored(0, 0, 0)());
  EXPECT_NO_THROW(restored(3, 0b010, 0)());
  EXPECT_TRUE(throws_error(errc::corrupt, "behind the last", restored(3, 0b1010, 0)));
  EXPECT_TRUE(throws_error(errc::corrupt, "behind the last", restored(3, 0b010, 1)));
  EXPECT_TRUE(throws_error(errc::corrupt, "no gap", restored(2, 0, 0))) << "ends inside";
  EXPECT_TRUE(throws_error(errc::corrupt, "no gap", restored(28, (1U << 25) - 1, 0))) << "100";
  EXPECT_NO_THROW(restored(27, (1U << 24) - 1, 0)());
  EXPECT_TRUE(throws_error(errc::corrupt, "no gap", restored(39, 0xffffffff, 0)))
      << "cut for nothing";
  EXPECT_TRUE(throws_error(errc::corrupt, "outside", restored(201, 0, 0)));
}

}  // namespace
}  // namespace bloomery::testing
