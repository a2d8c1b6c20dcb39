#include "bloomery/apps/gate/chain_directory.hpp"

#include <map>

#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::numbered_digest;

tag_state numbered_state(std::uint64_t i) {
  const digest a = numbered_digest(1, i);
  const digest b = numbered_digest(2, i);
  return {a.lo, a.hi, b.lo, b.hi};
}

TEST(chain_directory, identifies_every_answer_of_every_tag_and_no_other) {
  constexpr std::uint64_t tags = 200;
  constexpr std::uint64_t steps = 20;
  chain_directory directory({.steps = steps, .rate = 0.05});
  for (std::uint64_t i = 0; i < tags; ++i) EXPECT_EQ(directory.add(numbered_state(i)), i);
  for (std::uint64_t i = 0; i < tags; ++i) {
    tag_state state = numbered_state(i);
    for (std::uint64_t step = 0; step < steps; ++step) {
      EXPECT_EQ(directory.identify(answer_and_move(state)), i);
    }
    EXPECT_FALSE(directory.identify(answer_and_move(state))) << "beyond what was calculated";
  }
}

// Strangers cause walks as the filters' own bits say.
TEST(chain_directory, walks_the_chains_that_are_predicted) {
  chain_directory directory({.steps = 32, .rate = 0.02}, 500);
  for (std::uint64_t i = 0; i < 500; ++i) directory.add(numbered_state(i));
  testing::sample walks;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::uint64_t before = directory.walks();
    EXPECT_FALSE(directory.identify(numbered_digest(9, i)));
    walks.add(static_cast<double>(directory.walks() - before));
  }
  EXPECT_TRUE(testing::plausible_mean(walks, directory.expected_passes()));
  EXPECT_LT(directory.expected_passes(), 500 * 0.02 * 1.05);
}

TEST(chain_directory, answers_of_a_tag_do_not_repeat) {
  std::map<digest, int> seen;
  tag_state state = numbered_state(1);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(++seen[answer_and_move(state)], 1);
}

TEST(chain_directory, refuses_plans_that_are_none) {
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "steps", [] { chain_directory none({.steps = 0}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "", [] { chain_directory none({.rate = 0}); }));
}

}  // namespace
}  // namespace bloomery::apps
