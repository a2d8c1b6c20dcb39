// estimate: how many keys filters hold, and share.
#include "bloomery/math/laws/estimate.hpp"

#include <fmt/format.h>

#include "bloomery/core/units.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "shard_reports.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct estimate_options {
  std::vector<std::string> filters;
  std::string confidence = "95%";
  bool json = false;
};

void declare(command& verb, estimate_options& options) {
  verb.add_option("filters", "FILTER", options.filters,
                  "one filter, or two of one kind, shape and hash")
      .required()
      .expected(1, 2);
  declare_confidence(verb, options.confidence);
  declare_json(verb, options.json);
}

exit_status run(const estimate_options& options) {
  const double confidence = parse_confidence(options.confidence);
  if (options.filters.size() == 1) {
    if (const auto spread = location(options.filters.front()).in_shards()) {
      return estimate_shards(*spread, confidence, options.json);
    }
  }
  const any_filter first = location(options.filters.front()).open();
  std::vector<std::pair<std::string, math::estimate>> rows;
  if (options.filters.size() == 1) {
    rows.emplace_back("keys", first.as<measures>().estimated_keys(confidence));
  } else {
    const any_filter second = location(options.filters.back()).open();
    const math::overlap both = first.as<measures>().estimated_overlap(second, confidence);
    rows = {{"first", both.first},
            {"second", both.second},
            {"union", both.united},
            {"intersection", both.common},
            {"jaccard", both.jaccard}};
    if (const auto* joined = first.can<joins>()) {
      rows.emplace_back("inner_product", joined->estimated_join(second, confidence));
    }
  }
  if (options.json) {
    json result{{"confidence", confidence}};
    for (const auto& [name, estimate] : rows) result[name] = to_json(estimate);
    print_json(result);
    return exit_status::found;
  }
  std::vector<std::vector<std::string>> table;
  for (const auto& [name, estimate] : rows) table.push_back({name, to_text(estimate)});
  print_table(table);
  fmt::print("\nIn brackets: intervals of {} confidence.\n", format_ratio(confidence));
  return exit_status::found;
}

}  // namespace

void add_estimate(verb_list& verbs) {
  verbs.add<estimate_options>("estimate", "Estimate how many keys filters hold and share",
                              "  seq 1000 | bloomery build --keys 2k -o monday.bloom\n"
                              "  seq 501 1500 | bloomery build --keys 2k -o tuesday.bloom\n"
                              "  bloomery estimate monday.bloom\n"
                              "  bloomery estimate monday.bloom tuesday.bloom",
                              declare, run);
}

}  // namespace bloomery::cli
