#include "bloomery/apps/overlay/node.hpp"

#include "bloomery/apps/lab/topology.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/filters/routing/attenuated.hpp"
#include "bloomery/filters/routing/exponential_decay.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "testing.hpp"

namespace bloomery::overlay {
namespace {

using plain = filter_summary<standard_filter>;
using levels = filter_summary<attenuated_filter>;
using decaying = filter_summary<exponential_decay_filter>;
static_assert(summary<plain> && summary<levels> && summary<decaying>);
static_assert(apps::party<node<plain>>);

digest key_of(std::uint64_t i) {
  return testing::numbered_digest(71, i);
}
peer at(std::uint64_t i) {
  return peer{static_cast<std::uint32_t>(i)};
}

TEST(overlay_summary, of_levels_tells_how_near_the_farthest_word_is) {
  const levels empty{attenuated_filter(attenuated_filter::plan_map(100, 0.001, 3))};
  levels far = empty;
  far.insert(key_of(1));
  const levels* behind[] = {&far};
  levels near = empty;
  near.insert(key_of(2));
  const levels told = near.advertise(behind, 1);
  const std::array both{key_of(1), key_of(2)};
  EXPECT_EQ(told.ask(std::span(both).subspan(1)), 3);
  EXPECT_EQ(told.ask(std::span(both).first(1)), 2);
  EXPECT_EQ(told.ask(both), 2);
  EXPECT_EQ(told.ask({}), 0);
  const digest stranger = key_of(3);
  EXPECT_EQ(told.ask({&stranger, 1}), 0);
}

TEST(overlay_summary, that_decays_claims_nothing_below_the_noise) {
  decaying here{exponential_decay_filter(exponential_decay_filter::plan(500, 0.001))};
  for (std::uint64_t i = 0; i < 500; ++i) here.insert(key_of(i));
  std::uint64_t claimed = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::array keys{key_of(i), key_of(1000 + i)};
    EXPECT_EQ(here.ask(std::span(keys).first(1)), 32);
    claimed += std::uint64_t{here.ask(std::span(keys).subspan(1)) != 0};
  }
  EXPECT_TRUE(testing::plausible_limit(claimed, 500, 0.001));
}

TEST(overlay_summary, believes_only_what_fits) {
  plain own{standard_filter(standard_shape{256, 3})};
  const plain other_shape{standard_filter(standard_shape{512, 3})};
  const plain other_hash{standard_filter(standard_shape{256, 3}, {hash_id::integer, 7})};
  plain full = own;
  for (std::uint64_t i = 0; i < 1000; ++i) full.insert(key_of(i));
  const auto open = [&](const plain& sent) {
    const stored_filters stored = sent.save();
    const std::array<byte_view, 1> views{stored.at(0)};
    return own.open(views, {});
  };
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::incompatible, "", [&] { open(other_shape); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "", [&] { open(other_hash); }));
  EXPECT_TRUE(throws_error(errc::limit, "fill", [&] { open(full); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "2 filters", [&] {
    const std::array<byte_view, 2> two{};
    (void)own.open(two, {});
  }));
  own.insert(key_of(1));
  EXPECT_EQ(open(own).filter().record().items, 1);
}

// A line of nodes, each of which holds one key, or none.
template <class S>
lab::world line_of(std::uint64_t nodes, toward forth, toward back, const S& empty) {
  lab::world world(1);
  for (std::uint64_t v = 0; v < nodes; ++v) {
    node_setup setup{.self = at(v), .links = {}};
    if (v > 0) setup.links.push_back({at(v - 1), back, 2 * v});
    if (v + 1 < nodes) setup.links.push_back({at(v + 1), forth, 2 * v + 1});
    node<S> made(std::move(setup), empty);
    made.insert(key_of(v));
    world.add(std::move(made));
  }
  world.connect(lab::line(nodes), {.delay = std::chrono::milliseconds(1)});
  world.run();
  return world;
}

template <class S>
outcome asked(lab::world& world, std::uint64_t asker, digest key, std::uint64_t id, walk how,
              std::uint64_t most = most_steps) {
  const auto words = packed_words({&key, 1});
  world.post(at(asker), world.now(),
             wire::write(question{
                 .id = id, .how = static_cast<std::uint64_t>(how), .most = most, .words = words}));
  world.run();
  return world.get<node<S>>(at(asker)).outcome_of(id);
}

const plain small{standard_filter(standard_shape{1 << 14, 5})};

TEST(overlay_node, of_a_tree_hears_from_below_and_asks_down_and_up) {
  lab::world world = line_of(5, toward::below, toward::above, small);
  EXPECT_EQ(world.get<node<plain>>(at(0)).heard(), 1);
  EXPECT_EQ(world.get<node<plain>>(at(4)).heard(), 0);
  for (const std::uint64_t asker : {0U, 2U, 4U}) {
    for (const std::uint64_t holder : {0U, 2U, 4U}) {
      const outcome came =
          asked<plain>(world, asker, key_of(holder), 100 + 10 * asker + holder, walk::best);
      EXPECT_TRUE(came.over);
      EXPECT_EQ(came.holders, std::vector{holder});
      EXPECT_EQ(came.steps, holder > asker ? holder - asker : asker - holder);
    }
  }
  const outcome none = asked<plain>(world, 3, key_of(99), 1, walk::best);
  EXPECT_TRUE(none.over && none.holders.empty());
  EXPECT_EQ(none.steps, 6);  // to the root and back
  EXPECT_EQ(world.told("refused"), 0);
}

TEST(overlay_node, of_a_mesh_tells_each_link_what_the_others_told) {
  const levels empty{attenuated_filter(attenuated_filter::plan_map(100, 1e-6, 3))};
  lab::world world = line_of(6, toward::mesh, toward::mesh, empty);
  const digest far = key_of(3);
  const digest farther = key_of(4);
  const levels* told = world.get<node<levels>>(at(0)).table_of(at(1));
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->ask({&far, 1}), 1);      // two hops behind node 1
  EXPECT_EQ(told->ask({&farther, 1}), 0);  // beyond the levels
  EXPECT_EQ(asked<levels>(world, 0, far, 1, walk::best).holders, std::vector<std::uint64_t>{3});
  EXPECT_TRUE(asked<levels>(world, 0, farther, 2, walk::best).holders.empty());
  EXPECT_EQ(asked<levels>(world, 0, farther, 3, walk::gradient).steps, 4);
  EXPECT_EQ(asked<levels>(world, 0, farther, 4, walk::flooding).holders,
            std::vector<std::uint64_t>{4});
  EXPECT_TRUE(asked<levels>(world, 0, key_of(5), 5, walk::flooding, 4).holders.empty());
  EXPECT_EQ(asked<levels>(world, 2, key_of(5), 6, walk::wandering).holders,
            std::vector<std::uint64_t>{5});
}

