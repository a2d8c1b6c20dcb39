// advertise: what a node of a network tells a neighbour.
#include "bloomery/any/registry.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/policies.hpp"
#include "changed_file.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct advertise_options {
  std::string own;
  std::vector<std::string> behind;
  std::string link;
  std::string output;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, advertise_options& options) {
  verb.add_option("filter", "FILTER", options.own, "what this node holds itself").required();
  verb.add_option("behind", "BEHIND", options.behind,
                  "what came on the links to other nodes than the one that is told");
  verb.add_option("--link", "N", options.link,
                  "the number of the link that it is for: bits that decay on one do so again, but "
                  "others on another (default: drawn from the filters given, so that other bits "
                  "decay whenever these change)");
  declare_output(verb, options.output, "it");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

// Differs from relay to relay, if only because what is behind it has decayed: under one number for all of
// them, bits would decay at the first only.
std::uint64_t link_of(const any_filter& own, std::span<const any_filter> behind) {
  std::uint64_t link = 0;
  const auto mix_in = [&](const any_filter& filter) {
    for (const byte_view part : filter.payload()) link = xxh3_hash(link)(part).lo;
  };
  mix_in(own);
  for (const any_filter& other : behind) mix_in(other);
  return link;
}

exit_status run(const advertise_options& options) {
  std::vector<std::string> inputs = options.behind;
  inputs.push_back(options.own);
  changed_file target(options.output, options.lock, inputs);
  const any_filter own = location(options.own).open();
  if (!own.kind().can<advertises>()) {
    refuse(own.kind(), " is no routing table; attenuated and exponential-decay are");
  }
  std::vector<any_filter> behind;
  std::vector<const any_filter*> others;
  behind.reserve(options.behind.size());
  for (const std::string& path : options.behind) {
    others.push_back(&behind.emplace_back(location(path).open()));
  }
  const std::uint64_t link =
      options.link.empty() ? link_of(own, behind) : parse_count(options.link);
  const any_filter sent = own.as<advertises>().advertisement(others, link);
  target.save(sent);
  if (options.json) print_json(filter_json(sent));
  return exit_status::found;
}

}  // namespace

void add_advertise(verb_list& verbs) {
  verbs.add<advertise_options>(
      "advertise",
      "Write what a node tells a neighbour of what it leads to\n"
      "Its own keys are a hop away, and those behind it one hop more. Its neighbours "
      "ask with `bloomery route`.",
      "  for node in west here; do\n"
      "    echo $node.mp3 | bloomery build --kind attenuated --keys 100 \\\n"
      "      --set levels=3 -o $node.table; done\n"
      "  bloomery advertise west.table -o from-west.table\n"
      "  bloomery advertise here.table from-west.table -o to-east.table\n"
      "  bloomery route --link to-east.table west.mp3 here.mp3",
      declare, run);
}

}  // namespace bloomery::cli
