#include "bloomery/apps/lab/packet_node.hpp"

#include <algorithm>
#include <string>

#include "bloomery/core/error.hpp"

namespace bloomery::lab {

packet_node::packet_node(any_forwarder held, const graph& around, graph::vertex here,
                         arrival arrived)
    : held_(std::move(held)),
      here_{here},
      arrived_(std::move(arrived)),
      verdicts_(static_cast<std::uint32_t>(around.degree(here))) {
  for (const graph::vertex each : around.neighbours(here)) neighbours_.emplace_back(peer{each});
}

port packet_node::port_of(peer from) const {
  if (from == here_) return host();
  const auto found = std::ranges::lower_bound(neighbours_, from);
  if (found == neighbours_.end() || *found != from) {
    fail(errc::invalid, "a packet for node " + std::to_string(static_cast<std::uint32_t>(here_)) +
                            " comes from " + std::to_string(static_cast<std::uint32_t>(from)) +
                            ", which is no neighbour");
  }
  return port{static_cast<std::uint32_t>(found - neighbours_.begin())};
}

void packet_node::receive(time now, peer from, byte_view message, outbox& out) {
  const port in = port_of(from);
  packet_.assign(message.begin(), message.end());
  verdicts_.begin();
  held_.forward(now, in, packet_, verdicts_);
  verdicts_.end();
  for (const port each : verdicts_.chosen()) {
    out.send(neighbours_[static_cast<std::uint32_t>(each)], packet_);
  }
  if (verdicts_.kept() && arrived_) arrived_(now, here_, packet_);
}

}  // namespace bloomery::lab
