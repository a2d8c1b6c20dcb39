// P7: filters that fade with distance; a question climbs towards the strongest trace.
#include "bloomery/apps/lab/topology.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/filters/routing/exponential_decay.hpp"
#include "bloomery/math/kinds/exponential_decay.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using faint_summary = overlay::filter_summary<exponential_decay_filter>;
using faint_node = overlay::node<faint_summary>;

struct gradient_plan {
  exponential_decay_shape shape;
  std::uint64_t nodes;
  std::uint64_t links;
  std::uint64_t keys;  // different ones
  std::uint64_t copies;
  std::uint64_t hops;  // as far as traces are passed on
  std::uint64_t seed;
  [[nodiscard]] digest key(std::uint64_t i) const { return lab::numbered(seed, 1, i); }
};

lab::peer site(std::uint64_t v) {
  return lab::peer{static_cast<std::uint32_t>(v)};
}

struct gradient_net {
  lab::graph net;
  std::vector<std::vector<std::uint64_t>> holders;  // of each key
  std::vector<bool> gone;
};

gradient_net lay_traces(lab::world& world, const gradient_plan& plan) {
  gradient_net made{lab::power_law(plan.nodes, plan.links, plan.seed),
                    std::vector<std::vector<std::uint64_t>>(plan.keys),
                    std::vector<bool>(plan.nodes)};
  std::vector<std::vector<std::uint64_t>> of_node(plan.nodes);
  lab::random_stream random(plan.seed, 1);
  for (std::uint64_t key = 0; key < plan.keys; ++key) {
    for (std::uint64_t i = 0; i < plan.copies; ++i) {
      const std::uint64_t v = random.below(plan.nodes);
      made.holders[key].push_back(v);
      of_node[v].push_back(key);
    }
  }
  for (lab::graph::vertex v = 0; v < made.net.size(); ++v) {
    overlay::node_setup setup{.self = site(v), .links = {}};
    for (const lab::graph::vertex w : made.net.neighbours(v)) {
      setup.links.push_back({site(w), overlay::toward::mesh, std::uint64_t{v} * plan.nodes + w});
    }
    setup.beats = plan.hops;
    setup.seed = plan.seed;
    faint_node node(std::move(setup), faint_summary(exponential_decay_filter(plan.shape)));
    for (const std::uint64_t key : of_node[v]) node.insert(plan.key(key));
    world.add(std::move(node));
  }
  world.connect(made.net, overlay_link);
  world.run();
  return made;
}

struct walked {
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::vector<double> steps;
  question_log log;
};

// Whether a way leads from there to one who holds it.
bool within_reach(const gradient_net& made, std::uint64_t asker, std::uint64_t key) {
  const auto far = lab::distances(made.net, static_cast<lab::graph::vertex>(asker));
  return std::ranges::any_of(made.holders[key],
                             [&](std::uint64_t v) { return far[v] != lab::unreachable; });
}

walked walk_for(lab::world& world, const gradient_plan& plan, const gradient_net& made,
                overlay::walk how, std::uint64_t questions, std::uint64_t most,
                std::uint64_t first_id) {
  walked found;
  lab::random_stream random(plan.seed, 2);  // the same questions for every walk
  for (std::uint64_t q = 0; q < questions; ++q) {
    std::uint64_t key = random.below(plan.keys);
    std::uint64_t asker = random.below(plan.nodes);
    while (made.gone[asker] || !within_reach(made, asker, key)) {
      key = random.below(plan.keys);
      asker = random.below(plan.nodes);
    }
    const digest word = plan.key(key);
    const auto got =
        ask_overlay<faint_node>(world, site(asker), {&word, 1}, first_id + q, how, most);
    const auto& holders = made.holders[key];
    found.missed += std::uint64_t{got.came.holders.empty()};
    for (const std::uint64_t v : got.came.holders) {
      found.wrong += std::uint64_t{std::ranges::find(holders, v) == holders.end()};
    }
    found.steps.push_back(static_cast<double>(got.came.steps));
    found.log.answered.push_back(!got.came.holders.empty());
    found.log.messages.push_back(got.spent.sent.messages);
  }
  return found;
}

