// P2: groups with leaders; leaders have a filter of each member and of each other group.
#include <set>

#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/overlays.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using overlay::toward;

struct group_plan {
  std::uint64_t nodes;
  std::uint64_t group;
  std::uint64_t
      keys;  // of a node, from as many as there are places for, so that some have many holders
  std::uint64_t copies;  // of a key, on average
  double rate;           // of the filter of a group
  std::uint64_t seed;

  [[nodiscard]] std::uint64_t groups() const { return nodes / group; }
  [[nodiscard]] std::uint64_t leader(std::uint64_t node) const { return node - node % group; }
  [[nodiscard]] std::uint64_t different_keys() const { return nodes * keys / copies; }
  [[nodiscard]] digest key(std::uint64_t i) const { return lab::numbered(seed, 1, i); }
};

lab::peer member(std::uint64_t node) {
  return lab::peer{static_cast<std::uint32_t>(node)};
}

void gather(lab::world& world, const group_plan& plan, double loss,
            std::vector<std::vector<std::uint64_t>>& holders) {
  const lab::link_spec wire{.delay = overlay_link.delay, .loss = loss};
  lab::random_stream random(plan.seed, 1);
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    overlay::node_setup setup{.self = member(v), .links = {}};
    const std::uint64_t first = plan.leader(v);
    if (v != first) {
      setup.links.push_back({member(first), toward::above, v});
    } else {
      for (std::uint64_t w = v + 1; w < v + plan.group; ++w) {
        setup.links.push_back({member(w), toward::below, w});
      }
      for (std::uint64_t w = 0; w < plan.nodes; w += plan.group) {
        if (w != v) setup.links.push_back({member(w), toward::aside, plan.nodes * (v + 1) + w});
      }
    }
    setup.repeats = loss > 0;
    if (setup.repeats)
      setup.beats = 3 + most_repeats;  // a member's, its group's, and what was lost
    plain_node made(std::move(setup),
                    plain_summary(standard_filter::for_keys(plan.group * plan.keys, plan.rate)));
    for (std::uint64_t i = 0; i < plan.keys; ++i) {
      const std::uint64_t key = random.below(plan.different_keys());
      if (!made.keys().contains(plan.key(key))) holders[key].push_back(v);
      made.insert(plan.key(key));
    }
    world.add(std::move(made));
  }
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    const std::uint64_t first = plan.leader(v);
    if (v != first) {
      world.connect(member(first), member(v), wire);
    } else {
      for (std::uint64_t w = 0; w < v; w += plan.group) {
        world.connect(member(w), member(v), wire);
      }
    }
  }
  world.run();
}

struct group_search {
  std::uint64_t chances = 0;
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::vector<double> wasted;
  double expected = 0;
  std::uint64_t messages = 0;
};

// What a leader was told by one of its members, or by another leader.
double rate_told(lab::world& world, std::uint64_t leader, std::uint64_t by) {
  const plain_summary* told = world.get<plain_node>(member(leader)).table_of(member(by));
  return told == nullptr ? 0 : told->filter().current_rate();
}

void search_groups(lab::world& world, const group_plan& plan,
                   const std::vector<std::vector<std::uint64_t>>& holders, std::uint64_t questions,
                   std::uint64_t first_id, const std::vector<bool>& gone, group_search& found) {
  // The rates of members by their leaders, and of groups as every other leader was told.
  std::vector<double> of_member(plan.nodes);
  std::vector<double> of_group(plan.nodes);
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    const std::uint64_t first = plan.leader(v);
    if (v != first) of_member[v] = rate_told(world, first, v);
    if (v == first) of_group[v] = rate_told(world, v == 0 ? plan.group : 0, v);
  }
  lab::random_stream random(plan.seed, first_id);
  for (std::uint64_t q = 0; q < questions; ++q) {
    const std::uint64_t number = random.below(plan.different_keys());
    std::uint64_t asker = random.below(plan.nodes);
    while (gone[asker]) asker = random.below(plan.nodes);
    const digest key = plan.key(number);
    const auto got = ask_overlay<plain_node>(world, member(asker), {&key, 1}, first_id + q,
                                             overlay::walk::matching);
    found.messages += got.spent.sent.messages;
    const std::vector<std::uint64_t>& truth = holders[number];
    const auto is_holder = [&](std::uint64_t v) {
      return std::ranges::find(truth, v) != truth.end();
    };
    for (const std::uint64_t v : truth) {
      ++found.chances;
      found.missed +=
          std::uint64_t{std::ranges::find(got.came.holders, v) == got.came.holders.end()};
    }
    for (const std::uint64_t v : got.came.holders) found.wrong += std::uint64_t{!is_holder(v)};

    // Leaders on the way must be asked: the asker's own, and those whose group has a holder.
    std::uint64_t needed = 0;
    const std::uint64_t own = plan.leader(asker);
    for (std::uint64_t first = 0; first < plan.nodes; first += plan.group) {
      const bool has =
          std::ranges::any_of(truth, [&](std::uint64_t v) { return plan.leader(v) == first; });
      needed += std::uint64_t{first != asker && (has || first == own) && !is_holder(first)};
      if (!has && first != own) found.expected += of_group[first] / static_cast<double>(questions);
    }
    for (std::uint64_t v = 0; v < plan.nodes; ++v) {
      if (v == plan.leader(v) || v == asker || is_holder(v)) continue;
      found.expected += of_member[v] / static_cast<double>(questions);
    }
    found.wasted.push_back(static_cast<double>(got.spent.in_vain) - static_cast<double>(needed));
  }
}

