#include "bloomery/wire/foreign/format.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bloomery/hash/xxh64.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/lanes.hpp"
#include "bloomery/wire/foreign/bit_filter.hpp"
#include "bloomery/wire/foreign/dcso_bloom.hpp"
#include "bloomery/wire/foreign/parquet_block.hpp"
#include "bloomery/wire/foreign/squid_digest.hpp"
#include "hostile.hpp"
#include "testing.hpp"

namespace bloomery::foreign {
namespace {

using bytes_type = std::vector<std::byte>;
using testing::plausible_count;
using testing::throws_error;

std::string url(std::uint64_t i) {
  return "http://example.org/" + std::to_string(i);
}

std::vector<std::string> urls(std::uint64_t first, std::uint64_t last) {
  std::vector<std::string> made;
  for (std::uint64_t i = first; i < last; ++i) made.push_back(url(i));
  return made;
}

void insert_all(filter& into, const std::vector<std::string>& keys) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  into.insert(views);
}

std::uint64_t found_of(const filter& asked, const std::vector<std::string>& keys) {
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  const auto answers = std::make_unique<bool[]>(keys.size());
  asked.may_contain(views, {answers.get(), keys.size()});
  return static_cast<std::uint64_t>(std::count(answers.get(), answers.get() + keys.size(), true));
}

// The places of the ones, by the bytes behind the header.
std::set<std::uint64_t> ones_of(byte_view bits) {
  std::set<std::uint64_t> places;
  for (std::uint64_t i = 0; i < 8 * bits.size(); ++i) {
    if ((bits[i / 8] >> i % 8 & std::byte{1}) != std::byte{0}) places.insert(i);
  }
  return places;
}

TEST(foreign_formats, no_key_is_missed_and_strangers_pass_at_the_rate_told) {
  for (const format& each : formats()) {
    SCOPED_TRACE(each.info->name);
    const auto made = each.make(2000, std::nullopt);
    const auto keys = urls(0, 2000);
    insert_all(*made, keys);
    const auto again = each.read(made->save(), {});
    EXPECT_EQ(found_of(*again, keys), keys.size());
    EXPECT_EQ(again->ones(), made->ones());
    EXPECT_TRUE(
        plausible_count(found_of(*again, urls(10'000, 60'000)), 50'000, again->current_rate()));
  }
}

TEST(foreign_formats, a_rate_that_is_asked_for_is_kept) {
  for (const format& each : formats()) {
    for (const double rate : {0.2, 0.01, 0.001}) {
      SCOPED_TRACE(each.info->name);
      const auto made = each.make(1000, rate);
      insert_all(*made, urls(0, 1000));
      EXPECT_LT(made->current_rate(), 1.3 * rate);
      EXPECT_TRUE(testing::plausible_limit(found_of(*made, urls(5000, 55'000)), 50'000,
                                           std::max(rate, made->current_rate())));
    }
    EXPECT_TRUE(throws_error(errc::invalid, "rate", [&] { (void)each.make(10, 2.0); }));
  }
}

TEST(foreign_formats, are_told_apart_and_saved_as_they_were_read) {
  for (const format& each : formats()) {
    SCOPED_TRACE(each.info->name);
    for (const std::uint64_t keys : {1U, 7U, 300U, 20'000U}) {
      const auto made = each.make(keys, std::nullopt);
      insert_all(*made, urls(0, keys));
      const bytes_type file = made->save();
      const byte_view start = byte_view(file).first(std::min(file.size(), recognised_bytes));
      EXPECT_EQ(recognised(start, file.size()), &each);
      EXPECT_EQ(read(file)->save(), file);
      EXPECT_EQ(read(file)->info().name, each.info->name);
    }
    EXPECT_EQ(&find_format(each.info->name), &each);
  }
  EXPECT_EQ(recognised(bytes_type(256), 256), nullptr);
  EXPECT_TRUE(throws_error(errc::invalid, "squid-digest", [] { (void)find_format("squid"); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "no format", [] { (void)read(bytes_type(200)); }));
}

TEST(foreign_formats, damage_is_refused_or_is_another_filter_of_the_same_length) {
  for (const format& each : formats()) {
    SCOPED_TRACE(each.info->name);
    const auto made = each.make(20, std::nullopt);
    insert_all(*made, urls(0, 20));
    const bytes_type whole = made->save();
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const byte_view cut = byte_view(whole).first(size);
      EXPECT_TRUE(testing::is_refused([&] { (void)each.read(cut, {}); })) << size;
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const std::byte change : {std::byte{1}, std::byte{0x80}, std::byte{0xff}}) {
        bytes_type damaged = whole;
        damaged[at] ^= change;
        try {
          EXPECT_EQ(each.read(damaged, {})->save(), damaged) << at;
        } catch (const error& problem) {
          EXPECT_TRUE(testing::is_senders_fault(problem)) << at << ": " << problem.what();
        }
      }
    }
  }
}

TEST(foreign_formats, no_more_memory_is_taken_than_allowed) {
  for (const format& each : formats()) {
    const bytes_type file = each.make(10'000, std::nullopt)->save();
    const wire::load_options little{.max_payload_bytes = 1000};
    EXPECT_TRUE(throws_error(errc::limit, "1000", [&] { (void)each.read(file, little); }));
  }
}

// By an independent MD5 of 0x01 and the URL: 93df63fa 30aaaae0 ff5be53f f33e4133.
TEST(squid_digest, a_url_becomes_four_bits_of_its_md5) {
  const std::array<std::uint32_t, 4> expected{0x93df63fa, 0x30aaaae0, 0xff5be53f, 0xf33e4133};
  EXPECT_EQ(squid_digest::chunks_of("http://example.org/"), expected);
  const auto made = find_format("squid-digest").make(100, std::nullopt);
  EXPECT_EQ(made->bits(), 504);
  insert_all(*made, {"http://example.org/"});
  std::set<std::uint64_t> places;
  for (const std::uint32_t chunk : expected) places.insert(chunk % 504);
  EXPECT_EQ(ones_of(byte_view(made->save()).subspan(squid_digest::head_bytes)), places);
}

TEST(squid_digest, has_squids_header) {
  const auto made = find_format("squid-digest").make(1000, std::nullopt);
  insert_all(*made, urls(0, 3));
  const bytes_type file = made->save();
  const std::array<int, 24> expected{0, 5, 0, 3, 0, 0, 3, 0xe8, 0, 0, 0, 3,
                                     0, 0, 0, 0, 0, 0, 2, 0x71, 5, 4, 0, 0};
  ASSERT_EQ(file.size(), 128 + 625);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(file[i]), expected[i]) << i;
  }
}

TEST(squid_digest, refuses_what_squid_refuses) {
  const auto made = find_format("squid-digest").make(100, std::nullopt);
  insert_all(*made, urls(0, 100));
  const bytes_type good = made->save();
  const auto changed = [&](std::size_t at, int value) {
    bytes_type bytes = good;
    bytes[at] = static_cast<std::byte>(value);
    return bytes;
  };
  const auto reading = [](const bytes_type& bytes) { return [&] { (void)read(bytes); }; };
  (void)read(good);
  EXPECT_TRUE(throws_error(errc::unsupported, "versions 3 to 5", reading(changed(1, 2))));
  bytes_type later = changed(1, 6);
  later[3] = std::byte{6};
  EXPECT_TRUE(throws_error(errc::unsupported, "asks for 6", reading(later)));
  EXPECT_TRUE(throws_error(errc::unsupported, "5 hashes", reading(changed(21, 5))));
  EXPECT_TRUE(throws_error(errc::corrupt, "mask has 62 bytes", reading(changed(19, 62))));
  EXPECT_TRUE(throws_error(errc::corrupt, "mask has 63 bytes", reading(changed(20, 6))));
  EXPECT_TRUE(throws_error(errc::corrupt, "negative", reading(changed(8, 0x80))));
  bytes_type longer = good;
  longer.push_back(std::byte{});
  EXPECT_TRUE(throws_error(errc::corrupt, "has 64", reading(longer)));

  // 63 bytes, 504 bits: 65 % are 327.6.
  bytes_type full(good.begin(), good.begin() + 128);
  full.resize(good.size());
  for (std::size_t i = 0; i < 327; ++i) full[128 + i / 8] |= std::byte{1} << i % 8;
  EXPECT_EQ(read(full)->ones(), 327);
  full[128 + 327 / 8] |= std::byte{1} << 327 % 8;
  EXPECT_TRUE(throws_error(errc::limit, "fill", reading(full)));
}

TEST(squid_digest, is_as_good_as_theory_says) {
  const auto made = find_format("squid-digest").make(20'000, std::nullopt);
  insert_all(*made, urls(0, 20'000));
  EXPECT_TRUE(
      plausible_count(found_of(*made, urls(100'000, 200'000)), 100'000, made->current_rate()));
  EXPECT_NEAR(made->current_rate(), math::exact_rate(100'000, 20'000, 4), 0.003);
}

// The bits of bloom_filter.xxhash.bin in apache/parquet-testing.
TEST(parquet_block, has_the_bytes_of_parquets_own_test) {
  const std::set<std::uint64_t> expected{1044, 1065, 1098, 1127, 1161, 1215, 1244, 1275,
                                         1303, 1340, 1344, 1404, 1413, 1461, 1502, 1523,
                                         1794, 1846, 1878, 1907, 1946, 1965, 1988, 2017,
                                         2581, 2603, 2632, 2685, 2711, 2747, 2760, 2796};
  const std::array<int, 16> head{0x15, 0x80, 0x10, 0x1c, 0x1c, 0, 0, 0x1c,
                                 0x1c, 0,    0,    0x1c, 0x1c, 0, 0, 0};
  bit_filter<parquet_block> made(parquet_block{32});
  made.insert(std::array<std::string_view, 4>{"hello", "parquet", "bloom", "filter"});
  const bytes_type file = made.save();
  ASSERT_EQ(file.size(), 1040);
  for (std::size_t i = 0; i < head.size(); ++i) {
    EXPECT_EQ(std::to_integer<int>(file[i]), head[i]) << i;
  }
  EXPECT_EQ(ones_of(byte_view(file).subspan(head.size())), expected);
}

TEST(parquet_block, refuses_other_hashes_and_lengths) {
  const bytes_type good = bit_filter<parquet_block>(parquet_block{1}).save();
  const auto changed = [&](std::size_t at, int value) {
    bytes_type bytes = good;
    bytes[at] = static_cast<std::byte>(value);
    return bytes;
  };
  ASSERT_EQ(good.size(), 15 + 32);
  (void)read(good);
  // The second member of the second union: another hash.
  EXPECT_TRUE(throws_error(errc::unsupported, "xxHash", [&] { (void)read(changed(7, 0x2c)); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "multiple of 32", [&] { (void)read(changed(1, 0x3e)); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "fewer than 0", [&] { (void)read(changed(1, 0x3f)); }));
}

TEST(parquet_block, plans_by_the_rate_of_its_blocks) {
  constexpr math::lane_block lanes{.lanes = 8, .lane_bits = 32};
  const parquet_block made = parquet_block::plan(10'000, 0.01);
  EXPECT_LE(math::lane_blocked_rate(lanes, made.blocks, 10'000, 8), 0.01);
  EXPECT_GT(math::lane_blocked_rate(lanes, made.blocks / 2, 10'000, 8), 0.01);
}

// What `bloom create -n 100 -p 0.01` and `bloom insert` of a, b and c write.
TEST(dcso_bloom, has_the_bits_that_the_tool_sets) {
  dcso_bloom rule;
  rule.capacity = 100;
  rule.probes = 7;
  rule.size = 958;
  bit_filter<dcso_bloom> made(rule);
  made.insert(std::array<std::string_view, 4>{"a", "b", "c", "a"});
  const std::set<std::uint64_t> expected{56,  96,  148, 203, 216, 274, 277, 280, 348, 434, 439,
                                         479, 488, 524, 650, 714, 746, 761, 771, 776, 941};
  const bytes_type file = made.save();
  EXPECT_EQ(ones_of(byte_view(file).subspan(dcso_bloom::head_bytes)), expected);
  EXPECT_EQ(made.rule().items, 3);
}

TEST(dcso_bloom, keeps_the_data_behind_the_bits) {
  bytes_type file = find_format("dcso-bloom").make(50, 0.1)->save();
  for (const char c : std::string_view("a note")) file.push_back(static_cast<std::byte>(c));
  EXPECT_EQ(read(file)->save(), file);
}

TEST(xxh64, has_the_values_of_its_specification) {
  EXPECT_EQ(hash::xxh64({}, 0), 0xef46db3751d8e999);
  EXPECT_EQ(hash::xxh64(std::as_bytes(std::span("a", 1)), 0), 0xd24ec4f1a98c6e5b);
}

}  // namespace
}  // namespace bloomery::foreign
