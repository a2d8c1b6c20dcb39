// N9: a question goes where a filter is most like it.
#include "bloomery/apps/lab/topology.hpp"
#include "bloomery/apps/overlay/likeness.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using like_node = overlay::node<overlay::likeness_summary>;

// Peers of a topic have words of its vocabulary; each links to some of its topic and to some of any.
struct like_plan {
  std::uint64_t peers;
  std::uint64_t topics;
  std::uint64_t vocabulary;  // of a topic
  std::uint64_t words;       // of a peer
  std::uint64_t links;       // to others of any topic; as many to those of its own
  double rate;
  std::uint64_t seed;
  [[nodiscard]] std::uint64_t topic(std::uint64_t peer) const { return peer % topics; }
  [[nodiscard]] digest word(std::uint64_t topic, std::uint64_t i) const {
    return lab::numbered(seed, 40 + topic, i);
  }
};

lab::peer like_peer(std::uint64_t v) {
  return lab::peer{static_cast<std::uint32_t>(v)};
}

lab::graph like_net(const like_plan& plan) {
  lab::random_stream random(plan.seed, 41);
  std::vector<lab::graph::edge> edges;
  for (std::uint64_t v = 0; v < plan.peers; ++v) {
    edges.emplace_back(v, (v + 1) % plan.peers);  // so that nobody is alone
    for (std::uint64_t i = 0; i < plan.links; ++i) {
      edges.emplace_back(v, random.below(plan.peers));
      const std::uint64_t alike = random.below(plan.peers / plan.topics) * plan.topics;
      edges.emplace_back(v, alike + plan.topic(v));
    }
  }
  return {plan.peers, edges};
}

void like_world(lab::world& world, const like_plan& plan, const lab::graph& net) {
  lab::random_stream random(plan.seed, 42);
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    overlay::node_setup setup{.self = like_peer(v), .links = {}};
    for (const lab::graph::vertex w : net.neighbours(v)) {
      setup.links.push_back(
          {like_peer(w), overlay::toward::mesh, std::uint64_t{v} * plan.peers + w});
    }
    setup.relays = false;
    setup.seed = plan.seed;
    like_node made(std::move(setup),
                   overlay::likeness_summary(standard_filter::for_keys(plan.words, plan.rate)));
    while (made.keys().size() < plan.words) {
      made.insert(plan.word(plan.topic(v), random.below(plan.vocabulary)));
    }
    world.add(std::move(made));
  }
  world.connect(net, overlay_link);
  world.run();
}

struct like_search {
  question_log log;
  std::uint64_t wrong = 0;
  double steps = 0;
  std::uint64_t misplaced = 0;  // links to holders that are not at the top of the scale

  [[nodiscard]] double share_answered() const {
    return static_cast<double>(std::ranges::count(log.answered, true)) /
           static_cast<double>(log.answered.size());
  }
};

struct like_questions {
  overlay::walk how;
  std::uint64_t steps;
  std::uint64_t count;
  std::uint64_t first_id;
};

// Of those who have not gone, for what one of them has; `net` links those that are left.
like_search search_alike(lab::world& world, const like_plan& plan, const lab::graph& net,
                         const std::vector<bool>& gone, const like_questions& asked) {
  like_search found;
  lab::random_stream random(plan.seed, 43);  // the same questions for every walk
  for (std::uint64_t q = 0; q < asked.count; ++q) {
    std::uint64_t asker = random.below(plan.peers);
    while (gone[asker]) asker = random.below(plan.peers);
    // Of any interest: three words that some peer has.
    const std::uint64_t topic = random.below(plan.topics);
    std::vector<digest> words;
    std::uint64_t holder = random.below(plan.peers / plan.topics) * plan.topics + topic;
    while (gone[holder]) holder = random.below(plan.peers);
    const auto& held = world.get<like_node>(like_peer(holder)).keys();
    for (int i = 0; i < 3; ++i) {
      words.push_back(
          *std::next(held.begin(), static_cast<std::ptrdiff_t>(random.below(held.size()))));
    }
    const auto got = ask_overlay<like_node>(world, like_peer(asker), words, asked.first_id + q,
                                            asked.how, asked.steps);
    found.log.answered.push_back(!got.came.holders.empty());
    found.log.messages.push_back(got.spent.sent.messages);
    for (const std::uint64_t v : got.came.holders) {
      found.wrong += std::uint64_t{!world.get<like_node>(like_peer(v)).holds(words)};
    }
    found.steps += static_cast<double>(got.spent.questions) / static_cast<double>(asked.count);
    auto& self = world.get<like_node>(like_peer(asker));
    for (const lab::graph::vertex w : net.neighbours(static_cast<lab::graph::vertex>(asker))) {
      if (!world.get<like_node>(like_peer(w)).holds(words)) continue;
      const auto* told = self.table_of(like_peer(w));
      found.misplaced += std::uint64_t{told == nullptr ||
                                       told->ask(words) != words.size() * told->bits_of_a_word()};
    }
  }
  return found;
}

}  // namespace

