// What experiments on overlays share: a question put to a node, and what it cost until the world was quiet.
//
//     bloomery::lab::world world(1);
//     const bloomery::systems::overlay_counts before(world);
//     assert(before.since(world).questions == 0);
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bloomery/apps/lab/result.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/overlay/node.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/laws/overlays.hpp"
#include "bloomery/math/numeric/checks.hpp"

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

// Well below the rate of filters that are refused, since keys fall unevenly.
inline void require_useful_rate(double rate) {
  if (rate > 0 && rate <= 0.3) return;
  fail(errc::invalid, "rate is " + format_ratio(rate) +
                          "; allowed: more than 0 %, up to 30 %, since neighbours "
                          "refuse filters that claim nearly everything");
}

// For how many beats more a summary is told where messages are lost, and how often a question is put at most.
inline constexpr std::uint64_t most_repeats = 20;
inline constexpr std::uint64_t most_tries = 1000;
// Unless it is next to impossible that no try succeeds, which takes so many messages there and back.
inline void require_little_lost(double loss, std::uint64_t messages) {
  math::require_part("loss", loss);
  constexpr double impossible = 1e-9;
  constexpr double most = 0.2;  // which repeated summaries stand
  if (loss <= most && math::none_arrives(loss, messages, most_tries) <= impossible) return;
  fail(errc::invalid, "loss is " + format_ratio(loss) +
                          "; allowed: up to 20 %, and so little that " +
                          std::to_string(most_tries) + " tries of " + std::to_string(messages) +
                          " messages do not all fail");
}

// At least half of what there is stays, so that there is somebody to ask, and something to ask for.
inline void require_few_leave(double leaving) {
  if (leaving >= 0 && leaving <= 0.5) return;
  fail(errc::invalid, "leaving is " + format_ratio(leaving) + "; allowed: 0 % to 50 %");
}

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

// What came of questions, one after another: whether an answer, and by how many messages until all was quiet.
struct question_log {
  std::vector<bool> answered;
  std::vector<std::uint64_t> messages;
};

// The same questions, put once where nothing is lost and once where messages are. A walk is at one place at a time: its answer
// comes if all its messages arrive. How many these are is left to chance where links are, and known as well as so many
// questions tell it.
inline lab::figure answered_with_losses(const question_log& calm, const question_log& lossy,
                                        double loss) {
  std::vector<double> arrives;
  double chance = 0;
  const auto questions = static_cast<double>(calm.answered.size());
  for (std::size_t q = 0; q < calm.answered.size(); ++q) {
    arrives.push_back(calm.answered[q] ? math::all_arrive(loss, calm.messages[q]) : 0);
    chance += arrives.back() / questions;
  }
  const auto hits = static_cast<std::uint64_t>(std::ranges::count(lossy.answered, true));
  const auto share = [&](double expected) {
    return lab::share_of("questions answered at the first try where messages are lost", hits,
                         lossy.answered.size(), std::min(1.0, expected));
  };
  const math::interval known = *lab::mean_of("", lab::unit::share, arrives, chance).predicted;
  lab::figure made = share(chance);
  made.predicted =
      math::interval{share(known.low).predicted->low, share(known.high).predicted->high};
  return made;
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
