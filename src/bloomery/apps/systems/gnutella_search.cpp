// P5: Gnutella's leaves and ultrapeers, with the messages of its query routing protocol.
#include <algorithm>
#include <set>

#include "bloomery/apps/lab/topology.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/overlay/gnutella.hpp"
#include "bloomery/apps/systems/overlay_trial.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/overlays.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using overlay::gnutella_node;

struct gnutella_plan {
  std::uint64_t ultrapeers;
  std::uint64_t links;
  std::uint64_t leaves;  // of an ultrapeer
  std::uint64_t files;   // of a leaf, of three words each
  std::uint64_t slots;
  std::uint64_t seed;
  std::uint8_t life = 3;

  [[nodiscard]] std::uint64_t leaf(std::uint64_t ultrapeer, std::uint64_t i) const {
    return ultrapeers + ultrapeer * leaves + i;
  }
  [[nodiscard]] std::uint64_t nodes() const { return ultrapeers * (1 + leaves); }
  [[nodiscard]] std::uint64_t vocabulary() const { return ultrapeers * leaves * files / 2; }
  // Twelve letters and digits.
  [[nodiscard]] std::string word(std::uint64_t i) const {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::string made;
    lab::random_stream random(seed, 1'000'000 + i);
    for (int j = 0; j < 12; ++j) made.push_back(letters[random.below(letters.size())]);
    return made;
  }
};

lab::peer host_of(std::uint64_t v) {
  return lab::peer{static_cast<std::uint32_t>(v)};
}

using file_words = std::array<std::uint64_t, 3>;

void connect_servents(lab::world& world, const gnutella_plan& plan, const lab::graph& net,
                      double loss, std::vector<file_words>& files) {
  const lab::link_spec wire{.delay = overlay_link.delay, .loss = loss};
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    overlay::gnutella_setup setup{
        .self = host_of(v), .links = {}, .slots = plan.slots, .life = plan.life};
    for (std::uint64_t i = 0; i < plan.leaves; ++i) {
      setup.links.push_back({host_of(plan.leaf(v, i)), true});
    }
    for (const lab::graph::vertex w : net.neighbours(v)) setup.links.push_back({host_of(w), false});
    world.add(gnutella_node(std::move(setup)));
  }
  lab::random_stream random(plan.seed, 1);
  for (lab::graph::vertex v = 0; v < net.size(); ++v) {
    for (std::uint64_t i = 0; i < plan.leaves; ++i) {
      gnutella_node leaf({.self = host_of(plan.leaf(v, i)),
                          .leaf = true,
                          .links = {{host_of(v), false}},
                          .slots = plan.slots});
      for (std::uint64_t f = 0; f < plan.files; ++f) {
        file_words words{};
        std::string name;
        for (std::uint64_t& word : words) {
          word = random.below(plan.vocabulary());
          name += plan.word(word) + " ";
        }
        leaf.share(name);
        files.push_back(words);
      }
      world.add(std::move(leaf));
    }
  }
  world.connect(net, wire);
  for (std::uint64_t v = 0; v < plan.ultrapeers; ++v) {
    for (std::uint64_t i = 0; i < plan.leaves; ++i) {
      world.connect(host_of(v), host_of(plan.leaf(v, i)), wire);
    }
  }
  world.run();
}

struct servent_search {
  std::uint64_t holders = 0;
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::vector<double> in_vain;  // leaves asked
  double expected = 0;
  double ultrapeers = 0;  // asked
  double within_reach = 0;
  double leaves_within_reach = 0;
};

// The chance that a table which a leaf sent claims words of which it lacks some.
double claim_of(const gnutella_node& at, const gnutella_node& of, lab::peer sender,
                std::span<const std::string> words) {
  const overlay::qrp_table* told = at.table_of(sender);
  const auto missing = static_cast<std::uint64_t>(
      std::ranges::count_if(words, [&](const auto& word) { return !of.has_word(word); }));
  return told == nullptr ? 0 : math::claims_all(told->fill(), missing);
}

