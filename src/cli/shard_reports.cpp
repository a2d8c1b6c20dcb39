#include "shard_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "bloomery/any/health.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/laws/shards.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "report.hpp"

namespace bloomery::cli {
namespace {

using form = redis_reply::form;
constexpr std::uint64_t usual_probes = 1 << 18;
constexpr std::size_t probes_at_once = 1 << 16;

// A field of an answer that is a map.
class told_map {
 public:
  told_map(const redis_reply& answer, const std::string& name) : answer_(answer), name_(name) {
    if (answer.is != form::list || answer.list.size() % 2 != 0) refuse();
  }

  [[nodiscard]] const redis_reply* find(std::string_view field) const {
    for (std::size_t i = 0; i < answer_.list.size(); i += 2) {
      if (answer_.list[i].text == field) return &answer_.list[i + 1];
    }
    return nullptr;
  }
  [[nodiscard]] std::uint64_t whole(std::string_view field) const {
    const redis_reply* const held = find(field);
    if (held == nullptr || held->is != form::number || held->number < 0) refuse();
    return static_cast<std::uint64_t>(held->number);
  }
  [[nodiscard]] std::optional<double> real_if_any(std::string_view field) const {
    const redis_reply* const held = find(field);
    if (held == nullptr) return std::nullopt;
    double value = 0;
    const std::string& text = held->text;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (held->is == form::number) return static_cast<double>(held->number);
    if (problem != std::errc{} || end != text.data() + text.size() || std::isnan(value)) refuse();
    return value;
  }
  [[nodiscard]] double real(std::string_view field) const {
    const auto value = real_if_any(field);
    if (!value) refuse();
    return *value;
  }
  [[nodiscard]] std::vector<std::string> texts(std::string_view field) const {
    std::vector<std::string> made;
    const redis_reply* const held = find(field);
    if (held == nullptr || held->is != form::list) refuse();
    for (const redis_reply& each : held->list) made.push_back(printable(each.text, 300));
    return made;
  }
  [[nodiscard]] std::string text(std::string_view field) const {
    const redis_reply* const held = find(field);
    if (held == nullptr || held->is != form::text) refuse();
    return printable(held->text, 300);
  }

 private:
  [[noreturn]] void refuse() const {
    fail(errc::corrupt, name_ + ": a server's answer is not of the form that it should have");
  }

