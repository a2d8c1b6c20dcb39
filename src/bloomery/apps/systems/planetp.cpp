// P1: peers that gossip filters of their words, so that a search asks only those who may have them.
#include <cmath>

#include "bloomery/apps/lab/workload.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/overlay/gossip.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/overlays.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using overlay::gossiper;

struct planet_plan {
  std::uint64_t nodes;
  std::uint64_t words;  // of a peer
  double rate;
  std::uint64_t seed;

  [[nodiscard]] std::uint64_t vocabulary() const { return 20 * words; }
  [[nodiscard]] digest word(std::uint64_t i) const { return lab::numbered(seed, 1, i); }
};

lab::peer planet(std::uint64_t node) {
  return lab::peer{static_cast<std::uint32_t>(node)};
}

constexpr std::uint64_t most_beats = 100;

// After how many beats everybody has everybody's latest filter.
std::uint64_t beats_until_known(lab::world& world, const planet_plan& plan,
                                const std::vector<bool>& gone) {
  const auto known = [&] {
    for (std::uint64_t v = 0; v < plan.nodes; ++v) {
      if (gone[v]) continue;
      const auto version = world.get<gossiper>(planet(v)).version_of(v);
      for (std::uint64_t w = 0; w < plan.nodes; ++w) {
        if (!gone[w] && world.get<gossiper>(planet(w)).version_of(v) != version) return false;
      }
    }
    return true;
  };
  std::uint64_t beats = 0;
  while (beats < most_beats && !known()) {
    ++beats;
    world.run_until(world.now() + gossiper::beat);
  }
  return beats;
}

standard_shape planet_shape(const planet_plan& plan) {
  return standard_filter::plan(plan.words + plan.words / 10 + 1, plan.rate);
}

void populate(lab::world& world, const planet_plan& plan, const lab::zipf& popular, double loss) {
  for (std::uint64_t v = 0; v < plan.nodes; ++v) {
    gossiper made(v, plan.nodes, planet_shape(plan), plan.seed);
    lab::random_stream random(plan.seed, 1000 + v);
    while (made.words().size() < plan.words) made.insert(plan.word(popular(random)));
    made.publish();
    world.add(std::move(made));
  }
  world.connect_all({.delay = std::chrono::milliseconds(10), .loss = loss});
}

struct planet_search {
  std::uint64_t holders = 0;
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::uint64_t out_of_rank = 0;
  std::vector<double> extra;
  double expected = 0;
  double asked = 0;
};

planet_search search_planet(lab::world& world, const planet_plan& plan, const lab::zipf& popular,
                            const std::vector<bool>& gone, std::uint64_t questions,
                            std::uint64_t first_id) {
  planet_search found;
  lab::random_stream random(plan.seed, first_id);
  for (std::uint64_t q = 0; q < questions; ++q) {
    std::uint64_t asker = random.below(plan.nodes);
    while (gone[asker]) asker = random.below(plan.nodes);
    const std::array words{plan.word(popular(random)), plan.word(popular(random))};
    const std::uint64_t id = first_id + q;
    const std::uint64_t vain = world.told("asked in vain");
    const std::uint64_t all = world.told("questions");
    const auto packed = overlay::packed_words(words);
    world.post(planet(asker), world.now(),
               wire::write(overlay::question{.id = id, .words = packed}));
    world.run_until(world.now() + gossiper::beat);
    const gossiper& self = world.get<gossiper>(planet(asker));
    const std::vector<std::uint64_t> told = self.found(id);
    std::uint64_t holders = 0;
    for (std::uint64_t v = 0; v < plan.nodes; ++v) {
      if (gone[v]) continue;
      const gossiper& peer = world.get<gossiper>(planet(v));
      const bool named = std::ranges::find(told, v) != told.end();
      if (peer.holds(words)) {
        ++holders;
        found.missed += std::uint64_t{!named};
      } else {
        found.wrong += std::uint64_t{named};
        auto missing = std::uint64_t{!peer.words().contains(words[0])};
        if (words[1] != words[0]) missing += std::uint64_t{!peer.words().contains(words[1])};
        const double claims = v == asker ? 0 : math::claims_all(self.rate_of(v), missing);
        found.expected += claims / static_cast<double>(questions);
      }
    }
    found.holders += holders;
    found.extra.push_back(static_cast<double>(world.told("asked in vain") - vain));
    found.asked += static_cast<double>(world.told("questions") - all);
    // Those that claim all words weigh more than any that does not.
    const auto claiming = self.claiming(words);
    const auto ranked = self.ranked(words);
    for (std::size_t i = 0; i < claiming.size(); ++i) {
      const auto among = std::ranges::find(claiming, ranked[i]);
      found.out_of_rank += std::uint64_t{among == claiming.end()};
    }
  }
  found.asked /= static_cast<double>(questions);
  return found;
}

}  // namespace

