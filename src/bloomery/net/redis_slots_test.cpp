#include "bloomery/net/redis_slots.hpp"

#include <algorithm>
#include <vector>

#include "testing.hpp"

namespace bloomery::testing {
namespace {

// As `redis-cli cluster keyslot` of Redis 7.0 answers.
TEST(redis_slot, is_that_of_the_servers) {
  EXPECT_EQ(net::redis_slot("123456789"), 0x31c3 % net::redis_slots);
  EXPECT_EQ(net::redis_slot(""), 0U);
  EXPECT_EQ(net::redis_slot("foo"), 12182U);
  EXPECT_EQ(net::redis_slot("{user1000}.following"), net::redis_slot("user1000"));
  EXPECT_EQ(net::redis_slot("foo{}{bar}"), 8363U);
  EXPECT_EQ(net::redis_slot("foo{{bar}}zap"), net::redis_slot("{bar"));
  EXPECT_EQ(net::redis_slot("foo{bar}{zap}"), net::redis_slot("bar"));
}

TEST(redis_slot, has_a_short_tag_each) {
  for (unsigned slot = 0; slot < net::redis_slots; ++slot) {
    const std::string& tag = net::redis_tag(static_cast<std::uint16_t>(slot));
    EXPECT_LE(tag.size(), 4U);
    EXPECT_EQ(net::redis_slot(tag), slot);
    EXPECT_EQ(net::redis_slot("any name:{" + tag + "}:more"), slot);
  }
}

TEST(even_slot, gives_equal_ranges_equally_many) {
  for (const std::uint64_t parts : {1U, 3U, 12U, 192U, 20'000U}) {
    for (const std::uint64_t masters : {1U, 3U, 10U}) {
      std::vector<std::uint64_t> loads(masters);
      for (std::uint64_t i = 0; i < parts; ++i) {
        ++loads[net::even_slot(i, parts) * masters / net::redis_slots];
      }
      const auto [least, most] = std::ranges::minmax(loads);
      EXPECT_LE(most - least, 2U) << parts << " on " << masters;
    }
  }
}

}  // namespace
}  // namespace bloomery::testing
