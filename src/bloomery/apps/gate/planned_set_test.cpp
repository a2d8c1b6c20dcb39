#include "bloomery/apps/gate/planned_set.hpp"

#include "bloomery/any/planner.hpp"
#include "bloomery/apps/lab/request.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

std::vector<digest> some_keys(std::uint64_t n) {
  std::vector<digest> keys;
  for (std::uint64_t i = 0; i < n; ++i) keys.push_back(lab::numbered(1, 0, i));
  return keys;
}

TEST(planned_set, is_what_the_planner_likes_best_and_holds_all_keys) {
  const std::vector<digest> keys = some_keys(5000);
  const any_filter made = planned_set(keys, 0.001);
  needs wanted;
  wanted.keys = 5000;
  wanted.rate = 0.001;
  EXPECT_EQ(&made.kind(), recommend(wanted).choices.front().kind);
  EXPECT_LE(made.record().promised.rate, 0.001);
  for (const digest key : keys) ASSERT_TRUE(made.as<asks>().may_contain(key));
}

TEST(planned_set, counts_repeats_once_and_may_be_of_no_keys) {
  std::vector<digest> keys = some_keys(1000);
  const std::uint64_t once = planned_set(keys, 0.01).bytes();
  const std::vector<digest> again = keys;
  keys.insert(keys.end(), again.begin(), again.end());
  EXPECT_EQ(planned_set(keys, 0.01).bytes(), once);
  EXPECT_FALSE(planned_set({}, 0.01).as<asks>().may_contain({1, 2}));
}

TEST(planned_set, takes_the_kind_that_is_asked_for_or_says_why_not) {
  const std::vector<digest> keys = some_keys(100);
  EXPECT_EQ(planned_set(keys, 0.01, "cuckoo").kind().info.name, "cuckoo");
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::invalid, "blokked", [&] { planned_set(keys, 0.01, "blokked"); }));
  EXPECT_TRUE(throws_error(errc::unsupported, "hierarchical",
                           [&] { planned_set(keys, 0.01, "hierarchical"); }));
  for (const std::string kind : {"generalized", "stable", "double-buffered"}) {
    EXPECT_TRUE(
        throws_error(errc::unsupported, "may miss a key", [&] { planned_set(keys, 0.01, kind); }));
  }
}

TEST(planned_set, rate_is_that_of_the_cells_or_of_the_kind) {
  const std::vector<digest> keys = some_keys(1000);
  const any_filter bits = planned_set(keys, 0.01, "standard");
  EXPECT_EQ(rate_of(bits), bits.as<tells_rate>().current_rate());
  const any_filter solved = planned_set(keys, 0.01, "fuse");
  ASSERT_FALSE(solved.can<tells_rate>());
  EXPECT_EQ(rate_of(solved), solved.kind().predicted_rate(solved.shape(), 1000));
}

}  // namespace
}  // namespace bloomery::apps
