#include "bloomery/apps/lab/link.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "testing.hpp"

namespace bloomery::lab {
namespace {

using namespace std::chrono_literals;
using testing::throws_error;

constexpr std::uint64_t byte_a_microsecond = 8'000'000;

std::optional<time> at(std::chrono::nanoseconds since_begin) {
  return time(since_begin);
}

TEST(link, without_a_rate_only_delays) {
  link wire({.delay = 3ms}, random_stream(1));
  EXPECT_EQ(wire.transmit(time(1s), 1'000'000), at(1s + 3ms));
  EXPECT_EQ(wire.transmit(time(1s), 1), at(1s + 3ms));
}

TEST(link, sends_one_after_the_other) {
  link wire({.delay = 10ms, .bits_per_second = byte_a_microsecond}, random_stream(1));
  EXPECT_EQ(wire.transmit(time(0ms), 1000), at(11ms));
  EXPECT_EQ(wire.transmit(time(0ms), 2000), at(13ms));
  EXPECT_EQ(wire.transmit(time(2ms), 1000), at(14ms));  // waits for 1 ms
  EXPECT_EQ(wire.transmit(time(5ms), 1000), at(16ms));  // finds the link free again
  EXPECT_EQ(wire.counts().sent, (traffic{4, 5000}));
  EXPECT_EQ(wire.counts().arriving(), 4U);
}

TEST(link, rounds_up_to_a_nanosecond) {
  link wire({.bits_per_second = 3'000'000'000}, random_stream(1));
  EXPECT_EQ(wire.transmit({}, 1), at(3ns));  // 8/3
  EXPECT_EQ(wire.transmit({}, 3), at(11ns));
}

// 1000 bytes may wait: at 500 µs the 1000 bytes of the first have 500 left, so 500 more fit and no byte
// beside them; a free link takes what would never wait.
TEST(link, drops_what_its_queue_cannot_hold) {
  link wire({.bits_per_second = byte_a_microsecond, .queue_bytes = 1000}, random_stream(1));
  EXPECT_EQ(wire.transmit({}, 1000), at(1000us));
  EXPECT_EQ(wire.transmit(time(500us), 501), std::nullopt);
  EXPECT_EQ(wire.transmit(time(500us), 500), at(1500us));
  EXPECT_EQ(wire.transmit(time(500us), 1), std::nullopt);
  EXPECT_EQ(wire.transmit(time(501us), 1), at(1501us));
  EXPECT_EQ(wire.transmit(time(1501us), 5000), at(6501us));
  EXPECT_EQ(wire.counts().dropped, 2U);
  EXPECT_EQ(wire.counts().lost, 0U);
  EXPECT_EQ(wire.counts().arriving(), 4U);
}

TEST(link, without_a_queue_takes_only_when_free) {
  link wire({.bits_per_second = byte_a_microsecond, .queue_bytes = 0}, random_stream(1));
  EXPECT_EQ(wire.transmit({}, 10), at(10us));
  EXPECT_EQ(wire.transmit(time(9us), 10), std::nullopt);
  EXPECT_EQ(wire.transmit(time(10us), 10), at(20us));
}

TEST(link, loses_its_share_and_what_is_lost_takes_its_time) {
  constexpr std::uint64_t messages = 200'000;
  link wire({.bits_per_second = byte_a_microsecond, .loss = 0.03}, random_stream(5));
  std::uint64_t arrived = 0;
  for (std::uint64_t i = 1; i <= messages; ++i) {
    const std::optional<time> arrival = wire.transmit({}, 100);
    if (!arrival) continue;
    ++arrived;
    ASSERT_EQ(*arrival, time(i * 100us));
  }
  EXPECT_TRUE(testing::plausible_count(wire.counts().lost, messages, 0.03));
  EXPECT_EQ(wire.counts().arriving(), arrived);
}

TEST(link, loses_all_or_nothing) {
  link never({.loss = 0}, random_stream(1));
  link always({.loss = 1}, random_stream(1));
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(never.transmit({}, 1));
    ASSERT_FALSE(always.transmit({}, 1));
  }
}

TEST(link, refuses_what_no_link_has) {
  const auto made = [](const link_spec& spec) {
    return [spec] { (void)link(spec, random_stream(1)); };
  };
  EXPECT_TRUE(throws_error(errc::invalid, "loss of a link is 1.5", made({.loss = 1.5})));
  EXPECT_TRUE(throws_error(errc::invalid, "loss of a link is nan", made({.loss = NAN})));
  EXPECT_TRUE(throws_error(errc::invalid, "delay of a link is -1 ns", made({.delay = -1ns})));
  EXPECT_TRUE(throws_error(errc::invalid, "allowed: 0 to 86400", made({.delay = 25h})));
}

TEST(link, ends_with_time) {
  link slow({.bits_per_second = 1}, random_stream(1));
  EXPECT_TRUE(throws_error(errc::limit, "292 years", [&] {
    for (;;) (void)slow.transmit({}, std::uint64_t{1} << 30);
  }));
}

}  // namespace
}  // namespace bloomery::lab
