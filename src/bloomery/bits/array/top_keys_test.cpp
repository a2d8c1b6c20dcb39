#include "bloomery/bits/array/top_keys.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "bloomery/hash/mix.hpp"
#include "parts.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;
using testing::throws_error;

TEST(top_keys, lists_the_most_frequent_of_a_stream_exactly) {
  constexpr std::uint64_t room = 20;
  top_keys listed(room);
  std::map<digest, std::uint64_t> truth;
  const auto pool = numbered_digests(1, 300);
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const std::uint64_t draw = hash::mix(step) % (pool.size() * pool.size());
    const digest d = pool[static_cast<std::size_t>(std::sqrt(static_cast<double>(draw)))];
    listed.offer(d, ++truth[d]);
    if (step % 997 != 0 || listed.size() < room) continue;
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint64_t i = 0; i < listed.size(); ++i) {
      EXPECT_EQ(listed.count(i), truth[listed.key(i)]);
      EXPECT_TRUE(i == 0 || listed.key(i - 1) < listed.key(i));
      least = std::min(least, listed.count(i));
    }
    for (const auto& [key, count] : truth) {
      EXPECT_TRUE(count <= least || listed.find(key) < listed.size()) << "at " << step;
    }
  }
}

TEST(top_keys, keeps_labels_with_their_keys) {
  top_keys listed(3);
  const auto keys = numbered_digests(2, 4);
  for (std::uint64_t i = 0; i < 3; ++i) {
    listed.offer(keys[i], 10 + i);
    EXPECT_FALSE(listed.labelled(listed.find(keys[i])));
    listed.label(listed.find(keys[i]), std::string(i, 'x'));
    EXPECT_TRUE(listed.labelled(listed.find(keys[i])));
  }
  listed.offer(keys[3], 10);
  EXPECT_EQ(listed.find(keys[3]), listed.size()) << "no more than the least";
  listed.offer(keys[3], 11);
  EXPECT_EQ(listed.find(keys[0]), listed.size());
  EXPECT_FALSE(listed.labelled(listed.find(keys[3])));
  EXPECT_EQ(listed.label(listed.find(keys[1])), "x");
  EXPECT_EQ(listed.label(listed.find(keys[2])), "xx");
}

TEST(top_keys, cuts_long_labels_between_characters_and_says_so) {
  top_keys listed(1);
  listed.offer({1, 2}, 1);
  const auto shown = [&](const std::string& name) {
    listed.label(0, name);
    return listed.label(0);
  };
  EXPECT_EQ(shown(std::string(103, 'a')), std::string(103, 'a'));
  EXPECT_EQ(shown(std::string(104, 'a')), std::string(103, 'a') + "…");
  EXPECT_EQ(shown(std::string(102, 'a') + "é and more"), std::string(102, 'a') + "…");
  EXPECT_EQ(shown(std::string(101, 'a') + "é and more"), std::string(101, 'a') + "é…");
  EXPECT_EQ(shown(std::string(200, '\x80')), std::string(103, '\x80') + "…") << "not UTF-8";
  EXPECT_EQ(shown(""), "");
  EXPECT_TRUE(listed.labelled(0));
}

TEST(top_keys, without_room_lists_nothing) {
  top_keys none(0);
  none.offer({1, 2}, ~std::uint64_t{0});
  none.clear();
  none.offer({1, 2}, ~std::uint64_t{0});
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.find({1, 2}), 0U);
}

TEST(top_keys, takes_back_its_own_bytes_and_no_others) {
  top_keys listed(4);
  for (const digest d : numbered_digests(3, 3)) listed.offer(d, 5);
  listed.label(1, "second");
  const auto with = [&](auto damage) {
    storage bytes = testing::owned(listed.bytes());
    damage(bytes.bytes_for_writing());
    return top_keys(4, std::move(bytes));
  };
  const top_keys again = with([](auto) {});
  EXPECT_TRUE(std::ranges::equal(again.bytes(), listed.bytes()));
  EXPECT_EQ(again.size(), 3U);
  EXPECT_EQ(again.label(1), "second");
  const auto refused = [&](const std::string& why, auto damage) {
    EXPECT_TRUE(throws_error(errc::corrupt, why, [&] { (void)with(damage); }));
  };
  refused("order", [](auto b) { std::swap_ranges(b.begin(), b.begin() + 128, b.begin() + 128); });
  refused("order", [](auto b) { std::copy_n(b.begin(), 16, b.begin() + 128); });
  refused("label", [](auto b) { b[24] = std::byte{0x80}; });
  refused("label", [](auto b) { b[24] = std::byte{105}; });
  refused("label", [](auto b) { b[25] = std::byte{1}; });
  refused("label", [](auto b) { b[128 + 25 + 6] = std::byte{1}; });
  refused("behind", [](auto b) { b[16] = std::byte{0}; });
  refused("behind", [](auto b) { b[3 * 128 + 5] = std::byte{1}; });
  EXPECT_TRUE(throws_error(errc::corrupt, "takes",
                           [&] { (void)top_keys(5, storage::view(listed.bytes())); }));
}

}  // namespace
}  // namespace bloomery::bits