// Some go without a word, but for the first two; what is left of the network and of who holds what.
gradient_net desert(lab::world& world, const gradient_plan& plan, const gradient_net& made,
                    double leaving) {
  std::vector<bool> gone = some_of(plan.nodes, leaving, plan.seed);
  gone[0] = gone[1] = false;
  leave_overlay<faint_node>(world, made.net, gone);
  gradient_net left{without(made.net, gone), made.holders, gone};
  for (auto& some : left.holders) std::erase_if(some, [&](std::uint64_t v) { return gone[v]; });
  if (std::ranges::all_of(left.holders, [](const auto& some) { return some.empty(); })) {
    fail(errc::invalid, "all who held something have gone: more nodes or copies are needed");
  }
  return left;
}

double average(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The scores of keys held by a neighbour, which no relay has faded.
std::uint64_t faded_neighbours(lab::world& world, const gradient_plan& plan,
                               const gradient_net& made) {
  std::uint64_t faded = 0;
  for (std::uint64_t key = 0; key < plan.keys; ++key) {
    const std::uint64_t v = made.holders[key][0];
    const digest word = plan.key(key);
    for (const lab::graph::vertex w : made.net.neighbours(static_cast<lab::graph::vertex>(v))) {
      const faint_summary* told = world.get<faint_node>(site(w)).table_of(site(v));
      faded += std::uint64_t{told == nullptr || told->filter().score(word) != plan.shape.hashes};
    }
  }
  return faded;
}

// Two hops off, what a relay kept: the mean over keys against that of binomial scores.
std::pair<std::vector<double>, double> relayed_scores(lab::world& world, const gradient_plan& plan,
                                                      const gradient_net& made) {
  std::vector<double> scores;
  double expected = 0;
  for (std::uint64_t key = 0; key < plan.keys; ++key) {
    const auto v = static_cast<lab::graph::vertex>(made.holders[key][0]);
    const auto far = lab::distances(made.net, v);
    const auto w = made.net.neighbours(v)[0];
    for (const lab::graph::vertex u : made.net.neighbours(w)) {
      // One way only, and no other copy near.
      if (far[u] != 2) continue;
      const auto two_ways = std::ranges::count_if(
          made.net.neighbours(u), [&](lab::graph::vertex x) { return far[x] == 1; });
      if (two_ways != 1 || plan.copies != 1) continue;
      const faint_summary* told = world.get<faint_node>(site(u)).table_of(site(w));
      if (told == nullptr) continue;
      scores.push_back(static_cast<double>(told->filter().score(plan.key(key))));
      // A coin is a link's and a bit's: what it clears no other relayed key sets. The sender's own keys do.
      const double own = world.get<faint_node>(site(w)).own().filter().fill();
      expected += math::expected_score(plan.shape.hashes, 1, plan.shape.decay, own);
      break;
    }
  }
  if (!scores.empty()) expected /= static_cast<double>(scores.size());
  return {scores, expected};
}

}  // namespace