lab::result similar_routing(const lab::request& asked) {
  const like_plan plan{.peers = asked.count("peers"),
                       .topics = 10,
                       .vocabulary = 200,
                       .words = 60,
                       .links = asked.count("links"),
                       .rate = asked.ratio("rate"),
                       .seed = asked.seed()};
  const std::uint64_t steps = asked.count("steps");
  const std::uint64_t questions = asked.count("questions");
  const double leaving = asked.ratio("leaving");
  const double loss = asked.ratio("loss");
  math::require_whole("peers", plan.peers, 50, 5000);
  math::require_whole("links", plan.links, 1, 20);
  math::require_whole("steps", steps, 1, 1000);
  math::require_whole("questions", questions, 10, 100'000);
  require_useful_rate(plan.rate);
  require_few_leave(leaving);
  math::require_part("loss", loss);

  const lab::graph net = like_net(plan);
  lab::world world(plan.seed);
  like_world(world, plan, net);
  lab::result found;
  lab::series by_likeness{.panel = "Questions answered",
                          .x = "steps that a question may take",
                          .y = "share",
                          .name = "by likeness",
                          .points = {},
                          .logarithmic_x = true};
  lab::series by_chance = by_likeness;
  by_chance.name = "random walk";
  like_search like;
  like_search chance;
  std::uint64_t wrong = 0;
  std::uint64_t misplaced = 0;
  std::uint64_t id = 1;
  std::vector<bool> gone(plan.peers);
  const auto search = [&](const lab::graph& on, overlay::walk how, std::uint64_t most) {
    like_search came = search_alike(
        world, plan, on, gone, {.how = how, .steps = most, .count = questions, .first_id = id});
    id += questions;
    wrong += came.wrong;
    misplaced += how == overlay::walk::best ? came.misplaced : 0;
    return came;
  };
  for (std::uint64_t most = 1;; most = std::min(2 * most, steps)) {
    like = search(net, overlay::walk::best, most);
    chance = search(net, overlay::walk::wandering, most);
    by_likeness.points.emplace_back(most, like.share_answered());
    by_chance.points.emplace_back(most, chance.share_answered());
    if (most == steps) break;
  }
  world.lose(loss);
  const like_search lossy = search(net, overlay::walk::best, steps);
  world.lose(0);
  std::uint64_t most_bytes = 0;
  for (std::uint64_t v = 0; v < plan.peers; ++v) {
    most_bytes = std::max(most_bytes, world.get<like_node>(like_peer(v)).table_bytes());
  }
  gone = some_of(plan.peers, leaving, plan.seed);
  leave_overlay<like_node>(world, net, gone);
  const lab::graph left = without(net, gone);
  const like_search like_later = search(left, overlay::walk::best, steps);
  const like_search chance_later = search(left, overlay::walk::wandering, steps);
  found.never("somebody was named who has not all words", wrong, id);
  found.never("a neighbour's filter was not wholly like a question that it can answer", misplaced,
              id);
  const auto more_than_by_chance = [&](std::string what, const like_search& by,
                                       const like_search& rival) {
    const double random_hits = rival.share_answered();
    found.add({.what = std::move(what),
               .in = lab::unit::share,
               .measured = by.share_answered(),
               .predicted = math::interval{random_hits, 1},
               .rivals = {{"random walk", random_hits}}});
  };
  more_than_by_chance("questions answered", like, chance);
  // No more steps for it than the rival may take.
  found.add({.what = "questions sent on, for one that was asked",
             .in = lab::unit::real,
             .measured = like.steps,
             .predicted = math::interval{0, static_cast<double>(steps)},
             .rivals = {{"random walk", chance.steps}}});
  found.add(answered_with_losses(like.log, lossy.log, loss));
  more_than_by_chance("questions answered after peers had gone", like_later, chance_later);
  found.add(lab::told("bytes of filters, the peer that has most", lab::unit::bytes,
                      static_cast<double>(most_bytes)));
  found.plot(std::move(by_likeness));
  found.plot(std::move(by_chance));
  return found;
}

extern constinit const system_info similar_routing_system{
    .id = "N9",
    .name = "Routing by likeness",
    .source = "Tarkoma IV-B",
    .where = pattern::overlay,
    .does =
        "The words of a question make a filter, and it goes to the neighbour whose filter has most "
        "of "
        "its bits: whoever has some of the words knows others who have more.",
    .figure =
        "A neighbour that has all words comes before any other; at the same number of steps at "
        "least "
        "as many questions are answered as by a random walk.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"peers", "300", "of ten topics"},
                          {"links", "2", "to peers of the same topic, and as many to any"},
                          {"steps", "16", "that a question may take"},
                          {"rate", "1%", "of a filter"},
                          {"questions", "500", "of three words, for any topic"},
                          {"leaving", "10%", "of the peers, before the questions are put anew"},
                          {"loss", "1%", "of messages, when they are put again"}}},
    .run = similar_routing};

}  // namespace bloomery::systems
