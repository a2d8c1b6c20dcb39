// P6: attenuated filters lead to the nearest copy within their depth; beyond it a hash table is asked.
#include "bloomery/apps/lab/topology.hpp"
#include "bloomery/apps/overlay/chord.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/filters/routing/attenuated.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/set_operations.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using level_summary = overlay::filter_summary<attenuated_filter>;
using level_node = overlay::node<level_summary>;

struct attenuated_plan {
  attenuated_shape shape;
  std::uint64_t keys;  // of a node
  std::uint64_t copies;
  std::uint64_t seed;
};

lab::peer vertex(std::uint64_t v) {
  return lab::peer{static_cast<std::uint32_t>(v)};
}

using key_holders = std::vector<std::vector<std::uint64_t>>;

// Every key lies at so many nodes, chosen by chance.
key_holders scatter(const attenuated_plan& plan, std::uint64_t nodes) {
  key_holders holders(nodes * plan.keys / plan.copies);
  lab::random_stream random(plan.seed, 1);
  for (auto& some : holders) {
    for (std::uint64_t i = 0; i < plan.copies; ++i) some.push_back(random.below(nodes));
  }
  return holders;
}

digest attenuated_key(const attenuated_plan& plan, std::uint64_t number) {
  return lab::numbered(plan.seed, 1, number);
}

void weave(lab::world& world, const attenuated_plan& plan, const lab::graph& net,
           const key_holders& holders, double loss = 0) {
  std::vector<std::vector<std::uint64_t>> of_node(net.size());
  for (std::uint64_t key = 0; key < holders.size(); ++key) {
    for (const std::uint64_t v : holders[key]) of_node[v].push_back(key);
  }
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    overlay::node_setup setup{.self = vertex(v), .links = {}};
    for (const lab::graph::vertex w : net.neighbours(v)) {
      setup.links.push_back({vertex(w), overlay::toward::mesh, std::uint64_t{v} * net.size() + w});
    }
    // After some for each level none changes any more, and so again when somebody has gone; but filters that are refused
    // for being too full may come and go forever.
    setup.repeats = loss > 0;
    setup.beats =
        setup.repeats ? plan.shape.levels + 1 + most_repeats : 20 * (plan.shape.levels + 1);
    level_node made(std::move(setup), level_summary(attenuated_filter(plan.shape)));
    for (const std::uint64_t key : of_node[v]) made.insert(attenuated_key(plan, key));
    world.add(std::move(made));
  }
  world.connect(net, {.delay = overlay_link.delay, .loss = loss});
  world.run();
}

struct tree_routes {
  std::uint64_t within = 0;  // the depth
  std::uint64_t missed = 0;
  std::uint64_t detours = 0;  // ways with a step that need not have been taken
  double expected = 0;
};

// On a tree there is one way to a key of one copy, and only a false claim can lead away from it: at a lower
// level than the true one, or at the same by an earlier link.
tree_routes route_on_tree(const attenuated_plan& plan, const lab::graph& tree,
                          std::uint64_t questions) {
  const key_holders holders = scatter(plan, tree.size());
  lab::world world(plan.seed);
  weave(world, plan, tree, holders);
  tree_routes found;
  lab::random_stream random(plan.seed, 2);
  for (std::uint64_t q = 0; found.within < questions; ++q) {
    const std::uint64_t key = random.below(holders.size());
    const auto asker = static_cast<lab::graph::vertex>(random.below(tree.size()));
    const auto holder = static_cast<lab::graph::vertex>(holders[key][0]);
    const auto way = lab::path_to(lab::shortest_paths(tree, asker), holder);
    const std::uint64_t distance = way.size() - 1;
    if (distance == 0 || distance > plan.shape.levels) continue;
    ++found.within;
    const digest word = attenuated_key(plan, key);
    const auto got =
        ask_overlay<level_node>(world, vertex(asker), {&word, 1}, q + 1, overlay::walk::best);
    found.missed += std::uint64_t{got.came.holders != std::vector<std::uint64_t>{holder}};
    found.detours += std::uint64_t{got.came.steps > distance};

    std::vector<double> misleading;
    for (std::size_t i = 0; i < distance; ++i) {
      const std::uint64_t right = distance - i - 1;  // the level of the true claim
      bool earlier = true;
      for (const lab::graph::vertex w : tree.neighbours(way[i])) {
        if (w == way[i + 1]) earlier = false;
        if (w == way[i + 1] || (i > 0 && w == way[i - 1])) continue;
        const level_summary* told = world.get<level_node>(vertex(way[i])).table_of(vertex(w));
        for (std::uint64_t level = 0; told != nullptr && level < right + std::uint64_t{earlier};
             ++level) {
          misleading.push_back(
              math::instance_rate(told->filter().cells().fill(level), plan.shape.hashes));
        }
      }
    }
    found.expected += math::any_claims(misleading) / static_cast<double>(questions);
  }
  return found;
}

