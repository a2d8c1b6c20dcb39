// R1: a resource somewhere in a tree; every node knows what is below each of its children.
#include <cmath>

#include "bloomery/apps/lab/topology.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using overlay::toward;

struct resource_plan {
  std::uint64_t children;
  std::uint64_t depth;
  std::uint64_t keys;  // of a node
  double rate;         // of what lies below a child of the root
  std::uint64_t seed;
  lab::graph tree;
  std::vector<bool> gone = {};

  [[nodiscard]] std::uint64_t parent(std::uint64_t v) const { return (v - 1) / children; }
  [[nodiscard]] bool below(std::uint64_t v, std::uint64_t top) const {
    while (v > top) v = parent(v);
    return v == top;
  }
  // The same, and nobody between them is gone.
  [[nodiscard]] bool reaches(std::uint64_t v, std::uint64_t top) const {
    while (v > top && !gone[v]) v = parent(v);
    return v == top && !gone[v];
  }
  // The highest node of those that two have above them, or are.
  [[nodiscard]] std::uint64_t turn(std::uint64_t a, std::uint64_t b) const {
    while (!below(b, a)) a = parent(a);
    return a;
  }
  [[nodiscard]] bool connected(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t top = turn(a, b);
    return reaches(a, top) && reaches(b, top);
  }
  [[nodiscard]] digest key(std::uint64_t holder, std::uint64_t i) const {
    return lab::numbered(seed, 1, holder * keys + i);
  }
};

// So many questions, with numbers from the first and random numbers of their own.
struct tree_questions {
  std::uint64_t count;
  std::uint64_t first_id;
  std::uint64_t stream;
};

void plant(lab::world& world, const resource_plan& plan, const lab::link_spec& spec) {
  const std::uint64_t under_a_child = (plan.tree.size() - 1) / plan.children * plan.keys;
  for (lab::graph::vertex v = 0; v < plan.tree.size(); ++v) {
    overlay::node_setup setup{.self = lab::peer{v}, .links = {}};
    for (const lab::graph::vertex w : plan.tree.neighbours(v)) {
      const bool up = v != 0 && w == plan.parent(v);
      setup.links.push_back({lab::peer{w}, up ? toward::above : toward::below, up ? v : w});
    }
    setup.repeats = spec.loss > 0;
    // Else as often as there is news from below.
    setup.beats = setup.repeats ? plan.depth + most_repeats : overlay::any_number;
    plain_node made(std::move(setup),
                    plain_summary(standard_filter::for_keys(under_a_child, plan.rate)));
    for (std::uint64_t i = 0; i < plan.keys; ++i) made.insert(plan.key(v, i));
    world.add(std::move(made));
  }
  world.connect(plan.tree, spec);
  world.run();
}

// What is below a node, as its parent was told.
double rate_below(lab::world& world, const resource_plan& plan, std::uint64_t v) {
  const auto& parent = world.get<plain_node>(lab::peer{static_cast<std::uint32_t>(plan.parent(v))});
  const plain_summary* told = parent.table_of(lab::peer{static_cast<std::uint32_t>(v)});
  return told == nullptr ? 0 : told->filter().current_rate();
}

struct tree_search {
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::vector<double> wasted;  // nodes asked that need not have been, a question each
  double expected = 0;         // of them, on average
  std::uint64_t messages = 0;
};

// One that is there, from anywhere. A node whose filter claims the key is asked although it lies neither on the
// way nor below the holder if it comes before the way's next node: claims of a node imply those of all above.
void look_for_held(lab::world& world, const resource_plan& plan, std::span<const double> rates,
                   const tree_questions& asked, tree_search& found) {
  const auto questions = static_cast<double>(asked.count);
  lab::random_stream random(plan.seed, asked.stream);
  for (std::uint64_t q = 0; q < asked.count; ++q) {
    std::uint64_t holder = random.below(plan.tree.size());
    std::uint64_t asker = random.below(plan.tree.size());
    while (!plan.connected(asker, holder)) {
      holder = random.below(plan.tree.size());
      asker = random.below(plan.tree.size());
    }
    const digest key = plan.key(holder, random.below(plan.keys));
    const auto got = ask_overlay<plain_node>(world, lab::peer{static_cast<std::uint32_t>(asker)},
                                             {&key, 1}, asked.first_id + q, overlay::walk::best);
    found.messages += got.spent.sent.messages;
    found.missed += std::uint64_t{got.came.holders.empty()};
    found.wrong += std::uint64_t{!got.came.holders.empty() && got.came.holders[0] != holder};

    const std::uint64_t turn = plan.turn(asker, holder);
    std::uint64_t on_the_way = 0;  // asked, with the holder, beside the asker
    for (std::uint64_t v = asker; v != turn; v = plan.parent(v)) ++on_the_way;
    for (std::uint64_t v = holder; v != turn; v = plan.parent(v)) ++on_the_way;
    found.wasted.push_back(static_cast<double>(got.spent.in_vain + got.spent.with_reason) -
                           static_cast<double>(on_the_way));
    // Below the asker's way all is tried; below the holder's, what comes before the way.
    for (std::uint64_t v = 1; v < plan.tree.size(); ++v) {
      if (plan.below(holder, v) || plan.below(asker, v) || !plan.reaches(v, turn)) continue;
      std::uint64_t top = v;  // the child, above v, of the first node of the way
      while (!plan.below(holder, plan.parent(top)) && !plan.below(asker, plan.parent(top))) {
        top = plan.parent(top);
      }
      const std::uint64_t fork = plan.parent(top);
      if (plan.below(holder, fork)) {
        if (fork == holder) continue;
        std::uint64_t next = holder;
        while (plan.parent(next) != fork) next = plan.parent(next);
        if (top > next) continue;
      }
      found.expected += rates[v] / questions;
    }
  }
}

