// P9: peers tell each other of peers, and a filter of 260 bytes says which are known already.
#include <set>

#include "bloomery/apps/overlay/known_peers.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

struct swarm_exchange {
  std::uint64_t known_sent = 0;
  std::uint64_t chances = 0;
  std::vector<double> lost;  // the share of what was new, an exchange each
  std::uint64_t message_bytes = 0;
};

// Exchanges of one who knows so many with others who know `fresh` more.
swarm_exchange exchange_peers(std::uint64_t bytes, std::uint64_t known, std::uint64_t exchanges,
                              std::uint64_t seed) {
  constexpr std::uint64_t fresh = 1000;
  swarm_exchange found;
  for (std::uint64_t i = 0; i < exchanges; ++i) {
    std::vector<std::uint64_t> mine;
    std::vector<std::uint64_t> theirs;
    for (std::uint64_t p = 0; p < known + fresh; ++p) {
      const std::uint64_t peer = lab::numbered(seed, i, p).lo;
      if (p < known) mine.push_back(peer);
      theirs.push_back(peer);
    }
    const auto question = overlay::known_message(mine, bytes, lab::numbered(seed, i, 0).hi);
    const auto answer = overlay::open_new(
        overlay::new_message(theirs, overlay::open_known(question), theirs.size()));
    const std::set<std::uint64_t> known_ones(mine.begin(), mine.end());
    for (const std::uint64_t peer : answer) {
      found.known_sent += std::uint64_t{known_ones.contains(peer)};
    }
    found.chances += known;
    const std::uint64_t told = answer.size();
    found.lost.push_back(static_cast<double>(fresh - std::min(fresh, told)) /
                         static_cast<double>(fresh));
    found.message_bytes = question.size();
  }
  return found;
}

// A swarm in which everybody knows a few: beats until all know all, each asking one that it knows.
struct swarm_growth {
  std::uint64_t beats = 0;
  std::uint64_t known_sent = 0;
  std::uint64_t sent = 0;
  std::uint64_t bytes = 0;
  std::uint64_t bytes_of_lists = 0;  // if all that is known were sent instead
};

swarm_growth grow_swarm(std::uint64_t bytes, std::uint64_t peers, double loss, std::uint64_t seed) {
  constexpr std::uint64_t first_known = 3;
  constexpr std::uint64_t most_beats = 1000;
  constexpr std::size_t most_new = 50;
  apps::random_stream random(seed, 9);
  std::vector<std::set<std::uint64_t>> knows(peers);
  for (std::uint64_t v = 0; v < peers; ++v) {
    knows[v].insert(v);
    for (std::uint64_t i = 1; i <= first_known; ++i) knows[v].insert((v + i) % peers);
  }
  swarm_growth grown;
  const auto complete = [&] {
    return std::ranges::all_of(knows, [&](const auto& some) { return some.size() == peers; });
  };
  while (grown.beats < most_beats && !complete()) {
    ++grown.beats;
    for (std::uint64_t v = 0; v < peers; ++v) {
      const std::vector<std::uint64_t> mine(knows[v].begin(), knows[v].end());
      const std::uint64_t other = mine[random.below(mine.size())];
      if (other == v) continue;
      const auto question = overlay::known_message(mine, bytes, random());
      grown.bytes += question.size();
      if (random.chance(loss)) continue;
      knows[other].insert(v);
      std::vector<std::uint64_t> theirs(knows[other].begin(), knows[other].end());
      for (std::size_t i = theirs.size(); i > 1; --i) {
        std::swap(theirs[i - 1], theirs[random.below(i)]);
      }
      const auto answer = overlay::new_message(theirs, overlay::open_known(question), most_new);
      grown.bytes += answer.size();
      grown.bytes_of_lists += 8 * (mine.size() + theirs.size());
      if (random.chance(loss)) continue;
      for (const std::uint64_t peer : overlay::open_new(answer)) {
        ++grown.sent;
        grown.known_sent += std::uint64_t{!knows[v].insert(peer).second};
      }
    }
  }
  if (!complete()) grown.beats = 0;
  return grown;
}

}  // namespace

lab::result swarm_discovery(const lab::request& asked) {
  const std::uint64_t bytes = asked.size("bytes");
  const std::uint64_t known = asked.count("known");
  const std::uint64_t exchanges = asked.count("exchanges");
  const std::uint64_t peers = asked.count("peers");
  math::require_whole("bytes", bytes, 16, 4096);
  math::require_whole("known", known, 10, 2 * bytes);
  math::require_whole("exchanges", exchanges, 2, 10'000);
  math::require_whole("peers", peers, 10, bytes);

  lab::result found;
  const swarm_exchange one = exchange_peers(bytes, known, exchanges, asked.seed());
  const swarm_exchange twice = exchange_peers(bytes, 2 * known, exchanges, asked.seed() + 1);
  const swarm_growth swarm = grow_swarm(bytes, peers, asked.ratio("loss"), asked.seed());
  found.never("a known peer was sent", one.known_sent + twice.known_sent + swarm.known_sent,
              one.chances + twice.chances + swarm.sent);
  found.never("a swarm did not come to know all of itself", std::uint64_t{swarm.beats == 0}, 1);
  // The mean over filters, each with keys of its own.
  const auto rate_of = [&](std::uint64_t keys) {
    return math::exact_rate(8 * bytes, keys, math::best_hashes(8 * bytes, keys));
  };
  auto& lost =
      found.add(lab::mean_of("new peers left out", lab::unit::share, one.lost, rate_of(known)));
  if (known == 217 && bytes == 260) lost.paper = 0.01;
  found.add(lab::mean_of("the same with twice as many known", lab::unit::share, twice.lost,
                         rate_of(2 * known)));
  found
      .add(
          lab::told("bytes of a message", lab::unit::bytes, static_cast<double>(one.message_bytes)))
      .rivals = {{"a list", 8 * static_cast<double>(known)}};
  found.add(lab::told("beats until a swarm knows all of itself", lab::unit::count,
                      static_cast<double>(swarm.beats)));
  found
      .add(lab::told("bytes sent by a peer until then", lab::unit::bytes,
                     static_cast<double>(swarm.bytes) / static_cast<double>(peers)))
      .rivals = {
      {"lists both ways", static_cast<double>(swarm.bytes_of_lists) / static_cast<double>(peers)}};
  return found;
}

extern constinit const system_info swarm_discovery_system{
    .id = "P9",
    .name = "Swarm discovery",
    .source = "Pouwelse et al. (Tribler); Tarkoma IV-B",
    .where = pattern::exchange,
    .does =
        "Who looks for peers sends a filter of those it knows, 260 bytes; the other answers with "
        "peers "
        "that the filter does not claim.",
    .figure =
        "No known peer is sent; a new one is left out at the filter's rate, 1 % for 217 known "
        "peers.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"bytes", "260B", "of the filter"},
                          {"known", "217", "peers in the filter"},
                          {"exchanges", "200", "with others who know 1000 more"},
                          {"peers", "200", "of a swarm that finds itself"},
                          {"loss", "5%", "of the swarm's messages"}}},
    .run = swarm_discovery};

}  // namespace bloomery::systems
