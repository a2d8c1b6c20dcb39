#include "bloomery/filters/bloom.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/filters/map/fuse.hpp"
#include "bloomery/filters/map/ribbon.hpp"
#include "bloomery/filters/set/blocked.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/filters/window/age_partitioned.hpp"
#include "bloomery/wire/bloom_io.hpp"
#include "made_keys.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using words = bloom<standard_filter>;

TEST(bloom_edge, TheSameBytesAreTheSameKeyHoweverHeld) {
  words seen(100, 1e-6);
  EXPECT_TRUE(seen.insert("abc"));
  const std::array<unsigned char, 3> bytes{'a', 'b', 'c'};
  EXPECT_FALSE(seen.insert(std::string("abc")));
  EXPECT_TRUE(seen.may_contain(std::string_view("abc")));
  EXPECT_TRUE(seen.may_contain(bytes));
  EXPECT_TRUE(seen.may_contain(std::as_bytes(std::span(bytes))));
  EXPECT_FALSE(seen.may_contain(std::string("abc\0", 4))) << "a zero byte is a byte";
}

TEST(bloom_edge, CarriesItsHashAndPromise) {
  const words seen(100, 0.01, xxh3_hash(7));
  EXPECT_EQ(seen.filter().record().hash, (hash_identity{hash_id::xxh3, 7}));
  EXPECT_EQ(seen.filter().record().promised, (promise{100, 0.01}));
}

TEST(bloom_edge, AFilterOfAnotherHashIsRefused) {
  const auto filter_with = [](hash_identity hash) {
    return standard_filter::for_keys(100, 0.01, hash);
  };
  EXPECT_NO_THROW(words(filter_with({})));
  EXPECT_TRUE(
      throws_error(errc::incompatible, "the seed differs: xxh3 seed 0x7 against xxh3 seed", [&] {
        words{filter_with({hash_id::xxh3, 7})};
      }));
  EXPECT_TRUE(throws_error(errc::incompatible, "the hash function differs", [&] {
    words{filter_with({hash_id::integer, default_seed})};
  }));
  std::array<std::byte, keyed_hash::secret_bytes> secret{};
  const keyed_hash mine(secret);
  secret[0] = std::byte{1};
  const keyed_hash other(secret);
  using keyed_words = bloom<standard_filter, keyed_hash>;
  EXPECT_NO_THROW(keyed_words(filter_with(mine.identity()), mine));
  EXPECT_TRUE(throws_error(errc::incompatible, "the key fingerprint differs",
                           [&] { keyed_words(filter_with(mine.identity()), other); }));
}

TEST(bloom_edge, BatchesAreAsSingleKeys) {
  bloom<blocked_filter, integer_hash> one_by_one(1000, 0.01);
  bloom<blocked_filter, integer_hash> batched(1000, 0.01);
  std::vector<std::uint64_t> keys;  // beyond one group of digests, and not a whole number of them
  for (std::uint64_t i = 0; i < 700; ++i) keys.push_back(i * i);
  std::uint64_t fresh = 0;
  for (const std::uint64_t key : keys) fresh += std::uint64_t{one_by_one.insert(key)};
  EXPECT_EQ(batched.insert(keys), fresh);
  for (std::uint64_t i = 0; i < 700; ++i) keys.push_back(i * i + 1'000'000);
  std::array<bool, 1400> answers{};
  const std::uint64_t hits = batched.may_contain(keys, answers);
  std::uint64_t expected = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(answers.at(i), one_by_one.may_contain(keys[i]));
    expected += std::uint64_t{answers.at(i)};
  }
  EXPECT_EQ(hits, expected);
  EXPECT_GE(hits, 700U);
}

TEST(bloom_edge, IsBuiltOfAllItsKeys) {
  const xxh3_hash hash(7);
  const std::vector<std::string> keys{"ape", "bee", "cat", "bee"};
  const auto beasts = bloom<fuse_filter>::build(keys, 1e-6, hash, 2);
  for (const std::string& key : keys) EXPECT_TRUE(beasts.may_contain(key));
  EXPECT_FALSE(beasts.may_contain("dog"));
  const filter_record record = beasts.filter().record();
  EXPECT_EQ(record.hash, hash.identity());
  EXPECT_EQ(record.promised, (promise{4, 1e-6}));
  EXPECT_EQ(record.items, 4U);
  const auto none = bloom<fuse_filter>::build(std::vector<std::string>{}, 0.5);
  EXPECT_FALSE(none.may_contain("ape"));
}

