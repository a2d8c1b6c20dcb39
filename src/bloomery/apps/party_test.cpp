#include "bloomery/apps/party.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace bloomery::apps {
namespace {

using namespace std::chrono_literals;

class recording_outbox final : public outbox {
 public:
  std::vector<peer> to;
  std::vector<std::pair<time, std::uint64_t>> wakes;
  std::vector<event> events;

 private:
  void do_send(peer who, byte_view /*message*/) override { to.push_back(who); }
  void do_wake(time at, std::uint64_t token) override { wakes.emplace_back(at, token); }
  void do_tell(const event& happened) override { events.push_back(happened); }
};

struct repeating_party {
  static void start(time now, outbox& out) { out.wake(now + 1s, 5); }
  static void receive(time /*now*/, peer from, byte_view message, outbox& out) {
    out.send(from, message);
    out.send(peer{9}, message.first(1));
  }
  static void tick(time /*now*/, std::uint64_t token, outbox& out) { out.tell({"ticked", token}); }
};
struct lacks_tick {
  void start(time now, outbox& out);
  void receive(time now, peer from, byte_view message, outbox& out);
};
static_assert(party<repeating_party> && party<any_party> && !party<lacks_tick>);

TEST(outbox, counts_messages_and_bytes) {
  any_party held(repeating_party{});
  recording_outbox out;
  held.start(time(2s), out);
  held.receive({}, peer{4}, std::array{std::byte{1}, std::byte{2}, std::byte{3}}, out);
  held.tick({}, 11, out);
  EXPECT_EQ(out.sent(), (traffic{2, 4}));
  EXPECT_EQ(out.to, (std::vector{peer{4}, peer{9}}));
  EXPECT_EQ(out.wakes, (std::vector<std::pair<time, std::uint64_t>>{{time(3s), 5}}));
  ASSERT_EQ(out.events.size(), 1U);
  EXPECT_EQ(out.events[0].name, "ticked");
  EXPECT_EQ(out.events[0].amount, 11U);
}

TEST(any_party, gives_back_what_it_holds) {
  any_party held(repeating_party{});
  EXPECT_NE(held.get_if<repeating_party>(), nullptr);
  EXPECT_EQ(held.get_if<lacks_tick>(), nullptr);
}

}  // namespace
}  // namespace bloomery::apps
