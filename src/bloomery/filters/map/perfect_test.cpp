#include "bloomery/filters/map/perfect.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "bloomery/math/kinds/fuse.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "map_entries.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Repeats, wide values and all: what a map says, but for strangers at 2^-32.
void expect_the_map_it_was_made_from(std::uint64_t values) {
  SCOPED_TRACE(values);
  auto entries = numbered_entries(1, 4000, values);
  std::map<digest, std::uint64_t> oracle;
  for (const keyed_value& entry : entries) oracle[entry.key] = entry.value;
  for (std::uint64_t i = 0; i < 1000; ++i) entries.push_back(entries[hash::mix(i) % 4000]);
  const auto filter = perfect_filter::build(perfect_filter::plan_map(4000, 1e-9, values), entries);
  for (const digest d : numbered_digests(1, 8000)) {
    const auto found = oracle.find(d);
    const mapped expected =
        found == oracle.end() ? mapped{} : mapped{mapped::state::present, found->second};
    EXPECT_EQ(filter.value(d), expected);
  }
  entries.push_back({entries[0].key, entries[0].value ^ 1});
  EXPECT_TRUE(throws_error(errc::invalid, "two values",
                           [&] { (void)perfect_filter::build(filter.shape(), entries); }));
}

TEST(perfect, is_the_map_it_was_made_from) {
  for (const unsigned bits : {1U, 32U, 33U, 63U, 64U}) {
    expect_the_map_it_was_made_from(math::values_of_bits(bits));
  }
}

// Broder, Mitzenmacher 2004, §2.2: cells are all used, each by one key.
TEST(perfect, every_key_has_a_cell_of_its_own) {
  const auto keys = numbered_digests(2, 5000);
  const auto filter = perfect_filter::build(perfect_filter::plan(5000, 0.01), keys);
  std::vector<bool> used(5000);
  for (const digest d : keys) {
    const std::uint64_t cell = filter.cells().locate(d).cell;
    ASSERT_LT(cell, 5000U);
    EXPECT_FALSE(used[cell]);
    used[cell] = true;
  }
}

// Fingerprints must not follow from the cell: of the strangers in the first hundredth of the cells,
// as of those in all, 2^-4 have the fingerprint. A million strangers.
TEST(perfect, fingerprints_are_independent_of_cells) {
  const perfect_shape shape{1000, 4, 0};
  const auto filter = perfect_filter::build(shape, numbered_digests(3, 1000));
  std::uint64_t met = 0;
  std::uint64_t claimed = 0;
  std::vector<std::uint64_t> prints(16);
  for (const digest d : numbered_digests(4, 1'000'000)) {
    const auto at = filter.cells().locate(d);
    if (at.cell >= 100) continue;
    ++met;
    claimed += std::uint64_t{filter.may_contain(d)};
    if (at.cell == 7) ++prints[at.fingerprint];
  }
  EXPECT_TRUE(plausible_count(claimed, met, 1.0 / 16));
  EXPECT_TRUE(plausibly_uniform(prints));
}

// The page's figures: r and 2.5 bits a key; less than fuse from r = 20 on, less than standard from 2 %.
TEST(perfect, bits_a_key) {
  const auto bits = [](double rate, std::uint64_t values) {
    const auto shape = perfect_filter::plan_map(1'000'000, rate, values);
    return 8 * static_cast<double>(perfect_filter::payload_bytes(shape)) / 1e6;
  };
  EXPECT_NEAR(bits(0.01, 1), 7 + 2.49, 0.005);
  EXPECT_NEAR(bits(0.001, 1), 10 + 2.49, 0.005);
  EXPECT_NEAR(bits(0.0001, 1), 14 + 2.49, 0.005);
  EXPECT_NEAR(bits(0.01, 256), 7 + 8 + 2.49, 0.005);
  const auto fuse = [](double bits_of_a_slot) {
    const double slots = static_cast<double>(math::plan_fuse(1'000'000, 3).slots());
    return bits_of_a_slot * slots / 1e6;
  };
  EXPECT_GT(19 + 2.49, fuse(19));
  EXPECT_LT(20 + 2.49, fuse(20));
}

TEST(perfect, refuses_what_does_not_fit) {
  const perfect_shape shape{1000, 7, 3};
  EXPECT_TRUE(throws_error(errc::limit, "do not fit",
                           [&] { (void)perfect_filter::build(shape, numbered_digests(4, 1001)); }));
  EXPECT_EQ(perfect_filter::predicted_rate(shape, 1001), 1);
  const auto filter = perfect_filter::build(shape, numbered_digests(5, 900));
  const auto restored = [&](std::uint64_t items) {
    filter_record record = filter.record();
    record.items = items;
    std::vector<std::byte> bytes;
    for (const byte_view part : filter.payload())
      bytes.insert(bytes.end(), part.begin(), part.end());
    (void)perfect_filter::restore(shape, record, wire::copied(bytes));
  };
  EXPECT_NO_THROW(restored(900));
  EXPECT_TRUE(throws_error(errc::corrupt, "900 keys of 899", [&] { restored(899); }));
}

}  // namespace
}  // namespace bloomery::testing
