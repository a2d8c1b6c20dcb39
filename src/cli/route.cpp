// route: which link of a node leads to a key.

#include "bloomery/any/registry.hpp"
#include "bloomery/apps/routing/forwarding.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct route_options {
  std::vector<std::string> links;
  std::vector<std::string> keys;
  std::vector<std::string> files;
  std::string chance = "0.1%";
  key_file_option key_file;
  line_options lines;
  bool json = false;
};

void declare(command& verb, route_options& options) {
  verb.add_option("-l,--link", "FILTER", options.links,
                  "what came on a link, as `advertise` makes it; once for each link")
      .required();
  verb.add_keys("keys", "KEY", options.keys, "keys to find (default: lines of standard input)");
  verb.add_option("-f,--file", "FILE", options.files, "find the lines of this file");
  verb.add_option("--chance", "P", options.chance,
                  "how many strangers a link may seem to lead to, for exponential-decay filters")
      .show_default();
  options.key_file.declare(verb);
  options.lines.declare(verb);
  declare_json(verb, options.json);
}

std::vector<any_filter> opened(const std::vector<std::string>& paths) {
  std::vector<any_filter> links;
  for (const std::string& path : paths) {
    const any_filter& link = links.emplace_back(location(path).open());
    const any_kind& kind = link.kind();
    if (!kind.can<advertises>()) {
      fail(errc::unsupported, path + ": " + a_filter(kind.info.name) +
                                  " is no routing table; attenuated and exponential-decay are");
    }
    const any_filter& first = links.front();
    if (&kind != &first.kind() || link.shape() != first.shape() ||
        link.record().hash != first.record().hash) {
      fail(errc::incompatible, paths.front() + " and " + path +
                                   ": the filters of a node's links have one kind, shape and hash");
    }
  }
  return links;
}

template <class Router>
exit_status directed(const Router& router, const hasher& hash, const route_options& options) {
  const line_format format = options.lines.format();
  std::uint64_t asked = 0;
  std::uint64_t found = 0;
  json listed = json::array();
  const auto report = [&](std::string_view key, const direction& to) {
    json links = json::array();
    for (std::size_t i = 0; i < to.told.size(); ++i) {
      json told{{"link", options.links[i]}, {Router::unit, or_null(to.told[i])}};
      if (const auto floor = router.floor(i)) told["floor"] = *floor;
      links.push_back(std::move(told));
    }
    listed.push_back({{"key", key},
                      {"link", to.link ? json(options.links[*to.link]) : json(nullptr)},
                      {"links", std::move(links)}});
  };
  const auto line = [&](std::string_view key, const direction& to) {
    std::string text = format.column(key);
    const auto column = [&](const std::string& cell) {
      (text += format.separator) += format.column(cell);
    };
    column(to.link ? options.links[*to.link] : "-");
    if (to.link) {
      column(std::to_string(*to.told[*to.link]));
      if (const auto floor = router.floor(*to.link)) column(std::to_string(*floor));
    }
    return text + format.delimiter;
  };
  key_input(options.keys, options.files, options.lines)
      .each(hash, [&](const line_block& block, std::span<const digest> digests) {
        std::string text;
        for (std::size_t i = 0; i < digests.size(); ++i) {
          const direction to = router(digests[i]);
          ++asked;
          found += std::uint64_t{to.link.has_value()};
          if (options.json) {
            report(block.keys[i], to);
          } else {
            text += line(block.keys[i], to);
          }
        }
        print_text(text);
      });
  if (options.json) print_json({{"asked", asked}, {"found", found}, {"routes", listed}});
  return found != 0 ? exit_status::found : exit_status::not_found;
}

exit_status run(const route_options& options) {
  const double chance = parse_ratio(options.chance);
  const std::vector<any_filter> links = opened(options.links);
  const any_filter& first = links.front();
  const hasher hash = options.key_file.for_filter(first.record().hash);
  if (first.kind().can<scores>()) {
    std::vector<const scores*> tables;
    for (const any_filter& link : links) tables.push_back(&link.as<scores>());
    return directed(by_score(std::move(tables), chance), hash, options);
  }
  std::vector<const maps*> tables;
  for (const any_filter& link : links) tables.push_back(&link.as<maps>());
  return directed(by_hops(std::move(tables)), hash, options);
}

}  // namespace

void add_route(verb_list& verbs) {
  verbs.add<route_options>(
      "route",
      "Print the link that leads to each key\n"
      "With its hops, or its score and what noise scores; - where no link leads to it.",
      "  echo song.mp3 | bloomery build --kind attenuated --keys 100 -o south.table\n"
      "  echo film.avi | bloomery build --kind attenuated --keys 100 -o north.table\n"
      "  bloomery advertise south.table -o from-south\n"
      "  bloomery advertise north.table -o from-north\n"
      "  bloomery route --link from-south --link from-north film.avi nowhere.txt\n"
      "  bloomery route --json -l from-south -l from-north song.mp3",
      declare, run);
}

}  // namespace bloomery::cli
