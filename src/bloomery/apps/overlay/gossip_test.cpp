#include "bloomery/apps/overlay/gossip.hpp"

#include "bloomery/apps/lab/world.hpp"
#include "testing.hpp"

namespace bloomery::overlay {
namespace {

apps::peer gossip_peer(std::uint64_t i) {
  return apps::peer{static_cast<std::uint32_t>(i)};
}
digest gossip_word(std::uint64_t i) {
  return testing::numbered_digest(76, i);
}

constexpr std::uint64_t some_peers = 20;

// Peer i has the words i to i + 9.
lab::world gossiping_world(double loss) {
  lab::world world(1);
  for (std::uint64_t v = 0; v < some_peers; ++v) {
    gossiper made(v, some_peers, standard_filter::plan(20, 0.0001), 1);
    for (std::uint64_t i = v; i < v + 10; ++i) made.insert(gossip_word(i));
    made.publish();
    world.add(std::move(made));
  }
  world.connect_all({.delay = std::chrono::milliseconds(1), .loss = loss});
  return world;
}

TEST(gossip, reaches_everybody_though_messages_are_lost) {
  for (const double loss : {0.0, 0.3}) {
    lab::world world = gossiping_world(loss);
    world.run_until(apps::time(30 * gossiper::beat));
    for (std::uint64_t v = 0; v < some_peers; ++v) {
      EXPECT_EQ(world.get<gossiper>(gossip_peer(v)).known(), some_peers) << loss;
    }
    EXPECT_EQ(world.told("refused"), 0);
  }
}

TEST(gossip, asks_those_that_claim_all_words_and_ranks_by_rarity) {
  lab::world world = gossiping_world(0);
  world.run_until(apps::time(30 * gossiper::beat));
  const gossiper& last = world.get<gossiper>(gossip_peer(19));
  const std::array words{gossip_word(4), gossip_word(8)};
  EXPECT_EQ(last.claiming(words), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  // Word 0 is the first peer's alone: whoever has that comes before those who have the other.
  const std::array rare{gossip_word(0), gossip_word(9)};
  const auto ranked = last.ranked(rare);
  ASSERT_EQ(ranked.size(), 10);
  EXPECT_EQ(ranked[0], 0);

  const auto packed = packed_words(words);
  world.post(gossip_peer(19), world.now(), wire::write(question{.id = 5, .words = packed}));
  world.run_until(world.now() + gossiper::beat);
  EXPECT_EQ(last.found(5), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(world.told("asked in vain"), 0);
}

TEST(gossip, takes_the_newest_and_refuses_what_does_not_fit) {
  const standard_shape shape = standard_filter::plan(20, 0.01);
  const auto news_of = [](std::uint64_t who, std::uint64_t version, const standard_filter& filter) {
    std::vector<std::byte> whose(16);
    core::store_le(whose.data(), who);
    core::store_le(&whose[8], version);
    const auto stored = wire::save(filter);
    return wire::write(gossip_news{.whose = whose, .filters = {stored}});
  };
  gossiper one(0, 2, shape, 1);
  class silent : public apps::outbox {
    void do_send(apps::peer, byte_view) override {}
    void do_wake(apps::time, std::uint64_t) override {}
    void do_tell(const apps::event& happened) override {
      refused += std::uint64_t{happened.name == "refused"};
    }

   public:
    std::uint64_t refused = 0;
  } out;
  const auto hear = [&](const std::vector<std::byte>& message, std::uint64_t from = 1) {
    const std::uint64_t before = out.refused;
    one.receive({}, gossip_peer(from), message, out);
    return out.refused - before;
  };
  standard_filter two(shape);
  two.insert(gossip_word(1));
  EXPECT_EQ(hear(news_of(1, 5, two)), 0);
  EXPECT_EQ(one.version_of(1), 5);
  EXPECT_EQ(hear(news_of(1, 4, standard_filter(shape))), 0);  // older: nothing changes
  EXPECT_EQ(one.claiming(std::array{gossip_word(1)}).size(), 1);
  standard_filter full(shape);
  for (std::uint64_t i = 0; i < 2000; ++i) full.insert(gossip_word(i));
  EXPECT_EQ(hear(news_of(1, 6, full)), 1);
  EXPECT_EQ(hear(news_of(1, 6, standard_filter(standard_filter::plan(500, 0.01)))), 1);
  EXPECT_EQ(hear(news_of(7, 6, two)), 1);     // there is no such peer
  EXPECT_EQ(hear(news_of(1, 6, two), 9), 1);  // nor such a sender
  EXPECT_EQ(hear(std::vector<std::byte>(3)), 1);
  const std::vector<std::byte> three(24);
  EXPECT_EQ(hear(wire::write(gossip_versions{.versions = three})), 1);  // of more than there are
  EXPECT_EQ(one.version_of(1), 5);
}

}  // namespace
}  // namespace bloomery::overlay