struct lossy_search {
  std::uint64_t chances = 0;
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::vector<double> in_vain;  // when a question was put for the first time
  double expected = 0;
  std::uint64_t tries = 0;
};

// What is lost is asked for again, until all are named who hold it.
lossy_search search_lossy_groups(const group_plan& plan, std::uint64_t questions, double loss) {
  lab::world world(plan.seed);
  std::vector<std::vector<std::uint64_t>> holders(plan.different_keys());
  gather(world, plan, loss, holders);
  lossy_search found;
  lab::random_stream random(plan.seed, 9);
  std::uint64_t id = 0;
  for (std::uint64_t q = 0; q < questions; ++q) {
    const std::uint64_t number = random.below(plan.different_keys());
    const std::uint64_t asker = random.below(plan.nodes);
    const digest key = plan.key(number);
    const std::vector<std::uint64_t>& truth = holders[number];
    const auto is_holder = [&](std::uint64_t v) {
      return std::ranges::find(truth, v) != truth.end();
    };
    std::set<std::uint64_t> named;
    for (std::uint64_t n = 0;
         n == 0 || (n < most_tries && found.missed == 0 && named.size() < truth.size()); ++n) {
      const auto got =
          ask_overlay<plain_node>(world, member(asker), {&key, 1}, ++id, overlay::walk::matching);
      named.insert(got.came.holders.begin(), got.came.holders.end());
      if (n == 0) found.in_vain.push_back(static_cast<double>(got.spent.in_vain));
      ++found.tries;
    }
    found.chances += truth.size();
    for (const std::uint64_t v : truth) found.missed += std::uint64_t{!named.contains(v)};
    for (const std::uint64_t v : named) found.wrong += std::uint64_t{!is_holder(v)};

    // Whoever lies on the way is asked, holder or not, and who does not by a false claim: if all messages to it arrive.
    const std::uint64_t own = plan.leader(asker);
    for (std::uint64_t v = 0; v < plan.nodes; ++v) {
      if (v == asker || is_holder(v)) continue;
      const std::uint64_t first = plan.leader(v);
      const std::uint64_t hops =
          std::uint64_t{asker != own} + std::uint64_t{first != own} + std::uint64_t{v != first};
      const bool has =
          std::ranges::any_of(truth, [&](std::uint64_t w) { return plan.leader(w) == first; });
      const bool needed = v == first && (has || first == own);
      const double claims =
          needed ? 1 : rate_told(world, v == first ? (v == 0 ? plan.group : 0) : first, v);
      found.expected += claims * math::all_arrive(loss, hops) / static_cast<double>(questions);
    }
  }
  return found;
}

// Members come by new keys, and some are gone: what the others hold is still found.
void change_groups(lab::world& world, const group_plan& plan,
                   std::vector<std::vector<std::uint64_t>>& holders, std::vector<bool>& gone) {
  lab::random_stream random(plan.seed, 7);
  for (std::uint64_t i = 0; i < plan.nodes; ++i) {
    const std::uint64_t v = random.below(plan.nodes);
    const std::uint64_t number = random.below(plan.different_keys());
    auto& node = world.get<plain_node>(member(v));
    if (node.keys().contains(plan.key(number))) continue;
    node.insert(plan.key(number));
    holders[number].push_back(v);
    world.wake(member(v), world.now(), plain_node::advertise_token);
  }
  world.run();
  for (std::uint64_t i = 0; i < plan.nodes / 20; ++i) {
    const std::uint64_t v = random.below(plan.nodes);
    if (v == plan.leader(v)) continue;  // leaders stay
    world.leave(member(v));
    gone[v] = true;
    for (auto& some : holders) std::erase(some, v);
  }
}

}  // namespace

