// Worlds that the same parties run in, to show that they agree. Another world joins by a function like these.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "bloomery/apps/lab/graph.hpp"
#include "bloomery/apps/lab/link_transcripts.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/net/loop.hpp"

namespace bloomery::testing {

// Parties by their numbers, made anew for each world, and who is linked to whom, both ways.
struct scenario {
  std::vector<std::function<apps::any_party()>> parties;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  std::uint64_t seed = 1;
};

// What its links carried until nothing happened any more.
inline lab::link_transcripts in_the_lab(const scenario& what, const lab::link_spec& links = {}) {
  lab::world world(what.seed);
  lab::link_transcripts heard;
  world.on_message(
      [&](apps::peer from, apps::peer to, byte_view message) { heard.add(from, to, message); });
  for (const auto& make : what.parties) world.add(make());
  for (const auto& [a, b] : what.links) world.connect(apps::peer{a}, apps::peer{b}, links);
  world.run();
  return heard;
}

// A loop for each party and a pair of sockets for each link. In one machine, what was written can be read: a round in which
// no loop had anything to do is the end.
inline lab::link_transcripts over_sockets(const scenario& what) {
  lab::link_transcripts heard;
  std::vector<std::unique_ptr<net::loop>> loops;
  for (const auto& make : what.parties) {
    const apps::peer self{static_cast<std::uint32_t>(loops.size())};
    net::loop& one = *loops.emplace_back(std::make_unique<net::loop>(make()));
    one.on_message(
        [&heard, self](apps::peer from, byte_view message) { heard.add(from, self, message); });
  }
  for (const auto& [a, b] : what.links) {
    auto [one, other] = net::make_sockets();
    loops[a]->add_stream(std::move(one), "peer " + std::to_string(b), {}, apps::peer{b});
    loops[b]->add_stream(std::move(other), "peer " + std::to_string(a), {}, apps::peer{a});
  }
  for (bool busy = true; busy;) {
    busy = false;
    for (const auto& each : loops) {
      const bool acted = each->step(std::chrono::milliseconds(0));
      busy = busy || acted || each->pending();
    }
  }
  return heard;
}

}  // namespace bloomery::testing
