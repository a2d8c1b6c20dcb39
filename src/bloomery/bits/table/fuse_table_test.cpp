#include "bloomery/bits/table/fuse_table.hpp"

#include <random>
#include <vector>

#include "parts.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;
using testing::throws_error;

fuse_layout layout_for(std::uint64_t keys, unsigned arity, unsigned width,
                       unsigned value_bits = 0) {
  const math::fuse_size size = math::plan_fuse(keys, arity);
  return {size.segments, size.segment_log2, arity, width, value_bits};
}

std::uint64_t most(unsigned width) {
  return ~std::uint64_t{0} >> (64 - width);
}

std::vector<std::uint64_t> random_values(std::size_t count, unsigned width) {
  std::mt19937_64 random(width);
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = random() & most(width);
  return values;
}

std::vector<std::optional<std::uint64_t>> found_in(const fuse_table& table,
                                                   std::span<const digest> keys) {
  std::vector<std::optional<std::uint64_t>> found(keys.size());
  table.found(keys, found);
  return found;
}

bool same_bytes(const fuse_table& a, const fuse_table& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

TEST(fuse_widths, give_every_key_its_value) {
  for (unsigned width = 2; width <= fuse_table::max_width; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    for (const unsigned arity : {3U, 4U}) {
      for (const std::uint64_t n : {1U, 2U, 37U, 1000U}) {
        const auto keys = numbered_digests(width, n);
        const auto values = random_values(n, width - 1);
        const auto table =
            fuse_table::of_entries(layout_for(n, arity, width, width - 1), keys, values);
        EXPECT_EQ(table.keys(), n);
        for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(table.found(keys[i]), values[i]) << i;
        EXPECT_TRUE(std::ranges::equal(found_in(table, keys), values));
        for (const digest d : numbered_digests(width, 100, n)) {
          EXPECT_LE(table.found(d).value_or(0), most(width - 1));
        }
      }
    }
  }
}

TEST(fuse_widths, give_every_key_its_fingerprint) {
  for (unsigned width = 1; width <= fuse_table::max_width; ++width) {
    SCOPED_TRACE("width " + std::to_string(width));
    for (const unsigned arity : {3U, 4U}) {
      const auto keys = numbered_digests(100 + width, 500);
      const auto table = fuse_table::of_fingerprints(layout_for(500, arity, width), keys);
      for (const digest d : keys) ASSERT_TRUE(table.matches(d));
      EXPECT_TRUE(same_bytes(fuse_table(table), table));
    }
  }
}

// 600,000 keys: some two hundred segments, more keys than one thread is for, and beyond the size
// from which look-ups prefetch.
TEST(fuse_table, is_the_same_on_any_number_of_threads) {
  constexpr std::uint64_t n = 600'000;
  const auto keys = numbered_digests(1, n);
  for (const unsigned arity : {3U, 4U}) {
    const auto values = random_values(n, 20);
    const fuse_layout layout = layout_for(n, arity, 21, 20);
    const auto table = fuse_table::of_entries(layout, keys, values, 1);
    EXPECT_TRUE(std::ranges::equal(found_in(table, keys), values));
    for (const unsigned threads : {2U, 3U, 8U}) {
      EXPECT_TRUE(same_bytes(fuse_table::of_entries(layout, keys, values, threads), table));
    }
  }
}

TEST(fuse_table, is_the_same_in_any_order_and_with_repeats) {
  for (const unsigned arity : {3U, 4U}) {
    for (const std::uint64_t n : {10U, 3000U}) {
      auto keys = numbered_digests(2, n);
      const fuse_layout layout = layout_for(n, arity, 9);
      const auto table = fuse_table::of_fingerprints(layout, keys);
      std::shuffle(keys.begin(), keys.end(), std::mt19937_64(n));
      EXPECT_TRUE(same_bytes(fuse_table::of_fingerprints(layout, keys), table));
      keys.push_back(keys[3]);  // one repeat, which only a failure reveals
      EXPECT_TRUE(same_bytes(fuse_table::of_fingerprints(layout, keys), table));
      keys.insert(keys.end(), 33, keys[5]);  // and more of one key than a slot counts
      EXPECT_TRUE(same_bytes(fuse_table::of_fingerprints(layout, keys), table));
      keys.insert(keys.end(), 1000, keys[5]);
      for (int i = 0; i < 3; ++i) keys.insert(keys.end(), keys.begin(), keys.end());
      const auto repeated = fuse_table::of_fingerprints(layout, keys);
      EXPECT_TRUE(same_bytes(repeated, table));
      EXPECT_EQ(repeated.keys(), n);
    }
  }
}

// More segments than buckets.
TEST(fuse_table, takes_any_layout_with_room) {
  const auto keys = numbered_digests(3, 20'000);
  for (const unsigned arity : {3U, 4U}) {
    for (const fuse_layout layout : {fuse_layout{5000, 6, arity, 8}, fuse_layout{2049, 7, arity, 8},
                                     fuse_layout{1, 20, arity, 8}, fuse_layout{7, 13, arity, 8}}) {
      const auto table = fuse_table::of_fingerprints(layout, keys);
      EXPECT_EQ(table.keys(), keys.size());
      EXPECT_TRUE(std::ranges::all_of(keys, [&](digest d) { return table.matches(d); }));
      EXPECT_EQ(table.bytes().size(), fuse_table::stored_bytes(layout));
    }
  }
  const std::vector<digest> one{{1, 2}};
  EXPECT_TRUE(fuse_table::of_fingerprints({1, 1, 3, 57}, one).matches({1, 2}));
}

TEST(fuse_table, refuses_keys_that_do_not_fit) {
  const auto keys = numbered_digests(4, 1000);
  EXPECT_TRUE(throws_error(errc::limit, "1,000 distinct keys do not fit into 768 slots", [&] {
    (void)fuse_table::of_fingerprints({1, 8, 3, 8}, keys);
  }));
  EXPECT_TRUE(throws_error(errc::limit, "1,000 distinct keys do not fit into 1,024 slots", [&] {
    (void)fuse_table::of_fingerprints({14, 6, 3, 8}, keys);
  }));
  // Repeats take no room.
  std::vector<digest> repeated(100'000, keys[0]);
  EXPECT_EQ(fuse_table::of_fingerprints({1, 1, 3, 8}, repeated).keys(), 1U);
}

TEST(fuse_table, refuses_contradictions) {
  auto keys = numbered_digests(5, 100);
  keys.push_back(keys[42]);
  std::vector<std::uint64_t> values(keys.size(), 3);
  const fuse_layout layout = layout_for(200, 3, 12, 4);
  EXPECT_EQ(fuse_table::of_entries(layout, keys, values).found(keys[42]), 3U);
  values.back() = 4;
  EXPECT_TRUE(throws_error(errc::invalid, "a key is given two values",
                           [&] { (void)fuse_table::of_entries(layout, keys, values); }));
  values.back() = 16;
  EXPECT_TRUE(throws_error(errc::invalid, "more than 4 bits",
                           [&] { (void)fuse_table::of_entries(layout, keys, values); }));
}

// Keys that agree in a half, or are extreme, are still different keys.
TEST(fuse_table, takes_digests_of_any_pattern) {
  constexpr std::uint64_t all_ones = ~std::uint64_t{0};
  std::vector<digest> keys{{0, 0}, {all_ones, all_ones}, {0, all_ones}, {all_ones, 0}};
  for (std::uint64_t i = 1; i < 1000; ++i) {
    keys.push_back({i, 0});
    keys.push_back({0, i});
    keys.push_back({i << 40, i << 40});
  }
  const auto values = random_values(keys.size(), 30);
  for (const unsigned arity : {3U, 4U}) {
    const auto table = fuse_table::of_entries(layout_for(keys.size(), arity, 40, 30), keys, values);
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(table.found(keys[i]), values[i]);
  }
}

TEST(fuse_table, of_nothing_is_empty) {
  const fuse_layout layout = layout_for(100, 3, 8);
  const fuse_table empty(layout);
  EXPECT_EQ(empty.keys(), 0U);
  EXPECT_TRUE(empty.empty());
  EXPECT_TRUE(same_bytes(fuse_table::of_fingerprints(layout, {}), empty));
}

// The fit's own failures, by the seed that was stored in the end: 2,000 tables of each size.
TEST(planned_layouts, seldom_need_another_seed) {
  const std::uint64_t first_seed = hash::mix(1);
  for (const unsigned arity : {3U, 4U}) {
    for (const std::uint64_t n : {2U, 5U, 20U, 30U, 50U, 100U, 300U, 1000U, 3000U}) {
      constexpr std::uint64_t tables = 2000;
      std::uint64_t again = 0;
      for (std::uint64_t i = 0; i < tables; ++i) {
        const auto table =
            fuse_table::of_fingerprints(layout_for(n, arity, 8), numbered_digests(1000 + i, n));
        again += std::uint64_t{core::load_le<std::uint64_t>(table.bytes().data()) != first_seed};
      }
      const double share = static_cast<double>(again) / tables;
      EXPECT_LE(share, n < 1000 ? 0.28 : 0.12) << n << " keys, arity " << arity;
    }
  }
}

// Where the slots are: the first anywhere, the others in the next segments, all uniform and
// independent, and so the fingerprint. 400,000 keys; cells of at least 6,000.
TEST(fuse_probe, spreads_slots_and_fingerprints) {
  const fuse_layout layout{5, 3, 4, 4};
  const fuse_probe probe(layout, 7);
  std::vector<std::uint64_t> firsts(40);
  std::array<std::vector<std::uint64_t>, 3> turns;
  for (auto& counts : turns) counts.resize(8);
  std::vector<std::uint64_t> pairs(64);
  std::vector<std::uint64_t> with_fingerprint(64);
  for (const digest d : numbered_digests(6, 400'000)) {
    const std::uint64_t hash = probe.hash(d);
    const auto slots = probe.slots<4>(hash);
    ++firsts[slots[0]];
    for (std::uint64_t i = 1; i < 4; ++i) {
      ASSERT_EQ(slots[i] / 8, slots[0] / 8 + i);
      ++turns[i - 1][(slots[i] ^ slots[0]) % 8];
    }
    ++pairs[(slots[1] % 8) * 8 + slots[2] % 8];
    ++with_fingerprint[(slots[3] % 4) * 16 + fuse_probe::long_fingerprint(hash) % 16];
    const auto three = probe.slots<3>(hash);
    ASSERT_TRUE(std::equal(three.begin(), three.end(), slots.begin()));
  }
  EXPECT_TRUE(testing::plausibly_uniform(firsts));
  for (const auto& counts : turns) EXPECT_TRUE(testing::plausibly_uniform(counts));
  EXPECT_TRUE(testing::plausibly_uniform(pairs));
  EXPECT_TRUE(testing::plausibly_uniform(with_fingerprint));
}

class stored_fuse_table : public ::testing::Test {
 protected:
  const fuse_layout layout = layout_for(100, 3, 7);
  const fuse_table table = fuse_table::of_fingerprints(layout, numbered_digests(8, 100));

  void refuses(const std::string& reason, std::uint64_t at, std::uint8_t change) const {
    storage bytes = testing::owned(table.bytes());
    bytes.bytes_for_writing()[at] ^= std::byte{change};
    EXPECT_TRUE(throws_error(errc::corrupt, reason, [&] {
      (void)fuse_table(layout, std::move(bytes));
    })) << at;
  }
};

TEST_F(stored_fuse_table, is_the_same_again) {
  const fuse_table again(layout, storage::view(table.bytes()));
  EXPECT_EQ(again.keys(), 100U);
  EXPECT_EQ(again.bytes().data(), table.bytes().data());
  for (const digest d : numbered_digests(8, 100)) EXPECT_TRUE(again.matches(d));
}

TEST_F(stored_fuse_table, refuses_what_it_would_not_write) {
  const std::uint64_t end = 64 + (layout.slots() * 7 + 7) / 8;
  ASSERT_EQ(layout.slots() * 7 % 8, 0U);
  for (std::uint64_t at = 16; at < 64; ++at) refuses("reserved bytes", at, 0x10);
  for (std::uint64_t at = end; at < table.bytes().size(); ++at) refuses("padding", at, 0x80);
  refuses("keys cannot be in", 9, 1);
  refuses("slots are set and no keys", 8, 100);
  EXPECT_TRUE(throws_error(errc::corrupt, "bytes, there are", [&] {
    (void)fuse_table(layout, storage::view(table.bytes().first(table.bytes().size() - 64)));
  }));
  // A layout that ends within a byte.
  const fuse_layout odd{1, 1, 3, 5};
  storage bytes = storage::allocate(fuse_table::stored_bytes(odd));
  bytes.bytes_for_writing()[64 + 3] = std::byte{0x40};
  EXPECT_TRUE(
      throws_error(errc::corrupt, "padding", [&] { (void)fuse_table(odd, std::move(bytes)); }));
}

}  // namespace
}  // namespace bloomery::bits