// The library's own ranges, those hashed at once and those that are not.
TEST(bloom_edge, batches_of_strings_are_as_single_ones_however_they_come) {
  const auto name_of = [](int i) { return "name " + std::to_string(i * 7); };
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back(name_of(i));
  const std::vector<std::string_view> views(names.begin(), names.end());
  const keyed_hash keyed(bytes_of("thirty-two bytes that none knows"));
  const auto expect_same = [&](const auto& hash, const auto& keys) {
    using hash_type = std::remove_cvref_t<decltype(hash)>;
    bloom<standard_filter, hash_type> one_by_one(3000, 0.01, hash);
    for (const std::string& name : names) one_by_one.insert(name);
    bloom<standard_filter, hash_type> in_a_batch(3000, 0.01, hash);
    in_a_batch.insert(keys);
    EXPECT_TRUE(std::ranges::equal(in_a_batch.filter().cells().bits().bytes(),
                                   one_by_one.filter().cells().bits().bytes()));
    for (const unsigned threads : {1U, 2U}) {
      const auto built = bloom<standard_filter, hash_type>::build(
          one_by_one.filter().shape(), keys, one_by_one.filter().record().promised, hash, threads);
      EXPECT_TRUE(std::ranges::equal(built.filter().cells().bits().bytes(),
                                     one_by_one.filter().cells().bits().bytes()));
    }
  };
  const bloomery::testing::made_keys made(3000, name_of);
  expect_same(xxh3_hash{}, names);
  expect_same(xxh3_hash{}, views);
  expect_same(xxh3_hash{}, made);
  expect_same(keyed, names);
  expect_same(keyed, views);
  expect_same(keyed, made);
}

TEST(bloom_edge, does_by_key_what_the_filter_does_by_digest) {
  const xxh3_hash hash;
  bloom<counting_filter> edge(100, 0.01);
  counting_filter twin = counting_filter::for_keys(100, 0.01);
  const std::vector<std::string> keys{"ape", "bee", "cat", "bee"};
  EXPECT_EQ(edge.insert(keys), 3U);
  for (const std::string& key : keys) twin.insert(hash(key));
  EXPECT_EQ(edge.count("bee"), 2U);
  EXPECT_TRUE(edge.erase("cat"));
  EXPECT_TRUE(twin.erase(hash("cat")));
  EXPECT_FALSE(edge.erase("dog"));
  EXPECT_EQ(wire::save(edge.filter()), wire::save(twin));

  bloom<counting_filter> other = edge.copy();
  other.insert("dog");
  EXPECT_FALSE(edge.may_contain("dog")) << "a copy owns its cells";
  edge |= other;
  EXPECT_TRUE(edge.may_contain("dog"));
  EXPECT_EQ(edge.count("bee"), 4U);
}

TEST(bloom_edge, tells_answers_of_a_range_one_by_one) {
  bloom<standard_filter> seen(5000, 0.01);
  std::vector<std::string> keys;
  for (int i = 0; i < 3000; ++i) keys.push_back(std::to_string(i));
  EXPECT_GT(seen.insert(std::span(keys).first(1500)), 1400U);
  std::size_t told = 0;
  const std::uint64_t hits = seen.may_contain(keys, [&](const std::string& key, bool present) {
    EXPECT_EQ(key, keys[told++]);
    EXPECT_EQ(present, seen.may_contain(key));
  });
  EXPECT_EQ(told, keys.size());
  EXPECT_GE(hits, 1500U);

  bloom<blocked_filter, integer_hash> ids(5000, 0.01);
  const std::vector<std::uint64_t> numbers{1, 2, 3};
  ids.insert(numbers);
  told = 0;
  ids.may_contain(numbers, [&](std::uint64_t, bool present) { told += std::uint64_t{present}; });
  EXPECT_EQ(told, 3U);
}

TEST(bloom_edge, maps_are_built_from_pairs) {
  const std::map<std::string, unsigned> ports{{"http", 80}, {"https", 443}, {"ssh", 22}};
  const auto map = bloom<ribbon_filter>::build_map(ports, 0.001);
  for (const auto& [name, port] : ports) EXPECT_EQ(map.value(name).value, port);
  EXPECT_EQ(map.filter().record().promised, (promise{3, 0.001}));
}

