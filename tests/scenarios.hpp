// Parties of the apps, to run the same in every world: what they send may depend on each other, never on the clock.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/apps/exchange/set_sync.hpp"
#include "bloomery/apps/overlay/node.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "testing.hpp"
#include "worlds.hpp"

namespace bloomery::testing {

// A node of a tree whose beat waits until all below have told what they hold, so that it tells it up once, at whatever
// pace the messages come. The root then asks for one key after another, each once the one before is answered.
struct tree_node {
  using summary = overlay::filter_summary<standard_filter>;

  tree_node(overlay::node_setup setup, const summary& own, std::vector<digest> wanted)
      : self(setup.self),
        below(static_cast<std::size_t>(
            std::ranges::count(setup.links, overlay::toward::below, &overlay::neighbour::is))),
        node(std::move(setup), own),
        asks(std::move(wanted)) {}

  void start(apps::time now, apps::outbox& out) { node.start(now, out); }
  void tick(apps::time now, std::uint64_t token, apps::outbox& out) {
    if (node.heard() == below) {
      node.tick(now, token, out);
    } else {
      out.wake(now + std::chrono::milliseconds(1), token);
    }
  }
  void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out) {
    node.receive(now, from, message, out);
    while (node.heard() == below && put < asks.size() && (put == 0 || node.outcome_of(put).over)) {
      const auto packed = overlay::packed_words({&asks[put], 1});
      ++put;
      node.receive(
          now, self,
          wire::write(overlay::question{
              .id = put, .how = static_cast<std::uint64_t>(overlay::walk::best), .words = packed}),
          out);
    }
    if (put > 0 && put == asks.size() && node.outcome_of(put).over) {
      for (std::uint64_t id = 1; id <= put; ++id) found += node.outcome_of(id).holders.size();
      out.tell({"found", found});
      asks.clear();
    }
  }

  apps::peer self;
  std::size_t below;
  overlay::node<summary> node;
  std::vector<digest> asks;
  std::uint64_t put = 0;
  std::uint64_t found = 0;
};

// A root, three children and nine grandchildren with ten keys each, and filters that are often wrong: the root asks
// for a key of each node, and for as many that nobody has.
inline scenario questions_on_a_tree(std::uint64_t seed) {
  constexpr std::uint32_t children = 3;
  constexpr std::uint32_t nodes = 13;
  constexpr std::uint64_t keys = 10;
  scenario tree;
  tree.seed = seed;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    overlay::node_setup setup{.self = apps::peer{v}, .links = {}};
    setup.beat = std::chrono::milliseconds(1);
    if (v != 0) {
      const std::uint32_t parent = (v - 1) / children;
      tree.links.emplace_back(parent, v);
      setup.links.push_back({apps::peer{parent}, overlay::toward::above, v});
    }
    for (std::uint32_t w = v * children + 1; w <= (v + 1) * children && w < nodes; ++w) {
      setup.links.push_back({apps::peer{w}, overlay::toward::below, w});
    }
    tree.parties.emplace_back([setup, seed, v] {
      std::vector<digest> wanted;
      for (std::uint32_t w = 1; v == 0 && w < nodes; ++w) {
        wanted.push_back(numbered_digest(seed, w * keys));
        wanted.push_back(numbered_digest(seed, 1000 + w));
      }
      tree_node made(setup, tree_node::summary(standard_filter::for_keys(4 * keys, 0.3)),
                     std::move(wanted));
      for (std::uint64_t i = 0; i < keys; ++i)
        made.node.insert(numbered_digest(seed, v * keys + i));
      return made;
    });
  }
  return tree;
}

// One asks and the other answers, with what differs on either side, and the lines are fetched.
inline scenario sync_of_two(exchange::sync_method method, std::uint64_t seed) {
  struct side {
    std::map<digest, std::string> lines{};
    exchange::digest_set set{};
  };
  const auto lines_from = [seed](std::uint64_t first, std::uint64_t last) {
    auto made = std::make_shared<side>();
    std::vector<digest> digests;
    for (std::uint64_t i = first; i < last; ++i) {
      const std::string line = "line " + std::to_string(seed) + " " + std::to_string(i);
      digests.push_back(hasher{}(line));
      made->lines[digests.back()] = line;
    }
    made->set = exchange::digest_set(std::move(digests));
    return made;
  };
  const auto theirs = lines_from(200, 3300);
  const auto mine = lines_from(0, 3000);
  scenario two;
  two.links = {{0, 1}};
  two.seed = seed;
  two.parties.emplace_back([theirs] {
    return exchange::sync_answerer(theirs->set, {},
                                   [theirs](std::span<const digest> wanted, const auto& give) {
                                     for (std::size_t i = 0; i < wanted.size(); ++i) {
                                       const auto at = theirs->lines.find(wanted[i]);
                                       if (at != theirs->lines.end()) give(i, at->second);
                                     }
                                   });
  });
  two.parties.emplace_back([mine, method] {
    return exchange::sync_asker(mine->set,
                                {.method = method, .fetch = true, .partner = apps::peer{0}},
                                [mine](digest, std::string_view) {});
  });
  return two;
}

}  // namespace bloomery::testing
