// rate: every formula for one filter, side by side, so that anyone can check a figure.
#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/laws/concentration.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct rate_options {
  std::string bits;
  std::string keys;
  std::string hashes;
  std::string kind{standard_filter::kind.name};
  std::string confidence = "99%";
  bool json = false;
};

void declare(command& verb, rate_options& options) {
  verb.add_option("--bits", "M", options.bits, "m, the size in bits").required();
  verb.add_option("--keys", "N", options.keys, "n, distinct keys inserted").required();
  verb.add_option("--hashes", "K", options.hashes, "k, bits set per key").required();
  verb.add_option("--kind", "KIND", options.kind, "a kind made of bits and hashes").show_default();
  declare_confidence(verb, options.confidence);
  declare_json(verb, options.json);
}

struct formula {
  std::string name;
  const char* text;
  double rate;
};

std::string json_name(std::string name) {
  for (char& c : name) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    c = letter ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
  }
  return name;
}

std::uint64_t parse_within(const char* name, const std::string& text, std::uint64_t low,
                           std::uint64_t high) {
  const std::uint64_t value = parse_count(text);
  math::require_whole(name, value, low, high);
  return value;
}

// Rates deserve more figures here than elsewhere: they are here to be checked.
std::string precise_ratio(double ratio) {
  constexpr int figures = 9;
  return format_real(100 * ratio, figures) + " %";
}

exit_status run(const rate_options& options) {
  const std::uint64_t m = parse_within("bits", options.bits, 1, max_bits);
  const std::uint64_t n = parse_within("keys", options.keys, 0, max_keys);
  const std::uint64_t k = parse_within("hashes", options.hashes, 1, max_hashes);
  const double confidence = parse_confidence(options.confidence);
  const any_kind& kind = find_kind(options.kind);
  const auto shape = kind.as<lays_out>().of_bits(m, k);
  const double own = kind.predicted_rate(shape, n);
  const auto fill =
      math::expected_fill(kind.as<lays_out>().layout(shape), static_cast<double>(n), confidence);

  std::vector<formula> formulas{
      {"classic", "(1-(1-1/m)^kn)^k", math::classic_rate(m, n, k)},
      {"asymptotic", "(1-e^(-kn/m))^k", math::asymptotic_rate(m, n, k)},
      {"second-order", "classic, with the spread of the fill", math::second_order_rate(m, n, k)},
      {"exact", "Christensen et al. 2010, Bose et al. 2008", math::exact_rate(m, n, k)},
  };
  if (k <= m) {
    formulas.insert(formulas.begin(),
                    {"Bloom 1970", "(1-(1-k/m)^n)^k", math::bloom_1970_rate(m, n, k)});
  }
  const bool standard = options.kind == standard_filter::kind.name;
  if (!standard) formulas.push_back({options.kind, "exact for this kind", own});

  const double mcdiarmid = math::mcdiarmid_rate_bound(m, n, k);
  const math::bose_bound bose = math::bose_rate_bound(m, n, k);
  const double azuma = math::azuma_deviation(m, n, k, confidence);
  const math::fill_range chernoff = math::chernoff_fill(m, n, k, confidence);
  const double per_key = static_cast<double>(m) / static_cast<double>(n);
  const auto error_of = [&](double rate) { return own > 0 ? rate / own - 1 : 0; };

  if (options.json) {
    json rates = json::object();
    for (const formula& f : formulas) {
      rates[json_name(f.name)] = {{"rate", f.rate}, {"relative_error", error_of(f.rate)}};
    }
    json result{{"bits", m},
                {"keys", n},
                {"hashes", k},
                {"kind", options.kind},
                {"rate", own},
                {"rates", rates},
                {"fill", {{"mean", fill.mean}, {"low", fill.low}, {"high", fill.high}}},
                {"confidence", confidence}};
    if (standard) {
      result["bounds"] = {
          {"azuma_fill_deviation", azuma},
          {"chernoff_fill", {{"low", chernoff.low}, {"high", chernoff.high}}},
          {"mcdiarmid_rate", mcdiarmid},
          {"bose", {{"term", bose.term}, {"rate", bose.upper}, {"applies", bose.applies}}}};
    }
    if (n > 0) {
      result["best_hashes"] = math::best_hashes(m, n);
      result["lowest_possible_rate"] = std::exp2(-per_key);
    }
    print_json(result);
    return exit_status::found;
  }

  std::vector<std::vector<std::string>> rows{{"formula", "rate", "relative error", ""}};
  for (const formula& f : formulas) {
    const bool reference = f.rate == own && &f == &formulas.back();
    rows.push_back({f.name, precise_ratio(f.rate),
                    reference ? "-" : fmt::format("{:+.4g} %", 100 * error_of(f.rate)), f.text});
  }
  print_table(rows);
  fmt::print("\n");
  std::vector<std::vector<std::string>> facts{
      {"expected fill",
       fmt::format("{} ({} to {}, {} interval)", format_ratio(fill.mean), format_ratio(fill.low),
                   format_ratio(fill.high), format_ratio(confidence))},
  };
  if (standard) {  // what they bound is its rate, and no other kind's
    facts.push_back(
        {"Azuma-Hoeffding", fmt::format("the fill strays at most {} from its mean, with {}",
                                        format_ratio(azuma), format_ratio(confidence))});
    facts.push_back(
        {"Chernoff", fmt::format("the fill is {} to {}, with {}", format_ratio(chernoff.low),
                                 format_ratio(chernoff.high), format_ratio(confidence))});
    facts.push_back({"McDiarmid", fmt::format("the rate is at most {}", format_ratio(mcdiarmid))});
    facts.push_back(
        {"Bose et al.",
         bose.applies ? fmt::format("at most about {} (the bound's constant, unknown, taken as 1)",
                                    format_ratio(bose.upper))
                      : std::string("does not apply: its error term is 1 or more")});
  }
  if (n > 0) {
    facts.push_back({"best k", fmt::format("{} for a standard filter of this m and n",
                                           math::best_hashes(m, n))});
    facts.push_back(
        {"lower bound", fmt::format("no filter of {} bits a key is below {}", format_real(per_key),
                                    format_ratio(std::exp2(-per_key)))});
  }
  print_table(facts);
  return exit_status::found;
}

}  // namespace

void add_rate(verb_list& verbs) {
  verbs.add<rate_options>("rate", "Compute the false-positive rate by every formula",
                          "  bloomery rate --bits 32 --keys 4 --hashes 6\n"
                          "  bloomery rate --bits 512M --keys 50M --hashes 7 --kind blocked --json",
                          declare, run);
}

}  // namespace bloomery::cli
