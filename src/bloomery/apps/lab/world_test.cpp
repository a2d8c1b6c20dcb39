#include "bloomery/apps/lab/world.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bloomery/apps/lab/topology.hpp"
#include "testing.hpp"

namespace bloomery::lab {
namespace {

using namespace std::chrono_literals;
using testing::throws_error;

byte_view bytes_in(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// Writes down all that happens to it, and does what it was made for.
struct scribe {
  using action = std::function<void(outbox&)>;
  action at_start{};
  action at_tick{};
  action at_message{};
  std::vector<std::string> heard{};

  void note(time now, const std::string& what) {
    heard.push_back(std::to_string(now.time_since_epoch() / 1us) + " " + what);
  }
  void start(time now, outbox& out) {
    note(now, "start");
    if (at_start) at_start(out);
  }
  void receive(time now, peer from, byte_view message, outbox& out) {
    note(now, std::to_string(static_cast<std::uint32_t>(from)) + ":" +
                  std::string(reinterpret_cast<const char*>(message.data()), message.size()));
    if (at_message) at_message(out);
  }
  void tick(time now, std::uint64_t token, outbox& out) {
    note(now, "tick " + std::to_string(token));
    if (at_tick) at_tick(out);
  }
};

using notes = std::vector<std::string>;

TEST(world, delivers_at_the_computed_times) {
  world w(1);
  const peer a = w.add(scribe{.at_start = [](outbox& out) {
    out.send(peer{1}, bytes_in("first"));
    out.send(peer{1}, bytes_in("second"));
    out.send(peer{2}, bytes_in("third"));
  }});
  const peer b =
      w.add(scribe{.at_message = [](outbox& out) { out.send(peer{0}, bytes_in("yes")); }});
  const peer c = w.add(scribe{});
  // A byte a microsecond; the way back has no rate.
  w.connect_one_way(a, b, {.delay = 100us, .bits_per_second = 8'000'000});
  w.connect_one_way(b, a, {.delay = 50us});
  w.connect(a, c, {.delay = 1us});
  w.run();
  EXPECT_EQ(w.get<scribe>(b).heard, (notes{"0 start", "105 0:first", "111 0:second"}));
  EXPECT_EQ(w.get<scribe>(c).heard, (notes{"0 start", "1 0:third"}));
  EXPECT_EQ(w.get<scribe>(a).heard, (notes{"0 start", "155 1:yes", "161 1:yes"}));
  EXPECT_EQ(w.now(), time(161us));
  EXPECT_TRUE(w.quiet());
  EXPECT_EQ(w.events(), 8U);
  EXPECT_EQ(w.sent(), (traffic{5, 22}));
  EXPECT_EQ(w.delivered(), w.sent());
  EXPECT_EQ(w.sent_by(a), (traffic{3, 16}));
  EXPECT_EQ(w.counts(a, b).sent, (traffic{2, 11}));
  EXPECT_EQ(w.counts(c, a).sent, traffic{});
}

TEST(world, keeps_the_order_of_causes_at_one_time) {
  world w(1);
  const peer a = w.add(scribe{.at_start = [](outbox& out) {
    out.wake(time(5us), 1);
    out.wake(time(3us), 2);
    for (std::uint64_t token = 10; token < 20; ++token) out.wake(time(5us), token);
  }});
  w.wake(a, time(5us), 99);  // asked for before the party was started
  w.run();
  notes expected{"0 start", "3 tick 2", "5 tick 99", "5 tick 1"};
  for (int token = 10; token < 20; ++token) expected.push_back("5 tick " + std::to_string(token));
  EXPECT_EQ(w.get<scribe>(a).heard, expected);
}

TEST(world, wakes_at_once_for_a_time_that_is_past) {
  world w(1);
  const peer a = w.add(scribe{.at_start = [](outbox& out) { out.wake(time(1us), 7); }}, time(9us));
  w.run();
  EXPECT_EQ(w.get<scribe>(a).heard, (notes{"9 start", "9 tick 7"}));
}

TEST(world, stops_at_a_time_and_goes_on) {
  world w(1);
  const peer a = w.add(scribe{});
  for (const auto at : {1us, 2us, 3us}) w.wake(a, time(at), 0);
  w.post(a, time(2us), bytes_in("posted"));
  w.run_until(time(2us));
  EXPECT_EQ(w.get<scribe>(a).heard, (notes{"0 start", "1 tick 0", "2 tick 0", "2 0:posted"}));
  EXPECT_EQ(w.now(), time(2us));
  EXPECT_FALSE(w.quiet());
  w.run_until(time(10us));
  EXPECT_EQ(w.get<scribe>(a).heard.back(), "3 tick 0");
  EXPECT_EQ(w.now(), time(10us));
  EXPECT_TRUE(w.quiet());
}

TEST(world, ends_in_an_error_if_it_is_never_quiet) {
  world w(1, {.events = 1000});
  w.add(scribe{.at_start = [](outbox& out) { out.wake({}, 0); },
               .at_tick = [](outbox& out) { out.wake({}, 0); }});
  EXPECT_TRUE(throws_error(errc::limit, "not quiet after 1,000 events", [&] { w.run(); }));
  EXPECT_EQ(w.events(), 1000U);
}

TEST(world, holds_no_more_bytes_than_allowed) {
  world w(1, {.pending_bytes = 10});
  const peer a = w.add(scribe{});
  for (int i = 0; i < 5; ++i) {  // what has arrived no longer counts
    w.post(a, {}, bytes_in("1234567890"));
    EXPECT_TRUE(throws_error(errc::limit, "10 B", [&] { w.post(a, {}, bytes_in("x")); }));
    w.run();
  }
  EXPECT_EQ(w.delivered(), (traffic{5, 50}));
}

TEST(world, lets_nothing_reach_who_has_left) {
  world w(1);
  const peer a =
      w.add(scribe{.at_tick = [](outbox& out) { out.send(peer{1}, bytes_in("hello")); }});
  const peer b = w.add(scribe{});
  w.connect(a, b, {});
  w.wake(a, time(1us), 0);
  w.wake(a, time(3us), 0);
  w.run_until(time(2us));
  w.leave(b);
  w.run();
  EXPECT_EQ(w.get<scribe>(b).heard.size(), 2U);
  EXPECT_EQ(w.unheard(), 1U);
  EXPECT_EQ(w.delivered().messages, 1U);
}

TEST(world, lets_a_party_act_now_from_outside) {
  world w(1);
  const peer a = w.add(scribe{});
  const peer b = w.add(scribe{});
  w.connect(a, b, {});
  w.run_until(time(2us));
  std::vector<time> acted;
  const auto greet = [&](time now, outbox& out) {
    acted.push_back(now);
    out.send(b, bytes_in("hello"));
  };
  w.act(a, greet);
  w.run();
  EXPECT_EQ(w.sent_by(a).messages, 1U);
  EXPECT_EQ(w.delivered().messages, 1U);
  w.leave(a);
  w.act(a, greet);  // who has left does nothing
  w.run();
  EXPECT_EQ(acted, std::vector<time>{time(2us)});
  EXPECT_EQ(w.sent().messages, 1U);
  EXPECT_TRUE(throws_error(errc::invalid, "not in this world", [&] { w.act(peer{9}, greet); }));
}

TEST(world, adds_up_what_parties_tell) {
  world w(1);
  w.add(scribe{.at_start = [](outbox& out) {
    out.tell({"hit"});
    out.tell({"bytes", 100});
  }});
  w.add(scribe{.at_start = [](outbox& out) { out.tell({"bytes", 11}); }}, time(4us));
  notes listened;
  w.on_event([&](time now, peer who, const event& happened) {
    listened.push_back(std::to_string(now.time_since_epoch() / 1us) + " " +
                       std::to_string(static_cast<std::uint32_t>(who)) + " " +
                       std::string(happened.name));
  });
  w.run();
  EXPECT_EQ(w.told("hit"), 1U);
  EXPECT_EQ(w.told("bytes"), 111U);
  EXPECT_EQ(w.told("miss"), 0U);
  EXPECT_EQ(listened, (notes{"0 0 hit", "0 0 bytes", "4 1 bytes"}));
}

TEST(world, refuses_what_is_not_there) {
  world w(1);
  const peer a = w.add(scribe{.at_tick = [](outbox& out) { out.send(peer{1}, {}); }});
  const peer b = w.add(scribe{});
  EXPECT_TRUE(throws_error(errc::invalid, "link to itself", [&] { w.connect(a, a, {}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "peer 9 is not in", [&] { w.connect(a, peer{9}, {}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "peer 2 is not in", [&] { w.wake(peer{2}, {}, 0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "another type", [&] { (void)w.get<int>(a); }));
  w.wake(a, {}, 0);
  EXPECT_TRUE(throws_error(errc::invalid, "peer 0 sends to peer 1 but", [&] { w.run(); }));
  w.connect(a, b, {});
  EXPECT_TRUE(throws_error(errc::invalid, "already has a link", [&] { w.connect(b, a, {}); }));
}

TEST(world, connects_everybody_lazily) {
  world w(1);
  w.connect_all({.delay = 7us});
  const peer a = w.add(scribe{.at_start = [](outbox& out) { out.send(peer{2}, bytes_in("x")); },
                              .at_tick = [](outbox& out) { out.send(peer{3}, {}); }});
  w.add(scribe{});
  const peer c = w.add(scribe{});
  w.run();
  EXPECT_EQ(w.get<scribe>(c).heard, (notes{"0 start", "7 0:x"}));
  EXPECT_EQ(w.counts(a, c).sent.messages, 1U);
  EXPECT_EQ(w.counts(c, a).sent.messages, 0U);
  w.wake(a, {}, 0);
  EXPECT_TRUE(throws_error(errc::invalid, "no link", [&] { w.run(); }));
  EXPECT_TRUE(throws_error(errc::invalid, "loss", [&] { w.connect_all({.loss = 2}); }));
}

// Tells the news to every neighbour but the one that it came from, once.
struct flooder {
  std::vector<peer> neighbours;
  bool knows = false;
  std::uint64_t copies = 0;
  time when{};

  void start(time /*now*/, outbox& /*out*/) {}
  void tick(time /*now*/, std::uint64_t /*token*/, outbox& /*out*/) {}
  void receive(time now, peer from, byte_view message, outbox& out) {
    ++copies;
    if (knows) return;
    knows = true;
    when = now;
    for (const peer each : neighbours) {
      if (each != from) out.send(each, message);
    }
  }
};

world flooding(const graph& g, const link_spec& spec, std::uint64_t seed, std::uint64_t more = 0) {
  world w(seed);
  for (graph::vertex v = 0; v < g.size(); ++v) {
    flooder next;
    for (const graph::vertex each : g.neighbours(v)) next.neighbours.push_back(peer{each});
    w.add(std::move(next));
  }
  for (std::uint64_t i = 0; i < more; ++i) w.add(flooder{});
  w.connect(g, spec);
  w.post(peer{0}, {}, bytes_in("news"));
  w.run();
  return w;
}

// Each vertex but the first sends by all its edges but one: 2E - (n - 1); on a tree n - 1. The news comes
// by shortest paths.
TEST(world, floods_with_the_known_number_of_messages) {
  for (const graph& g : {tree(5, 3), line(40), ring(41), grid(13, 17), complete(30),
                         random_regular(200, 4, 1), power_law(300, 3, 2), fat_tree(6).whole}) {
    SCOPED_TRACE(::testing::Message() << g.size() << " vertices, " << g.edges() << " edges");
    world w = flooding(g, {.delay = 1ms}, 1);
    const std::vector<std::uint32_t> hops = distances(g, 0);
    for (graph::vertex v = 0; v < g.size(); ++v) {
      ASSERT_TRUE(w.get<flooder>(peer{v}).knows);
      ASSERT_EQ(w.get<flooder>(peer{v}).when, time(hops[v] * 1ms)) << v;
    }
    EXPECT_EQ(w.sent().messages, 2 * g.edges() - (g.size() - 1));
    EXPECT_EQ(w.delivered().messages, w.sent().messages + 1);  // and the one that was posted
  }
}

TEST(world, loses_by_seed_and_link) {
  const graph g = complete(300);  // 89,401 messages, if all arrived
  const link_spec spec{.delay = 1ms, .loss = 0.1};
  const world w = flooding(g, spec, 1);
  std::uint64_t lost = 0;
  for (graph::vertex a = 0; a < g.size(); ++a) {
    for (graph::vertex b = 0; b < g.size(); ++b) lost += w.counts(peer{a}, peer{b}).lost;
  }
  EXPECT_TRUE(testing::plausible_count(lost, w.sent().messages, 0.1));
  EXPECT_EQ(flooding(g, spec, 1).heard().summary(), w.heard().summary());
  EXPECT_NE(flooding(g, spec, 2).heard().summary(), w.heard().summary());
  // Others who have nothing to say, and are nobody's neighbours, change nothing.
  EXPECT_EQ(flooding(g, spec, 1, 50).heard().summary(), w.heard().summary());
}

TEST(world, loses_from_when_it_is_told_to) {
  world w(3);
  const peer a = w.add(scribe{.at_tick = [](outbox& out) {
    out.send(peer{1}, bytes_in("b"));
    out.send(peer{2}, bytes_in("c"));
  }});
  const peer b = w.add(scribe{});
  const peer c = w.add(scribe{});
  w.connect(a, b, {});
  w.connect_all({});
  const auto heard_after = [&](double loss, int ticks) {
    w.lose(loss);
    for (int i = 0; i < ticks; ++i) w.wake(a, w.now(), 0);
    w.run();
    // Beside that they were started.
    return std::pair(w.get<scribe>(b).heard.size() - 1, w.get<scribe>(c).heard.size() - 1);
  };
  EXPECT_EQ(heard_after(0, 10), std::pair(std::size_t{10}, std::size_t{10}));
  EXPECT_EQ(heard_after(1, 10), std::pair(std::size_t{10}, std::size_t{10}));
  EXPECT_EQ(heard_after(0, 10), std::pair(std::size_t{20}, std::size_t{20}));
  const auto [linked, lazily] = heard_after(0.5, 1000);
  EXPECT_TRUE(testing::plausible_count(linked - 20, 1000, 0.5));
  EXPECT_TRUE(testing::plausible_count(lazily - 20, 1000, 0.5));
  EXPECT_TRUE(testing::throws_error(errc::invalid, "loss", [&] { w.lose(1.5); }));
}

TEST(world, losses_of_a_link_are_its_own) {
  const link_spec spec{.loss = 0.5};
  const auto heard_from_first = [&](bool third) {
    world w(3);
    const peer a = w.add(scribe{.at_tick = [](outbox& out) { out.send(peer{1}, bytes_in("a")); }});
    const peer b = w.add(scribe{});
    if (third) {  // whose links are made first, and who speaks first
      const peer c =
          w.add(scribe{.at_tick = [](outbox& out) { out.send(peer{1}, bytes_in("c")); }});
      w.connect(c, b, spec);
      for (int i = 0; i < 100; ++i) w.wake(c, time(i * 1us), 0);
    }
    w.connect(a, b, spec);
    for (int i = 0; i < 100; ++i) w.wake(a, time(i * 1us), 0);
    w.run();
    notes words;
    for (const std::string& each : w.get<scribe>(b).heard) {
      if (each.ends_with("0:a")) words.push_back(each);
    }
    return words;
  };
  EXPECT_EQ(heard_from_first(true), heard_from_first(false));
  EXPECT_LT(heard_from_first(false).size(), 100U);
}

TEST(transcript, depends_on_all_that_is_said) {
  const auto of = [](time when, peer from, peer to, std::string_view message) {
    transcript one;
    one.add(when, from, to, bytes_in(message));
    return one.summary();
  };
  const digest said = of({}, peer{1}, peer{2}, "x");
  EXPECT_EQ(of({}, peer{1}, peer{2}, "x"), said);
  EXPECT_NE(of(time(1ns), peer{1}, peer{2}, "x"), said);
  EXPECT_NE(of({}, peer{3}, peer{2}, "x"), said);
  EXPECT_NE(of({}, peer{1}, peer{3}, "x"), said);
  EXPECT_NE(of({}, peer{2}, peer{1}, "x"), said);
  EXPECT_NE(of({}, peer{1}, peer{2}, "y"), said);
  transcript two;
  two.add({}, peer{1}, peer{2}, bytes_in("x"));
  two.add({}, peer{1}, peer{2}, bytes_in("y"));
  transcript other;
  other.add({}, peer{1}, peer{2}, bytes_in("y"));
  other.add({}, peer{1}, peer{2}, bytes_in("x"));
  EXPECT_NE(two.summary(), other.summary());
}

// A ring of 10^4: each passes a token on 100 times, so that 10^4 are under way at any time.
struct passer {
  peer next;
  std::uint64_t left = 100;
  void start(time /*now*/, outbox& out) {
    out.send(next, bytes_in("a token of some forty bytes, as is usual"));
  }
  void tick(time /*now*/, std::uint64_t /*token*/, outbox& /*out*/) {}
  void receive(time /*now*/, peer /*from*/, byte_view message, outbox& out) {
    if (--left > 0) out.send(next, message);
  }
};

TEST(world, carries_a_million_messages_among_ten_thousand_parties) {
  constexpr std::uint32_t parties = 10'000;
  world w(1);
  for (std::uint32_t i = 0; i < parties; ++i) w.add(passer{peer{(i + 1) % parties}});
  w.connect(ring(parties), {.delay = 1ms, .bits_per_second = 1'000'000'000});
  w.run();
  EXPECT_EQ(w.delivered(), (traffic{1'000'000, 40'000'000}));
}

}  // namespace
}  // namespace bloomery::lab
