// A forwarder as a party, so that a world carries packets.
//
// Purpose:   the packet that comes from neighbour i comes in at port i; what the forwarder says goes out to
//            the neighbours of those ports. A packet that the world posts comes in at the host's port, the
//            one after all others; what is kept has arrived. Whoever drives parties drives forwarders.
// Cost:      a copy of the packet for each port that it leaves by; nothing else is allocated a packet.
// Guarantee: all copies are of the packet as the forwarder left it. Hops are bounded by the forwarder alone,
//            by whatever it counts in the packet; where it does not, the world's limit ends the run.
//
//     struct to_the_end {
//       void forward(bloomery::apps::time, bloomery::apps::port in, bloomery::apps::packet_view,
//                    bloomery::apps::verdicts& out) {
//         if (in != bloomery::apps::port{out.ports()}) return out.keep();
//         out.leave_by(bloomery::apps::port{0});
//       }
//     };
//     bloomery::lab::world world(1);
//     const bloomery::lab::graph pair(2, {{0, 1}});
//     world.add(bloomery::lab::packet_node(to_the_end{}, pair, 0));
//     world.add(bloomery::lab::packet_node(to_the_end{}, pair, 1));
//     world.connect(pair, {});
//     world.post(bloomery::apps::peer{0}, {}, std::array{std::byte{0}});
//     world.run();
//     assert(world.get<bloomery::lab::packet_node>(bloomery::apps::peer{1}).counted().kept == 1);
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "bloomery/apps/forwarder.hpp"
#include "bloomery/apps/lab/graph.hpp"
#include "bloomery/apps/party.hpp"

namespace bloomery::lab {

class packet_node {
 public:
  // Called with each packet that arrived for this node.
  using arrival = std::function<void(time now, peer here, packet_view packet)>;

  // The forwarder of vertex `here`; its ports are the neighbours in ascending order.
  packet_node(any_forwarder held, const graph& around, graph::vertex here, arrival arrived = {});

  void start(time /*now*/, outbox& /*out*/) {}
  void tick(time /*now*/, std::uint64_t /*token*/, outbox& /*out*/) {}
  // errc::invalid if the packet comes from a peer that is no neighbour.
  void receive(time now, peer from, byte_view message, outbox& out);

  [[nodiscard]] port host() const { return port{verdicts_.ports()}; }
  [[nodiscard]] const verdicts::counts& counted() const { return verdicts_.counted(); }
  template <class F>
  [[nodiscard]] F* get_if() {
    return held_.get_if<F>();
  }

 private:
  [[nodiscard]] port port_of(peer from) const;

  any_forwarder held_;
  peer here_;
  std::vector<peer> neighbours_;
  arrival arrived_;
  verdicts verdicts_;
  std::vector<std::byte> packet_;
};

}  // namespace bloomery::lab
