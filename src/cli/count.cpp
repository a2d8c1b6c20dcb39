// count: how often keys were added.
#include <fmt/format.h>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/filters/frequency/range_counts.hpp"
#include "counted_keys.hpp"
#include "location.hpp"
#include "ranges.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct count_options : key_options {
  std::vector<std::string> ranges;
  unsigned range_bits = 0;
  bool likeliest = false;
};

void declare(command& verb, count_options& options) {
  options.declare(verb, "ask", "count");
  verb.add_option("--range", "LOW..HIGH", options.ranges,
                  "how many numbers came from LOW to HIGH, both included, to a filter built with "
                  "--ranges; may be given several times");
  verb.add_option("--ranges", "BITS", options.range_bits, "as it was given to build, for --range")
      .between(1, max_range_bits);
  verb.add_flag(
      "--likeliest", options.likeliest,
      "the count under which what the filter shows is likeliest, instead of the one for which it "
      "is expected, for kinds that tell both (" +
          kinds_that<tells_likeliest>() + ")");
}

// Of numbers that were counted in ranges.
exit_status count_ranges(const any_filter& filter, const count_options& options) {
  if (!filter.kind().can<counts>()) {
    refuse(filter.kind(), " does not count; kinds that do: bloomery kinds");
  }
  if (options.range_bits == 0) {
    fail(errc::invalid, "--range needs --ranges BITS, as it was given to build");
  }
  require_ranges(filter, options.range_bits);
  json listed = json::array();
  std::uint64_t present = 0;
  std::uint64_t at_least = 0;
  for (const std::string& text : options.ranges) {
    const auto [count, full] = count_between(filter, parse_range(text), options.range_bits);
    present += std::uint64_t{count != 0};
    at_least += std::uint64_t{full};
    listed.push_back({{"key", text}, {"count", count}, {"at_least", full}});
    if (!options.json) fmt::print("{}\t{}\n", count, text);
  }
  if (options.json) {
    print_json({{"asked", listed.size()},
                {"present", present},
                {"uncertain", nullptr},
                {"counts", listed}});
  } else {
    report_doubts(0, at_least);
  }
  return present != 0 ? exit_status::found : exit_status::not_found;
}

exit_status run(const count_options& options) {
  const any_filter filter = location(options.filter).open();
  if (!options.ranges.empty()) return count_ranges(filter, options);
  const auto now = options.clock.time_for(filter);
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  const auto* likeliest = options.likeliest ? filter.can<tells_likeliest>() : nullptr;
  if (options.likeliest && likeliest == nullptr) {
    refuse(filter.kind(),
           " has one count for a key; kinds with two: " + kinds_that<tells_likeliest>());
  }
  json listed = json::array();
  std::uint64_t asked = 0;
  std::uint64_t present = 0;
  std::uint64_t at_least = 0;
  const std::uint64_t uncertain = for_counts(
      filter, now, hash, options.input(), [&](std::string_view key, std::uint64_t told, bool full) {
        const std::uint64_t count =
            likeliest == nullptr ? told : likeliest->likeliest_count(hash(key));
        ++asked;
        present += std::uint64_t{count != 0};
        at_least += std::uint64_t{full};
        if (options.json) {
          listed.push_back({{"key", key}, {"count", count}, {"at_least", full}});
        } else {
          fmt::print("{}\t{}\n", count, key);
        }
      });
  if (options.json) {
    print_json({{"asked", asked},
                {"present", present},
                {"uncertain", filter.kind().can<decodes>() ? json(uncertain) : json(nullptr)},
                {"counts", listed}});
  } else {
    report_doubts(uncertain, at_least);
  }
  return present != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_count(verb_list& verbs) {
  verbs.add<count_options>(
      "count",
      "Print how often keys were added to a filter that counts\n"
      "Counts are never too low, and seldom too high. A counter-braids filter is "
      "decoded, and must be told all keys that were added.",
      "  printf '%s\\n' eu us eu asia eu > visits.txt\n"
      "  bloomery build --kind count-min --keys 1k -o visits.bloom visits.txt\n"
      "  bloomery count visits.bloom eu asia mars\n"
      "  sort -u visits.txt | bloomery count visits.bloom | sort -rn",
      declare, run);
}

}  // namespace bloomery::cli
