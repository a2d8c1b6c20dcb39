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
  question_log log;
  std::uint64_t wrong = 0;
  double messages = 0;
  std::vector<double> false_claims;  // of the asker's links, a question each
  double expected = 0;
  std::uint64_t missed_claims = 0;                    // of a link to a holder
  std::vector<std::vector<std::uint64_t>> answerers;  // of each peer, the latest last

  [[nodiscard]] double share_answered() const {
    return static_cast<double>(std::ranges::count(log.answered, true)) /
           static_cast<double>(log.answered.size());
  }
};

struct foreseer_questions {
  overlay::walk how;
  std::uint64_t count;
  std::uint64_t first_id;
  std::uint64_t stream;  // of random numbers
};

// Of those who have not gone, for what one of them has to whom a way leads; `net` links those that are left.
foreseen ask_around(lab::world& world, const foreseer_plan& plan, const interests& all,
                    const lab::graph& net, const std::vector<bool>& gone,
                    const foreseer_questions& asked) {
  foreseen found;
  found.answerers.resize(all.peers());
  lab::random_stream random(plan.seed, asked.stream);
  const std::vector<std::uint64_t> askers = all.askers();
  std::uint64_t in_vain = 0;  // turns without a question
  for (std::uint64_t q = 0, turn = 0; q < asked.count; ++turn) {
    if (++in_vain > 1000 * all.peers()) {
      fail(errc::invalid, "what these peers want is nowhere within reach: more of them are needed");
    }
    const auto asker = static_cast<lab::graph::vertex>(askers[turn % askers.size()]);
    if (gone[asker]) continue;
    const std::uint64_t file = all.wish(asker, random);
    const auto far = lab::distances(net, asker);
    const bool there = std::ranges::any_of(
        all.holders(file), [&](std::uint64_t v) { return far[v] != lab::unreachable; });
    if (!there) continue;
    in_vain = 0;
    const digest key = all.key(file);
    const auto got = ask_overlay<plain_node>(world, foreseer_peer(asker), {&key, 1},
                                             asked.first_id + q, asked.how, plan.steps);
    ++q;
    found.log.answered.push_back(!got.came.holders.empty());
    found.log.messages.push_back(got.spent.sent.messages);
    for (const std::uint64_t v : got.came.holders) {
      found.wrong += std::uint64_t{!all.holds(v, file)};
      found.answerers[asker].push_back(v);
    }
    found.messages +=
        static_cast<double>(got.spent.sent.messages) / static_cast<double>(asked.count);
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
    found.expected += math::expected_claims(rates) / static_cast<double>(asked.count);
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
  const double leaving = asked.ratio("leaving");
  const double loss = asked.ratio("loss");
  math::require_whole("peers", peers, 20, 5000);
  math::require_whole("neighbours", plan.neighbours, 1, 50);
  math::require_whole("friends", plan.friends, 0, 50);
  math::require_whole("steps", plan.steps, 1, overlay::most_steps);
  math::require_whole("questions", questions, 10, 100'000);
  require_useful_rate(plan.rate);
  require_few_leave(leaving);
  math::require_part("loss", loss);
  constexpr std::uint64_t topics = 10;
  const interests all({.peers = peers, .topics = topics, .files = 200, .held = 40}, plan.seed);

  // At first there are neighbours only; who answers becomes a friend.
  std::vector<lab::graph::edge> edges = nearest_edges(plan, peers);
  const lab::graph near(peers, edges);
  lab::world before(plan.seed);
  befriend(before, plan, all, near);
  std::vector<bool> gone(peers);
  const foreseen first = ask_around(before, plan, all, near, gone,
                                    {.how = overlay::walk::gradient,
                                     .count = 2 * peers * std::max<std::uint64_t>(1, plan.friends),
                                     .first_id = 1,
                                     .stream = 1});
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
  const foreseer_questions usual{.how = overlay::walk::gradient,
                                 .count = questions,
                                 .first_id = 10'000'000,
                                 .stream = 10'000'000};
  const foreseen search = ask_around(world, plan, all, net, gone, usual);
  const foreseen flood = ask_around(world, plan, all, net, gone,
                                    {.how = overlay::walk::flooding,
                                     .count = std::max<std::uint64_t>(10, questions / 30),
                                     .first_id = 20'000'000,
                                     .stream = 20'000'000});
  world.lose(loss);
  foreseer_questions again = usual;
  again.first_id = 30'000'000;
  const foreseen lossy = ask_around(world, plan, all, net, gone, again);
  world.lose(0);
  std::uint64_t most_bytes = 0;
  for (std::uint64_t v = 0; v < peers; ++v) {
    most_bytes = std::max(most_bytes, world.get<plain_node>(foreseer_peer(v)).table_bytes());
  }
  gone = some_of(peers, leaving, plan.seed);
  leave_overlay<plain_node>(world, net, gone);
  const foreseen deserted = ask_around(world, plan, all, without(net, gone), gone,
                                       {.how = overlay::walk::gradient,
                                        .count = questions,
                                        .first_id = 40'000'000,
                                        .stream = 40'000'000});

  lab::result found;
  found.never("a filter missed what its peer holds",
              search.missed_claims + first.missed_claims + deserted.missed_claims, 3 * questions);
  found.never("somebody was named who does not hold it",
              search.wrong + first.wrong + flood.wrong + lossy.wrong + deserted.wrong,
              4 * questions);
  lab::figure answered{.what = "questions answered",
                       .in = lab::unit::share,
                       .measured = search.share_answered(),
                       .predicted = math::interval{0.99, 1},
                       .paper = 0.99};
  answered.rivals = {{"with neighbours only", first.share_answered()}};
  found.add(std::move(answered));
  lab::figure messages{.what = "messages a question, replies too",
                       .in = lab::unit::real,
                       .measured = search.messages,
                       .predicted = math::interval{0, flood.messages}};
  messages.rivals = {{"flooding", flood.messages}, {"with neighbours only", first.messages}};
  found.add(std::move(messages));
  found.add(lab::mean_of("false claims of an asker's filters a question", lab::unit::real,
                         search.false_claims, search.expected));
  found.add(answered_with_losses(search.log, lossy.log, loss));
  found.add({.what = "questions answered after peers had gone",
             .in = lab::unit::share,
             .measured = deserted.share_answered(),
             .predicted = math::interval{0.99, 1}});
  found.add(lab::mean_of("false claims of an asker's filters after peers had gone", lab::unit::real,
                         deserted.false_claims, deserted.expected));
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
    .figure =
        "At least 99 % of questions are answered, also after peers have gone, with fewer messages "
        "than a flood takes.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"peers", "300", "of ten topics"},
                          {"neighbours", "4", "that a peer takes by place"},
                          {"friends", "6", "that it takes by answers"},
                          {"steps", "200", "that a question may take"},
                          {"rate", "1%", "of a filter"},
                          {"questions", "1500", "for files of the asker's topic"},
                          {"leaving", "10%", "of the peers, before as many questions more"},
                          {"loss", "1%", "of messages, when the questions are put again"}}},
    .run = foreseer};

}  // namespace bloomery::systems
