// top: the keys that were added most.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bloomery/core/units.hpp"
#include "counted_keys.hpp"
#include "location.hpp"
#include "report.hpp"
#include "top_above.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t default_most = 10;

struct top_options {
  std::string filter;
  std::vector<std::string> files;
  std::optional<std::uint64_t> most;
  std::string share;
  std::string above;
  key_file_option key_file;
  clock_option clock;
  line_options lines;
  bool json = false;
};

void declare(command& verb, top_options& options) {
  verb.add_option("filter", "FILTER", options.filter,
                  "the filter to ask; with --above, the first FILE");
  verb.add_option(
      "files", "FILE", options.files,
      "candidates, one per line; - is standard input (default: the keys that the filter "
      "itself remembers, as a count-min filter with --set top=N does)");
  verb.add_option("-n,--number", "N", options.most,
                  "how many to print (default: 10; with --above, all)")
      .between(std::uint64_t{1}, std::uint64_t{1} << 32);
  verb.add_option("--share", "P", options.share,
                  "only keys that are at least this share of all that was added (1%)");
  verb.add_option(
      "--above", "P", options.above,
      "without a filter: the lines of the files, or of standard input, that are at least "
      "this share of them, with exact counts; they are read twice");
  options.key_file.declare(verb);
  options.clock.declare(verb);
  options.lines.declare(verb);
  declare_json(verb, options.json);
}

struct counted {
  std::uint64_t count;
  std::string key;
  bool at_least;  // and perhaps more
};

struct ranking {
  std::vector<counted> keys;
  std::uint64_t uncertain = 0;  // of all counts, not only those of these keys
};

std::string name_of_key(const ranked_key& key) {
  if (!key.label.empty()) return key.label;
  return fmt::format("(digest {:016x}{:016x})", key.key.hi, key.key.lo);
}

ranking remembered(const any_filter& filter, const hasher& hash) {
  if (filter.as<ranks>().most_ranked() == 0) {
    fail(errc::unsupported,
         "this filter remembers no keys; name files of candidates, or build it with --set top=100");
  }
  ranking found;
  for (const ranked_key& key : filter.as<ranks>().top(&hash)) {
    found.keys.push_back({key.count, name_of_key(key), is_full(filter, key.key)});
  }
  return found;
}

// Of equal counts the first met comes first.
ranking best_candidates(const any_filter& filter, std::optional<std::uint64_t> now,
                        const hasher& hash, const top_options& options) {
  std::vector<counted> kept;
  std::set<std::string, std::less<>> met;
  const auto more = [](const counted& a, const counted& b) { return a.count > b.count; };
  std::uint64_t bar = 1;  // below which a key cannot be among the most
  const std::uint64_t most = options.most.value_or(default_most);
  const std::size_t room = 4 * most + 1024;
  const auto prune = [&] {
    std::stable_sort(kept.begin(), kept.end(), more);
    if (kept.size() <= most) return;
    kept.resize(most);
    bar = kept.back().count;
    met.clear();
    for (const counted& key : kept) met.insert(key.key);
  };
  const std::uint64_t uncertain =
      for_counts(filter, now, hash, {{}, options.files, options.lines},
                 [&](std::string_view key, std::uint64_t count, bool full) {
                   if (count < bar || met.contains(key)) return;
                   met.emplace(key);
                   kept.push_back({count, std::string(key), full});
                   if (kept.size() >= room) prune();
                 });
  prune();
  return {std::move(kept), uncertain};
}

exit_status run(const top_options& options) {
  if (!options.above.empty()) {
    if (!options.share.empty() || options.clock.at || !options.key_file.path.empty()) {
      fail(errc::invalid,
           "--above reads lines, not a filter: --share, --at and --key-file do not go "
           "with it");
    }
    std::vector<std::string> files = options.files;
    if (!options.filter.empty()) files.insert(files.begin(), options.filter);
    return top_above(parse_ratio(options.above), {{}, files, options.lines}, options.most,
                     options.json);
  }
  if (options.filter.empty()) fail(errc::invalid, "FILTER is required, or --above and lines");
  const any_filter filter = location(options.filter).open();
  const auto now = options.clock.time_for(filter);
  if (!filter.kind().can<ranks>() && options.files.empty()) {
    refuse(filter.kind(), " remembers no keys; name files of candidates (- is standard input)");
  }
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  auto [keys, uncertain] = options.files.empty() ? remembered(filter, hash)
                                                 : best_candidates(filter, now, hash, options);
  if (!options.share.empty()) {
    const double least = parse_ratio(options.share) * static_cast<double>(filter.record().items);
    std::erase_if(keys, [&](const counted& key) { return static_cast<double>(key.count) < least; });
  }
  keys.resize(std::min<std::size_t>(keys.size(), options.most.value_or(default_most)));
  if (options.json) {
    json listed = json::array();
    for (const counted& key : keys) {
      listed.push_back({{"key", key.key}, {"count", key.count}, {"at_least", key.at_least}});
    }
    print_json({{"items", filter.record().items},
                {"uncertain", filter.kind().can<decodes>() ? json(uncertain) : json(nullptr)},
                {"top", listed}});
  } else {
    for (const counted& key : keys) fmt::print("{}\t{}\n", key.count, key.key);
    report_doubts(uncertain,
                  static_cast<std::uint64_t>(std::ranges::count(keys, true, &counted::at_least)));
  }
  return keys.empty() ? exit_status::not_found : exit_status::found;
}

}  // namespace

void add_top(verb_list& verbs) {
  verbs.add<top_options>(
      "top", "Print the keys that were added most to a filter that counts",
      "  printf '%s\\n' eu us eu asia eu us > hits.txt\n"
      "  bloomery build --kind count-min --keys 1k --set top=10 -o hits.bloom hits.txt\n"
      "  bloomery top -n 2 hits.bloom\n"
      "  sort -u hits.txt | bloomery top hits.bloom -\n"
      "  bloomery top --above 30% hits.txt",
      declare, run);
}

}  // namespace bloomery::cli