// One that nobody has comes back only after every node whose filter claims it was asked.
void look_for_strangers(lab::world& world, const resource_plan& plan, std::span<const double> rates,
                        const tree_questions& asked, tree_search& found) {
  lab::random_stream random(plan.seed, asked.stream);
  for (std::uint64_t q = 0; q < asked.count; ++q) {
    std::uint64_t asker = random.below(plan.tree.size());
    while (plan.gone[asker]) asker = random.below(plan.tree.size());
    const digest key = lab::numbered(plan.seed, 4, asked.first_id + q);
    const auto got = ask_overlay<plain_node>(world, lab::peer{static_cast<std::uint32_t>(asker)},
                                             {&key, 1}, asked.first_id + q, overlay::walk::best);
    found.messages += got.spent.sent.messages;
    found.wrong += std::uint64_t{!got.came.over || !got.came.holders.empty()};
    std::uint64_t height = 0;
    std::uint64_t top = asker;
    for (; top != 0 && !plan.gone[plan.parent(top)]; top = plan.parent(top)) ++height;
    found.wasted.push_back(static_cast<double>(got.spent.in_vain) - static_cast<double>(height));
    for (std::uint64_t v = 1; v < plan.tree.size(); ++v) {
      if (plan.below(asker, v) || !plan.reaches(v, top)) continue;
      found.expected += rates[v] / static_cast<double>(asked.count);
    }
  }
}

std::vector<double> rates_below(lab::world& world, const resource_plan& plan) {
  std::vector<double> rates(plan.tree.size());
  for (std::uint64_t v = 1; v < plan.tree.size(); ++v) {
    if (!plan.gone[v] && !plan.gone[plan.parent(v)]) rates[v] = rate_below(world, plan, v);
  }
  return rates;
}

// What is lost is asked for again.
std::uint64_t missed_with_losses(const resource_plan& plan, std::uint64_t questions, double loss,
                                 std::uint64_t& tries) {
  lab::world world(plan.seed);
  plant(world, plan, {.delay = overlay_link.delay, .loss = loss});
  lab::random_stream random(plan.seed, 5);
  std::uint64_t missed = 0;
  std::uint64_t id = 0;
  for (std::uint64_t q = 0; q < questions; ++q) {
    const std::uint64_t holder = random.below(plan.tree.size());
    const lab::peer asker{static_cast<std::uint32_t>(random.below(plan.tree.size()))};
    const digest key = plan.key(holder, 0);
    bool found = false;
    for (std::uint64_t n = 0; n < (missed == 0 ? most_tries : 1) && !found; ++n) {
      ++tries;
      found = !ask_overlay<plain_node>(world, asker, {&key, 1}, ++id, overlay::walk::best)
                   .came.holders.empty();
    }
    missed += std::uint64_t{!found};
  }
  return missed;
}

}  // namespace

