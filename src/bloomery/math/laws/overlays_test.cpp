#include "bloomery/math/laws/overlays.hpp"

#include <algorithm>
#include <bit>
#include <random>

#include "testing.hpp"

namespace bloomery::math {
namespace {

// Step by step, from every node to every owner.
TEST(overlays, steps_on_a_ring_are_those_of_walking_it) {
  for (const std::uint64_t nodes : {1U, 2U, 4U, 8U, 64U, 1024U}) {
    std::uint64_t steps = 0;
    for (std::uint64_t owner = 1; owner < nodes; ++owner) {  // counted from the asker
      std::uint64_t at = 0;
      while (at != owner - 1) {
        at += std::bit_floor(owner - 1 - at);
        ++steps;
      }
      ++steps;
    }
    EXPECT_DOUBLE_EQ(ring_steps(nodes), static_cast<double>(steps) / static_cast<double>(nodes));
    const std::uint64_t answers = nodes - 1;
    EXPECT_DOUBLE_EQ(ring_messages(nodes),
                     static_cast<double>(steps + answers) / static_cast<double>(nodes));
  }
  EXPECT_TRUE(testing::throws_error(errc::invalid, "powers of two", [] { ring_steps(12); }));
}

TEST(overlays, most_of_a_flood_is_its_last_step) {
  EXPECT_NEAR(last_hop_share(32, 3), 961.0 / 993, 1e-12);
  EXPECT_EQ(last_hop_share(5, 1), 1);
  EXPECT_EQ(last_hop_share(2, 4), 0.25);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "links", [] { last_hop_share(1, 3); }));
}

// Pittel's limit, against rumours that are told: the number that does not grow is about 1.3 beyond it.
TEST(overlays, rumours_take_as_many_rounds_as_predicted) {
  std::mt19937_64 random(42);
  for (const std::uint64_t peers : {256U, 4096U}) {
    double rounds = 0;
    constexpr int rumours = 50;
    for (int i = 0; i < rumours; ++i) {
      std::vector<bool> knows(peers);
      knows[0] = true;
      for (std::uint64_t known = 1; known < peers; ++rounds) {
        std::vector<bool> next = knows;
        for (std::uint64_t v = 0; v < peers; ++v) {
          if (knows[v]) next[random() % peers] = true;
        }
        knows = next;
        known = static_cast<std::uint64_t>(std::ranges::count(knows, true));
      }
    }
    EXPECT_NEAR(rounds / rumours, push_rounds(peers), 2.5) << peers;
  }
  EXPECT_EQ(push_rounds(1), 0);
}

TEST(overlays, claims_add_up) {
  EXPECT_EQ(claims_all(0.5, 2), 0.25);
  EXPECT_EQ(claims_all(0, 0), 1);
  const std::vector<double> rates{0.5, 0.25, 0};
  EXPECT_EQ(expected_claims(rates), 0.75);
  EXPECT_EQ(expected_claims({}), 0);
}

TEST(overlays, false_claims_lead_on_at_most_as_often_as_they_add_up) {
  EXPECT_EQ(led_at_most(std::vector{0.5, 0.25}, std::vector{0.5, 0.0}), 0.25);
  EXPECT_EQ(led_at_most(std::vector{0.75, 0.75}, std::vector{1.0, 1.0}), 1);
  EXPECT_EQ(led_at_most({}, {}), 0);
}

TEST(overlays, all_of_some_messages_arrive) {
  EXPECT_EQ(all_arrive(0, 7), 1);
  EXPECT_EQ(all_arrive(0.5, 0), 1);
  EXPECT_NEAR(all_arrive(0.1, 3), 0.729, 1e-12);
  EXPECT_TRUE(testing::throws_error(errc::invalid, "loss", [] { all_arrive(2, 1); }));
  EXPECT_EQ(none_arrives(0, 7, 1), 0);
  EXPECT_EQ(none_arrives(1, 1, 9), 1);
  EXPECT_NEAR(none_arrives(0.1, 3, 2), 0.271 * 0.271, 1e-12);
}

}  // namespace
}  // namespace bloomery::math
