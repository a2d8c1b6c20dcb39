// P8: peers keep filters of those near them and of those who answered them before.
#include "bloomery/apps/systems/interests.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/overlays.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

struct foreseer_plan {
  std::uint64_t neighbours;  // near in place
  std::uint64_t friends;     // near in time
  std::uint64_t steps;       // that a question may take
  double rate;
  std::uint64_t seed;
};

lab::peer foreseer_peer(std::uint64_t v) {
  return lab::peer{static_cast<std::uint32_t>(v)};
}

// Peers at places by chance on a square, each with edges to the nearest.
std::vector<lab::graph::edge> nearest_edges(const foreseer_plan& plan, std::uint64_t peers) {
  lab::random_stream random(plan.seed, 21);
  std::vector<std::pair<double, double>> places;
  for (std::uint64_t v = 0; v < peers; ++v) places.emplace_back(random.uniform(), random.uniform());
  std::vector<lab::graph::edge> edges;
  for (std::uint64_t v = 0; v < peers; ++v) {
    std::vector<std::pair<double, std::uint64_t>> far;
    for (std::uint64_t w = 0; w < peers; ++w) {
      const double x = places[v].first - places[w].first;
      const double y = places[v].second - places[w].second;
      if (w != v) far.emplace_back(x * x + y * y, w);
    }
    std::ranges::sort(far);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(plan.neighbours, far.size()); ++i) {
      edges.emplace_back(v, far[i].second);
    }
  }
  return edges;
}

void befriend(lab::world& world, const foreseer_plan& plan, const interests& all,
              const lab::graph& net) {
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    overlay::node_setup setup{.self = foreseer_peer(v), .links = {}};
    for (const lab::graph::vertex w : net.neighbours(v)) {
      setup.links.push_back(
          {foreseer_peer(w), overlay::toward::mesh, std::uint64_t{v} * net.size() + w});
    }
    setup.relays = false;  // filters are of what a peer holds itself
    setup.seed = plan.seed;
    plain_node made(std::move(setup),
                    plain_summary(standard_filter::for_keys(all.held(v).size(), plan.rate)));
    for (const std::uint64_t file : all.held(v)) made.insert(all.key(file));
    world.add(std::move(made));
  }
  world.connect(net, overlay_link);
  world.run();
}

struct foreseen {
  std::uint64_t answered = 0;
  std::uint64_t wrong = 0;
  double messages = 0;
  std::vector<double> false_claims;  // of the asker's links, a question each
  double expected = 0;
  std::uint64_t missed_claims = 0;                    // of a link to a holder
  std::vector<std::vector<std::uint64_t>> answerers;  // of each peer, the latest last
};

foreseen ask_around(lab::world& world, const foreseer_plan& plan, const interests& all,
                    const lab::graph& net, overlay::walk how, std::uint64_t questions,
                    std::uint64_t first_id) {
  foreseen found;
  found.answerers.resize(all.peers());
  lab::random_stream random(plan.seed, first_id);
  for (std::uint64_t q = 0; q < questions; ++q) {
    const auto asker = static_cast<lab::graph::vertex>(q % all.peers());
    const std::uint64_t file = all.wish(asker, random);
    const digest key = all.key(file);
    const auto got = ask_overlay<plain_node>(world, foreseer_peer(asker), {&key, 1}, first_id + q,
                                             how, plan.steps);
    found.answered += std::uint64_t{!got.came.holders.empty()};
    for (const std::uint64_t v : got.came.holders) {
      found.wrong += std::uint64_t{!all.holds(v, file)};
      found.answerers[asker].push_back(v);
    }
    found.messages += static_cast<double>(got.spent.sent.messages) / static_cast<double>(questions);
    double claims = 0;
    std::vector<double> rates;
    for (const lab::graph::vertex w : net.neighbours(asker)) {
      const plain_summary* told =
          world.get<plain_node>(foreseer_peer(asker)).table_of(foreseer_peer(w));
      const bool claimed = told != nullptr && told->ask({&key, 1}) != 0;
      if (all.holds(w, file)) {
        found.missed_claims += std::uint64_t{!claimed};
      } else {
        claims += claimed ? 1 : 0;
        rates.push_back(told == nullptr ? 0 : told->filter().current_rate());
      }
    }
    found.false_claims.push_back(claims);
    found.expected += math::expected_claims(rates) / static_cast<double>(questions);
  }
  return found;
}

}  // namespace

