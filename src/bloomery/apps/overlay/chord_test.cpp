#include "bloomery/apps/overlay/chord.hpp"

#include "bloomery/apps/lab/world.hpp"
#include "testing.hpp"

namespace bloomery::overlay {
namespace {

TEST(overlay_ring, leads_from_every_node_to_every_owner) {
  for (const std::uint64_t nodes : {1U, 2U, 7U, 64U}) {
    const ring all(nodes);
    for (std::uint64_t from = 0; from < nodes; ++from) {
      for (std::uint64_t owner = 0; owner < nodes; ++owner) {
        std::uint64_t node = from;
        std::uint64_t steps = 0;
        while (const auto next = all.next(node, owner)) {
          const auto fingers = all.fingers(node);
          EXPECT_NE(std::ranges::find(fingers, *next), fingers.end());
          node = *next;
          ++steps;
        }
        EXPECT_EQ(node, owner);
        EXPECT_LE(steps, static_cast<std::uint64_t>(std::bit_width(nodes)) + 1);
      }
    }
  }
}

TEST(overlay_ring, owners_have_even_shares) {
  const ring all(16);
  std::vector<std::uint64_t> counts(16);
  for (std::uint64_t i = 0; i < 100'000; ++i) ++counts[all.owner(testing::numbered_digest(72, i))];
  EXPECT_TRUE(testing::plausibly_uniform(counts));
}

TEST(overlay_ring, answers_with_all_holders_and_refuses_noise) {
  lab::world world(1);
  const ring all(8);
  for (std::uint64_t v = 0; v < 8; ++v) world.add(ring_node(all, v));
  world.connect_all({.delay = std::chrono::milliseconds(1)});
  const auto key = packed_words(testing::numbered_digests(73, 1));
  for (const std::uint64_t holder : {3U, 5U, 3U}) {
    world.post(apps::peer{static_cast<std::uint32_t>(holder)}, world.now(),
               wire::write(ring_entry{.key = key, .holder = holder}));
    world.run();
  }
  for (std::uint32_t asker = 0; asker < 8; ++asker) {
    world.post(apps::peer{asker}, world.now(),
               wire::write(ring_question{.id = asker, .asker = asker, .key = key}));
    world.run();
    const auto* came = world.get<ring_node>(apps::peer{asker}).outcome_of(asker);
    ASSERT_NE(came, nullptr);
    EXPECT_EQ(came->holders, (std::vector<std::uint64_t>{3, 5}));
  }
  world.post(apps::peer{0}, world.now(), std::as_bytes(std::span("noise")));
  world.post(apps::peer{0}, world.now(), wire::write(ring_question{.asker = 8, .key = key}));
  world.post(apps::peer{0}, world.now(),
             wire::write(ring_question{.asker = 1, .steps = most_steps, .key = key}));
  world.post(apps::peer{0}, world.now(),
             wire::write(ring_entry{.key = key, .holder = 1, .steps = most_steps}));
  world.run();
  EXPECT_EQ(world.told("refused"), 4);
}

TEST(overlay_ring, believes_answers_to_what_it_asked_and_forgets_the_oldest) {
  lab::world world(1);
  const ring all(2);
  const apps::peer self = world.add(ring_node(all, 0));
  world.add(ring_node(all, 1));
  world.connect_all({.delay = std::chrono::milliseconds(1)});
  const auto outcome_of = [&](std::uint64_t id) {
    return world.get<ring_node>(self).outcome_of(id);
  };
  const std::vector<std::byte> liar(8, std::byte{9});
  const auto lie = [&](std::uint64_t id) {
    world.post(self, world.now(), wire::write(ring_reply{.id = id, .holders = {liar}}));
    world.run();
  };
  lie(1);
  EXPECT_EQ(outcome_of(1), nullptr);
  digest theirs;
  for (std::uint64_t i = 0; all.owner(theirs) != 1; ++i) theirs = testing::numbered_digest(74, i);
  const auto key = packed_words({&theirs, 1});
  const auto ask = [&](std::uint64_t id) {
    world.post(self, world.now(), wire::write(ring_question{.id = id, .asker = 0, .key = key}));
    world.run();
  };
  ask(1);
  lie(1);
  ASSERT_NE(outcome_of(1), nullptr);
  EXPECT_TRUE(outcome_of(1)->holders.empty());
  for (std::uint64_t id = 2; id <= most_outcomes + 1; ++id) ask(id);
  EXPECT_EQ(outcome_of(1), nullptr);
  EXPECT_NE(outcome_of(2), nullptr);
}

}  // namespace
}  // namespace bloomery::overlay