struct net_routes {
  std::uint64_t missed_within = 0;
  std::uint64_t lost = 0;
  std::uint64_t fallen_back = 0;
  std::uint64_t beyond = 0;
  double least_led =
      0;  // of these, how many false claims lead to where a true one is: between the two, on average
  double most_led = 0;
  double steps = 0;             // where a copy is within the depth
  double distance = 0;          // of the nearest
  double ring_steps = 0;        // of a fall-back
  double messages_in_vain = 0;  // before one
};

// How far the nearest is of those who hold a key.
std::uint64_t nearest_of(const lab::graph& net, lab::graph::vertex asker,
                         std::span<const std::uint64_t> holders) {
  const auto far = lab::distances(net, asker);
  std::uint64_t nearest = lab::unreachable;
  for (const std::uint64_t v : holders) nearest = std::min<std::uint64_t>(nearest, far[v]);
  return nearest;
}

// The chance that each link's filter claims what is not behind it, by node and neighbour.
std::vector<std::vector<double>> false_claims(lab::world& world, const attenuated_plan& plan,
                                              const lab::graph& net) {
  std::vector<std::vector<double>> claims(net.size());
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    for (const lab::graph::vertex w : net.neighbours(v)) {
      const level_summary* told = world.get<level_node>(vertex(v)).table_of(vertex(w));
      std::vector<double> levels;
      for (std::uint64_t level = 0; told != nullptr && level < plan.shape.levels; ++level) {
        levels.push_back(
            math::instance_rate(told->filter().cells().fill(level), plan.shape.hashes));
      }
      claims[v].push_back(math::any_claims(levels));
    }
  }
  return claims;
}

// Beyond the depth all claims are false. A question that they lead to within it is answered all the same.
void expect_luck(const lab::graph& net, const std::vector<std::vector<double>>& claims,
                 lab::graph::vertex asker, std::span<const std::uint64_t> holders,
                 std::uint64_t depth, net_routes& found) {
  std::vector<double> led(net.size());
  for (const std::uint64_t holder : holders) {
    const auto far = lab::distances(net, static_cast<lab::graph::vertex>(holder));
    for (lab::graph::vertex v = 0; v < net.size(); ++v) led[v] = far[v] <= depth ? 1 : led[v];
  }
  double direct = 0;
  for (std::size_t i = 0; i < claims[asker].size(); ++i) {
    if (led[net.neighbours(asker)[i]] == 1) direct = std::max(direct, claims[asker][i]);
  }
  constexpr double still = 1e-9;
  const std::vector<double> within = led;
  for (bool changes = true; changes;) {
    changes = false;
    for (lab::graph::vertex v = 0; v < net.size(); ++v) {
      if (within[v] == 1) continue;
      std::vector<double> onward;
      for (const lab::graph::vertex w : net.neighbours(v)) onward.push_back(led[w]);
      const double now = math::led_at_most(claims[v], onward);
      changes = changes || now > led[v] + still;
      led[v] = now;
    }
  }
  found.least_led += direct;
  found.most_led += led[asker];
}

// How many fall back, where false claims lead some to what is farther than the depth.
lab::figure fall_backs(std::string what, const net_routes& routes) {
  const auto beyond = static_cast<double>(std::max<std::uint64_t>(1, routes.beyond));
  const auto by_luck = [&](double led) {
    return *lab::count_of("", 0, routes.beyond, std::min(1.0, led / beyond)).predicted;
  };
  const auto all = static_cast<double>(routes.beyond);
  return {.what = std::move(what),
          .in = lab::unit::count,
          .measured = static_cast<double>(routes.fallen_back),
          .predicted = math::interval{all - by_luck(routes.most_led).high,
                                      all - by_luck(routes.least_led).low}};
}

struct net_questions {
  std::uint64_t count;
  std::uint64_t first_id;
  std::uint64_t stream;  // of random numbers
};