lab::result leaders(const lab::request& asked) {
  const group_plan plan{.nodes = asked.count("nodes"),
                        .group = asked.count("group"),
                        .keys = asked.count("keys"),
                        .copies = 2,
                        .rate = asked.ratio("rate"),
                        .seed = asked.seed()};
  const std::uint64_t questions = asked.count("questions");
  const double loss = asked.ratio("loss");
  math::require_whole("group", plan.group, 2, 1000);
  math::require_whole("nodes", plan.nodes, 2 * plan.group, 10'000);
  math::require_whole("keys", plan.keys, 1, 1000);
  math::require_whole("questions", questions, 8, 100'000);
  require_useful_rate(plan.rate);
  require_little_lost(loss, 6);  // three hops, there and back
  if (plan.nodes % plan.group != 0) fail(errc::invalid, "nodes is not a multiple of group");

  lab::world world(plan.seed);
  std::vector<std::vector<std::uint64_t>> holders(plan.different_keys());
  gather(world, plan, 0, holders);
  const std::uint64_t adverts = world.told("adverts");
  std::vector<bool> gone(plan.nodes);
  group_search calm;
  search_groups(world, plan, holders, questions, 1, gone, calm);
  change_groups(world, plan, holders, gone);
  const std::uint64_t before_leaving = world.unheard();
  group_search changed;
  search_groups(world, plan, holders, questions / 4, questions + 1, gone, changed);

  const std::uint64_t put_again = questions / 4;
  const lossy_search lossy = search_lossy_groups(plan, put_again, loss);

  lab::result found;
  found.never("a holder was not found", calm.missed, calm.chances);
  found.never("a holder was not found after keys came and members left", changed.missed,
              changed.chances);
  found.never("somebody was named who does not hold it", calm.wrong + changed.wrong + lossy.wrong,
              questions + questions / 4 * 2);
  found.never("a holder was not found although what was lost was repeated", lossy.missed,
              lossy.chances);
  found.never("a sound message was refused", world.told("refused"), world.delivered().messages);
  const auto nodes = static_cast<double>(plan.nodes);
  found
      .add(lab::mean_of("nodes asked in vain a question", lab::unit::real, calm.wasted,
                        calm.expected))
      .rivals = {{"flooding", nodes - 1}};
  std::size_t most_filters = 0;
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    most_filters = std::max(most_filters, world.get<plain_node>(member(v)).heard());
  }
  // Beside those that came: of its own keys, and of its group.
  found
      .add(lab::exactly("filters that a leader keeps", lab::unit::count,
                        static_cast<double>(most_filters + 2),
                        static_cast<double>(plan.group + plan.groups())))
      .rivals = {{"everybody's at every node", nodes}};
  found.add(lab::told("messages a question, replies too", lab::unit::real,
                      static_cast<double>(calm.messages) / static_cast<double>(questions)));
  found.add(lab::told("adverts until all is known", lab::unit::count, static_cast<double>(adverts)))
      .rivals = {{"everybody to everybody", nodes * (nodes - 1)}};
  found.add(lab::told("questions that reached a member who had left", lab::unit::count,
                      static_cast<double>(world.unheard() - before_leaving)));
  found.add(lab::mean_of("nodes asked that hold nothing, where messages are lost", lab::unit::real,
                         lossy.in_vain, lossy.expected));
  found.add(lab::told("times a question was put where messages are lost", lab::unit::real,
                      static_cast<double>(lossy.tries) / static_cast<double>(put_again)));
  return found;
}

extern constinit const system_info leaders_system{
    .id = "P2",
    .name = "Groups with leaders",
    .source = "Ledlie et al.; Broder and Mitzenmacher 5.1",
    .where = pattern::overlay,
    .does =
        "Nodes are in groups. Leaders have a filter of each of their members, and of each other "
        "group; "
        "a question goes from its asker to the leader, to groups that claim it, to members that "
        "do.",
    .figure =
        "Every holder is found; a leader keeps group + groups filters, not one of every node; "
        "nodes "
        "asked in vain: the sum of the rates of the filters that could mislead.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"nodes", "400", "in all"},
                          {"group", "20", "nodes of a group, its leader among them"},
                          {"keys", "20", "that a node holds"},
                          {"rate", "5%", "of the filter of a group"},
                          {"questions", "2000", "for keys that somebody holds"},
                          {"loss", "1%", "of messages, in a run of its own"}}},
    .run = leaders};

}  // namespace bloomery::systems
