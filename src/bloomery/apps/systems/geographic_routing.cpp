// R2: a message finds a mobile host by what the squares around it claim.
#include <map>

#include "bloomery/apps/lab/walk.hpp"
#include "bloomery/apps/overlay/quadtree.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {

lab::result geographic_routing(const lab::request& asked) {
  const std::uint64_t hosts = asked.count("hosts");
  const std::uint64_t side = asked.count("side");
  const std::uint64_t rounds = asked.count("rounds");
  const std::uint64_t messages = asked.count("messages");
  math::require_whole("hosts", hosts, 4, 20'000);
  math::require_whole("rounds", rounds, 2, 10'000);
  math::require_whole("messages", messages, 1, 1'000'000);
  const standard_shape shape = standard_filter::plan((hosts + 3) / 4, asked.ratio("fpr"));
  const lab::walk_plan plan{.walkers = hosts,
                            .side = static_cast<double>(side),
                            .stride = asked.ratio("stride"),
                            .snapshots = rounds};
  const std::string& in = asked.text("world");
  const auto seen =
      in == "lab" ? lab::walks(plan, asked.seed()) : asked.outside().walks(in, plan, asked.seed());

  std::map<std::uint64_t, double> rates;
  const auto rate_of = [&](std::uint64_t keys) {
    const auto [known, fresh] = rates.try_emplace(keys, 0.0);
    if (fresh) known->second = math::exact_rate(shape.bits, keys, shape.hashes);
    return known->second;
  };
  // Summaries are made anew in every round, with a hash of its own: what is asked of those of one round is a value.
  std::uint64_t astray = 0;
  std::uint64_t detours = 0;
  std::uint64_t led = 0;
  std::uint64_t moved = 0;
  double expected = 0;
  std::vector<double> wasted;
  std::vector<overlay::square> before;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    overlay::quadtree region(side, shape);
    std::vector<overlay::square> truth;
    for (std::uint64_t i = 0; i < hosts; ++i) {
      const lab::point& at = seen.at(round).at(i);
      region.settle(lab::numbered(asked.seed(), round, i), at.x, at.y);
      truth.push_back(region.unit_at(at.x, at.y));
      moved += std::uint64_t{round > 0 && truth[i] != before[i]};
    }
    before = truth;
    apps::random_stream chance(asked.seed(), round);
    std::uint64_t in_vain = 0;
    for (std::uint64_t i = 0; i < messages; ++i) {
      const std::uint64_t from = chance.below(hosts);
      const std::uint64_t to = chance.below(hosts);
      const auto answers = [&](overlay::square unit) { return unit == truth[to]; };
      const overlay::journey trip =
          region.route(truth[from], lab::numbered(asked.seed(), round, to), answers);
      astray += std::uint64_t{trip.found != truth[to]};
      detours += std::uint64_t{trip.led >= region.levels()};
      led += trip.led;
      in_vain += trip.in_vain.size();
      // Every square that could be asked in vain before the host is found, at its own rate.
      const auto all = [](overlay::square) { return true; };
      for (const overlay::square each : region.route_by(all, truth[from], answers).in_vain) {
        const standard_filter* there = region.summary(each);
        if (there != nullptr) expected += rate_of(there->record().items);
      }
    }
    wasted.push_back(static_cast<double>(in_vain) / static_cast<double>(messages));
  }

  const double sent = static_cast<double>(messages) * static_cast<double>(rounds);
  lab::result found;
  found.never("a message did not reach the square that holds the host", astray, messages * rounds);
  found.never("more forwards led to the host than there are levels below the whole", detours,
              messages * rounds);
  found.add(lab::mean_of("forwards in vain, a message", lab::unit::real, wasted, expected / sent));
  auto& forwards = found.add(lab::told("forwards that led to the host, a message", lab::unit::real,
                                       static_cast<double>(led) / sent));
  forwards.rivals.push_back({"asking every square", static_cast<double>(side * side)});
  const overlay::quadtree empty(side, shape);
  const auto summaries = static_cast<double>(3 * (empty.levels() - 1) + 1);
  const std::uint64_t summary_bytes = (shape.bits + 7) / 8;
  auto& bytes = found.add(lab::told("bytes of summaries a node", lab::unit::bytes,
                                    summaries * static_cast<double>(summary_bytes)));
  bytes.rivals.push_back({"a list of the hosts' digests and squares",
                          static_cast<double>(hosts) * (sizeof(digest) + 2)});
  found.add(lab::told("hosts in another square than a round ago", lab::unit::share,
                      static_cast<double>(moved) / static_cast<double>(hosts * (rounds - 1))));
  return found;
}

extern constinit const system_info geographic_routing_system{
    .id = "R2",
    .name = "Geographic routing",
    .source = "Hsiao 2001; Broder and Mitzenmacher 6.3",
    .where = pattern::overlay,
    .does =
        "A region is cut into squares within squares. A node has filters of the hosts in the three "
        "siblings of its square at each level, and forwards a message to the centre of the "
        "smallest one that claims the host.",
    .figure =
        "Every message reaches the square that holds the host; forwards in vain are as many as "
        "the rates of the filters asked add up to.",
    .verb = "",
    .needs = "",
    .settings_or_none = {{{"hosts", "1000", "mobile hosts, which forward as well"},
                          {"side", "16", "of the region, in smallest squares; a power of two"},
                          {"rounds", "100", "in which hosts move and summaries are made anew"},
                          {"messages", "200", "a round"},
                          {"stride", "0.3", "how far a host moves in a round"},
                          {"fpr", "1%", "rate of the filter of a quarter of the hosts"},
                          {"world", "lab", "how hosts move: lab, or ns3 for ns-3's mobility"}}},
    .run = geographic_routing};

}  // namespace bloomery::systems
