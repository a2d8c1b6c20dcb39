#include "ns3/world.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "lab_testing.hpp"
#include "scenarios.hpp"
#include "testing.hpp"
#include "worlds.hpp"

namespace bloomery::ns3 {
namespace {

using namespace std::chrono_literals;
using bloomery::testing::throws_error;

// The third world, beside those of worlds.hpp.
lab::link_transcripts on_ns3(const testing::scenario& what, const lab::link_spec& links,
                             const event& told) {
  world simulated(*bloomery_ns3(), what.seed);
  lab::link_transcripts heard;
  simulated.on_message(
      [&](peer from, peer to, byte_view message) { heard.add(from, to, message); });
  for (const auto& make : what.parties) simulated.add(make());
  for (const auto& [a, b] : what.links) simulated.connect(peer{a}, peer{b}, links);
  simulated.run();
  EXPECT_EQ(simulated.sent(), simulated.delivered());
  EXPECT_EQ(simulated.told(told.name), told.amount);
  return heard;
}

// Sends what it is told to at the start, and notes what it hears, and when.
struct talker {
  std::vector<std::vector<std::byte>> says{};
  std::function<void()> at_message{};
  std::vector<std::pair<time, std::vector<std::byte>>> heard{};
  std::vector<std::pair<time, std::uint64_t>> ticks{};