TEST(overlay_node, tells_again_only_what_has_changed) {
  lab::world world = line_of(3, toward::below, toward::above, small);
  const std::uint64_t before = world.told("adverts");
  world.wake(at(2), world.now(), node<plain>::advertise_token);
  world.run();
  EXPECT_EQ(world.told("adverts"), before);
  world.get<node<plain>>(at(2)).insert(key_of(50));
  world.wake(at(2), world.now(), node<plain>::advertise_token);
  world.run();
  EXPECT_EQ(world.told("adverts"), before + 2);  // one up to the middle, one to the root
  EXPECT_EQ(asked<plain>(world, 0, key_of(50), 1, walk::best).holders,
            std::vector<std::uint64_t>{2});
}

TEST(overlay_node, refuses_what_is_malformed_and_keeps_what_it_knew) {
  lab::world world = line_of(2, toward::below, toward::above, small);
  const auto refused_after = [&](const std::vector<std::byte>& message) {
    const std::uint64_t before = world.told("refused");
    world.post(at(0), world.now(), message);
    world.run();
    return world.told("refused") - before;
  };
  const digest key = key_of(1);
  const auto words = packed_words({&key, 1});
  std::vector<std::byte> sound = wire::write(question{.id = 1, .words = words});
  for (std::size_t i = 0; i < sound.size(); ++i) {
    std::vector<std::byte> damaged = sound;
    damaged[i] ^= std::byte{1};
    EXPECT_EQ(refused_after(damaged), 1) << i;
    damaged.resize(i);
    EXPECT_EQ(refused_after(damaged), 1) << i;
  }
  // An advert of oneself, who is no neighbour; and a filter that claims everything.
  const stored_filters stored = small.save();
  EXPECT_EQ(refused_after(wire::write(advert{.version = 9, .filters = {stored.at(0)}})), 1);
  EXPECT_EQ(refused_after(wire::write(question{.id = 2, .words = words})), 0);
  EXPECT_EQ(world.get<node<plain>>(at(0)).heard(), 1);
  // As many steps as can be told: one more is none.
  EXPECT_EQ(
      refused_after(wire::write(question{.id = 3, .how = 2, .steps = most_steps, .words = words})),
      0);
}

TEST(overlay_node, forgets_the_oldest_question_when_it_has_too_many) {
  lab::world world(1);
  node_setup setup{.self = at(0), .links = {{at(1), toward::above, 1}}};
  setup.most_open = 4;
  world.add(node<plain>(setup, small));
  setup.self = at(1);
  setup.links = {{at(0), toward::below, 1}};
  world.add(node<plain>(setup, small));
  world.connect(at(0), at(1), {});
  for (std::uint64_t id = 1; id <= 10; ++id) asked<plain>(world, 0, key_of(9), id, walk::best);
  EXPECT_EQ(world.told("forgotten"), 12);  // six of ten at either
}

}  // namespace
}  // namespace bloomery::overlay