// Of those who have not gone; `net` links the ultrapeers that are left.
servent_search search_servents(lab::world& world, const gnutella_plan& plan, const lab::graph& net,
                               const std::vector<file_words>& files, const std::vector<bool>& gone,
                               std::uint64_t questions, std::uint64_t first_id) {
  servent_search found;
  lab::random_stream random(plan.seed, 1 + first_id);
  for (std::uint64_t q = 0; q < questions; ++q) {
    const file_words& file = files[random.below(files.size())];
    const std::vector<std::string> words{plan.word(file[0]), plan.word(file[1])};
    auto of = static_cast<lab::graph::vertex>(random.below(plan.ultrapeers));
    std::uint64_t asker = plan.leaf(of, random.below(plan.leaves));
    while (gone[of] || gone[asker]) {
      of = static_cast<lab::graph::vertex>(random.below(plan.ultrapeers));
      asker = plan.leaf(of, random.below(plan.leaves));
    }
    overlay::gnutella_message::identity id{};
    core::store_le(id.data(), first_id + q);
    const auto payload = overlay::query_payload(words[0] + " " + words[1]);
    const std::uint64_t vain = world.told("leaf asked in vain");
    const std::uint64_t ultrapeers = world.told("ultrapeer asked");
    world.post(
        host_of(asker), world.now(),
        overlay::write_gnutella({.id = id, .kind = overlay::gnutella_query, .payload = payload}));
    world.run();
    found.in_vain.push_back(static_cast<double>(world.told("leaf asked in vain") - vain));
    found.ultrapeers += static_cast<double>(world.told("ultrapeer asked") - ultrapeers);

    const auto answers = world.get<gnutella_node>(host_of(asker)).answers(id);
    const auto far = lab::distances(net, of);
    for (lab::graph::vertex v = 0; v < net.size(); ++v) {
      if (gone[v] || far[v] > plan.life) continue;
      found.within_reach += 1;
      for (std::uint64_t i = 0; i < plan.leaves; ++i) {
        const std::uint64_t leaf = plan.leaf(v, i);
        if (leaf == asker || gone[leaf]) continue;
        found.leaves_within_reach += 1;
        const auto& node = world.get<gnutella_node>(host_of(leaf));
        const bool named = std::ranges::find(answers, leaf) != answers.end();
        if (node.has(words)) {
          ++found.holders;
          found.missed += std::uint64_t{!named};
        } else {
          found.wrong += std::uint64_t{named};
          found.expected +=
              claim_of(world.get<gnutella_node>(host_of(v)), node, host_of(leaf), words) /
              static_cast<double>(questions);
        }
      }
    }
  }
  return found;
}

// Some go without a word, ultrapeers and leaves, but for the first of either; what is left of the network.
lab::graph desert(lab::world& world, const gnutella_plan& plan, const lab::graph& net, double share,
                  std::vector<bool>& gone) {
  lab::random_stream random(plan.seed, 4);
  for (std::uint64_t v = 0; v < plan.nodes(); ++v) {
    if (!random.chance(share) || v == 0 || v == plan.leaf(0, 0)) continue;
    gone[v] = true;
    world.leave(host_of(v));
  }
  return without(net, gone);
}

struct lossy_servents {
  std::uint64_t holders = 0;
  std::uint64_t missed = 0;
  std::uint64_t wrong = 0;
  std::uint64_t tries = 0;
};

