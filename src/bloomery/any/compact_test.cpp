#include "bloomery/any/compact.hpp"

#include "bloomery/any/stored.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using testing::throws_error;

std::vector<digest> some_keys(std::uint64_t keys) {
  return testing::numbered_digests(1, keys);
}

std::vector<std::string_view> kinds_for_tables() {
  std::vector<std::string_view> names;
  for (const any_kind& kind : kinds()) {
    if (kind.takes_keys() && kind.can<asks>() && !kind.info.false_negatives &&
        !kind.can<forgets>()) {
      names.push_back(kind.info.name);
    }
  }
  return names;
}

// The filter that the library builds of the same keys is the oracle.
TEST(compact_filters, answer_as_the_filters_that_they_were) {
  ASSERT_GT(kinds_for_tables().size(), 20U);
  for (const std::string_view name : kinds_for_tables()) {
    SCOPED_TRACE(name);
    const compact_filters filters(name, 0.01);
    for (const std::uint64_t size : {1U, 40U, 3000U}) {
      SCOPED_TRACE(size);
      const auto keys = some_keys(size);
      const std::string packed = filters.pack(keys);
      const auto opened = filters.open(packed);
      ASSERT_TRUE(opened.has_value());
      const any_kind& kind = find_kind(name);
      std::vector<digest> sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      const any_filter oracle =
          kind.build(kind.plan(size, 0.01), sorted, xxh3_hash().identity(), {}, 1);
      EXPECT_EQ(opened->shape(), oracle.shape());
      for (std::uint64_t i = 0; i < 2 * size; ++i) {
        const digest key = testing::numbered_digest(1, i);
        const bool answer = oracle.as<asks>().may_contain(key);
        ASSERT_EQ(opened->as<asks>().may_contain(key), answer) << i;
        ASSERT_TRUE(i >= 100 || filters.may_contain(key, packed) == answer) << i;
        ASSERT_TRUE(i >= size || answer) << i;
      }
      EXPECT_LT(filters.rate_of(packed), 0.05);
      EXPECT_LT(packed.size(), save(oracle).size());
    }
  }
}

TEST(compact_filters, take_few_bytes_beyond_the_cells) {
  const compact_filters filters("standard", 0.01);
  const auto keys = some_keys(40);
  const std::uint64_t bits = standard_filter::plan(40, 0.01).bits;
  EXPECT_LE(filters.pack(keys).size(), (bits + 7) / 8 + 7);
}

TEST(compact_filters, repeats_and_order_change_nothing) {
  const compact_filters filters("ribbon", 0.01);
  auto keys = some_keys(100);
  const std::string packed = filters.pack(keys);
  std::ranges::reverse(keys);
  keys.push_back(keys.front());
  EXPECT_EQ(filters.pack(keys), packed);
}

// A 0, their number, and the field itself among the others, which were there before.
TEST(compact_filters, announce_later_fields) {
  const compact_filters filters("ribbon", 0.01);
  const std::string packed = filters.pack(some_keys(100));
  EXPECT_EQ(packed.substr(0, 7), std::string("\x00\x01\x64\x64\x07\x00\x01", 7));
  const auto refused = [&](std::string_view begin) {
    return !filters.open(std::string(begin) + packed.substr(7));
  };
  EXPECT_TRUE(filters.open(packed).has_value());
  EXPECT_TRUE(refused(std::string_view("\x64\x64\x07\x00", 4)));                  // too short
  EXPECT_TRUE(refused(std::string_view("\x00\x01\x64\x64\x07\x00\x00", 7)));      // stated to be 0
  EXPECT_TRUE(refused(std::string_view("\x00\x02\x64\x64\x07\x00\x01\x01", 8)));  // one too many
  EXPECT_TRUE(refused(std::string_view("\x00\x00\x64\x64\x07\x00", 6)));          // and none
}

TEST(compact_filters, what_is_no_filter_says_perhaps) {
  const compact_filters filters("standard", 0.01);
  EXPECT_TRUE(filters.may_contain("x", ""));
  EXPECT_TRUE(filters.may_contain("x", filters.pack({})));
  EXPECT_FALSE(filters.pack({}).empty());
  // 2^40 bits in a few bytes, and the largest numbers.
  EXPECT_TRUE(filters.may_contain(
      "x", std::string("\x01\x80\x80\x80\x80\x80\x20\x07\x80\x80\x80\x80\x04", 13)));
  EXPECT_TRUE(filters.may_contain("x", std::string(200, '\xff')));
  EXPECT_EQ(filters.rate_of("\xff"), 1);
}

// Each byte changed, each end cut, of each kind: an answer, and no crash.
TEST(compact_filters, hostile_bytes_do_no_harm) {
  for (const std::string_view name : kinds_for_tables()) {
    const compact_filters filters(name, 0.01);
    const std::string packed = filters.pack(some_keys(20));
    for (std::size_t i = 0; i < packed.size(); ++i) {
      (void)filters.may_contain("x", std::string_view(packed).substr(0, i));
      for (const char value : {'\0', '\x7f', '\xff', static_cast<char>(packed[i] ^ 1)}) {
        std::string hostile = packed;
        hostile[i] = value;
        (void)filters.may_contain("x", hostile);
      }
    }
  }
}

TEST(compact_filters, refuse_kinds_that_may_miss_keys) {
  EXPECT_TRUE(
      throws_error(errc::unsupported, "may miss", [] { compact_filters f("retouched", 0.01); }));
  EXPECT_TRUE(
      throws_error(errc::unsupported, "may miss", [] { compact_filters f("decaying", 0.01); }));
  EXPECT_TRUE(
      throws_error(errc::unsupported, "of keys", [] { compact_filters f("hierarchical", 0.01); }));
  EXPECT_TRUE(throws_error(errc::invalid, "ribbon", [] { compact_filters f("ribon", 0.01); }));
  EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { compact_filters f("ribbon", 0); }));
}

}  // namespace
}  // namespace bloomery
