#include "bloomery/net/loop.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/net/child.hpp"
#include "testing.hpp"
#include "worlds.hpp"

namespace bloomery::net {
namespace {

using namespace std::chrono_literals;
using apps::time;
using bloomery::testing::throws_error;

byte_view in_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}
std::string in_text(byte_view bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Does what it was made for, and notes what it hears.
struct actor {
  std::function<void(outbox&)> at_start{};
  std::function<void(peer, byte_view, outbox&)> at_message{};
  std::function<void(std::uint64_t, outbox&)> at_tick{};
  std::vector<std::string> heard{};

  void start(time, outbox& out) {
    if (at_start) at_start(out);
  }
  void receive(time, peer from, byte_view message, outbox& out) {
    heard.push_back(in_text(message));
    if (at_message) at_message(from, message, out);
  }
  void tick(time, std::uint64_t token, outbox& out) {
    heard.push_back("tick " + std::to_string(token));
    if (at_tick) at_tick(token, out);
  }
};

actor echo() {
  return {.at_message = [](peer from, byte_view message, outbox& out) { out.send(from, message); }};
}

// Runs both until `done`, a step each in turn.
void run_both(loop& a, loop& b, const std::function<bool()>& done) {
  for (int i = 0; i < 100'000 && !done(); ++i) {
    a.step(0ms);
    b.step(0ms);
  }
  ASSERT_TRUE(done());
}

TEST(loop, talks_over_a_pair_of_pipes) {
  descriptor_pair there = make_pipe();
  descriptor_pair back = make_pipe();
  loop a(actor{.at_start = [](outbox& out) { out.send(peer{0}, in_bytes("hello")); }});
  loop b(echo());
  a.add_stream(std::move(back.first), std::move(there.second), "b");
  b.add_stream(std::move(there.first), std::move(back.second), "a");
  run_both(a, b, [&] { return !a.get<actor>().heard.empty(); });
  EXPECT_EQ(a.get<actor>().heard, std::vector<std::string>{"hello"});
  EXPECT_EQ(a.sent(), (apps::traffic{1, 5}));
  EXPECT_EQ(a.received(), a.sent());
  EXPECT_EQ(a.stream_bytes_sent(), 5 + frame_header_bytes);
  EXPECT_EQ(b.stream_bytes_received(), 5 + frame_header_bytes);
}

// `cat` is a partner that says what it is told.
TEST(loop, talks_to_a_program_that_a_command_starts) {
  const std::string large(3'000'000, 'x');
  loop one(actor{.at_start = [&](outbox& out) { out.send(peer{0}, in_bytes(large)); }},
           {.message_bytes = 4'000'000});
  one.add_child("exec cat");
  EXPECT_EQ(one.run([&] { return !one.get<actor>().heard.empty(); }), ending::done);
  EXPECT_EQ(one.get<actor>().heard.front(), large);
}

TEST(loop, a_program_that_ends_early_is_named) {
  loop one(actor{.at_start = [](outbox& out) { out.send(peer{0}, in_bytes("hello")); }});
  one.add_child("exit 7");
  EXPECT_TRUE(throws_error(errc::io, "'exit 7' ended with status 7 before the work was done",
                           [&] { one.run([] { return false; }); }));
  loop killed(actor{});
  killed.add_child("kill -9 $$");
  EXPECT_TRUE(
      throws_error(errc::io, "was ended by signal 9", [&] { killed.run([] { return false; }); }));
}

// A partner that is given megabytes and reads none ends with an error, not with a signal.
TEST(loop, a_broken_pipe_is_an_error) {
  loop one(actor{
      .at_start = [](outbox& out) { out.send(peer{0}, in_bytes(std::string(1'000'000, 'x'))); }});
  one.add_child("exec <&-; sleep 0.05");
  EXPECT_TRUE(throws_error(errc::io, "", [&] { one.run([] { return false; }); }));
}

// Who has said all and gone need not take what was still to be sent to it: its last word counts.
TEST(loop, who_goes_after_its_last_word_has_said_it) {
  descriptor_pair there = make_pipe();
  descriptor_pair back = make_pipe();
  std::vector<std::byte> said;
  append_frame(said, in_bytes("all"));
  ASSERT_EQ(::write(back.second.number(), said.data(), said.size()),
            static_cast<ssize_t>(said.size()));
  there.first.close();
  back.second.close();
  loop one(actor{
      .at_start = [](outbox& out) { out.send(peer{0}, in_bytes("more")); },
      .at_message = [](peer from, byte_view, outbox& out) { out.send(from, in_bytes("more")); }});
  one.add_stream(std::move(back.first), std::move(there.second), "b");
  EXPECT_EQ(one.run([&] { return !one.get<actor>().heard.empty(); }), ending::done);
  EXPECT_TRUE(throws_error(errc::io, "b ended the connection before the work was done",
                           [&] { one.run([] { return false; }); }));
}

// What it said may still be under way, as when its words go through another program.
TEST(loop, who_takes_nothing_any_more_is_heard) {
  descriptor_pair there = make_pipe();
  descriptor_pair back = make_pipe();
  there.first.close();
  loop one(actor{.at_start = [](outbox& out) { out.send(peer{0}, in_bytes("more")); }});
  one.add_stream(std::move(back.first), std::move(there.second), "b");
  one.step(0ms);
  one.step(0ms);
  one.send(peer{0}, in_bytes("more"));
  EXPECT_EQ(one.dropped(), 1U);
  EXPECT_FALSE(one.pending());
  std::vector<std::byte> said;
  append_frame(said, in_bytes("all"));
  ASSERT_EQ(::write(back.second.number(), said.data(), said.size()),
            static_cast<ssize_t>(said.size()));
  EXPECT_EQ(one.run([&] { return !one.get<actor>().heard.empty(); }), ending::done);
}

TEST(loop, no_child_is_left_behind) {
  { child stubborn("trap '' TERM; while :; do sleep 0.01; done"); }
  errno = 0;
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(loop, talks_over_tcp_and_ipv6) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    loop server(echo());
    server.on_leave([](peer, const error*, outbox&) {});
    const endpoint where = server.listen({host, 0});
    EXPECT_NE(where.port, 0);
    loop client(actor{.at_start = [](outbox& out) { out.send(peer{0}, in_bytes("hello")); }});
    client.connect(where);
    run_both(client, server, [&] { return !client.get<actor>().heard.empty(); });
    EXPECT_EQ(server.peers(), 1U);
  }
  loop none(actor{});
  EXPECT_TRUE(throws_error(errc::io, "127.0.0.1:1: ", [&] { none.connect({"127.0.0.1", 1}); }));
}

TEST(loop, dials_without_waiting_and_tells_where_nobody_is) {
  loop server(echo());
  server.on_leave([](peer, const error*, outbox&) {});
  const endpoint where = server.listen({"127.0.0.1", 0});
  loop client(actor{});
  std::vector<std::string> lost;
  client.on_leave([&](peer, const error* why, outbox&) { lost.emplace_back(why->what()); });
  const peer there = client.dial(where);
  client.send(there, in_bytes("hello"));  // goes when there is an answer
  EXPECT_TRUE(client.get<actor>().heard.empty());
  run_both(client, server, [&] { return !client.get<actor>().heard.empty(); });
  EXPECT_EQ(client.get<actor>().heard, std::vector<std::string>{"hello"});
  client.send(client.dial({"127.0.0.1", 1}), in_bytes("hello"));
  run_both(client, server, [&] { return !lost.empty(); });
  EXPECT_NE(lost.at(0).find("127.0.0.1:1: "), std::string::npos) << lost.at(0);
  EXPECT_EQ(client.peers(), 1U);
  client.drop(there);
  run_both(client, server, [&] { return client.peers() == 0; });
  EXPECT_EQ(lost.size(), 1U);  // who drops need not be told
}

TEST(loop, talks_by_datagrams) {
  loop server(echo(), {.message_bytes = 100, .peers = 2});
  const endpoint where = server.bind_datagrams({"127.0.0.1", 0});
  std::vector<std::unique_ptr<loop>> clients;
  for (int i = 0; i < 3; ++i) {
    loop& one = *clients.emplace_back(std::make_unique<loop>(actor{}));
    one.bind_datagrams({"127.0.0.1", 0});
    const peer to = one.add_datagram_peer(where);
    one.send(to, in_bytes("from " + std::to_string(i)));
    one.send(to, in_bytes(std::string(101, 'x')));  // dropped there
  }
  for (int i = 0; i < 100; ++i) {
    server.step(1ms);
    for (const auto& each : clients) each->step(0ms);
  }
  EXPECT_EQ(server.peers(), 2U);
  EXPECT_EQ(clients[0]->get<actor>().heard, std::vector<std::string>{"from 0"});
  EXPECT_EQ(clients[1]->get<actor>().heard, std::vector<std::string>{"from 1"});
  EXPECT_TRUE(clients[2]->get<actor>().heard.empty());  // a peer too many
  EXPECT_EQ(server.dropped(), 4U);
  EXPECT_TRUE(throws_error(errc::limit, "datagram",
                           [&] { clients[0]->send(peer{0}, in_bytes(std::string(70'000, 'x'))); }));
}

TEST(loop, wakes_in_the_order_of_time) {
  loop one(actor{.at_start = [](outbox& out) {
    out.wake(time(20ms), 3);
    out.wake(time(1ms), 1);
    out.wake(time(10ms), 2);
    out.wake(time(0ms), 0);
  }});
  EXPECT_EQ(one.run(), ending::deserted);
  EXPECT_EQ(one.get<actor>().heard,
            (std::vector<std::string>{"tick 0", "tick 1", "tick 2", "tick 3"}));
  EXPECT_GE(one.now(), time(20ms));
}

// What a liar or a quitter sends costs an error, that peer, and nothing else.
TEST(loop, bad_peers_cost_only_themselves) {
  loop server(echo(), {.message_bytes = 1000});
  std::vector<std::string> left;
  server.on_leave([&](peer, const error* reason, outbox&) {
    left.emplace_back(reason == nullptr ? "just left" : reason->what());
  });
  const auto tell = [&](std::string_view raw, bool close) {
    auto [mine, theirs] = make_sockets();
    server.add_stream(std::move(mine), "somebody");
    EXPECT_EQ(::write(theirs.number(), raw.data(), raw.size()), static_cast<ssize_t>(raw.size()));
    if (close) theirs.close();
    for (int i = 0; i < 10; ++i) server.step(0ms);
    return std::move(theirs);
  };
  const descriptor liar = tell("\xff\xff\xff\x7f lies", false);
  tell(std::string_view("\x05\0\0\0cut", 7), true);
  tell(std::string_view("\x01\0", 2), true);
  tell("", true);
  tell(std::string_view("\x02\0\0\0ok", 6), true);
  ASSERT_EQ(left.size(), 5U);
  EXPECT_NE(left[0].find("at most 1000"), std::string::npos) << left[0];
  EXPECT_NE(left[1].find("ended within a message"), std::string::npos) << left[1];
  EXPECT_NE(left[2].find("ended within a message"), std::string::npos) << left[2];
  EXPECT_EQ(left[3], "just left");
  EXPECT_EQ(server.peers(), 0U);
  EXPECT_EQ(server.get<actor>().heard, std::vector<std::string>{"ok"});
}

// Who says a byte now and then is as silent as who says nothing; whole messages may be as small.
TEST(loop, who_dribbles_is_lost) {
  const auto hears = [](std::string_view text) {
    loop server(actor{}, {.idle = 200ms});
    auto [mine, theirs] = make_sockets();
    server.add_stream(std::move(mine), "a dribbler");
    std::string problem;
    try {
      for (const char each : text) {
        EXPECT_EQ(::write(theirs.number(), &each, 1), 1);
        ::poll(nullptr, 0, 5);
        server.step(0ms);
      }
    } catch (const error& caught) {
      problem = caught.what();
    }
    return std::pair(problem, server.get<actor>().heard.size());
  };
  // 100 bytes of a message of 64 KiB in half a second or more.
  std::string dribble("\0\0\1\0", 4);
  dribble.resize(100, 'x');
  EXPECT_NE(hears(dribble).first.find("a dribbler: nothing was heard of it"), std::string::npos);
}

TEST(loop, what_one_peer_may_say_in_all_has_a_limit) {
  loop server(echo(), {.said_bytes = 30});
  auto [mine, theirs] = make_sockets();
  server.add_stream(std::move(mine), "a talker");
  loop other(actor{});
  const peer to = other.add_stream(std::move(theirs), "me");
  const auto says = [&](std::string_view text) {
    other.send(to, in_bytes(text));
    other.step(0ms);
    server.step(0ms);
  };
  says("ten bytes!");
  says("ten bytes!");
  EXPECT_EQ(server.get<actor>().heard.size(), 2U);
  EXPECT_TRUE(throws_error(errc::limit, "a talker: it has said more than 30", [&] { says("!"); }));
}

// Who has no more descriptors keeps those that it has, and goes on when one is free.
TEST(loop, a_crowd_waits_until_the_system_has_room) {
  loop server(echo());
  server.on_leave([](peer, const error*, outbox&) {});
  const endpoint where = server.listen({"127.0.0.1", 0});
  auto first = std::make_unique<loop>(actor{});
  first->send(first->connect(where), in_bytes("1"));
  run_both(*first, server, [&] { return !first->get<actor>().heard.empty(); });
  loop second(actor{});
  second.send(second.connect(where), in_bytes("2"));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const descriptor next(::dup(STDIN_FILENO));
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next.number());  // the lowest that is free, and so no more
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_NO_THROW({
    for (int i = 0; i < 10; ++i) server.step(1ms);
  });
  EXPECT_EQ(server.peers(), 1U);
  first->send(peer{0}, in_bytes("again"));
  run_both(*first, server, [&] { return first->get<actor>().heard.size() == 2; });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  first.reset();
  run_both(second, server, [&] { return !second.get<actor>().heard.empty(); });
}

TEST(loop, what_a_party_throws_at_a_message_costs_its_sender) {
  loop strict(actor{
      .at_message = [](peer, byte_view, outbox&) { fail(errc::corrupt, "this is no message"); }});
  auto [mine, theirs] = make_sockets();
  strict.add_stream(std::move(mine), "somebody");
  loop other(actor{});
  other.send(other.add_stream(std::move(theirs), "me"), in_bytes("?"));
  other.step(0ms);
  EXPECT_TRUE(throws_error(errc::corrupt, "somebody: this is no message",
                           [&] { strict.run([] { return false; }); }));
}

// Who is refused hears what the party said before.
TEST(loop, the_last_word_reaches_who_is_refused) {
  loop strict(actor{.at_message = [](peer from, byte_view, outbox& out) {
    out.send(from, in_bytes("no"));
    fail(errc::corrupt, "this is no message");
  }});
  auto [mine, theirs] = make_sockets();
  strict.add_stream(std::move(mine), "somebody");
  loop other(actor{});
  other.send(other.add_stream(std::move(theirs), "me"), in_bytes("?"));
  other.step(0ms);
  EXPECT_TRUE(throws_error(errc::corrupt, "", [&] { strict.run([] { return false; }); }));
  other.step(0ms);
  EXPECT_EQ(other.get<actor>().heard, std::vector<std::string>{"no"});
}

// Who asks and never reads the answers is not listened to any more; what is held for it stays bounded.
TEST(loop, a_flood_is_held_back) {
  std::size_t asked = 0;
  const std::string answer(10'000, 'a');
  loop server(actor{.at_message =
                        [&](peer from, byte_view, outbox& out) {
                          ++asked;
                          out.send(from, in_bytes(answer));
                        }},
              {.message_bytes = 1000, .unread_bytes = 100'000, .idle = 50ms});
  auto [mine, theirs] = make_sockets();
  const int small = 4096;
  ::setsockopt(mine.number(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  server.add_stream(std::move(mine), "a flooder");
  std::vector<std::byte> questions;
  for (int i = 0; i < 1'000'000; ++i) append_frame(questions, in_bytes("?"));
  std::size_t written = 0;
  std::string problem;
  try {
    for (int i = 0; i < 1000; ++i) {
      const ssize_t got = ::send(theirs.number(), questions.data() + written,
                                 questions.size() - written, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (got > 0) written += static_cast<std::size_t>(got);
      server.step(5ms);
    }
  } catch (const error& caught) {
    problem = caught.what();
  }
  EXPECT_NE(problem.find("a flooder: nothing was heard of it, nor taken by it"), std::string::npos)
      << problem;
  EXPECT_LT(asked, 100U);
  EXPECT_LT(written, 2'000'000U);  // what the system holds of it, and a read; not all 5 MB
}

TEST(loop, too_much_for_one_peer_is_an_error) {
  loop server(actor{.at_message =
                        [](peer from, byte_view, outbox& out) {
                          for (int i = 0; i < 100; ++i) {
                            out.send(from, in_bytes(std::string(100'000, 'a')));
                          }
                        }},
              {.queued_bytes = 1'000'000});
  auto [mine, theirs] = make_sockets();
  server.add_stream(std::move(mine), "a friend");
  loop other(actor{});
  other.send(other.add_stream(std::move(theirs), "me"), in_bytes("?"));
  other.step(0ms);
  EXPECT_TRUE(
      throws_error(errc::limit, "wait to be sent", [&] { server.run([] { return false; }); }));
}

TEST(loop, more_peers_wait_until_there_is_room) {
  loop server(echo(), {.peers = 1});
  server.on_leave([](peer, const error*, outbox&) {});
  const endpoint where = server.listen({"127.0.0.1", 0});
  auto first = std::make_unique<loop>(actor{});
  first->send(first->connect(where), in_bytes("1"));
  loop second(actor{});
  second.send(second.connect(where), in_bytes("2"));
  run_both(*first, server, [&] { return !first->get<actor>().heard.empty(); });
  for (int i = 0; i < 10; ++i) {
    second.step(1ms);
    server.step(0ms);
  }
  EXPECT_TRUE(second.get<actor>().heard.empty());
  first.reset();
  run_both(second, server, [&] { return !second.get<actor>().heard.empty(); });
  loop full(actor{}, {.peers = 0});
  EXPECT_TRUE(throws_error(errc::limit, "at most 0 peers", [&] { full.connect(where); }));
}

// Anybody may come, and stay without a word: that keeps nobody out.
TEST(loop, who_was_silent_for_longest_makes_room) {
  loop server(echo(), {.peers = 2, .full = crowding::drop_longest});
  std::vector<peer> left;
  server.on_leave([&](peer who, const error*, outbox&) { left.push_back(who); });
  const endpoint where = server.listen({"127.0.0.1", 0});
  std::vector<std::unique_ptr<loop>> clients;
  const auto comes = [&](bool speaks) {
    clients.push_back(std::make_unique<loop>(actor{}));
    loop& client = *clients.back();
    client.on_leave([](peer, const error*, outbox&) {});
    const peer there = client.connect(where);
    if (!speaks) {
      for (int i = 0; i < 3; ++i) server.step(1ms);
      return;
    }
    client.send(there, in_bytes("?"));
    run_both(client, server, [&] { return !client.get<actor>().heard.empty(); });
  };
  comes(false);
  comes(true);
  EXPECT_TRUE(left.empty());
  comes(true);
  EXPECT_EQ(left, std::vector{peer{0}});  // it had not said anything
  comes(true);
  EXPECT_EQ(left, (std::vector{peer{0}, peer{1}}));
  for (int i = 0; i < 100; ++i) comes(false);
  comes(true);
  EXPECT_EQ(server.peers(), 2U);
}

TEST(loop, who_has_spoken_may_stay_where_the_silent_go) {
  loop server(echo(), {.peers = 1, .full = crowding::drop_silent});
  server.on_leave([](peer, const error*, outbox&) {});
  const endpoint where = server.listen({"127.0.0.1", 0});
  loop silent(actor{});
  silent.connect(where);
  for (int i = 0; i < 1000 && server.peers() < 1; ++i) server.step(1ms);
  loop neighbour(actor{});
  neighbour.send(neighbour.connect(where), in_bytes("1"));
  run_both(neighbour, server, [&] { return !neighbour.get<actor>().heard.empty(); });
  loop late(actor{});
  late.send(late.connect(where), in_bytes("2"));
  for (int i = 0; i < 10; ++i) {
    late.step(1ms);
    server.step(0ms);
  }
  EXPECT_TRUE(late.get<actor>().heard.empty());
}

// A process has only so many descriptors; who comes then has to wait, and nothing ends.
TEST(loop, newcomers_wait_while_the_system_can_open_no_more) {
  loop server(echo());
  const endpoint where = server.listen({"127.0.0.1", 0});
  loop client(actor{});
  client.send(client.connect(where), in_bytes("1"));
  client.step(0ms);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  {
    const descriptor next(::dup(0));
    none.rlim_cur = static_cast<rlim_t>(next.number());
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  for (int i = 0; i < 10; ++i) EXPECT_NO_THROW(server.step(1ms));
  EXPECT_EQ(server.peers(), 0U);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  for (int i = 0; i < 10'000 && client.get<actor>().heard.empty(); ++i) {
    server.step(1ms);
    client.step(0ms);
  }
  EXPECT_EQ(client.get<actor>().heard, std::vector<std::string>{"1"});
}

// What is too long to be held is made as it is taken.
TEST(loop, a_stream_that_has_taken_everything_is_told_of) {
  loop server(echo());
  std::size_t sent = 0;
  server.on_taken([&](peer who, outbox& out) {
    if (++sent < 100) out.send(who, in_bytes(std::string(10'000, 'x')));
  });
  auto [mine, theirs] = make_sockets();
  server.add_stream(std::move(mine), "a friend");
  loop other(actor{});
  other.send(other.add_stream(std::move(theirs), "me"), in_bytes("?"));
  run_both(other, server, [&] { return other.get<actor>().heard.size() == 100; });
  EXPECT_EQ(sent, 100U);
}

// Who has asked, and ended to speak, still wants its answer, however long that is.
TEST(loop, who_only_listens_is_answered_if_that_is_wanted) {
  for (const bool owed : {true, false}) {
    std::size_t sent = 0;
    std::size_t left = 0;
    loop server(actor{.at_message = [&](peer from, byte_view, outbox& out) {
      out.send(from, in_bytes(std::string(300'000, 'x')));
      ++sent;
    }});
    server.on_taken([&](peer who, outbox& out) {
      if (sent++ < 20) out.send(who, in_bytes(std::string(300'000, 'x')));
    });
    if (owed) server.on_end([&](peer) { return sent < 20; });
    server.on_leave([&](peer, const error* why, outbox&) { left += why == nullptr ? 1 : 100; });
    const endpoint where = server.listen({"127.0.0.1", 0});
    descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const auto to = resolve(where, transport::stream, false);
    ::connect(client.number(), to.front().get(), to.front().size);
    pollfd ready{.fd = client.number(), .events = POLLOUT, .revents = 0};
    ASSERT_EQ(::poll(&ready, 1, 10'000), 1);
    std::vector<std::byte> asked;
    append_frame(asked, in_bytes("?"));
    ASSERT_EQ(::send(client.number(), asked.data(), asked.size(), 0),
              static_cast<ssize_t>(asked.size()));
    ::shutdown(client.number(), SHUT_WR);
    std::size_t got = 0;
    std::vector<char> room(1 << 16);
    ssize_t some = 1;
    for (int i = 0; i < 1'000'000 && some != 0; ++i) {
      server.step(0ms);
      some = ::recv(client.number(), room.data(), room.size(), 0);
      if (some > 0) got += static_cast<std::size_t>(some);
    }
    EXPECT_EQ(left, 1U);
    EXPECT_EQ(server.peers(), 0U);
    EXPECT_EQ(got == 20 * (300'000 + frame_header_bytes), owed) << got;
  }
}

TEST(loop, messages_to_who_has_gone_are_dropped_and_strangers_refused) {
  loop one(actor{});
  auto [mine, theirs] = make_sockets();
  const peer who = one.add_stream(std::move(mine), "b");
  EXPECT_TRUE(throws_error(errc::invalid, "peer 7", [&] { one.send(peer{7}, {}); }));
  one.close(who);
  one.send(who, in_bytes("late"));
  EXPECT_EQ(one.dropped(), 1U);
  one.step(0ms);
  EXPECT_EQ(one.peers(), 0U);
  EXPECT_EQ(one.run(), ending::deserted);
}

TEST(loop, ends_at_a_signal) {
  for (const int signal : {SIGTERM, SIGINT}) {
    stop_signals signals;
    EXPECT_TRUE(throws_error(errc::invalid, "already waits", [] { stop_signals second; }));
    loop one(actor{.at_start = [](outbox& out) { out.wake(time(10min), 1); }});
    one.stop_on(signals);
    EXPECT_FALSE(signals.arrived());
    ::raise(signal);
    EXPECT_TRUE(signals.arrived());
    EXPECT_EQ(one.run(), ending::stopped);
  }
}

// All together get what time there is for what they were still to be told: a second, not one each.
TEST(loop, who_reads_nothing_does_not_keep_it_from_ending) {
  constexpr int crowd = 100;
  loop server(actor{});
  std::vector<descriptor> theirs;
  for (int i = 0; i < crowd; ++i) {
    auto [mine, other] = make_sockets();
    const int small = 4096;
    ::setsockopt(mine.number(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    server.send(server.add_stream(std::move(mine), "a friend"),
                in_bytes(std::string(100'000, 'a')));
    theirs.push_back(std::move(other));
  }
  const auto began = std::chrono::steady_clock::now();
  server.stop();
  EXPECT_EQ(server.run(), ending::stopped);
  EXPECT_TRUE(server.pending());  // they did read nothing
  EXPECT_LT(std::chrono::steady_clock::now() - began, crowd * 1s / 2);
}

TEST(loop, worlds_agree) {
  testing::scenario ring = testing::gossip_in_a_ring();
  const lab::link_transcripts lab = testing::in_the_lab(ring, {.delay = 3ms});
  EXPECT_EQ(lab.messages(), 20U * 2 * ring.parties.size());
  EXPECT_TRUE(testing::over_sockets(ring) == lab);
  // And the comparison sees a difference.
  ring.parties.back() = [] {
    return testing::gossip{.neighbours = {peer{0}, peer{4}}, .seed = 99};
  };
  EXPECT_FALSE(testing::over_sockets(ring) == lab);
}

}  // namespace
}  // namespace bloomery::net
