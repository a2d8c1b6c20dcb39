#include "bloomery/net/standing_calls.hpp"

#include "testing.hpp"

namespace bloomery::net {
namespace {

using namespace std::chrono_literals;

struct idler {
  void start(apps::time, outbox&) {}
  void receive(apps::time, peer, byte_view, outbox&) {}
  void tick(apps::time, std::uint64_t, outbox&) {}
};

// Nobody is there, then somebody is, who goes and comes back on the same port.
TEST(standing_calls, find_whoever_comes_and_comes_back) {
  endpoint place;
  {
    loop passing(idler{});
    place = passing.listen({"127.0.0.1", 0});
  }
  loop caller(idler{});
  standing_calls calls({place}, {.least = 1ms, .longest = 4ms, .seed = 7});
  std::uint64_t lost = 0;
  caller.on_leave([&](peer who, const error*, outbox&) {
    ++lost;
    calls.gone(who, caller.now());
    EXPECT_FALSE(calls.which(who));
  });
  std::uint64_t begun = 0;
  const auto step = [&] {
    calls.tend(
        caller,
        [&](peer who, std::size_t which) {
          ++begun;
          EXPECT_EQ(which, 0);
          EXPECT_EQ(calls.which(who), 0);
        },
        [](const error& problem) { FAIL() << problem.what(); });
    caller.step(1ms);
  };
  while (lost < 5) step();
  for (int turn = 0; turn < 2; ++turn) {
    loop called(idler{});
    called.on_leave([](peer, const error*, outbox&) {});
    called.listen(place);
    while (called.peers() == 0) {
      step();
      called.step(0ms);
    }
    const std::uint64_t calls_before = begun;
    for (int i = 0; i < 20; ++i) step();
    EXPECT_EQ(begun, calls_before);  // one is enough
    calls.useful(*calls.connection_of(0));
  }
  const std::uint64_t before = lost;
  while (lost == before) step();
}

TEST(standing_calls, wait_longer_and_longer_and_no_longer_than_that) {
  loop caller(idler{}, {.peers = 1});
  auto [mine, theirs] = make_sockets();
  caller.add_stream(std::move(mine), "the only one");
  standing_calls calls({{"127.0.0.1", 1}}, {.least = 8ms, .longest = 32ms});
  const apps::time start = caller.now();
  int failures = 0;
  while (failures < 6) {
    calls.tend(
        caller, [](peer, std::size_t) { FAIL() << "there is no room"; },
        [&](const error& problem) {
          EXPECT_EQ(problem.code(), errc::limit);
          ++failures;
        });
    caller.step(1ms);
  }
  EXPECT_GE(caller.now() - start, 60ms);  // half of 8, 16, 32, 32 and 32 at least
}

}  // namespace
}  // namespace bloomery::net
