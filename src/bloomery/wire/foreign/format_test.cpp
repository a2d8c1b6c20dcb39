#include "bloomery/wire/foreign/format.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bloomery/hash/xxh64.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/lanes.hpp"
#include "bloomery/wire/foreign/automerge_bloom.hpp"
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

// Keys such as the format takes.
std::vector<std::string> examples(const format& of, std::uint64_t first, std::uint64_t last) {
  std::vector<std::string> made;
  for (std::uint64_t i = first; i < last; ++i) made.push_back(of.example_key(i));
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
    const auto keys = examples(each, 0, 2000);
    insert_all(*made, keys);
    const auto again = each.read(made->save(), {});
    EXPECT_EQ(found_of(*again, keys), keys.size());
    EXPECT_EQ(again->ones(), made->ones());
    EXPECT_TRUE(plausible_count(found_of(*again, examples(each, 10'000, 60'000)), 50'000,
                                again->current_rate()));
  }
}

TEST(foreign_formats, a_rate_that_is_asked_for_is_kept) {
  for (const format& each : formats()) {
    for (const double rate : {0.2, 0.01, 0.001}) {
      SCOPED_TRACE(each.info->name);
      const auto made = each.make(1000, rate);
      insert_all(*made, examples(each, 0, 1000));
      EXPECT_LT(made->current_rate(), 1.3 * rate);
      EXPECT_TRUE(testing::plausible_limit(found_of(*made, examples(each, 5000, 55'000)), 50'000,
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
      insert_all(*made, examples(each, 0, keys));
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
    insert_all(*made, examples(each, 0, 20));
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
    EXPECT_TRUE(throws_error(errc::limit, "",
                             [&] { (void)each.make(std::uint64_t{1} << 44, std::nullopt); }));
  }
  // What stands behind the bits is kept, and takes memory as well.
  bytes_type noted = find_format("dcso-bloom").make(50, 0.1)->save();
  noted.resize(noted.size() + 1000);
  const wire::load_options little{.max_payload_bytes = 1000};
  EXPECT_TRUE(throws_error(errc::limit, "1000", [&] { (void)read(noted, little); }));
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

bytes_type from_hex(std::string_view text) {
  bytes_type bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

std::uint64_t fact_of(const filter& of, std::string_view name) {
  for (const fact& each : of.facts()) {
    if (each.name == name) return std::get<std::uint64_t>(each.value);
  }
  ADD_FAILURE() << "no fact " << name;
  return 0;
}

// The changes of a document by @automerge/automerge 3.5.0, actor aa, each of which sets one key at time 0, and the
// first message that a peer with the first 3, or all 12, sends.
const std::vector<std::string> automerge_changes{
    "d3b38c6b28b5feb238fe7f463f854116c2dcb2008a3b2b33cf98b8108169fca0",
    "852cf07f660376723a6f993c3e43df0a3f0d43ad59b26dabad85667fbd28fbc7",
    "f2e51667a9767397c5963cd500dc7419cbf6c74af0e50e9a197a022d600680ba",
    "aafbcdf63dfa37ac58cf23551dc39ad97c760d398ae619e1375ef5b75d67c7d0",
    "0fe15f0712938371d76a85e1744304a7c14f89a0e6f0feaa805c5fce51919d8e",
    "ee52fbf6eae5586976355388b825f571aaac300c9ee5a7fd4a7b8298add4144b",
    "a1ccc9563fb14669d1211578c4b3665783fd61486e39fca15daf8fd92cc66f59",
    "8bddaa3de8b07c15daa56e095f37ada7ee7dfe33475479c7843be76ea1c9e34b",
    "65e834b611f2d2381a2f46bb337d1b429308c4fff43bfe9c144fb4c75278017c",
    "166c0591ea267da3160a12d154aad5f974302bd680ee1863ef20dc8d9b52200b",
    "9395e8297628c0434733af5260334e1328af2f80dc02a36f85767d97a4f1f4aa",
    "5b55c42136ca9dcb923223df58025c39f3eb3bed1e93a00c6c4ef3c1193ddde7"};
constexpr std::string_view filter_of_three = "030a07a88a1e1a";
constexpr std::string_view message_of_three =
    "4201f2e51667a9767397c5963cd500dc7419cbf6c74af0e50e9a197a022d600680ba0001000703"
    "0a07a88a1e1a00020284";
constexpr std::string_view filter_of_twelve = "0c0a07078a78959922c97b7c888712fab92c";
constexpr std::string_view message_of_twelve =
    "42015b55c42136ca9dcb923223df58025c39f3eb3bed1e93a00c6c4ef3c1193ddde7000100120c"
    "0a07078a78959922c97b7c888712fab92c00020284";
// Of the second version: it answers with a change to a peer that has five of six, and when nothing is new.
constexpr std::string_view message_with_change =
    "4301ee52fbf6eae5586976355388b825f571aaac300c9ee5a7fd4a7b8298add4144b0001010fe15f071293"
    "8371d76a85e1744304a7c14f89a0e6f0feaa805c5fce51919d8e05010a071055014b856f4a83ee52fbf601"
    "41010fe15f0712938371d76a85e1744304a7c14f89a0e6f0feaa805c5fce51919d8e01aa06060000000615"
    "04340142025602570170027f026b35017f017f14057f00020284";
constexpr std::string_view message_of_nothing_new =
    "4301ee52fbf6eae5586976355388b825f571aaac300c9ee5a7fd4a7b8298add4144b000101ee52fbf6eae5"
    "586976355388b825f571aaac300c9ee5a7fd4a7b8298add4144b0000020284";

std::vector<std::string> first_changes(unsigned count) {
  return {automerge_changes.begin(), automerge_changes.begin() + count};
}

TEST(automerge_sync, finds_what_automerge_has_put_into_a_message) {
  for (const auto& [message, count] :
       {std::pair(message_of_three, 3U), std::pair(message_of_twelve, 12U)}) {
    const auto found = read(from_hex(message));
    EXPECT_EQ(found->info().name, "automerge-sync");
    EXPECT_EQ(found_of(*found, first_changes(count)), count);
    EXPECT_EQ(fact_of(*found, "entries"), count);
    EXPECT_EQ(fact_of(*found, "heads"), 1);
    EXPECT_EQ(fact_of(*found, "changes"), 0);
    EXPECT_EQ(found->hashes(), 7);
    EXPECT_EQ(found->save(), from_hex(message));
    EXPECT_TRUE(
        plausible_count(found_of(*found, examples(find_format("automerge-sync"), 0, 100'000)),
                        100'000, found->current_rate()));
  }
  const auto three = read(from_hex(message_of_three));
  EXPECT_EQ(found_of(*three, automerge_changes), 3);
}

TEST(automerge_sync, has_the_bytes_that_automerge_writes) {
  for (const auto& [filter, count] :
       {std::pair(filter_of_three, 3U), std::pair(filter_of_twelve, 12U)}) {
    const auto made = find_format("automerge-filter").make(count, std::nullopt);
    insert_all(*made, first_changes(count));
    EXPECT_EQ(made->save(), from_hex(filter));
    const auto message = find_format("automerge-sync").make(count, std::nullopt);
    insert_all(*message, first_changes(count));
    bytes_type expected = from_hex("4200000100");
    const bytes_type bits = from_hex(filter);
    expected.push_back(static_cast<std::byte>(bits.size()));
    expected.insert(expected.end(), bits.begin(), bits.end());
    expected.push_back(std::byte{0});
    EXPECT_EQ(message->save(), expected);
  }
}

TEST(automerge_sync, reads_messages_that_carry_changes_or_an_empty_filter) {
  const auto with_change = read(from_hex(message_with_change));
  EXPECT_EQ(fact_of(*with_change, "changes"), 1);
  EXPECT_EQ(fact_of(*with_change, "last_sync"), 1);
  EXPECT_TRUE(with_change->may_contain(automerge_changes[5]));
  EXPECT_EQ(with_change->save(), from_hex(message_with_change));

  const auto nothing = read(from_hex(message_of_nothing_new));
  EXPECT_EQ(nothing->bits(), 0);
  EXPECT_EQ(nothing->fill(), 0);
  EXPECT_EQ(nothing->current_rate(), 0);
  EXPECT_EQ(found_of(*nothing, automerge_changes), 0);
  EXPECT_EQ(nothing->save(), from_hex(message_of_nothing_new));
  EXPECT_TRUE(
      throws_error(errc::limit, "no room", [&] { insert_all(*nothing, first_changes(1)); }));
}

// Probes of few bits often meet, which sizes and rates must know.
TEST(automerge_sync, few_changes_get_the_rate_that_is_asked_for) {
  constexpr double low = 1.08;  // math/laws/triple_hashing.hpp
  constexpr std::uint64_t filters = 200;
  constexpr std::uint64_t strangers = 500;
  const format& format = find_format("automerge-sync");
  const auto asked = examples(format, 1'000'000, 1'000'000 + strangers);
  for (const std::uint64_t keys : {1U, 3U, 12U}) {
    for (const double rate : {0.1, 0.01}) {
      std::uint64_t claimed = 0;
      double told = 0;
      for (std::uint64_t i = 0; i < filters; ++i) {
        const auto made = format.make(keys, rate);
        insert_all(*made, examples(format, keys * i, keys * (i + 1)));
        claimed += found_of(*made, asked);
        told += made->current_rate();
      }
      EXPECT_TRUE(testing::plausible_limit(claimed, filters * strangers, low * rate)) << keys;
      EXPECT_TRUE(plausible_count(claimed, filters * strangers, told / filters)) << keys;
    }
  }
  // So rare that 64 bits an entry would not do.
  const auto rare = format.make(1, 1e-6);
  insert_all(*rare, examples(format, 0, 1));
  EXPECT_LE(rare->current_rate(), 1e-5);
  EXPECT_EQ(read(rare->save())->save(), rare->save());
}

TEST(automerge_sync, takes_hashes_of_changes_only) {
  const auto made = read(from_hex(message_of_twelve));
  std::string upper = automerge_changes[0];
  for (char& digit : upper) digit = static_cast<char>(std::toupper(digit));
  EXPECT_TRUE(made->may_contain(upper));
  for (const std::string& key : {std::string(), automerge_changes[0] + "0", std::string(64, 'g'),
                                 automerge_changes[0].substr(1), "x" + automerge_changes[0]}) {
    EXPECT_TRUE(
        throws_error(errc::invalid, "64 hexadecimal", [&] { (void)made->may_contain(key); }));
  }
}

TEST(automerge_sync, says_which_messages_it_does_not_read) {
  const auto reading = [](std::string_view hex) { return [=] { (void)read(from_hex(hex)); }; };
  EXPECT_TRUE(throws_error(errc::unsupported, "no filter", reading("4200000000")));
  EXPECT_TRUE(throws_error(errc::unsupported, "2 filters", reading("420000020000000000")));
  EXPECT_TRUE(throws_error(errc::corrupt, "behind the filter", reading("420000010000")));
  EXPECT_TRUE(throws_error(errc::corrupt, "behind the filter", reading("42000001000001")));
  EXPECT_TRUE(throws_error(errc::corrupt, "behind the filter", reading("4200000100000005")));
  EXPECT_TRUE(throws_error(errc::corrupt, "behind the filter", reading("42000001000000010000")));
  // A filter inside that is not as long as it says, has no probes, or says so in more bytes than it takes.
  const auto inside = [](std::string_view hex) {
    return [=] { (void)find_format("automerge-sync").read(from_hex(hex), {}); };
  };
  EXPECT_TRUE(throws_error(errc::corrupt, "2 bytes of bits", inside("420000010004010a07ff00")));
  EXPECT_TRUE(throws_error(errc::corrupt, "0 probes", inside("420000010005010a00ff0000")));
  EXPECT_TRUE(throws_error(errc::corrupt, "65 bits", inside("420000010005014107ff0000")));
  EXPECT_TRUE(throws_error(errc::corrupt, "begins with", inside("42000001000681000a07ff0000")));
  EXPECT_TRUE(throws_error(errc::corrupt, "begins with", inside("42000001000381000a00")));
  EXPECT_TRUE(throws_error(errc::limit, "32 bits", inside("420000010007ffffffff0f0a0700")));
  EXPECT_TRUE(throws_error(errc::corrupt, "no sync message", inside("42ffffffff0f")));
  EXPECT_TRUE(throws_error(errc::corrupt, "no sync message", inside("42ffffffff1f")));
  EXPECT_TRUE(throws_error(errc::corrupt, "no sync message", inside("42ffffffffffffffffff0100")));
  EXPECT_TRUE(throws_error(errc::limit, "too many", [] {
    (void)find_format("automerge-sync").make(std::uint64_t{1} << 32, std::nullopt);
  }));
}

TEST(automerge_sync, takes_no_text_for_a_message) {
  std::string text = "Bloom filters are what this text is about.\n";
  while (text.size() < 20'000) text += text;
  for (char second = '\t'; second < 0x7f; ++second) {
    text[1] = second;
    const byte_view bytes = std::as_bytes(std::span(text));
    EXPECT_EQ(recognised(bytes, bytes.size()), nullptr) << second;
  }
}

TEST(foreign_formats, the_same_bits_are_written_in_the_other_form) {
  const format& message = find_format("automerge-sync");
  const format& bare = find_format("automerge-filter");
  const auto theirs = read(from_hex(message_of_twelve));
  const auto cut = bare.rewrap(*theirs);
  ASSERT_NE(cut, nullptr);
  EXPECT_EQ(cut->save(), from_hex(filter_of_twelve));
  const auto again = message.rewrap(*cut);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->save(), from_hex("420000010012" + std::string(filter_of_twelve) + "00"));
  EXPECT_EQ(bare.rewrap(*again)->save(), cut->save());
  const auto strangers = examples(message, 0, 100'000);
  const std::vector<std::string_view> asked(strangers.begin(), strangers.end());
  const auto before = std::make_unique<bool[]>(asked.size());
  const auto after = std::make_unique<bool[]>(asked.size());
  theirs->may_contain(asked, {before.get(), asked.size()});
  again->may_contain(asked, {after.get(), asked.size()});
  EXPECT_TRUE(std::equal(before.get(), before.get() + asked.size(), after.get()));
  for (const format& from : formats()) {
    for (const format& to : formats()) {
      const bool twins = from.info->writer == "Automerge" && to.info->writer == "Automerge";
      const auto made = from.make(10, std::nullopt);
      EXPECT_EQ(to.rewrap(*made) != nullptr, twins && &from != &to)
          << from.info->name << " " << to.info->name;
    }
  }
}

TEST(foreign_formats, an_emptied_filter_gets_the_same_bits_from_the_same_keys) {
  for (const format& each : formats()) {
    SCOPED_TRACE(each.info->name);
    const auto made = each.make(300, 0.05);
    insert_all(*made, examples(each, 0, 300));
    const auto again = made->emptied();
    EXPECT_EQ(again == nullptr, each.info->name == "redis-cuckoo");
    if (!again) continue;
    EXPECT_EQ(again->ones(), 0);
    insert_all(*again, examples(each, 0, 300));
    EXPECT_EQ(again->ones(), made->ones());
    EXPECT_EQ(again->bits(), made->bits());
  }
}

TEST(xxh64, has_the_values_of_its_specification) {
  EXPECT_EQ(hash::xxh64({}, 0), 0xef46db3751d8e999);
  EXPECT_EQ(hash::xxh64(std::as_bytes(std::span("a", 1)), 0), 0xd24ec4f1a98c6e5b);
}

}  // namespace
}  // namespace bloomery::foreign