lab::result gradient_search(const lab::request& asked) {
  gradient_plan plan{.shape = {.bits = asked.count("bits"), .hashes = 32, .decay = 4},
                     .nodes = asked.count("nodes"),
                     .links = asked.count("links"),
                     .keys = 0,
                     .copies = asked.count("copies"),
                     .hops = asked.count("hops"),
                     .seed = asked.seed()};
  const std::uint64_t questions = asked.count("questions");
  const double leaving = asked.ratio("leaving");
  const double loss = asked.ratio("loss");
  math::require_whole("nodes", plan.nodes, 50, 20'000);
  math::require_whole("links", plan.links, 1, 16);
  math::require_whole("copies", plan.copies, 1, plan.nodes / 10);
  math::require_whole("hops", plan.hops, 2, 16);
  math::require_whole("questions", questions, 10, 100'000);
  require_few_leave(leaving);
  math::require_part("loss", loss);
  plan.keys = std::max<std::uint64_t>(10, plan.nodes / plan.copies / 2);

  lab::world world(plan.seed);
  const gradient_net made = lay_traces(world, plan);
  const lab::traffic told = world.sent();
  const std::uint64_t refused = world.told("refused");
  const walked climbed =
      walk_for(world, plan, made, overlay::walk::gradient, questions, overlay::most_steps, 1);
  const std::uint64_t most_wandered = 4 * plan.nodes;
  const walked wandered = walk_for(world, plan, made, overlay::walk::wandering, questions / 4,
                                   most_wandered, 1'000'000);
  world.lose(loss);
  const walked lossy = walk_for(world, plan, made, overlay::walk::gradient, questions,
                                overlay::most_steps, 2'000'000);
  world.lose(0);
  const std::uint64_t faded = faded_neighbours(world, plan, made);
  const auto scores = relayed_scores(world, plan, made);
  std::uint64_t most_bytes = 0;
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    most_bytes = std::max(most_bytes, world.get<faint_node>(site(v)).table_bytes());
  }
  const std::uint64_t later = questions / 2;
  const walked deserted = walk_for(world, plan, desert(world, plan, made, leaving),
                                   overlay::walk::gradient, later, overlay::most_steps, 3'000'000);

  lab::result found;
  found.never("something was not found", climbed.missed, questions);
  found.never("somebody was named who does not hold it",
              climbed.wrong + wandered.wrong + lossy.wrong + deserted.wrong,
              2 * questions + questions / 4 + later);
  found.never("something within reach was not found after nodes had gone", deserted.missed, later);
  found.never("a neighbour's key had faded", faded, plan.keys);
  const double steps = average(climbed.steps);
  const double random_steps = average(wandered.steps);
  found.add(lab::told("steps of a question", lab::unit::real, steps)).rivals = {
      {"random walk", random_steps}};
  lab::figure share{.what = "share of the steps of a random walk",
                    .in = lab::unit::share,
                    .measured = steps / random_steps,
                    .paper = 0.1};
  constexpr std::uint64_t large = 1000;  // enough for a random walk to be long
  if (plan.nodes >= large) share.predicted = math::interval{0, 0.1};
  found.add(std::move(share));
  if (scores.first.size() > 1) {
    found.add(lab::mean_of("score of what was relayed once", lab::unit::real, scores.first,
                           scores.second));
  }
  found.add(answered_with_losses(climbed.log, lossy.log, loss));
  found.add(lab::told("steps of a question after nodes had gone", lab::unit::real,
                      average(deserted.steps)));
  found.add(lab::told("bytes a node sends to tell all this", lab::unit::bytes,
                      static_cast<double>(told.bytes) / static_cast<double>(plan.nodes)));
  found.add(lab::told("bytes of filters, the node that has most", lab::unit::bytes,
                      static_cast<double>(most_bytes)));
  found.add(lab::told("filters that came and were too full", lab::unit::count,
                      static_cast<double>(refused)));
  if (wandered.missed > 0) {
    found.note("Random walks were stopped after " + std::to_string(most_wandered) +
               " steps, so that theirs are rather more than told.");
  }
  return found;
}

extern constinit const system_info gradient_search_system{
    .id = "P7",
    .name = "Search by a gradient",
    .source = "Kumar, Xu and Zegura; Tarkoma IV-B",
    .where = pattern::overlay,
    .does =
        "What a node tells of others fades with every relay, bit by bit. A question goes where "
        "most "
        "bits of its key are left, and by chance where there is no trace.",
    .figure =
        "Everything is found, also after nodes have gone; at most a tenth of the steps of a random "
        "walk.",
    .verb = "route",
    .needs = "",
    .settings_or_none = {{{"nodes", "10k", "of a power-law network"},
                          {"links", "2", "that a node makes when it comes"},
                          {"copies", "10", "of a key"},
                          {"bits", "4096", "of a filter"},
                          {"hops", "3", "that traces are passed on"},
                          {"questions", "200", "for keys that somebody holds"},
                          {"leaving", "10%", "of the nodes, before half as many questions more"},
                          {"loss", "0.1%", "of messages, when the questions are put again"}}},
    .run = gradient_search};

}  // namespace bloomery::systems