lab::result foreseer(const lab::request& asked) {
  const foreseer_plan plan{.neighbours = asked.count("neighbours"),
                           .friends = asked.count("friends"),
                           .steps = asked.count("steps"),
                           .rate = asked.ratio("rate"),
                           .seed = asked.seed()};
  const std::uint64_t peers = asked.count("peers");
  const std::uint64_t questions = asked.count("questions");
  math::require_whole("peers", peers, 20, 5000);
  math::require_whole("neighbours", plan.neighbours, 1, 50);
  math::require_whole("friends", plan.friends, 0, 50);
  math::require_whole("steps", plan.steps, 1, overlay::most_steps);
  math::require_whole("questions", questions, 10, 100'000);
  constexpr std::uint64_t topics = 10;
  const interests all({.peers = peers, .topics = topics, .files = 200, .held = 40}, plan.seed);

  // At first there are neighbours only; who answers becomes a friend.
  std::vector<lab::graph::edge> edges = nearest_edges(plan, peers);
  const lab::graph near(peers, edges);
  lab::world before(plan.seed);
  befriend(before, plan, all, near);
  const foreseen first = ask_around(before, plan, all, near, overlay::walk::gradient,
                                    2 * peers * std::max<std::uint64_t>(1, plan.friends), 1);
  for (std::uint64_t v = 0; v < peers; ++v) {
    std::set<std::uint64_t> friends;
    for (auto who = first.answerers[v].rbegin();
         who != first.answerers[v].rend() && friends.size() < plan.friends; ++who) {
      friends.insert(*who);
    }
    for (const std::uint64_t who : friends) edges.emplace_back(v, who);
  }
  const lab::graph net(peers, edges);
  lab::world world(plan.seed);
  befriend(world, plan, all, net);
  const foreseen search =
      ask_around(world, plan, all, net, overlay::walk::gradient, questions, 10'000'000);
  const foreseen flood = ask_around(world, plan, all, net, overlay::walk::flooding,
                                    std::max<std::uint64_t>(10, questions / 30), 20'000'000);

  lab::result found;
  found.never("a filter missed what its peer holds", search.missed_claims + first.missed_claims,
              questions);
  found.never("somebody was named who does not hold it", search.wrong + first.wrong + flood.wrong,
              questions);
  const auto all_asked = static_cast<double>(questions);
  lab::figure answered{.what = "questions answered",
                       .in = lab::unit::share,
                       .measured = static_cast<double>(search.answered) / all_asked,
                       .predicted = math::interval{0.99, 1},
                       .paper = 0.99};
  answered.rivals = {{"with neighbours only", static_cast<double>(first.answered) /
                                                  static_cast<double>(first.false_claims.size())}};
  found.add(std::move(answered));
  lab::figure messages{.what = "messages a question, replies too",
                       .in = lab::unit::real,
                       .measured = search.messages,
                       .predicted = math::interval{0, flood.messages}};
  messages.rivals = {{"flooding", flood.messages}, {"with neighbours only", first.messages}};
  found.add(std::move(messages));
  found.add(lab::mean_of("false claims of an asker's filters a question", lab::unit::real,
                         search.false_claims, search.expected));
  std::uint64_t most_bytes = 0;
  for (std::uint64_t v = 0; v < peers; ++v) {
    most_bytes = std::max(most_bytes, world.get<plain_node>(foreseer_peer(v)).table_bytes());
  }
  found.add(lab::told("bytes of filters, the peer that has most", lab::unit::bytes,
                      static_cast<double>(most_bytes)));
  return found;
}

extern constinit const system_info foreseer_system{
    .id = "P8",
    .name = "Foreseer",
    .source = "Cai and Wang; Tarkoma IV-B",
    .where = pattern::overlay,
    .does =
        "A peer keeps filters of its neighbours in place and of its friends, who answered it "
        "before. A "
        "question goes to one that claims it, otherwise on by chance, and back where it ends.",
    .figure = "At least 99 % of questions are answered, with fewer messages than a flood takes.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"peers", "300", "of ten topics"},
                          {"neighbours", "4", "that a peer takes by place"},
                          {"friends", "6", "that it takes by answers"},
                          {"steps", "200", "that a question may take"},
                          {"rate", "1%", "of a filter"},
                          {"questions", "1500", "for files of the asker's topic"}}},
    .run = foreseer};

}  // namespace bloomery::systems
