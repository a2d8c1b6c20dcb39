// rate: every formula for one filter, side by side, so that anyone can check a figure.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/math/laws/closed_forms.hpp"
#include "bloomery/math/laws/concentration.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/laws/set_operations.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t most_counter_bits = 16;

struct rate_options {
  std::string bits;
  std::string keys;
  std::string hashes;
  std::string kind{default_kind().info.name};
  std::string with;
  std::string common;
  std::uint64_t counter_bits = 0;
  std::string confidence = "99%";
  bool json = false;
};

void declare(command& verb, rate_options& options) {
  verb.add_option("--bits", "M", options.bits, "m, the size in bits").required();
  verb.add_option("--keys", "N", options.keys, "n, distinct keys inserted").required();
  verb.add_option("--hashes", "K", options.hashes, "k, bits set per key").required();
  verb.add_option("--kind", "KIND", options.kind, "a kind made of bits and hashes").show_default();
  verb.add_option("--with", "N", options.with,
                  "also the union and the intersection with a filter of N keys");
  verb.add_option("--common", "N", options.common, "keys that are in both (default: 0)");
  verb.add_option("--counters", "BITS", options.counter_bits,
                  "also how often counters of so many bits overflow, one for each bit")
      .between(1, most_counter_bits);
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

struct filter_size {
  std::uint64_t m;
  std::uint64_t n;
  std::uint64_t k;
};

// Lines of text, and the same for a program.
struct report {
  std::vector<std::vector<std::string>> facts;
  json result;
};

std::vector<formula> formulas_of(const filter_size& size) {
  const auto [m, n, k] = size;
  std::vector<formula> formulas;
  if (k <= m) {
    formulas.push_back({"Bloom 1970", "(1-(1-k/m)^n)^k", math::bloom_1970_rate(m, n, k)});
  }
  formulas.push_back({"classic", "(1-(1-1/m)^kn)^k", math::classic_rate(m, n, k)});
  formulas.push_back({"asymptotic", "(1-e^(-kn/m))^k", math::asymptotic_rate(m, n, k)});
  formulas.push_back(
      {"second-order", "classic, with the spread of the fill", math::second_order_rate(m, n, k)});
  if (math::has_closed_form(m, n, k)) {
    formulas.push_back({"closed form", "Christensen et al. 2010, eq. 18, in whole numbers",
                        math::closed_form_rate(m, n, k)});
    formulas.push_back({"Stirling", "Bose et al. 2008, as corrected in eq. 20 there",
                        math::stirling_rate(m, n, k)});
  }
  formulas.push_back(
      {"exact", "Christensen et al. 2010, Bose et al. 2008", math::exact_rate(m, n, k)});
  return formulas;
}

// What they bound is the rate of a standard filter, and no other kind's.
void add_bounds(report& told, const filter_size& size, double confidence) {
  const auto [m, n, k] = size;
  const double mcdiarmid = math::mcdiarmid_rate_bound(m, n, k);
  const math::bose_bound bose = math::bose_rate_bound(m, n, k);
  const double azuma = math::azuma_deviation(m, n, k, confidence);
  const math::fill_range chernoff = math::chernoff_fill(m, n, k, confidence);
  told.result["bounds"] = {
      {"azuma_fill_deviation", azuma},
      {"chernoff_fill", {{"low", chernoff.low}, {"high", chernoff.high}}},
      {"mcdiarmid_rate", mcdiarmid},
      {"bose", {{"term", bose.term}, {"rate", bose.upper}, {"applies", bose.applies}}}};
  told.facts.push_back(
      {"Azuma-Hoeffding", fmt::format("the fill strays at most {} from its mean, with {}",
                                      format_ratio(azuma), format_ratio(confidence))});
  told.facts.push_back(
      {"Chernoff", fmt::format("the fill is {} to {}, with {}", format_ratio(chernoff.low),
                               format_ratio(chernoff.high), format_ratio(confidence))});
  told.facts.push_back(
      {"McDiarmid", fmt::format("the rate is at most {}", format_ratio(mcdiarmid))});
  told.facts.push_back(
      {"Bose et al.",
       bose.applies ? fmt::format("at most about {} (the bound's constant, unknown, taken as 1)",
                                  format_ratio(bose.upper))
                    : std::string("does not apply: its error term is 1 or more")});
}

void add_likeliest_fill(report& told, const filter_size& size, double mean_fill) {
  const auto [m, n, k] = size;
  if (!math::has_closed_form(m, n, k)) return;
  // The law has one peak, and it is beside the mean.
  const auto chance_of = [bits = m, thrown = k * n](std::uint64_t ones) {
    return math::occupied_probability(bits, thrown, ones);
  };
  auto likeliest = static_cast<std::uint64_t>(std::floor(static_cast<double>(m) * mean_fill));
  double chance = chance_of(likeliest);
  for (; likeliest > 0 && chance_of(likeliest - 1) > chance; --likeliest) {
    chance = chance_of(likeliest - 1);
  }
  for (; likeliest < m && chance_of(likeliest + 1) > chance; ++likeliest) {
    chance = chance_of(likeliest + 1);
  }
  told.result["likeliest_ones"] = {{"ones", likeliest}, {"probability", chance}};
  told.facts.push_back(
      {"likeliest fill", fmt::format("{} of {} bits, with {} (Christensen et al. 2010, eq. 10)",
                                     likeliest, m, format_ratio(chance))});
}

void add_combinations(report& told, const filter_size& size, const rate_options& options) {
  if (options.with.empty()) {
    if (!options.common.empty()) fail(errc::invalid, "--common goes with --with");
    return;
  }
  const auto [m, a, k] = size;
  const std::uint64_t b = parse_within("--with", options.with, 0, max_keys);
  const std::uint64_t common =
      options.common.empty() ? 0 : parse_within("--common", options.common, 0, std::min(a, b));
  const double united = math::union_rate(m, k, a, b, common);
  const double shared = math::intersection_rate(m, k, a, b, common);
  const double fill = math::intersection_fill(m, k, a, b, common);
  const double same = math::and_is_exact_probability(m, k, a - common, b - common);
  const double built = math::exact_rate(m, common, k);
  told.result["union"] = {{"keys", a + b - common}, {"rate", united}};
  told.result["intersection"] = {{"keys", common},
                                 {"rate", shared},
                                 {"fill", fill},
                                 {"rate_if_built_from_its_keys", built},
                                 {"equals_that_probability", same}};
  told.facts.push_back({"union", fmt::format("{} for {} keys, as if it had been built from them",
                                             precise_ratio(united), format_count(a + b - common))});
  told.facts.push_back(
      {"intersection",
       fmt::format("{} at a fill of {}; a filter built from the {} common keys has {}, and is the "
                   "same bit for bit with about {}",
                   precise_ratio(shared), format_ratio(fill), format_count(common),
                   precise_ratio(built), format_ratio(same))});
}

void add_counters(report& told, const filter_size& size, std::uint64_t bits) {
  if (bits == 0) return;
  const auto [m, n, k] = size;
  const std::uint64_t increments = k * n;
  const std::uint64_t full = std::uint64_t{1} << bits;
  const double one = math::counter_tail(m, increments, full);
  const double any = math::overflow_probability(m, increments, bits);
  const math::counter_bounds loose = math::loose_bounds(m, increments, full);
  const std::uint64_t enough = math::counter_bits(m, increments);
  told.result["counters"] = {{"bits", bits},
                             {"one_overflows", one},
                             {"any_overflows", any},
                             {"bounds",
                              {{"union", math::union_bound(m, increments, full)},
                               {"choose", loose.choose},
                               {"power", loose.power},
                               {"ficara_one", math::ficara_tail(m, increments, full)}}},
                             {"bits_planned", enough}};
  told.facts.push_back(
      {"counters", fmt::format("of {} bits: a given one overflows with {}, any of them with {}; at "
                               "most {} by m·C(kn,j)/m^j, {} by m·(e·kn/jm)^j, j = {}",
                               bits, format_real(one), format_real(any), format_real(loose.choose),
                               format_real(loose.power), full)});
  told.facts.push_back(
      {"as planned", fmt::format("counters of {} bits, of which any overflows with at most {}",
                                 enough, format_real(math::planned_overflow))});
}

void print_formulas(const std::vector<formula>& formulas, double own) {
  std::vector<std::vector<std::string>> rows{{"formula", "rate", "off by", ""}};
  for (const formula& f : formulas) {
    const bool reference = f.rate == own && &f == &formulas.back();
    double off = own > 0 ? f.rate / own - 1 : 0;
    if (std::abs(off) < 1e-14) off = 0;  // the last digits of a double
    rows.push_back({f.name, precise_ratio(f.rate),
                    reference ? "-" : fmt::format("{:+.4g} %", 100 * off), f.text});
  }
  print_table(rows);
  fmt::print("\n");
}

exit_status run(const rate_options& options) {
  const filter_size size{parse_within("bits", options.bits, 1, max_bits),
                         parse_within("keys", options.keys, 0, max_keys),
                         parse_within("hashes", options.hashes, 1, max_hashes)};
  const auto [m, n, k] = size;
  const double confidence = parse_confidence(options.confidence);
  const any_kind& kind = find_kind(options.kind);
  const auto shape = kind.as<lays_out>().of_bits(m, k);
  const double own = kind.predicted_rate(shape, n);
  const auto fill =
      math::expected_fill(kind.as<lays_out>().layout(shape), static_cast<double>(n), confidence);
  std::vector<formula> formulas = formulas_of(size);
  const bool standard = &kind == &default_kind();
  if (!standard) formulas.push_back({options.kind, "exact for this kind", own});
  if (!standard && !(options.with.empty() && options.common.empty() && options.counter_bits == 0)) {
    fail(errc::invalid, "--with and --counters are of a standard filter; leave --kind out");
  }

  json rates = json::object();
  for (const formula& f : formulas) {
    rates[json_name(f.name)] = {{"rate", f.rate},
                                {"relative_error", own > 0 ? f.rate / own - 1 : 0}};
  }
  report told{{{"expected fill", fmt::format("{} ({} to {}, {} interval)", format_ratio(fill.mean),
                                             format_ratio(fill.low), format_ratio(fill.high),
                                             format_ratio(confidence))}},
              {{"bits", m},
               {"keys", n},
               {"hashes", k},
               {"kind", options.kind},
               {"rate", own},
               {"rates", rates},
               {"fill", {{"mean", fill.mean}, {"low", fill.low}, {"high", fill.high}}},
               {"confidence", confidence}}};
  if (standard) {
    add_likeliest_fill(told, size, fill.mean);
    add_bounds(told, size, confidence);
  }
  if (n > 0) {
    const double per_key = static_cast<double>(m) / static_cast<double>(n);
    told.result["best_hashes"] = math::best_hashes(m, n);
    told.result["lowest_possible_rate"] = std::exp2(-per_key);
    told.facts.push_back({"best k", fmt::format("{} for a standard filter of this m and n",
                                                math::best_hashes(m, n))});
    told.facts.push_back(
        {"lower bound", fmt::format("no filter of {} bits a key is below {}", format_real(per_key),
                                    format_ratio(std::exp2(-per_key)))});
  }
  add_combinations(told, size, options);
  add_counters(told, size, options.counter_bits);
  if (options.json) {
    print_json(told.result);
  } else {
    print_formulas(formulas, own);
    print_table(told.facts);
  }
  return exit_status::found;
}

}  // namespace

void add_rate(verb_list& verbs) {
  verbs.add<rate_options>("rate", "Compute the false-positive rate by every formula",
                          "  bloomery rate --bits 32 --keys 4 --hashes 6\n"
                          "  bloomery rate --bits 1M --keys 70k --hashes 7 --with 30k --counters 4",
                          declare, run);
}

}  // namespace bloomery::cli
