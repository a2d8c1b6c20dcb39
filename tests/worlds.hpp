// Worlds that the same parties run in, to show that they agree. Another world joins by a function like these.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "bloomery/apps/lab/graph.hpp"
#include "bloomery/apps/lab/link_transcripts.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/net/loop.hpp"

namespace bloomery::testing {

// Parties by their numbers, made anew for each world, and who is linked to whom, both ways.
struct scenario {
  std::vector<std::function<apps::any_party()>> parties;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  std::uint64_t seed = 1;
};

// Each party tells its neighbours numbers that depend on what they told it: any loss, repetition or change of order
// changes all that follows.
struct gossip {
  std::vector<apps::peer> neighbours;
  std::uint64_t seed = 0;
  std::map<apps::peer, apps::random_stream> streams{};
  std::map<apps::peer, int> rounds{};

  void tell(apps::peer to, std::uint64_t said, apps::outbox& out) {
    auto [at, fresh] = streams.try_emplace(to, seed, static_cast<std::uint32_t>(to));
    std::vector<std::byte> message(8 + said % 5000);
    for (std::size_t i = 0; i + 8 <= message.size(); i += 8) {
      core::store_le<std::uint64_t>(&message[i], at->second() ^ said);
    }
    out.send(to, message);
  }
  void start(apps::time, apps::outbox& out) {
    for (const apps::peer each : neighbours) tell(each, seed, out);
    out.wake(apps::time(std::chrono::milliseconds(1)), 7);
  }
  void receive(apps::time, apps::peer from, byte_view message, apps::outbox& out) {
    if (++rounds[from] < 20) tell(from, core::load_le<std::uint64_t>(message.data()), out);
  }
  void tick(apps::time, std::uint64_t token, apps::outbox& out) { out.tell({"ticks", token}); }
};

// Six of them, each linked to the two beside it.
inline scenario gossip_in_a_ring() {
  constexpr std::uint32_t size = 6;
  scenario ring;
  for (std::uint32_t i = 0; i < size; ++i) {
    ring.links.emplace_back(i, (i + 1) % size);
    ring.parties.emplace_back([i] {
      return gossip{.neighbours = {apps::peer{(i + 1) % size}, apps::peer{(i + size - 1) % size}},
                    .seed = 100 + i};
    });
  }
  return ring;
}

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
