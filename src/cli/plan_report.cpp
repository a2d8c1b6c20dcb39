#include "plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bloomery/core/units.hpp"
#include "plan_recipe.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

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

std::string kinds_text(std::size_t kinds) {
  return fmt::format("{} {}", kinds, kinds == 1 ? "kind" : "kinds");
}

std::string asked_text(const recommendation& answer, const needs& wanted) {
  const promise first = answer.choices.front().promised;
  std::string text;
  if (wanted.keys || wanted.unknown_size) {
    text = fmt::format("{} {}", format_count(first.keys), first.keys == 1 ? "key" : "keys");
    if (wanted.unknown_size) text += " and more";
  }
  if (wanted.rate || !(wanted.memory || wanted.wire)) {
    text += fmt::format("{}a false-positive rate of {}", text.empty() ? "" : " at ",
                        format_ratio(first.rate));
  }
  if (wanted.memory) text += " in " + format_size(*wanted.memory);
  if (wanted.wire) text += fmt::format(", sent as at most {}", format_size(*wanted.wire));
  return text;
}

void report_choices(const recommendation& answer, const needs& wanted, bool all) {
  constexpr std::size_t a_few = 4;
  const bool keys_differ = !wanted.keys && !wanted.unknown_size;
  const bool bits_fit = !wanted.transmit && !keys_differ;  // beside these columns
  std::vector<std::string> heading{"kind", "size"};
  if (wanted.transmit) heading.emplace_back("sent");
  if (keys_differ) heading.emplace_back("keys");
  if (bits_fit) heading.emplace_back("bits/key");
  heading.insert(heading.end(), {"exact rate", "lines read", "x least"});
  std::vector<std::vector<std::string>> rows{std::move(heading)};
  const std::size_t shown = all ? answer.choices.size() : std::min(a_few, answer.choices.size());
  for (const planned_filter& plan : std::span(answer.choices).first(shown)) {
    std::vector<std::string> row{std::string(plan.kind->info.name), format_size(plan.bytes)};
    if (wanted.transmit) {
      row.push_back(format_size(static_cast<std::uint64_t>(std::ceil(plan.wire_bytes))));
    }
    if (keys_differ) row.push_back(format_count(plan.promised.keys));
    if (bits_fit) row.push_back(format_real(plan.bits_per_key()));
    row.insert(row.end(), {format_ratio(plan.predicted_rate),
                           fmt::format("{:.1f} | {:.1f}", plan.cost.absent, plan.cost.present),
                           fmt::format("{:.2f}", plan.over_bound())});
    rows.push_back(std::move(row));
  }
  print_table(rows);
  if (all) {
    const planned_filter& first = answer.choices.front();
    fmt::print("\n");
    print_paragraph(fmt::format(
        "Lines read: how many cache lines (64 bytes) a query reads, for a key that is absent | "
        "present. No {} without false negatives needs fewer than {:.3f} bits a key at {}; the last "
        "column is how many times the least each kind takes.{}",
        first.values > 1 ? "map" : "filter", first.bound(first.promised.rate),
        format_ratio(first.promised.rate),
        wanted.transmit ? " Sent: the size after an ideal entropy coder." : ""));
  } else {
    const std::size_t more = answer.choices.size() - shown;
    print_paragraph(fmt::format("{}--why explains the columns, and why {} {} left out.",
                                more == 0 ? "" : fmt::format("{} more will do. ", more),
                                answer.others.size(), answer.others.size() == 1 ? "was" : "were"));
  }
}

// Kinds by what bars them, in the order of the registry.
void report_left_out(const recommendation& answer) {
  using line = std::pair<std::string, std::string>;
  std::vector<line> by_reason;
  for (const left_out& other : answer.others) {
    const std::string reasons = fmt::format("{}", fmt::join(other.reasons, "; "));
    const auto same = std::ranges::find(by_reason, reasons, &line::first);
    if (same == by_reason.end()) {
      by_reason.emplace_back(reasons, other.kind->info.name);
    } else {
      same->second += fmt::format(", {}", other.kind->info.name);
    }
  }
  if (!by_reason.empty()) fmt::print("\nLeft out, because it …\n");
  for (const auto& [reasons, names] : by_reason) {
    print_paragraph(reasons + ":", 2);
    print_paragraph(names, 4);
  }
}