// On any network: what is not within the depth is looked up on a ring of those who have not gone, who told it what
// they hold. A key that went with them is found nowhere.
net_routes route_on_net(lab::world& world, const attenuated_plan& plan, const lab::graph& net,
                        const key_holders& holders, const std::vector<bool>& gone,
                        const net_questions& asked) {
  lab::world table(plan.seed);
  std::vector<std::uint64_t> place(net.size());
  std::uint64_t staying = 0;
  for (std::uint64_t v = 0; v < net.size(); ++v) {
    place[v] = staying;
    staying += std::uint64_t{!gone[v]};
  }
  const overlay::ring ring(staying);
  for (std::uint64_t i = 0; i < staying; ++i) table.add(overlay::ring_node(ring, i));
  table.connect_all(overlay_link);
  for (std::uint64_t key = 0; key < holders.size(); ++key) {
    const digest word = attenuated_key(plan, key);
    const auto packed = overlay::packed_words({&word, 1});
    for (const std::uint64_t v : holders[key]) {
      table.post(vertex(place[v]), table.now(),
                 wire::write(overlay::ring_entry{.key = packed, .holder = v}));
    }
  }
  table.run();

  net_routes found;
  const auto claims = false_claims(world, plan, net);
  lab::random_stream random(plan.seed, asked.stream);
  for (std::uint64_t q = 0; q < asked.count; ++q) {
    const std::uint64_t key = random.below(holders.size());
    auto asker = static_cast<lab::graph::vertex>(random.below(net.size()));
    while (gone[asker]) asker = static_cast<lab::graph::vertex>(random.below(net.size()));
    const std::uint64_t nearest = nearest_of(net, asker, holders[key]);
    const digest word = attenuated_key(plan, key);
    const auto got = ask_overlay<level_node>(world, vertex(asker), {&word, 1}, asked.first_id + q,
                                             overlay::walk::best);
    const bool within = nearest <= plan.shape.levels;
    found.beyond += std::uint64_t{!within};
    if (!within) expect_luck(net, claims, asker, holders[key], plan.shape.levels, found);
    if (!got.came.holders.empty()) {
      const bool right = std::ranges::find(holders[key], got.came.holders[0]) != holders[key].end();
      found.lost += std::uint64_t{!right};
      if (within) {
        found.steps += static_cast<double>(got.came.steps);
        found.distance += static_cast<double>(nearest);
      }
      continue;
    }
    ++found.fallen_back;
    found.missed_within += std::uint64_t{within};
    found.messages_in_vain += static_cast<double>(got.spent.sent.messages);
    const auto packed = overlay::packed_words({&word, 1});
    table.post(vertex(place[asker]), table.now(),
               wire::write(overlay::ring_question{.id = q, .asker = place[asker], .key = packed}));
    table.run();
    const auto* came = table.get<overlay::ring_node>(vertex(place[asker])).outcome_of(q);
    const bool right = came != nullptr && came->holders.empty() == holders[key].empty();
    found.lost += std::uint64_t{!right};
    if (right) found.ring_steps += static_cast<double>(came->steps);
  }
  return found;
}

struct net_trial {
  net_routes calm;
  net_routes deserted;
  std::uint64_t table_bytes = 0;
};

net_trial try_net(const attenuated_plan& plan, const lab::graph& net, std::uint64_t questions,
                  double leaving) {
  key_holders holders = scatter(plan, net.size());
  lab::world world(plan.seed);
  weave(world, plan, net, holders);
  net_trial tried;
  std::vector<bool> gone(net.size());
  tried.calm = route_on_net(world, plan, net, holders, gone, {questions, 1, 3});
  tried.table_bytes = world.get<level_node>(vertex(0)).table_bytes();
  gone = some_of(net.size(), leaving, plan.seed);
  gone[0] = gone[1] = false;  // so that somebody stays
  for (auto& some : holders) std::erase_if(some, [&](std::uint64_t v) { return gone[v]; });
  leave_overlay<level_node>(world, net, gone);
  tried.deserted = route_on_net(world, plan, without(net, gone), holders, gone,
                                {questions / 2, 1 + questions, 4});
  return tried;
}

struct lossy_routes {
  std::uint64_t questions = 0;  // for what is within the depth
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::uint64_t tries = 0;
};

// What is lost is asked for again.
lossy_routes route_with_losses(const attenuated_plan& plan, const lab::graph& net,
                               std::uint64_t questions, double loss) {
  const key_holders holders = scatter(plan, net.size());
  lab::world world(plan.seed);
  weave(world, plan, net, holders, loss);
  lossy_routes found;
  lab::random_stream random(plan.seed, 5);
  std::uint64_t id = 0;
  for (std::uint64_t q = 0; q < questions; ++q) {
    const std::uint64_t key = random.below(holders.size());
    const auto asker = static_cast<lab::graph::vertex>(random.below(net.size()));
    if (nearest_of(net, asker, holders[key]) > plan.shape.levels) continue;
    ++found.questions;
    const digest word = attenuated_key(plan, key);
    std::vector<std::uint64_t> named;
    for (std::uint64_t n = 0; n < (found.missed == 0 ? most_tries : 1) && named.empty(); ++n) {
      named = ask_overlay<level_node>(world, vertex(asker), {&word, 1}, ++id, overlay::walk::best)
                  .came.holders;
      ++found.tries;
    }
    found.missed += std::uint64_t{named.empty()};
    for (const std::uint64_t v : named) {
      found.wrong += std::uint64_t{std::ranges::find(holders[key], v) == holders[key].end()};
    }
  }
  return found;
}

}  // namespace

