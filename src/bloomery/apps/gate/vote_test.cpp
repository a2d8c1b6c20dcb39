#include "bloomery/apps/gate/vote.hpp"

#include <set>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

using hash::banked_probes;
using hash::uniform_probes;
using testing::numbered_digest;

TEST(vote, learns_what_a_key_does_and_takes_two_surprises_to_change_its_mind) {
  vote<uniform_probes> guess(uniform_probes{1 << 20, 3});
  const digest key = numbered_digest(1, 1);
  EXPECT_FALSE(guess.expects(key));
  for (int i = 0; i < 5; ++i) guess.learn(key, true);
  EXPECT_TRUE(guess.expects(key));
  guess.learn(key, false);
  EXPECT_TRUE(guess.expects(key));
  guess.learn(key, false);
  EXPECT_FALSE(guess.expects(key));
  EXPECT_EQ(guess.bits(), 2U << 20);
}

// Keys that always or never happen: where room is ample, one counter of three that is shared with the other
// sort is outvoted, and without a vote it is a mistake. Where room is short, three counters a key fill it.
TEST(vote, outvotes_collisions) {
  constexpr std::uint64_t keys = 4000;
  vote<banked_probes> three(banked_probes{40'000, 4, 3});
  vote<uniform_probes> one(uniform_probes{160'000, 1});
  for (int round = 0; round < 8; ++round) {
    for (std::uint64_t i = 0; i < keys; ++i) {
      three.learn(numbered_digest(2, i), i % 4 == 0);
      one.learn(numbered_digest(2, i), i % 4 == 0);
    }
  }
  std::uint64_t wrong = 0;
  std::uint64_t wrong_alone = 0;
  for (std::uint64_t i = 0; i < keys; ++i) {
    wrong += std::uint64_t{three.expects(numbered_digest(2, i)) != (i % 4 == 0)};
    wrong_alone += std::uint64_t{one.expects(numbered_digest(2, i)) != (i % 4 == 0)};
  }
  EXPECT_LT(2 * wrong, wrong_alone);
}

TEST(vote, reads_banks_that_do_not_conflict) {
  const banked_probes probes{100, 4, 3};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::set<std::uint64_t> banks;
    hash::each_position(probes, numbered_digest(3, i),
                        [&](std::uint64_t at) { banks.insert(at / 100); });
    EXPECT_EQ(banks.size(), 3U);
  }
}

}  // namespace
}  // namespace bloomery::apps
