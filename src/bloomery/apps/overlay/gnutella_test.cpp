#include "bloomery/apps/overlay/gnutella.hpp"

#include "bloomery/apps/lab/world.hpp"
#include "testing.hpp"

namespace bloomery::overlay {
namespace {

apps::peer servent(std::uint32_t i) {
  return apps::peer{i};
}

gnutella_message::identity number(std::uint8_t i) {
  gnutella_message::identity id{};
  id[0] = std::byte{i};
  return id;
}

// Ultrapeers 0 to 4 in a line, and leaf 5 + i at each.
lab::world gnutella_line() {
  lab::world world(1);
  for (std::uint32_t v = 0; v < 5; ++v) {
    gnutella_setup setup{.self = servent(v), .links = {{servent(5 + v), true}}, .slots = 1024};
    if (v > 0) setup.links.push_back({servent(v - 1), false});
    if (v < 4) setup.links.push_back({servent(v + 1), false});
    world.add(gnutella_node(setup));
  }
  for (std::uint32_t v = 0; v < 5; ++v) {
    gnutella_node leaf(
        {.self = servent(5 + v), .leaf = true, .links = {{servent(v), false}}, .slots = 1024});
    leaf.share("Common song no" + std::to_string(v) + ".mp3");
    world.add(std::move(leaf));
    world.connect(servent(v), servent(5 + v), {.delay = std::chrono::milliseconds(1)});
    if (v > 0) {
      world.connect(servent(v - 1), servent(v), {.delay = std::chrono::milliseconds(1)});
    }
  }
  world.run();
  return world;
}

std::vector<std::uint64_t> ask_gnutella(lab::world& world, std::uint32_t asker, std::uint8_t id,
                                        std::string_view text) {
  const auto payload = query_payload(text);
  world.post(servent(asker), world.now(),
             write_gnutella({.id = number(id), .kind = gnutella_query, .payload = payload}));
  world.run();
  return world.get<gnutella_node>(servent(asker)).answers(number(id));
}

TEST(gnutella, finds_what_is_within_three_hops) {
  lab::world world = gnutella_line();
  EXPECT_EQ(world.told("refused"), 0);
  EXPECT_EQ(ask_gnutella(world, 5, 1, "common SONG"), (std::vector<std::uint64_t>{6, 7, 8}));
  EXPECT_EQ(ask_gnutella(world, 5, 2, "no3"), (std::vector<std::uint64_t>{8}));
  EXPECT_TRUE(ask_gnutella(world, 5, 3, "no4").empty());  // four hops
  EXPECT_EQ(ask_gnutella(world, 7, 4, "common").size(), 4);
  // Nobody's: the last hop is spared, and every leaf.
  const std::uint64_t ultrapeers = world.told("ultrapeer asked");
  const std::uint64_t leaves = world.told("leaf asked in vain");
  EXPECT_TRUE(ask_gnutella(world, 5, 5, "nobodyhasthis").empty());
  EXPECT_EQ(world.told("ultrapeer asked") - ultrapeers, 3);  // 0, 1 and 2
  EXPECT_EQ(world.told("leaf asked in vain") - leaves, 0);
}

TEST(gnutella, tells_neighbours_what_its_leaves_have) {
  lab::world world = gnutella_line();
  const qrp_table* told = world.get<gnutella_node>(servent(1)).table_of(servent(0));
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(*told, world.get<gnutella_node>(servent(5)).own());
}

TEST(gnutella, answers_a_question_once_however_it_comes) {
  lab::world world = gnutella_line();
  const auto first = ask_gnutella(world, 5, 1, "common");
  const std::uint64_t asked = world.told("leaf asked with reason");
  EXPECT_EQ(ask_gnutella(world, 5, 1, "common"), first);
  EXPECT_EQ(world.told("leaf asked with reason"), asked);
}

TEST(gnutella, refuses_tables_of_another_size_and_is_none_the_worse) {
  lab::world world(1);
  world.add(gnutella_node({.self = servent(0), .links = {{servent(1), true}}, .slots = 1024}));
  gnutella_node small(
      {.self = servent(1), .leaf = true, .links = {{servent(0), false}}, .slots = 512});
  small.share("song");
  world.add(std::move(small));
  world.connect(servent(0), servent(1), {});
  world.run();
  EXPECT_EQ(world.told("refused"), 2);  // its reset, and its patch
  EXPECT_EQ(world.get<gnutella_node>(servent(0)).table_of(servent(1)), nullptr);
}

TEST(gnutella, refuses_what_is_malformed) {
  using testing::throws_error;
  const auto payload = query_payload("words");
  const auto sound =
      write_gnutella({.id = number(1), .kind = gnutella_query, .life = 2, .payload = payload});
  EXPECT_EQ(read_gnutella(sound).life, 2);
  for (std::size_t i = 0; i < sound.size(); ++i) {
    EXPECT_TRUE(throws_error(errc::corrupt, "Gnutella",
                             [&] { (void)read_gnutella(std::span(sound).first(i)); }));
  }
  lab::world world = gnutella_line();
  const auto refused_after = [&](const std::vector<std::byte>& message) {
    const std::uint64_t before = world.told("refused");
    world.post(servent(0), world.now(), message);
    world.run();
    return world.told("refused") - before;
  };
  const std::vector<std::byte> endless(10, std::byte{'a'});
  EXPECT_EQ(refused_after(write_gnutella({.kind = gnutella_query, .payload = endless})), 1);
  EXPECT_EQ(refused_after(write_gnutella({.kind = gnutella_hit, .payload = endless})), 1);
  EXPECT_EQ(refused_after(write_gnutella({.kind = 0x77, .payload = endless})), 1);
  // A table from one who is no neighbour.
  const auto reset = qrp_table(1024).messages()[0];
  EXPECT_EQ(refused_after(write_gnutella({.kind = gnutella_routes, .payload = reset})), 1);
  EXPECT_EQ(refused_after({}), 1);
}

}  // namespace
}  // namespace bloomery::overlay