lab::result attenuated_search(const lab::request& asked) {
  const std::uint64_t nodes = asked.count("nodes");
  const std::uint64_t links = asked.count("links");
  const std::uint64_t questions = asked.count("questions");
  const double leaving = asked.ratio("leaving");
  const double loss = asked.ratio("loss");
  attenuated_plan plan{.shape = {.bits = asked.count("bits"),
                                 .hashes = asked.count("hashes"),
                                 .levels = asked.count("depth")},
                       .keys = asked.count("keys"),
                       .copies = 1,
                       .seed = asked.seed()};
  math::require_whole("nodes", nodes, 16, 4096);
  math::require_whole("links", links, 3, 15);
  math::require_whole("questions", questions, 2, 100'000);
  math::require_whole("keys", plan.keys, 4, 1000);
  math::require_part("leaving", leaving);
  math::require_whole("depth", plan.shape.levels, 2, 16);
  require_little_lost(loss, 4 * plan.shape.levels);  // there and back, with detours

  // So near a key there is less on a tree: filters that small are wrong often enough to be judged.
  attenuated_plan small = plan;
  small.shape.bits = std::max<std::uint64_t>(1, plan.shape.bits / 4);
  const tree_routes tree = route_on_tree(small, lab::tree(5, 3), questions);
  plan.copies = 4;
  const lab::graph graph = lab::random_regular(nodes + nodes * links % 2, links, plan.seed);
  const net_trial trial = try_net(plan, graph, questions, leaving);
  const net_routes& net = trial.calm;
  const net_routes& deserted = trial.deserted;
  const lossy_routes lossy = route_with_losses(plan, graph, questions / 2, loss);

  lab::result found;
  found.never("on a tree, a copy within the depth was not found", tree.missed, tree.within);
  found.never("on a network, a copy within the depth was not found", net.missed_within,
              questions - net.beyond);
  found.never("a copy within the depth was not found after nodes had gone", deserted.missed_within,
              questions / 2 - deserted.beyond);
  found.never("a copy within the depth was not found although what was lost was repeated",
              lossy.missed, lossy.questions);
  found.never("something was not found although the table was asked, or was named and not there",
              net.lost + deserted.lost + lossy.wrong, questions + questions / 2 + lossy.questions);
  found.add(lab::share_of("ways on the tree longer than the shortest", tree.detours, tree.within,
                          tree.expected));
  found.add(fall_backs("questions on the network that fell back to the table", net));
  found.add(fall_backs("questions that fell back to the table after nodes had gone", deserted));
  const auto answered = static_cast<double>(questions - net.fallen_back);
  if (answered > 0) {
    found.add(lab::told("steps to a copy within the depth", lab::unit::real, net.steps / answered))
        .rivals = {{"the nearest copy", net.distance / answered}};
  }
  if (net.fallen_back > 0) {
    const auto fallen = static_cast<double>(net.fallen_back);
    found.add(lab::told("messages in vain before a fall-back", lab::unit::real,
                        net.messages_in_vain / fallen));
    found.add(lab::told("steps of the table after it", lab::unit::real, net.ring_steps / fallen));
  }
  found.add(lab::exactly(
      "bytes of filters at a node", lab::unit::bytes, static_cast<double>(trial.table_bytes),
      static_cast<double>(links * attenuated_filter::payload_bytes(plan.shape))));
  if (lossy.questions > 0) {
    found.add(lab::told("times a question was put where messages are lost", lab::unit::real,
                        static_cast<double>(lossy.tries) / static_cast<double>(lossy.questions)));
  }
  return found;
}

extern constinit const system_info attenuated_search_system{
    .id = "P6",
    .name = "Search by attenuated filters",
    .source = "Rhea and Kubiatowicz (OceanStore); Broder and Mitzenmacher 6.2, Tarkoma IV-B",
    .where = pattern::overlay,
    .does =
        "A filter a link tells what lies how many hops behind it. A question follows the nearest "
        "claim, comes back where that was wrong, and falls back to a hash table where none is "
        "left.",
    .figure =
        "A copy within the depth is always found, on a tree by the shortest way but for false "
        "claims, "
        "which are predicted; all else by the table.",
    .verb = "route",
    .needs = "",
    .settings_or_none = {{{"depth", "4", "levels of a filter"},
                          {"nodes", "500", "of the network"},
                          {"links", "4", "of a node"},
                          {"keys", "4", "that a node holds"},
                          {"bits", "2048", "of a level; a quarter on the tree"},
                          {"hashes", "3", "bits of a key"},
                          {"questions", "1000", "on the tree, and on the network"},
                          {"leaving", "10%", "of the network's nodes, before half as many more"},
                          {"loss", "1%", "of messages, in a run of its own"}}},
    .run = attenuated_search};

}  // namespace bloomery::systems