  const redis_reply& answer_;
  const std::string& name_;
};

math::estimate estimate_in(const redis_reply& answer, const std::string& name) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const told_map told(answer, name);
  const double low = told.real("low");
  if (told.whole("saturated") != 0) return {infinity, low, infinity, true};
  return {told.real("value"), low, told.real("high"), false};
}

math::estimate estimated(sharded_filter& filter, double confidence) {
  const auto all = filter.shards();
  std::vector<math::estimate> parts;
  for (const redis_reply& told : filter.ask_shards(
           all, {"BLOOM.ESTIMATE"}, {"CONFIDENCE", format_value(field_value{confidence})})) {
    parts.push_back(estimate_in(told, filter.name()));
  }
  return math::sum_of(parts);
}

double promised_rate(const sharding& spread) {
  std::vector<double> rates;
  for (const generation& each : spread.generations) rates.push_back(each.promised.rate);
  return math::rate_of_any(rates);
}

std::uint64_t promised_keys(const sharding& spread) {
  std::uint64_t keys = 0;
  for (const generation& each : spread.generations) keys += each.promised.keys;
  return keys;
}

std::string plural(std::uint64_t number, const std::string& one) {
  return format_count(number) + " " + one + (number == 1 ? "" : "s");
}

std::size_t servers_of(const sharded_filter& filter,
                       const std::vector<sharded_filter::shard>& all) {
  std::set<std::string> servers;
  for (const auto& each : all) servers.insert(filter.server_of(each));
  return servers.size();
}

std::string spread_text(const sharded_filter& filter,
                        const std::vector<sharded_filter::shard>& all) {
  const sharding& spread = filter.spread();
  return fmt::format("{} on {}, in {}, epoch {}", plural(all.size(), "shard"),
                     plural(servers_of(filter, all), "server"),
                     plural(spread.generations.size(), "generation"), spread.epoch);
}

json generation_json(const any_kind& kind, const generation& each) {
  return {{"family", fmt::format("{:016x}", each.family)},
          {"shards", each.shards},
          {"shape_of_shard", shape_json(kind, each.shape)},
          {"promised", to_json(each.promised)}};
}

json spread_json(const sharding& spread) {
  json made{{"epoch", spread.epoch}, {"generations", json::array()}};
  for (const generation& each : spread.generations) {
    made["generations"].push_back(generation_json(*spread.kind, each));
  }
  return made;
}

struct totals {
  std::uint64_t items = 0;
  std::uint64_t bytes = 0;
  double predicted = 0;  // of all generations
};

// A stranger meets one shard of each generation, any of them as likely.
totals added_up(sharded_filter& filter, const std::vector<sharded_filter::shard>& all) {
  totals made;
  std::vector<double> rates;
  const generation* at = nullptr;
  const auto answers = filter.ask_shards(all, {"BLOOM.INFO"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const told_map told(answers[i], filter.name());
    made.items += told.whole("keys inserted");
    made.bytes += told.whole("bytes");
    if (std::exchange(at, all[i].of) != all[i].of) rates.push_back(0);
    rates.back() += told.real("rate predicted") / static_cast<double>(all[i].of->shards);
  }
  for (double& rate : rates) rate = std::clamp(rate, 0.0, 1.0);
  made.predicted = math::rate_of_any(rates);
  return made;
}

// What the doctor found of a shard.
struct finding {
  const sharded_filter::shard* of;
  std::string server;
  bool healthy;
  std::vector<std::string> reasons;
  std::string advice;
  std::optional<double> rate;
};

std::vector<finding> findings_of(sharded_filter& filter,
                                 const std::vector<sharded_filter::shard>& all) {
  std::vector<finding> found;
  const auto answers = filter.ask_shards(all, {"BLOOM.DOCTOR"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const told_map told(answers[i], filter.name());
    found.push_back({&all[i], filter.server_of(all[i]), told.whole("healthy") != 0,
                     told.texts("reasons"), told.text("advice"),
                     told.real_if_any("rate measured")});
  }
  return found;
}

bool worse(const finding& one, const finding& other) {
  if (one.healthy != other.healthy) return !one.healthy;
  return one.rate.value_or(0) > other.rate.value_or(0);
}

// As clients ask: every generation, each stranger in its shard.
tally ask_at_random(sharded_filter& filter, std::uint64_t probes, std::uint64_t seed,
                    std::optional<std::uint64_t> now) {
  tally total;
  std::uint64_t drawn = 0;
  while (total.asked < probes) {
    const std::size_t size = std::min<std::uint64_t>(probes_at_once, probes - total.asked);
    std::vector<digest> strangers(size);
    for (digest& each : strangers) {
      each.lo = hash::mix(hash::mix(seed) + ++drawn);
      each.hi = hash::mix(hash::mix(seed) + ++drawn);
    }
    const auto answers = std::make_unique<bool[]>(size);
    filter.may_contain(strangers, {answers.get(), size}, now);
    total.asked += size;
    total.hits += static_cast<std::uint64_t>(std::count(answers.get(), answers.get() + size, true));
  }
  return total;
}

std::string name_of(const finding& each) {
  return fmt::format("shard {} of {}, {} on {}", each.of->number + 1, each.of->of->shards,
                     printable(each.of->key), each.server);
}

json finding_json(const finding& each) {
  return {{"key", each.of->key},     {"server", each.server},
          {"healthy", each.healthy}, {"reasons", each.reasons},
          {"advice", each.advice},   {"rate_measured", or_null(each.rate)}};
}

}  // namespace

exit_status describe_shards(sharded_filter& filter, bool as_json) {
  const auto all = filter.shards();
  const sharding& spread = filter.spread();
  const any_kind& kind = *spread.kind;
  const totals sums = added_up(filter, all);
  std::optional<math::estimate> keys;
  if (kind.can<measures>()) keys = estimated(filter, math::default_confidence);
  if (as_json) {
    json made{{"kind", kind.info.name},
              {"shards", all.size()},
              {"servers", servers_of(filter, all)},
              {"bytes", sums.bytes},
              {"hash", hash_json(spread.hash)},
              {"items", sums.items},
              {"promised", to_json(promise{promised_keys(spread), promised_rate(spread)})},
              {"predicted_rate", sums.predicted}};
    if (keys) made["estimated_keys"] = to_json(*keys);
    made.update(spread_json(spread));
    print_json(made);
    return exit_status::found;
  }
  std::vector<std::vector<std::string>> rows{
      {"kind", fmt::format("{} ({}, {})", kind.info.name, kind.info.title, kind.info.citation)},
      {"spread", spread_text(filter, all)}};
  for (const generation& each : spread.generations) {
    rows.push_back({"shape of a shard", shape_text(kind, each.shape)});
  }
  rows.push_back({"size", fmt::format("{}, {} a shard", format_size(sums.bytes),
                                      format_size(sums.bytes / all.size()))});
  rows.push_back({"hash", bloomery::describe(spread.hash)});
  rows.push_back({"keys inserted", fmt::format("{} (repeats counted)", format_count(sums.items))});
  if (keys) rows.push_back({"keys estimated", to_text(*keys) + ", 95 % interval"});
  rows.push_back({"rate predicted", format_ratio(sums.predicted)});
  if (promised_keys(spread) != 0) {
    rows.push_back({"promised", fmt::format("{} up to {}", format_ratio(promised_rate(spread)),
                                            plural(promised_keys(spread), "key"))});
  }
  print_table(rows);
  return exit_status::found;
}

exit_status estimate_shards(sharded_filter& filter, double confidence, bool as_json) {
  const any_kind& kind = *filter.spread().kind;
  if (!kind.can<measures>()) refuse(kind, " cannot estimate how many keys it holds");
  const math::estimate keys = estimated(filter, confidence);
  if (as_json) {
    print_json({{"confidence", confidence}, {"keys", to_json(keys)}});
    return exit_status::found;
  }
  print_table({{"keys", to_text(keys)}});
  fmt::print("\nIn brackets: intervals of {} confidence.\n", format_ratio(confidence));
  return exit_status::found;
}

exit_status examine_shards(sharded_filter& filter, const shard_examination& how, bool as_json) {
  const auto all = filter.shards();
  const sharding& spread = filter.spread();
  std::vector<finding> found = findings_of(filter, all);
  std::ranges::stable_sort(found, worse);
  const finding& worst = found.front();
  const auto ill = static_cast<std::uint64_t>(
      std::ranges::count_if(found, [](const finding& each) { return !each.healthy; }));
  const tally counts =
      ask_at_random(filter, how.probes == 0 ? usual_probes : how.probes, how.seed, how.now);
  const double measured = static_cast<double>(counts.hits) / static_cast<double>(counts.asked);
  const math::interval interval =
      math::binomial_interval(counts.hits, counts.asked, how.confidence);
  std::optional<double> rate = how.rate;
  if (!rate && promised_keys(spread) != 0) rate = promised_rate(spread);
  std::vector<std::string> reasons;
  if (ill != 0) {
    reasons.push_back(fmt::format("{} of {} shards are degraded", ill, all.size()));
  }
  if (rate && math::binomial_upper(counts.hits, counts.asked, *rate) < false_alarm) {
    reasons.push_back(fmt::format("it claims {} of strangers, over the {} it should keep",
                                  format_ratio(measured), format_ratio(*rate)));
  }
  const bool healthy = reasons.empty();
  const std::string advice =
      healthy ? "none: it keeps its promise"
              : "build it anew for more keys; what is too full stays so, and `bloomery add --grow` "
                "makes room for those to come";
  const std::string_view verdict = healthy ? "healthy" : "degraded";
  if (as_json) {
    json made{{"verdict", verdict},
              {"reasons", reasons},
              {"advice", advice},
              {"rate", or_null(rate)},
              {"confidence", how.confidence},
              {"measured",
               {{"rate", measured},
                {"low", interval.low},
                {"high", interval.high},
                {"asked", counts.asked},
                {"hits", counts.hits}}},
              {"worst", finding_json(worst)},
              {"degraded_shards", ill},
              {"shards", json::array()}};
    for (const finding& each : found) made["shards"].push_back(finding_json(each));
    made.update(spread_json(spread));
    print_json(made);
    return healthy ? exit_status::found : exit_status::not_found;
  }
  std::vector<std::vector<std::string>> rows{{"verdict", std::string(verdict)}};
  for (const std::string& reason : reasons) rows.push_back({"because", reason});
  rows.push_back({"advice", advice});
  rows.push_back({"worst shard", name_of(worst)});
  for (const std::string& reason : worst.reasons) rows.push_back({"", reason});
  if (worst.rate) rows.push_back({"its rate", format_ratio(*worst.rate)});
  rows.push_back(
      {"rate measured",
       fmt::format("{} ({} to {}): all shards together claimed {} of {} random keys",
                   format_ratio(measured), format_ratio(interval.low), format_ratio(interval.high),
                   format_count(counts.hits), format_count(counts.asked))});
  if (rate) rows.push_back({"rate promised", format_ratio(*rate)});
  rows.push_back({"spread", spread_text(filter, all)});
  print_table(rows);
  return healthy ? exit_status::found : exit_status::not_found;
}

}  // namespace bloomery::cli
