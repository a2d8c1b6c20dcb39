#include "bloomery/apps/forwarder.hpp"

#include <gtest/gtest.h>

#include <array>

namespace bloomery::apps {
namespace {

TEST(verdicts, choose_a_port_once_and_in_order) {
  verdicts out(4);
  out.begin();
  out.leave_by(port{3});
  out.leave_by(port{1});
  out.leave_by(port{3});
  out.end();
  EXPECT_EQ(std::vector(out.chosen().begin(), out.chosen().end()), (std::vector{port{3}, port{1}}));
  EXPECT_EQ(out.counted().copies, 2U);
  out.begin();
  out.leave_by(port{3});  // the last packet's choice is forgotten
  out.end();
  EXPECT_EQ(out.chosen().size(), 1U);
  EXPECT_EQ(out.counted().copies, 3U);
  EXPECT_EQ(out.counted().packets, 2U);
}

TEST(verdicts, drop_whatever_else_is_said_and_count_the_first_cause) {
  verdicts out(2);
  out.begin();
  out.leave_by(port{0});
  out.keep();
  out.drop(drop_cause::loop);
  out.drop(drop_cause::expired);
  out.leave_by(port{1});
  out.keep();
  out.end();
  EXPECT_TRUE(out.chosen().empty() && !out.kept());
  EXPECT_EQ(out.counted().dropped_for(drop_cause::loop), 1U);
  EXPECT_EQ(out.counted().dropped_for(drop_cause::expired), 0U);
  EXPECT_EQ(out.counted().kept, 0U);
}

TEST(verdicts, of_silence_are_no_route) {
  verdicts out(2);
  out.begin();
  out.drop(drop_cause::refused);
  out.end();
  out.begin();
  out.end();
  out.begin();
  out.keep();
  out.end();
  EXPECT_EQ(out.counted().dropped_for(drop_cause::no_route), 1U);
  EXPECT_EQ(out.counted().dropped_for(drop_cause::refused), 1U);
  EXPECT_EQ(out.counted().kept, 1U);
}

struct marking_forwarder {
  void forward(time /*now*/, port in, packet_view packet, verdicts& out) {
    packet[0] = std::byte{7};
    ++asked;
    out.leave_by(in);
  }
  int asked = 0;
};

TEST(any_forwarder, holds_one_of_any_type) {
  any_forwarder held(marking_forwarder{});
  verdicts out(1);
  std::array packet{std::byte{0}};
  out.begin();
  held.forward({}, port{0}, packet, out);
  EXPECT_EQ(packet[0], std::byte{7});
  EXPECT_EQ(out.chosen().size(), 1U);
  ASSERT_NE(held.get_if<marking_forwarder>(), nullptr);
  EXPECT_EQ(held.get_if<marking_forwarder>()->asked, 1);
  EXPECT_EQ(held.get_if<int>(), nullptr);
}

}  // namespace
}  // namespace bloomery::apps
