// What experiments on overlays share: a question put to a node, and what it cost until the world was quiet.
//
//     bloomery::lab::world world(1);
//     const bloomery::systems::overlay_counts before(world);
//     assert(before.since(world).questions == 0);
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/overlay/node.hpp"
#include "bloomery/filters/set/standard.hpp"

namespace bloomery::systems {

using plain_summary = overlay::filter_summary<standard_filter>;
using plain_node = overlay::node<plain_summary>;

inline constexpr lab::link_spec overlay_link{.delay = std::chrono::milliseconds(10)};

// So far, or of one question.
struct overlay_counts {
  explicit overlay_counts(const lab::world& world)
      : questions(world.told("questions")),
        in_vain(world.told("asked in vain")),
        with_reason(world.told("asked with reason")),
        sent(world.sent()) {}

  [[nodiscard]] overlay_counts since(const lab::world& world) const {
    overlay_counts spent(world);
    spent.questions -= questions;
    spent.in_vain -= in_vain;
    spent.with_reason -= with_reason;
    spent.sent.messages -= sent.messages;
    spent.sent.bytes -= sent.bytes;
    return spent;
  }

  std::uint64_t questions;
  std::uint64_t in_vain;
  std::uint64_t with_reason;
  lab::traffic sent;
};

struct overlay_answer {
  overlay::outcome came;
  overlay_counts spent;
};

// How often a question is put where messages are lost, and for how many beats more a summary is told.
inline constexpr std::uint64_t most_tries = 20;

// Some of them, each by this chance.
inline std::vector<bool> some_of(std::uint64_t nodes, double share, std::uint64_t seed) {
  lab::random_stream random(seed, 8);
  std::vector<bool> chosen(nodes);
  for (std::uint64_t v = 0; v < nodes; ++v) chosen[v] = random.chance(share);
  return chosen;
}

// What is left of a network without them.
inline lab::graph without(const lab::graph& net, const std::vector<bool>& gone) {
  std::vector<lab::graph::edge> edges;
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    for (const lab::graph::vertex w : net.neighbours(v)) {
      if (v < w && !gone[v] && !gone[w]) edges.emplace_back(v, w);
    }
  }
  return {net.size(), edges};
}

// They go without a word. Who has a link to one of them notices that it ended, as `bloomery node` does by its
// connection, and tells the others what lies behind it now.
template <class Node>
void leave_overlay(lab::world& world, const lab::graph& net, const std::vector<bool>& gone) {
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    if (gone[v]) world.leave(lab::peer{v});
  }
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    for (const lab::graph::vertex w : net.neighbours(v)) {
      if (!gone[v] || gone[w]) continue;
      world.act(lab::peer{w}, [&](apps::time now, apps::outbox& out) {
        world.get<Node>(lab::peer{w}).remove_link(now, lab::peer{v}, out);
      });
    }
  }
  world.run();
}

template <class Node>
overlay_answer ask_overlay(lab::world& world, lab::peer asker, digest_span words, std::uint64_t id,
                           overlay::walk how, std::uint64_t most = overlay::most_steps) {
  const overlay_counts before(world);
  const std::vector<std::byte> packed = overlay::packed_words(words);
  world.post(asker, world.now(),
             wire::write(overlay::question{
                 .id = id, .how = static_cast<std::uint64_t>(how), .most = most, .words = packed}));
  world.run();
  return {world.get<Node>(asker).outcome_of(id), before.since(world)};
}

}  // namespace bloomery::systems