  void start(time, outbox& out) {
    for (const auto& each : says) out.send(peer{1}, each);
  }
  void receive(time now, peer, byte_view message, outbox&) {
    heard.emplace_back(now, std::vector<std::byte>(message.begin(), message.end()));
    if (at_message) at_message();
  }
  void tick(time now, std::uint64_t token, outbox&) { ticks.emplace_back(now, token); }
};

struct nobody {
  void start(time, outbox&) {}
  void receive(time, peer, byte_view, outbox&) {}
  void tick(time, std::uint64_t, outbox&) {}
};

TEST(ns3_world, three_worlds_agree) {
  testing::scenario ring = testing::gossip_in_a_ring();
  const lab::link_spec links{.delay = 3ms, .bits_per_second = 10'000'000};
  const lab::link_transcripts lab = testing::in_the_lab(ring, links);
  EXPECT_EQ(lab.messages(), 20U * 2 * ring.parties.size());
  const event ticks{"ticks", 7 * ring.parties.size()};
  EXPECT_TRUE(on_ns3(ring, links, ticks) == lab);
  EXPECT_TRUE(on_ns3(ring, {}, ticks) == lab);  // at any delay and rate
  EXPECT_TRUE(testing::over_sockets(ring) == lab);
  ring.parties.back() = [] {
    return testing::gossip{.neighbours = {peer{0}, peer{4}}, .seed = 99};
  };
  EXPECT_FALSE(on_ns3(ring, links, ticks) == lab);
}

// Real parties: nodes that advertise filters and answer questions by them.
TEST(ns3_world, three_worlds_agree_on_an_overlay) {
  const lab::link_spec links{.delay = 3ms, .bits_per_second = 10'000'000};
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const testing::scenario tree = testing::questions_on_a_tree(seed);
    const lab::link_transcripts lab = testing::in_the_lab(tree, links);
    // An advert of each node but the root, and to each key that is there a question and a reply a hop.
    EXPECT_GT(lab.messages(), 12U + 2 * (3 + 9 * 2));
    const event all{"found", 12};
    EXPECT_TRUE(on_ns3(tree, links, all) == lab);
    EXPECT_TRUE(on_ns3(tree, {}, all) == lab);
    EXPECT_TRUE(testing::over_sockets(tree) == lab);
    EXPECT_FALSE(testing::in_the_lab(testing::questions_on_a_tree(seed + 10)) == lab);
  }
}

// And the two of `bloomery sync`, with filters, trees, coded symbols and lines.
TEST(ns3_world, three_worlds_agree_on_a_sync) {
  using exchange::sync_method;
  const lab::link_spec links{.delay = 3ms, .bits_per_second = 10'000'000};
  for (const auto method : {sync_method::automatic, sync_method::rateless, sync_method::iblt,
                            sync_method::tree, sync_method::filter, sync_method::list}) {
    SCOPED_TRACE(static_cast<int>(method));
    const testing::scenario two = testing::sync_of_two(method, 1);
    const lab::link_transcripts lab = testing::in_the_lab(two, links);
    EXPECT_GT(lab.messages(), 3U);
    EXPECT_TRUE(on_ns3(two, links, {"refused", 0}) == lab);
    EXPECT_TRUE(testing::over_sockets(two) == lab);
    EXPECT_FALSE(testing::in_the_lab(testing::sync_of_two(method, 2)) == lab);
  }
}

// In as many packets of 1,500 bytes as they take.
TEST(ns3_world, messages_of_any_size_arrive_whole_in_order_and_in_time) {
  std::vector<std::vector<std::byte>> says;
  std::size_t on_the_wire = 0;
  for (const std::size_t size : {0U, 1U, 1495U, 1496U, 1497U, 2996U, 1'000'000U}) {
    auto& message = says.emplace_back(size);
    for (std::size_t i = 0; i < size; ++i) message[i] = static_cast<std::byte>(i * 7 + size);
    on_the_wire += size + 4 + 2 * ((size + 4 + 1499) / 1500);
  }
  world simulated(*bloomery_ns3(), 1);
  simulated.add(talker{.says = says});
  const peer other = simulated.add(talker{});
  simulated.connect(peer{0}, other, {.delay = 10ms, .bits_per_second = 8'000'000});
  simulated.run();
  const auto& heard = simulated.get<talker>(other).heard;
  ASSERT_EQ(heard.size(), says.size());
  for (std::size_t i = 0; i < says.size(); ++i) EXPECT_EQ(heard[i].second, says[i]) << i;
  // A byte a microsecond, with the message's length and two bytes of PPP a packet.
  EXPECT_EQ(heard.front().first, time(10ms + 6us));
  EXPECT_EQ(heard.back().first, time(10ms + std::chrono::microseconds(on_the_wire)));
}

TEST(ns3_world, wakes_in_time_and_stops_at_a_time) {
  world simulated(*bloomery_ns3(), 1);
  const peer one = simulated.add(talker{});
  for (const auto at : {7ms, 5ms, 9ms}) {
    simulated.wake(one, time(at), static_cast<std::uint64_t>(at.count()));
  }
  simulated.run_until(time(7ms));
  EXPECT_EQ(simulated.now(), time(7ms));
  auto& ticks = simulated.get<talker>(one).ticks;
  EXPECT_EQ(ticks, (std::vector<std::pair<time, std::uint64_t>>{{time(5ms), 5}, {time(7ms), 7}}));
  simulated.wake(one, time(1ms), 1);  // which is past: now
  simulated.run();
  ASSERT_EQ(ticks.size(), 4U);
  EXPECT_EQ(ticks[2], std::pair(time(7ms), std::uint64_t{1}));
  EXPECT_EQ(ticks[3], std::pair(time(9ms), std::uint64_t{9}));
}

TEST(ns3_world, what_a_party_throws_ends_the_run) {
  world simulated(*bloomery_ns3(), 1);
  simulated.add(talker{.says = {3, std::vector<std::byte>(10)}});
  const peer other =
      simulated.add(talker{.at_message = [] { fail(errc::corrupt, "no such message"); }});
  simulated.connect(peer{0}, other, {.delay = 1ms});
  EXPECT_TRUE(throws_error(errc::corrupt, "no such message", [&] { simulated.run(); }));
  EXPECT_EQ(simulated.get<talker>(other).heard.size(), 1U);
}

TEST(ns3_world, limits_hold) {
  {
    world simulated(*bloomery_ns3(), 1, {.events = 3});
    const peer one = simulated.add(nobody{});
    for (int i = 0; i < 3; ++i) simulated.wake(one, time(1ms), 0);
    EXPECT_TRUE(throws_error(errc::limit, "not quiet after 3 events", [&] { simulated.run(); }));
  }
  world simulated(*bloomery_ns3(), 1, {.pending_bytes = 100});
  simulated.add(talker{.says = {std::vector<std::byte>(60), std::vector<std::byte>(41)}});
  simulated.connect(peer{0}, simulated.add(nobody{}), {});
  EXPECT_TRUE(throws_error(errc::limit, "under way at once", [&] { simulated.run(); }));
}

TEST(ns3_world, refuses_what_it_cannot) {
  world simulated(*bloomery_ns3(), 1);
  const peer one = simulated.add(nobody{});
  const peer other = simulated.add(talker{.says = {{}}});  // to itself
  const auto refused = [&](errc code, const char* why, const std::function<void()>& act) {
    EXPECT_TRUE(throws_error(code, why, act));
  };
  refused(errc::invalid, "one world at a time", [] { world second(*bloomery_ns3(), 1); });
  refused(errc::invalid, "itself", [&] { simulated.connect(one, one, {}); });
  refused(errc::invalid, "two parties", [&] { simulated.connect(one, peer{2}, {}); });
  refused(errc::invalid, "negative", [&] { simulated.connect(one, other, {.delay = -1ns}); });
  refused(errc::unsupported, "loses nothing",
          [&] { simulated.connect(one, other, {.loss = 0.1}); });
  refused(errc::unsupported, "queue", [&] { simulated.connect(one, other, {.queue_bytes = 9}); });
  simulated.connect(one, other, {});
  refused(errc::invalid, "already have a link", [&] { simulated.connect(other, one, {}); });
  refused(errc::invalid, "no such party", [&] { simulated.wake(peer{2}, {}, 0); });
  refused(errc::invalid, "does not walk", [&] { (void)simulated.position(one); });
  refused(errc::invalid, "another type", [&] { (void)simulated.get<talker>(one); });
  refused(errc::invalid, "not in this world", [&] { (void)simulated.get<nobody>(peer{2}); });
  refused(errc::invalid, "begins within", [&] { simulated.walk(one, {2, 0, 1, 1, 1, 1}); });
  refused(errc::invalid, "no link to that party", [&] { simulated.run(); });
  simulated.walk(one, {1, 1, 10, 1, 2, 1'000'000'000});
  refused(errc::invalid, "never quiet", [&] { simulated.run(); });
}

TEST(ns3_world, walkers_stay_in_the_square_move_at_their_speed_and_depend_on_the_seed) {
  const lab::walk_plan plan{.walkers = 50, .side = 8, .stride = 0.5, .snapshots = 40};
  const auto seen = walks(*bloomery_ns3(), plan, 5);
  EXPECT_EQ(seen.front(), lab::scattered(plan, 5));
  EXPECT_EQ(seen, walks(*bloomery_ns3(), plan, 5));
  EXPECT_NE(seen, walks(*bloomery_ns3(), plan, 6));
  ASSERT_EQ(seen.size(), 40U);
  std::uint64_t straight = 0;
  for (std::size_t i = 1; i < seen.size(); ++i) {
    ASSERT_EQ(seen[i].size(), 50U);
    for (std::size_t who = 0; who < 50; ++who) {
      const lab::point& at = seen[i][who];
      EXPECT_TRUE(at.x >= 0 && at.x <= 8 && at.y >= 0 && at.y <= 8) << at.x << ' ' << at.y;
      const double gone = std::hypot(at.x - seen[i - 1][who].x, at.y - seen[i - 1][who].y);
      EXPECT_LE(gone, 0.75 + 1e-6);
      straight += std::uint64_t{gone >= 0.25 - 1e-6};  // else it came back from the border
    }
  }
  EXPECT_GT(straight, 39U * 50 * 3 / 4);
}

// R2 on ns-3's mobility.
class simulator : public testing::paper_host {
 public:
  std::vector<std::vector<lab::point>> walks(const std::string& /*world*/,
                                             const lab::walk_plan& plan,
                                             std::uint64_t seed) override {
    return ns3::walks(*bloomery_ns3(), plan, seed);
  }
};

TEST(ns3_world, hosts_that_walk_are_found) {
  simulator outside;
  const lab::result found = testing::run_experiment(
      "R2", {{"hosts", "300"}, {"rounds", "30"}, {"fpr", "10%"}, {"world", "ns3"}}, outside);
  EXPECT_TRUE(testing::as_promised(found));
  EXPECT_GT(found.figures().at(3).measured, 0.05) << "hosts move";
}

}  // namespace
}  // namespace bloomery::ns3
