// P10: peers link to those whose filters are most like their own.
#include <cmath>

#include "bloomery/apps/systems/interests.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

lab::peer alike(std::uint64_t v) {
  return lab::peer{static_cast<std::uint32_t>(v)};
}

using link_choice = std::vector<std::vector<std::uint64_t>>;  // whom each peer asks

// Everybody asks those of its list, and nobody else: the same number of messages whatever the list.
struct list_search {
  std::uint64_t hits = 0;
  std::uint64_t wrong = 0;
  std::uint64_t missed = 0;  // though one on the list has it
  std::uint64_t asked = 0;   // peers
};

list_search search_lists(const interests& all, const link_choice& lists, std::uint64_t questions,
                         std::uint64_t seed) {
  lab::world world(seed);
  for (std::uint64_t v = 0; v < all.peers(); ++v) {
    overlay::node_setup setup{.self = alike(v), .links = {}};
    for (const std::uint64_t w : lists[v]) {
      setup.links.push_back({alike(w), overlay::toward::aside, v * all.peers() + w});
    }
    setup.beats = 0;  // filters were compared before; here everybody on the list is asked
    plain_node made(std::move(setup), plain_summary(standard_filter(standard_shape{64, 1})));
    for (const std::uint64_t file : all.held(v)) made.insert(all.key(file));
    world.add(std::move(made));
  }
  world.connect_all(overlay_link);
  list_search found;
  lab::random_stream random(seed, 31);
  const std::vector<std::uint64_t> askers = all.askers();
  for (std::uint64_t q = 0; q < questions; ++q) {
    const std::uint64_t asker = askers[q % askers.size()];
    const std::uint64_t file = all.wish(asker, random);
    const digest key = all.key(file);
    const auto got =
        ask_overlay<plain_node>(world, alike(asker), {&key, 1}, q + 1, overlay::walk::flooding, 1);
    const bool there =
        std::ranges::any_of(lists[asker], [&](std::uint64_t w) { return all.holds(w, file); });
    found.hits += std::uint64_t{!got.came.holders.empty()};
    found.missed += std::uint64_t{there && got.came.holders.empty()};
    for (const std::uint64_t v : got.came.holders)
      found.wrong += std::uint64_t{!all.holds(v, file)};
    found.asked += got.spent.in_vain + got.spent.with_reason;
  }
  return found;
}

}  // namespace

lab::result similar_peers(const lab::request& asked) {
  const std::uint64_t peers = asked.count("peers");
  const std::uint64_t links = asked.count("links");
  const std::uint64_t known = asked.count("known");
  const std::uint64_t questions = asked.count("questions");
  math::require_whole("peers", peers, 20, 5000);
  math::require_whole("links", links, 1, 100);
  math::require_whole("known", known, links, peers - 1);
  math::require_whole("questions", questions, 10, 1'000'000);
  constexpr double confidence = 0.999;
  constexpr std::uint64_t held = 60;
  const interests all({.peers = peers, .topics = 8, .files = 300, .held = held}, asked.seed());

  std::vector<standard_filter> filters;
  for (std::uint64_t v = 0; v < peers; ++v) {
    filters.push_back(standard_filter::for_keys(held, asked.ratio("rate")));
    for (const std::uint64_t file : all.held(v)) filters[v].insert(all.key(file));
  }
  // A peer compares its filter with those of as many others as it knows, and takes the most alike.
  link_choice similar(peers);
  link_choice any(peers);
  std::vector<double> outside;  // the share of a peer's comparisons whose interval misses the truth
  std::vector<double> errors;
  std::uint64_t same_topic = 0;
  lab::random_stream random(asked.seed(), 32);
  for (std::uint64_t v = 0; v < peers; ++v) {
    std::set<std::uint64_t> others;
    while (others.size() < known) {
      const std::uint64_t w = random.below(peers);
      if (w != v) others.insert(w);
    }
    std::vector<std::pair<double, std::uint64_t>> ranked;
    double missed = 0;
    for (const std::uint64_t w : others) {
      const auto common = filters[v].estimated_overlap(filters[w], confidence).common;
      const auto truth = static_cast<double>(std::ranges::count_if(
          all.held(v), [&](std::uint64_t file) { return all.holds(w, file); }));
      missed += truth < common.low || truth > common.high ? 1 : 0;
      errors.push_back(common.value - truth);
      ranked.emplace_back(-common.value, w);
    }
    outside.push_back(missed / static_cast<double>(known));
    for (std::uint64_t i = 0; i < links; ++i) any[v].push_back(ranked[i * known / links].second);
    std::ranges::sort(ranked);
    for (std::uint64_t i = 0; i < links; ++i) {
      similar[v].push_back(ranked[i].second);
      same_topic += std::uint64_t{all.topic(ranked[i].second) == all.topic(v)};
    }
  }
  const list_search by_likeness = search_lists(all, similar, questions, asked.seed());
  const list_search by_chance = search_lists(all, any, questions, asked.seed());

  lab::result found;
  found.never("a peer on the list had it and was not found", by_likeness.missed + by_chance.missed,
              2 * questions);
  found.never("somebody was named who does not hold it", by_likeness.wrong + by_chance.wrong,
              2 * questions);
  found.add(lab::mean_at_most("intervals of the overlap that miss the truth", lab::unit::share,
                              outside, 1 - confidence));
  double squares = 0;
  for (const double each : errors) squares += each * each / static_cast<double>(errors.size());
  found.add(lab::told("error of an estimated overlap, root of the mean square", lab::unit::real,
                      std::sqrt(squares)));
  const auto all_asked = static_cast<double>(questions);
  const double chance = static_cast<double>(by_chance.hits) / all_asked;
  lab::figure hits{.what = "questions that a peer on the list could answer",
                   .in = lab::unit::share,
                   .measured = static_cast<double>(by_likeness.hits) / all_asked,
                   .predicted = math::interval{chance, 1}};
  hits.rivals = {{"peers by chance", chance}};
  found.add(std::move(hits));
  found
      .add(lab::exactly("peers asked a question", lab::unit::real,
                        static_cast<double>(by_likeness.asked) / all_asked,
                        static_cast<double>(links)))
      .rivals = {{"peers by chance", static_cast<double>(by_chance.asked) / all_asked}};
  found.add(lab::told("peers on a list that have its owner's topic", lab::unit::share,
                      static_cast<double>(same_topic) / static_cast<double>(peers * links)));
  return found;
}

extern constinit const system_info similar_peers_system{
    .id = "P10",
    .name = "Similar peers",
    .source = "Tarkoma IV-B",
    .where = pattern::overlay,
    .does =
        "Peers compare filters of what they hold, which tell how much two have in common, and link "
        "to "
        "those that are most alike: who has the same has what one will ask for.",
    .figure =
        "The true overlap lies in the interval of its estimate; at the same number of messages, "
        "similar peers answer at least as much as peers by chance.",
    .verb = "estimate",
    .needs = "",
    .settings_or_none = {{{"peers", "240", "of eight topics"},
                          {"links", "5", "that a peer has"},
                          {"known", "40", "others whose filters a peer has seen"},
                          {"rate", "1%", "of a filter"},
                          {"questions", "2000", "for files of the asker's topic"}}},
    .run = similar_peers};

}  // namespace bloomery::systems