// Tables are sent again before a question is put again, until all within reach are named who have it.
lossy_servents search_lossy_servents(const gnutella_plan& plan, const lab::graph& net, double loss,
                                     std::uint64_t questions) {
  lab::world world(plan.seed);
  std::vector<file_words> files;
  connect_servents(world, plan, net, loss, files);
  lossy_servents found;
  lab::random_stream random(plan.seed, 5);
  std::uint64_t number = 0;
  for (std::uint64_t q = 0; q < questions; ++q) {
    const file_words& file = files[random.below(files.size())];
    const std::vector<std::string> words{plan.word(file[0]), plan.word(file[1])};
    const auto of = static_cast<lab::graph::vertex>(random.below(plan.ultrapeers));
    const std::uint64_t asker = plan.leaf(of, random.below(plan.leaves));
    const auto far = lab::distances(net, of);
    std::set<std::uint64_t> truth;
    for (lab::graph::vertex v = 0; v < net.size(); ++v) {
      for (std::uint64_t i = 0; i < plan.leaves && far[v] <= plan.life; ++i) {
        const std::uint64_t leaf = plan.leaf(v, i);
        const bool has = world.get<gnutella_node>(host_of(leaf)).has(words);
        if (leaf != asker && has) truth.insert(leaf);
      }
    }
    const auto payload = overlay::query_payload(words[0] + " " + words[1]);
    std::set<std::uint64_t> named;
    for (std::uint64_t n = 0;
         n == 0 || (n < most_tries && found.missed == 0 && named.size() < truth.size()); ++n) {
      if (n > 0) {
        for (std::uint64_t v = 0; v < plan.nodes(); ++v) world.wake(host_of(v), world.now(), 0);
        world.run();
      }
      overlay::gnutella_message::identity id{};
      core::store_le(id.data(), ++number);
      world.post(
          host_of(asker), world.now(),
          overlay::write_gnutella({.id = id, .kind = overlay::gnutella_query, .payload = payload}));
      world.run();
      const auto answers = world.get<gnutella_node>(host_of(asker)).answers(id);
      named.insert(answers.begin(), answers.end());
      ++found.tries;
    }
    found.holders += truth.size();
    for (const std::uint64_t v : truth) found.missed += std::uint64_t{!named.contains(v)};
    for (const std::uint64_t v : named) found.wrong += std::uint64_t{!truth.contains(v)};
  }
  return found;
}

// The share of ultrapeers whom a flood reaches with its last hop, counted where no two ways meet.
double counted_last_hops(std::uint64_t links, std::uint64_t hops) {
  std::vector<lab::graph::edge> edges;
  std::vector<lab::graph::vertex> row{0};
  lab::graph::vertex next = 1;
  for (std::uint64_t hop = 0; hop < hops; ++hop) {
    std::vector<lab::graph::vertex> after;
    for (const lab::graph::vertex v : row) {
      for (std::uint64_t i = 0; i < links - std::uint64_t{hop > 0}; ++i) {
        edges.emplace_back(v, next);
        after.push_back(next++);
      }
    }
    row = std::move(after);
  }
  const auto far = lab::distances(lab::graph(next, edges), 0);
  const auto last = std::ranges::count(far, static_cast<std::uint32_t>(hops));
  return static_cast<double>(last) / static_cast<double>(next - 1);
}

}  // namespace