lab::result resource_tree(const lab::request& asked) {
  resource_plan plan{.children = asked.count("children"),
                     .depth = asked.count("depth"),
                     .keys = asked.count("keys"),
                     .rate = asked.ratio("rate"),
                     .seed = asked.seed(),
                     .tree = {}};
  const std::uint64_t questions = asked.count("questions");
  const double loss = asked.ratio("loss");
  const double leaving = asked.ratio("leaving");
  math::require_whole("children", plan.children, 2, 64);
  math::require_whole("depth", plan.depth, 1, 12);
  math::require_whole("keys", plan.keys, 1, 1000);
  math::require_whole("questions", questions, 2, 100'000);
  if (std::pow(static_cast<double>(plan.children), static_cast<double>(plan.depth)) > 10'000) {
    fail(errc::invalid, "depth and children make a tree of more than 10000 leaves");
  }
  require_useful_rate(plan.rate);
  require_little_lost(loss, 8 * plan.depth);  // up and down, there and back, with detours
  math::require_part("leaving", leaving);
  plan.tree = lab::tree(plan.depth, plan.children);
  plan.gone.resize(plan.tree.size());

  lab::world world(plan.seed);
  plant(world, plan, overlay_link);
  const std::vector<double> rates = rates_below(world, plan);
  tree_search held;
  look_for_held(world, plan, rates, {questions, 1, 2}, held);
  tree_search strange;
  look_for_strangers(world, plan, rates, {questions, 1 + questions, 3}, strange);
  std::uint64_t most_bytes = 0;
  for (std::uint32_t v = 0; v < plan.tree.size(); ++v) {
    most_bytes = std::max(most_bytes, world.get<plain_node>(lab::peer{v}).table_bytes());
  }
  std::uint64_t tries = 0;
  const std::uint64_t missed = missed_with_losses(plan, questions / 4, loss, tries);

  plan.gone = some_of(plan.tree.size(), leaving, plan.seed);
  plan.gone[0] = false;  // so that somebody stays
  leave_overlay<plain_node>(world, plan.tree, plan.gone);
  const std::vector<double> later_rates = rates_below(world, plan);
  tree_search later;
  look_for_held(world, plan, later_rates, {questions, 1 + 2 * questions, 6}, later);
  tree_search later_strange;
  look_for_strangers(world, plan, later_rates, {questions, 1 + 3 * questions, 7}, later_strange);

  lab::result found;
  found.never("a key that a node holds was not found", held.missed, questions);
  found.never("somebody was named who does not hold it",
              held.wrong + strange.wrong + later.wrong + later_strange.wrong, 4 * questions);
  found.never("a key was not found although what was lost was repeated", missed, questions / 4);
  found.never("a key was not found on what was left of the tree after nodes had gone", later.missed,
              questions);
  found.never("a sound message was refused", world.told("refused"), world.delivered().messages);
  const auto nodes = static_cast<double>(plan.tree.size());
  found
      .add(lab::mean_of("nodes asked in vain for a key that is there", lab::unit::real, held.wasted,
                        held.expected))
      .rivals = {{"flooding", nodes - 1}};
  found
      .add(lab::mean_of("nodes asked in vain for one that is not", lab::unit::real, strange.wasted,
                        strange.expected))
      .rivals = {{"flooding", nodes - 1}};
  const auto asked_in_all = static_cast<double>(questions);
  found.add(lab::told("messages a key that is there, replies too", lab::unit::real,
                      static_cast<double>(held.messages) / asked_in_all));
  const std::uint64_t put_again = questions / 4;
  found.add(lab::told("times a question was put where messages are lost", lab::unit::real,
                      static_cast<double>(tries) / static_cast<double>(put_again)));
  found.add(lab::exactly(
      "bytes of filters, the node that has most", lab::unit::bytes, static_cast<double>(most_bytes),
      static_cast<double>(plan.children * world.get<plain_node>(lab::peer{0}).own().bytes())));
  found.add(lab::mean_of("nodes asked in vain for a key that is there, after others had gone",
                         lab::unit::real, later.wasted, later.expected));
  found.add(lab::mean_of("nodes asked in vain for one that is not, after others had gone",
                         lab::unit::real, later_strange.wasted, later_strange.expected));
  return found;
}

extern constinit const system_info resource_tree_system{
    .id = "R1",
    .name = "Resource routing on a tree",
    .source = "Czerwinski et al.; Broder and Mitzenmacher 6.1",
    .where = pattern::overlay,
    .does =
        "Every node of a tree has a filter of what lies below each child. A question goes down "
        "where "
        "a filter claims the key, comes back where that was wrong, and up where none does.",
    .figure =
        "What is there is found; nodes asked in vain: the sum of the rates of the filters that "
        "could "
        "mislead.",
    .verb = "node run",
    .needs = "",
    .settings_or_none = {{{"depth", "3", "of the tree"},
                          {"children", "8", "of a node"},
                          {"keys", "4", "that a node holds"},
                          {"rate", "10%", "of the filters that the root has"},
                          {"questions", "2000", "for keys that are there, and for others"},
                          {"loss", "1%", "of messages, in the second run"},
                          {"leaving", "10%", "of all nodes but the root, at last"}}},
    .run = resource_tree};

}  // namespace bloomery::systems