// What of the other one would be better than of the first; empty if nothing is.
std::string advantage(const planned_filter& first, const planned_filter& other,
                      const needs& wanted) {
  const auto less = [](double ours, double theirs) { return 1 - theirs / ours; };
  if (!wanted.keys && !wanted.unknown_size) {
    if (other.promised.keys <= first.promised.keys) return {};
    return fmt::format("hold {} keys", format_count(other.promised.keys));
  }
  if (!wanted.rate && (wanted.memory || wanted.wire)) {
    if (other.promised.rate >= first.promised.rate) return {};
    return fmt::format("reach {}", format_ratio(other.promised.rate));
  }
  const double saved =
      wanted.transmit ? less(first.wire_bytes, other.wire_bytes)
                      : less(static_cast<double>(first.bytes), static_cast<double>(other.bytes));
  return saved > 0 ? fmt::format("{} {:.1f} % less", wanted.transmit ? "send" : "take", 100 * saved)
                   : "";
}

// The smallest kind, if it is not the first, and what it costs.
std::string against_smaller(const recommendation& answer, const needs& wanted) {
  const planned_filter& first = answer.choices.front();
  const planned_filter* best = &first;
  for (const planned_filter& other : answer.choices) {
    if (!advantage(*best, other, wanted).empty()) best = &other;
  }
  std::vector<std::string> drawbacks;
  if (best->cost.absent + best->cost.present > first.cost.absent + first.cost.present) {
    drawbacks.emplace_back("a query reads more memory");
  }
  if (first.kind->can<merges>() && !best->kind->can<merges>()) {
    drawbacks.emplace_back("two of it cannot be united");
  }
  if (best == &first || drawbacks.empty()) return {};
  return fmt::format(" {} would {}, but {}.", best->kind->info.name,
                     advantage(first, *best, wanted), fmt::join(drawbacks, ", and "));
}

void report_answer(const recommendation& answer, const needs& wanted, bool keyed,
                   const window_option& window) {
  const planned_filter& first = answer.choices.front();
  print_paragraph(fmt::format(
      "Best: {}, {}, with {}. Of the keys that are not in it, it will take {} for its own; of "
      "those "
      "that are, it misses {}.{}",
      first.kind->info.name, format_size(first.bytes), shape_text(*first.kind, first.shape),
      format_ratio(first.predicted_rate),
      first.predicted_false_negatives > 0 ? "up to " + format_ratio(first.predicted_false_negatives)
                                          : "none",
      against_smaller(answer, wanted)));
  const recipe made = recipe_for(first, keyed, window);
  fmt::print("\n");
  for (const std::string& line : made.cpp) fmt::print("{}{}\n", line.empty() ? "" : "  ", line);
  std::string shell = wrapped(made.shell, page_width - 2, 6);
  for (std::size_t at = 0; (at = shell.find('\n', at)) != std::string::npos; at += 3) {
    shell.replace(at, 1, " \\\n");
  }
  fmt::print("\n  {}\n", shell);
  if (!made.redis.empty()) fmt::print("\n  {}\n", made.redis);
}

void report_none(const recommendation& answer, bool why) {
  const auto able = std::ranges::find(answer.others, true, &left_out::able);
  std::string text = "No kind qualifies";
  if (able != answer.others.end()) {
    text += fmt::format(": {} {}", able->kind->info.name, fmt::join(able->reasons, "; "));
  }
  if (!why) text += ". --why says what bars each";
  print_paragraph(text + ".");
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
                 const window_option& window, bool why) {
  const bool any = !answer.choices.empty();
  if (any) {
    const std::size_t will_do = answer.choices.size();
    print_paragraph(fmt::format("{}: {} of {} will do.", asked_text(answer, wanted), will_do,
                                kinds_text(will_do + answer.others.size())));
    fmt::print("\n");
    report_choices(answer, wanted, why);
  }
  if (why) report_left_out(answer);
  if (any || why) fmt::print("\n");
  if (any) {
    report_answer(answer, wanted, keyed, window);
  } else {
    report_none(answer, why);
  }
}

}  // namespace bloomery::cli
