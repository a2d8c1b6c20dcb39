#include "doctor_foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string_view>

#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "progress.hpp"
#include "report.hpp"

namespace bloomery::cli {

tally ask_foreign_strangers(const foreign::filter& filter, const examine_options& how) {
  constexpr std::size_t batch = 4096;
  const foreign::format& of = foreign::find_format(filter.info().name);
  const std::uint64_t most = how.probes != 0 ? how.probes : most_probes;
  const std::uint64_t enough = how.probes != 0 ? most : enough_hits(how.confidence);
  std::mt19937_64 random(how.seed);
  const auto answers = std::make_unique<bool[]>(batch);
  progress shown;
  tally counts;
  while (counts.asked < most && counts.hits < enough) {
    std::vector<std::string> texts(std::min<std::uint64_t>(batch, most - counts.asked));
    for (std::string& text : texts) text = of.example_key(random());
    const std::vector<std::string_view> keys(texts.begin(), texts.end());
    filter.may_contain(keys, {answers.get(), keys.size()});
    counts.hits +=
        static_cast<std::uint64_t>(std::count(answers.get(), answers.get() + keys.size(), true));
    counts.asked += keys.size();
    shown.count(keys.size());
  }
  return counts;
}

foreign_health examine(const foreign::filter& filter, const tally& strangers,
                       const std::optional<tally>& negatives, const examine_options& how) {
  const tally absent = negatives.value_or(strangers);
  const double rate =
      absent.asked == 0 ? 0 : static_cast<double>(absent.hits) / static_cast<double>(absent.asked);
  foreign_health found{
      .confidence = how.confidence,
      .rate = how.rate != 0 ? std::optional(how.rate) : filter.promised_rate(),
      .measured = {absent, !negatives, rate,
                   math::binomial_interval(absent.hits, absent.asked, how.confidence)},
      .reasons = {},
      .remarks = {},
      .advice = {}};
  // What random keys meet, but for one run in a million.
  const math::interval met =
      math::binomial_interval(strangers.hits, strangers.asked, 1 - 2 * false_alarm);
  const auto exceeds = [&](double allowed) {
    return math::binomial_upper(absent.hits, absent.asked, allowed) < false_alarm;
  };
  if (filter.current_rate() >= 1) {
    found.reasons.emplace_back("saturated: it says yes to every key");
    found.advice = "rebuild it for as many keys as it has";
  } else if (negatives && exceeds(met.high)) {
    found.reasons.push_back(format_ratio(rate) +
                            " of the absent keys are found, but no more than " +
                            format_ratio(met.high) + " of random ones: some are members");
    found.advice = "make sure that the absent keys are absent";
  } else if (found.rate && exceeds(*found.rate)) {
    found.reasons.push_back("measured " + format_ratio(rate) + ", over the " +
                            format_ratio(*found.rate) + " it should keep");
    found.advice = "rebuild it for as many keys as it has";
  } else {
    found.advice = found.rate ? "nothing to do" : "give a rate to hold it to";
  }
  if (!found.rate) found.remarks.emplace_back("no rate was promised: only saturation was judged");
  return found;
}

void print(const foreign::filter& filter, const foreign_health& found, bool as_json) {
  const std::string_view verdict = found.healthy() ? "healthy" : "degraded";
  const auto& [counts, random, rate, interval] = found.measured;
  if (as_json) {
    json report{{"verdict", verdict},
                {"reasons", found.reasons},
                {"remarks", found.remarks},
                {"advice", found.advice},
                {"rate", or_null(found.rate)},
                {"confidence", found.confidence},
                {"measured",
                 {{"rate", rate},
                  {"low", interval.low},
                  {"high", interval.high},
                  {"asked", counts.asked},
                  {"hits", counts.hits}}},
                {"current_rate", filter.current_rate()},
                {"fill", filter.fill()},
                {"format", filter.info().name}};
    print_json(report);
    return;
  }
  std::vector<std::vector<std::string>> rows{{"verdict", std::string(verdict)}};
  for (const std::string& reason : found.reasons) rows.push_back({"because", reason});
  for (const std::string& remark : found.remarks) rows.push_back({"note", remark});
  rows.push_back({"advice", found.advice});
  rows.push_back(
      {"rate measured",
       fmt::format("{} ({} to {}): it claimed {} of {} keys that are not in it", format_ratio(rate),
                   format_ratio(interval.low), format_ratio(interval.high),
                   format_count(counts.hits), format_count(counts.asked))});
  rows.push_back({"rate promised", found.rate ? format_ratio(*found.rate) : "none"});
  rows.push_back({"rate of its cells", format_ratio(filter.current_rate())});
  rows.push_back({"fill", format_ratio(filter.fill())});
  rows.push_back({"format", fmt::format("{} ({})", filter.info().name, filter.info().title)});
  print_table(rows);
}

}  // namespace bloomery::cli
