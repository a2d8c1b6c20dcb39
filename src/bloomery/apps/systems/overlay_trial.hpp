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
