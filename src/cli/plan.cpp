// plan: every kind sized for the same promise.
#include "bloomery/math/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct plan_options {
  std::string keys;
  std::string rate = "1%";
  bool json = false;
};

void declare(CLI::App& verb, plan_options& options) {
  verb.add_option("--keys", options.keys, "distinct keys to hold")->required()->type_name("N");
  verb.add_option("--fpr", options.rate, "false-positive rate to promise")
      ->type_name("P")
      ->capture_default_str();
  declare_json(verb, options.json);
}

struct planned_kind {
  const kind_entry* kind;
  std::vector<field_value> shape;
  std::uint64_t bytes;
  double rate;
};

exit_status run(const plan_options& options) {
  const std::uint64_t keys = parse_count(options.keys);
  const double rate = parse_ratio(options.rate);
  std::vector<planned_kind> plans;
  for (const kind_entry& kind : kinds()) {
    if (!kind.can.plan) continue;
    auto shape = kind.plan_shape(keys, rate);
    const std::uint64_t bytes = kind.payload_bytes(shape);
    const double predicted = kind.predicted_rate(shape, keys);
    plans.push_back({&kind, std::move(shape), bytes, predicted});
  }
  std::ranges::stable_sort(plans, {}, &planned_kind::bytes);

  const double bound = math::lower_bound_bits_per_key(rate);
  const auto bits_per_key = [&](const planned_kind& plan) {
    return 8 * static_cast<double>(plan.bytes) / static_cast<double>(keys);
  };
  if (options.json) {
    json rows = json::array();
    for (const planned_kind& plan : plans) {
      rows.push_back({{"kind", plan.kind->info.name},
                      {"shape", shape_json(*plan.kind, plan.shape)},
                      {"bytes", plan.bytes},
                      {"bits_per_key", bits_per_key(plan)},
                      {"predicted_rate", plan.rate}});
    }
    print_json(
        {{"keys", keys}, {"rate", rate}, {"lower_bound_bits_per_key", bound}, {"plans", rows}});
    return exit_status::found;
  }
  std::vector<std::vector<std::string>> rows{
      {"kind", "size", "bits/key", "over the bound", "predicted rate", "shape"}};
  for (const planned_kind& plan : plans) {
    rows.push_back({std::string(plan.kind->info.name), format_size(plan.bytes),
                    fmt::format("{:.3f}", bits_per_key(plan)),
                    fmt::format("{:.2f} x", bits_per_key(plan) / bound), format_ratio(plan.rate),
                    shape_text(*plan.kind, plan.shape)});
  }
  print_table(rows);
  fmt::print("\nThe bound: no filter without false negatives needs fewer than {:.3f} bits a key.\n",
             bound);
  return exit_status::found;
}

}  // namespace

void add_plan(const verb_list& verbs) {
  verbs.add<plan_options>("plan", "Size every kind for a number of keys and a rate",
                          "  bloomery plan --keys 10M --fpr 0.1%\n"
                          "  bloomery plan --keys 500k --fpr 1e-6 --json",
                          declare, run);
}

}  // namespace bloomery::cli
