#include "plan_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bloomery/core/units.hpp"
#include "plan_recipe.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

std::string hashes_of(const planned_filter& plan) {
  const auto hashes = plan.kind->hashes(plan.shape);
  return hashes ? std::to_string(*hashes) : "-";
}

json to_json(const planned_filter& plan) {
  return {{"kind", plan.kind->info.name},
          {"shape", shape_json(*plan.kind, plan.shape)},
          {"keys", plan.promised.keys},
          {"promised_rate", plan.promised.rate},
          {"predicted_rate", plan.predicted_rate},
          {"predicted_false_negatives", plan.predicted_false_negatives},
          {"bytes", plan.bytes},
          {"wire_bytes", plan.wire_bytes},
          {"bits_per_key", plan.bits_per_key()},
          {"over_bound", plan.over_bound()},
          {"lines_absent", plan.cost.absent},
          {"lines_present", plan.cost.present}};
}

void report_choices(const recommendation& answer, const needs& wanted) {
  std::vector<std::string> heading{"kind",       "size",         "bits/key",      "k",
                                   "exact rate", "lines/query*", "over the bound"};
  if (wanted.transmit) heading.insert(heading.begin() + 2, "on the wire");
  const bool keys_differ = !wanted.keys && !wanted.unknown_size;
  if (keys_differ) heading.emplace_back("keys");
  heading.emplace_back("shape");
  std::vector<std::vector<std::string>> rows{std::move(heading)};
  for (const planned_filter& plan : answer.choices) {
    std::vector<std::string> row{
        std::string(plan.kind->info.name),
        format_size(plan.bytes),
        fmt::format("{:.3f}", plan.bits_per_key()),
        hashes_of(plan),
        format_ratio(plan.predicted_rate),
        fmt::format("{:.2f} | {:.2f}", plan.cost.absent, plan.cost.present),
        fmt::format("{:.2f} x", plan.over_bound()),
    };
    if (wanted.transmit) {
      row.insert(row.begin() + 2,
                 format_size(static_cast<std::uint64_t>(std::ceil(plan.wire_bytes))));
    }
    if (keys_differ) row.push_back(format_count(plan.promised.keys));
    row.push_back(shape_text(*plan.kind, plan.shape));
    rows.push_back(std::move(row));
  }
  print_table(rows);
  fmt::print("\n* cache lines per query: absent key | present key.");
  if (wanted.transmit) fmt::print(" On the wire: after an ideal entropy coder.");
  const planned_filter& first = answer.choices.front();
  fmt::print("\n  No {} without false negatives needs fewer than {:.3f} bits a key at {}.\n",
             first.values > 1 ? "map" : "filter", first.bound(first.promised.rate),
             format_ratio(first.promised.rate));
}

void report_recipe(const planned_filter& plan, bool keyed, const window_option& window) {
  const recipe made = recipe_for(plan, keyed, window);
  fmt::print("\nTo make the first, {}:\n\n", plan.kind->info.name);
  for (const std::string& line : made.cpp) fmt::print("{}{}\n", line.empty() ? "" : "  ", line);
  fmt::print("\n  {}\n", made.shell);
  if (!made.redis.empty()) fmt::print("\n  {}\n", made.redis);
}

void report_left_out(const recommendation& answer) {
  if (answer.others.empty()) return;
  fmt::print("\nLeft out:\n");
  std::vector<std::vector<std::string>> rows;
  for (const left_out& other : answer.others) {
    rows.push_back({fmt::format("  {}", other.kind->info.name),
                    fmt::format("{}", fmt::join(other.reasons, "; "))});
  }
  print_table(rows);
}

}  // namespace

void report_json(const recommendation& answer, bool keyed, const window_option& window) {
  json plans = json::array();
  json others = json::array();
  for (const planned_filter& plan : answer.choices) plans.push_back(to_json(plan));
  for (const left_out& other : answer.others) {
    others.push_back({{"kind", other.kind->info.name}, {"reasons", other.reasons}});
  }
  json result{{"plans", plans}, {"left_out", others}};
  if (!answer.choices.empty()) {
    const planned_filter& first_plan = answer.choices.front();
    const recipe first = recipe_for(first_plan, keyed, window);
    result["lower_bound_bits_per_key"] = first_plan.bound(first_plan.promised.rate);
    result["first"] = {{"cpp", first.cpp},
                       {"shell", first.shell},
                       {"redis", first.redis.empty() ? json(nullptr) : json(first.redis)}};
  }
  print_json(result);
}

void report_text(const recommendation& answer, const needs& wanted, bool keyed,
                 const window_option& window) {
  if (answer.choices.empty()) {
    fmt::print("No kind qualifies.\n");
  } else {
    report_choices(answer, wanted);
    report_recipe(answer.choices.front(), keyed, window);
  }
  report_left_out(answer);
}

}  // namespace bloomery::cli