TEST(bloom_edge, a_window_of_time_is_asked_as_of_later) {
  bloom<age_partitioned_filter> hour{
      age_partitioned_filter(age_partitioned_filter::plan_time(100, 0.01, 3'600'000))};
  hour.insert("zebra");
  const auto before = wire::save(hour.filter());
  EXPECT_TRUE(hour.may_contain("zebra", 3'600'000));
  EXPECT_FALSE(hour.may_contain("zebra", 36'000'000));
  EXPECT_EQ(wire::save(hour.filter()), before);
}

TEST(bloom_edge, is_saved_and_loaded_with_its_hash) {
  const std::string path = ::testing::TempDir() + "bloom_edge.bloom";
  bloom<blocked_filter> seeded(100, 0.01, xxh3_hash(7));
  seeded.insert("zebra");
  save(seeded, path);
  auto again = load<bloom<blocked_filter>>(path);
  EXPECT_TRUE(again.may_contain("zebra"));
  EXPECT_NO_THROW(again.insert("yak")) << "what is loaded can change";
  EXPECT_TRUE(throws_error(errc::incompatible, "the kind",
                           [&] { (void)load<bloom<standard_filter>>(path); }));

  std::array<std::byte, keyed_hash::secret_bytes> secret{std::byte{1}};
  bloom<blocked_filter, keyed_hash> keyed(100, 0.01, keyed_hash(secret));
  keyed.insert("zebra");
  save(keyed, path);
  using keyed_bloom = bloom<blocked_filter, keyed_hash>;
  EXPECT_TRUE(load<keyed_bloom>(path, keyed_hash(secret)).may_contain("zebra"));
  secret[0] = std::byte{2};
  EXPECT_TRUE(throws_error(errc::incompatible, "key fingerprint",
                           [&] { (void)load<keyed_bloom>(path, keyed_hash(secret)); }));
}

// A moved-from filter has no cells: each use of it is refused, and leaves the filter that has them alone.
TEST(moved_filters, RefuseEverythingAndTouchNothing) {
  auto first = standard_filter::for_keys(1000, 0.01);
  first.insert({1, 2});
  standard_filter heir = std::move(first);
  const byte_view cells = heir.payload().front();
  const std::vector<std::byte> bytes(cells.begin(), cells.end());
  const auto refused = [](auto use) {
    return throws_error(errc::invalid, "moved into another", use);
  };
  EXPECT_TRUE(refused([&] { first.insert({3, 4}); }));
  EXPECT_TRUE(refused([&] { (void)first.may_contain({1, 2}); }));
  EXPECT_TRUE(refused([&] { (void)first.payload(); }));
  EXPECT_TRUE(refused([&] { first.merge(heir); }));
  EXPECT_TRUE(refused([&] { heir.merge(first); }));
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), cells.begin()));
  first = std::move(heir);
  EXPECT_TRUE(first.may_contain({1, 2}));
  EXPECT_TRUE(refused([&] { heir.insert({3, 4}); }));

  any_filter any = std::move(first);
  const any_filter other = std::move(any);
  EXPECT_TRUE(refused([&] { (void)any.payload(); }));
  EXPECT_TRUE(refused([&] { (void)any.as<asks>(); }));
  EXPECT_TRUE(refused([&] { (void)any.get_if<standard_filter>(); }));
  EXPECT_TRUE(refused([&] { (void)any.copy(); }));
  EXPECT_TRUE(other.as<asks>().may_contain({1, 2}));
}

TEST(batches, OfUnequalLengthsAreRefused) {
  auto filter = counting_filter::for_keys(100, 0.01);
  const std::vector<digest> keys(5, {1, 2});
  std::array<bool, 4> flags{};
  std::array<std::uint64_t, 6> numbers{};
  const auto refused = [](auto use) {
    return throws_error(errc::invalid, "there are 5 keys", use);
  };
  EXPECT_TRUE(refused([&] { filter.insert(keys, flags); }));
  EXPECT_TRUE(refused([&] { (void)filter.may_contain(keys, flags); }));
  EXPECT_TRUE(refused([&] { filter.count(keys, numbers); }));
  EXPECT_EQ(filter.record().items, 0U);
  const bloom<standard_filter> edge(100, 0.01);
  const std::vector<std::string> texts(5, "word");
  EXPECT_TRUE(refused([&] { (void)edge.may_contain(texts, flags); }));
}

}  // namespace
}  // namespace bloomery::testing