lab::result planetp(const lab::request& asked) {
  const planet_plan plan{.nodes = asked.count("nodes"),
                         .words = asked.count("words"),
                         .rate = asked.ratio("rate"),
                         .seed = asked.seed()};
  const std::uint64_t questions = asked.count("questions");
  math::require_whole("nodes", plan.nodes, 10, 2000);
  math::require_whole("words", plan.words, 1, 100'000);
  math::require_whole("questions", questions, 2, 100'000);

  const lab::zipf popular(plan.vocabulary(), 0.8);
  lab::world world(plan.seed);
  populate(world, plan, popular, 0);
  std::vector<bool> gone(plan.nodes);
  const std::uint64_t beats = beats_until_known(world, plan, gone);
  const lab::traffic gossip = world.sent();
  lab::world lossy(plan.seed);
  populate(lossy, plan, popular, asked.ratio("loss"));
  const std::uint64_t beats_with_losses = beats_until_known(lossy, plan, gone);

  // A tenth leave without a word, a tenth have new words.
  lab::random_stream random(plan.seed, 2);
  for (std::uint64_t i = 0; i < plan.nodes / 10; ++i) {
    const std::uint64_t v = random.below(plan.nodes);
    gone[v] = true;
    world.leave(planet(v));
  }
  for (std::uint64_t i = 0; i < plan.nodes / 10; ++i) {
    auto& peer = world.get<gossiper>(planet(random.below(plan.nodes)));
    for (std::uint64_t j = 0; j <= plan.words / 20; ++j) peer.insert(plan.word(popular(random)));
    peer.publish();
  }
  const std::uint64_t beats_again = beats_until_known(world, plan, gone);
  planet_search search = search_planet(world, plan, popular, gone, questions, 1);

  lab::result found;
  found.never("a peer that has all words was not found", search.missed, search.holders);
  found.never("gossip had not reached everybody after so many beats, losses or none",
              std::uint64_t{std::max({beats, beats_again, beats_with_losses}) == most_beats},
              most_beats);
  found.never("a peer was named that has not all words", search.wrong, questions * plan.nodes);
  found.never("a peer that claims all words ranked behind one that does not", search.out_of_rank,
              questions);
  found.never("a sound message was refused", world.told("refused"), world.delivered().messages);
  const auto nodes = static_cast<double>(plan.nodes);
  found
      .add(lab::mean_of("peers asked in vain a question", lab::unit::real, search.extra,
                        search.expected))
      .rivals = {{"asking all", nodes - 1}};
  found.add(lab::told("peers asked a question", lab::unit::real, search.asked)).rivals = {
      {"asking all", nodes - 1}};
  found
      .add(lab::told("beats until all filters are everywhere", lab::unit::count,
                     static_cast<double>(beats)))
      .rivals = {{"a rumour that is only pushed", math::push_rounds(plan.nodes)}};
  found.add(lab::told("beats where messages are lost", lab::unit::count,
                      static_cast<double>(beats_with_losses)));
  found
      .add(lab::told("beats until the changed ones are", lab::unit::count,
                     static_cast<double>(beats_again)))
      .rivals = {{"a rumour that is only pushed", math::push_rounds(plan.nodes)}};
  found.add(lab::told("bytes sent by a peer until then", lab::unit::bytes,
                      static_cast<double>(gossip.bytes) / nodes));
  found.add(lab::exactly(
      "bytes of filters at a peer", lab::unit::bytes,
      static_cast<double>(world.get<gossiper>(planet(0)).filter_bytes()),
      (nodes - 1) * static_cast<double>(standard_filter::payload_bytes(planet_shape(plan)))));
  return found;
}

extern constinit const system_info planetp_system{
    .id = "P1",
    .name = "PlanetP",
    .source = "Cuenca-Acuna et al.; Broder and Mitzenmacher 5.1",
    .where = pattern::overlay,
    .does =
        "Every peer has a filter of every other's words, spread by gossip. A search asks the peers "
        "whose filters claim all words; where any will do, those with the rarest rank first.",
    .figure =
        "Every peer that has all words is asked, though messages are lost and peers leave; peers "
        "asked "
        "in vain: the product of the rates for the words that each lacks, summed.",
    .verb = "node run",
    .needs = "",
    .settings_or_none = {{{"nodes", "200", "peers"},
                          {"words", "200", "that a peer has"},
                          {"rate", "5%", "of a filter"},
                          {"questions", "500", "of two words"},
                          {"loss", "10%", "of messages, in a second run of the gossip"}}},
    .run = planetp};

}  // namespace bloomery::systems
