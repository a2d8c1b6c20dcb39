#include "bloomery/apps/lab/packet_node.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "bloomery/apps/lab/topology.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "testing.hpp"

namespace bloomery::lab {
namespace {

using namespace std::chrono_literals;
using testing::throws_error;

// The first byte of a packet is its time to live; it leaves by every port but that it came by.
struct flooding_switch {
  bool last = false;
  void forward(time /*now*/, port in, packet_view packet, verdicts& out) const {
    if (last) return out.keep();
    if (packet[0] == std::byte{0}) return out.drop(drop_cause::expired);
    packet[0] = std::byte(std::to_integer<unsigned>(packet[0]) - 1);
    for (std::uint32_t i = 0; i < out.ports(); ++i) {
      if (port{i} != in) out.leave_by(port{i});
    }
  }
};

struct landing {
  time when;
  peer where;
  unsigned hops_left;
  bool operator==(const landing&) const = default;
};

std::vector<landing> send_along_line(std::uint32_t nodes, unsigned hops, world& w) {
  std::vector<landing> landed;
  const graph g = line(nodes);
  for (graph::vertex v = 0; v < nodes; ++v) {
    w.add(packet_node(flooding_switch{v == nodes - 1}, g, v,
                      [&](time now, peer here, packet_view packet) {
                        landed.push_back({now, here, std::to_integer<unsigned>(packet[0])});
                      }));
  }
  w.connect(g, {.delay = 2ms});
  w.post(peer{0}, time(1ms), std::array{std::byte(hops), std::byte{42}});
  w.run();
  return landed;
}

TEST(packet_node, carries_a_packet_down_a_line) {
  world w(1);
  EXPECT_EQ(send_along_line(10, 20, w), (std::vector<landing>{{time(19ms), peer{9}, 11}}));
  EXPECT_EQ(w.sent(), (traffic{9, 18}));
  EXPECT_EQ(w.get<packet_node>(peer{9}).counted().kept, 1U);
  EXPECT_EQ(w.get<packet_node>(peer{4}).counted().copies, 1U);
}

TEST(packet_node, drops_where_the_time_to_live_ends) {
  world w(1);
  EXPECT_TRUE(send_along_line(10, 8, w).empty());
  EXPECT_EQ(w.get<packet_node>(peer{8}).counted().dropped_for(drop_cause::expired), 1U);
  EXPECT_EQ(w.sent().messages, 8U);
}

TEST(packet_node, judges_each_packet_anew) {
  world w(1);
  (void)send_along_line(3, 0, w);  // dropped by the first
  w.post(peer{0}, time(1s), std::array{std::byte{2}});
  w.run();
  EXPECT_EQ(w.get<packet_node>(peer{0}).counted().dropped_for(drop_cause::expired), 1U);
  EXPECT_EQ(w.get<packet_node>(peer{2}).counted().kept, 1U);
}

// Two packets go round a ring from where one was put in: without a time to live for ever.
TEST(packet_node, is_stopped_by_the_world_where_nothing_else_does) {
  struct endless {
    static void forward(time /*now*/, port in, packet_view /*packet*/, verdicts& out) {
      out.leave_by(port{in == port{0} ? 1U : 0U});
    }
  };
  world w(1, {.events = 500});
  const graph g = ring(5);
  for (graph::vertex v = 0; v < 5; ++v) w.add(packet_node(endless{}, g, v));
  w.connect(g, {.delay = 1ms});
  w.post(peer{0}, {}, std::array{std::byte{1}});
  EXPECT_TRUE(throws_error(errc::limit, "not quiet", [&] { w.run(); }));
}

TEST(packet_node, numbers_ports_by_neighbours_and_the_host_last) {
  struct noting {
    std::vector<port> in;
    void forward(time /*now*/, port by, packet_view /*packet*/, verdicts& out) {
      in.push_back(by);
      out.drop(drop_cause::refused);
    }
  };
  world w(1);
  const graph star(4, {{2, 0}, {2, 1}, {2, 3}});
  packet_node centre(noting{}, star, 2);
  EXPECT_EQ(centre.host(), port{3});
  struct silent final : outbox {
    void do_send(peer /*to*/, byte_view /*message*/) override { FAIL(); }
    void do_wake(time /*at*/, std::uint64_t /*token*/) override { FAIL(); }
    void do_tell(const event& /*happened*/) override { FAIL(); }
  } out;
  for (const std::uint32_t from : {3U, 0U, 2U, 1U}) centre.receive({}, peer{from}, {}, out);
  EXPECT_EQ(centre.get_if<noting>()->in, (std::vector{port{2}, port{0}, port{3}, port{1}}));
  EXPECT_TRUE(throws_error(errc::invalid, "comes from 7, which is no neighbour",
                           [&] { centre.receive({}, peer{7}, {}, out); }));
}

}  // namespace
}  // namespace bloomery::lab