lab::result gnutella_search(const lab::request& asked) {
  const gnutella_plan plan{.ultrapeers = asked.count("ultrapeers"),
                           .links = asked.count("links"),
                           .leaves = asked.count("leaves"),
                           .files = asked.count("files"),
                           .slots = asked.count("slots"),
                           .seed = asked.seed()};
  const std::uint64_t questions = asked.count("questions");
  const double leaving = asked.ratio("leaving");
  const double loss = asked.ratio("loss");
  math::require_whole("ultrapeers", plan.ultrapeers, 4, 1000);
  math::require_whole("links", plan.links, 2, plan.ultrapeers - 1);
  math::require_whole("leaves", plan.leaves, 1, 100);
  math::require_whole("files", plan.files, 1, 1000);
  math::require_whole("slots", plan.slots, 256, 1 << 17);
  math::require_whole("questions", questions, 4, 10'000);
  math::require_part("leaving", leaving);
  require_little_lost(loss, 2 * (std::uint64_t{plan.life} + 2));
  if (plan.ultrapeers * plan.links % 2 != 0) {
    fail(errc::invalid, "ultrapeers times links is odd, and every link has two ends");
  }

  const lab::graph net = lab::random_regular(plan.ultrapeers, plan.links, plan.seed);
  lab::world world(plan.seed);
  std::vector<file_words> files;
  connect_servents(world, plan, net, 0, files);
  const auto tables = static_cast<double>(world.sent().bytes);
  std::vector<bool> gone(plan.nodes());
  const servent_search search = search_servents(world, plan, net, files, gone, questions, 1);
  const std::uint64_t unheard = world.unheard();
  const lab::graph left = desert(world, plan, net, leaving, gone);
  const servent_search deserted =
      search_servents(world, plan, left, files, gone, questions / 2, 1 + questions);

  const std::uint64_t put_again = questions / 4;
  const std::uint64_t later = questions / 2;
  const lossy_servents lossy = search_lossy_servents(plan, net, loss, put_again);

  lab::result found;
  found.never("a leaf within reach that has it was not asked", search.missed, search.holders);
  found.never("a leaf within reach that has it was not asked after others had gone",
              deserted.missed, deserted.holders);
  found.never("a leaf within reach that has it was not asked although what was lost was repeated",
              lossy.missed, lossy.holders);
  found.never("a leaf was named that has not all words in one file",
              search.wrong + deserted.wrong + lossy.wrong,
              (questions + questions / 2 + questions / 4) * plan.nodes());
  found.never("a sound message was refused", world.told("refused"), world.delivered().messages);
  const auto all = static_cast<double>(questions);
  found
      .add(lab::mean_of("leaves asked in vain a question", lab::unit::real, search.in_vain,
                        search.expected))
      .rivals = {{"without tables", search.leaves_within_reach / all}};
  found.add(lab::told("ultrapeers asked a question", lab::unit::real, search.ultrapeers / all))
      .rivals = {{"without tables", search.within_reach / all}};
  constexpr std::uint64_t real_links = 32;
  constexpr double rounding = 1e-12;
  const double last_hop = math::last_hop_share(real_links, 3);
  found.add({.what = "share of the last hop, at 32 links and 3 hops",
             .in = lab::unit::share,
             .measured = counted_last_hops(real_links, 3),
             .predicted = math::interval{last_hop - rounding, last_hop + rounding},
             .paper = 0.97});
  found.add(lab::told("times a question was put where messages are lost", lab::unit::real,
                      static_cast<double>(lossy.tries) / static_cast<double>(put_again)));
  double fill = 0;
  for (std::uint64_t v = 0; v < plan.ultrapeers; ++v) {
    const auto neighbour = net.neighbours(static_cast<lab::graph::vertex>(v))[0];
    const auto* told = world.get<gnutella_node>(host_of(neighbour)).table_of(host_of(v));
    fill += told == nullptr ? 0 : told->fill() / static_cast<double>(plan.ultrapeers);
  }
  found.add(lab::told("messages to nodes that had gone, a question", lab::unit::real,
                      static_cast<double>(world.unheard() - unheard) / static_cast<double>(later)));
  found.add(lab::told("share of slots in use, all leaves of an ultrapeer", lab::unit::share, fill));
  found.add(lab::told("bytes of tables sent, a node", lab::unit::bytes,
                      tables / static_cast<double>(plan.nodes())));
  return found;
}

extern constinit const system_info gnutella_search_system{
    .id = "P5",
    .name = "Gnutella",
    .source = "Rohrs (query routing); Tarkoma IV-B",
    .where = pattern::overlay,
    .does =
        "Leaves send their ultrapeer a table of hashed words, ultrapeers each other one of all "
        "their "
        "leaves' words. Questions go on for three hops, on the last and to leaves only by the "
        "tables.",
    .figure =
        "Every leaf within reach that has a file with all words is asked, and no other but at the "
        "rate of its table; 97 % of what a question reaches is the last hop.",
    .verb = "node run",
    .needs = "",
    .settings_or_none = {{{"ultrapeers", "100", "in a random network"},
                          {"links", "6", "of an ultrapeer to others"},
                          {"leaves", "8", "of an ultrapeer"},
                          {"files", "40", "of a leaf, of three words each"},
                          {"slots", "4096", "of a table, a power of two"},
                          {"questions", "200", "of two words of a file, and half as many later"},
                          {"leaving", "10%", "of all nodes, before the later questions"},
                          {"loss", "1%", "of messages, in a run of its own"}}},
    .run = gnutella_search};

}  // namespace bloomery::systems
