// doctor: does a filter still keep its promise?
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "ask.hpp"
#include "bloomery/any/health.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "doctor_foreign.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "shard_reports.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct doctor_options {
  std::string filter;
  std::string probes;
  std::uint64_t probe_seed = examine_options{}.seed;
  std::string negatives;
  std::string rate;
  std::string confidence = "99%";
  key_file_option key_file;
  clock_option clock;
  line_options lines;
  bool json = false;
};

void declare(command& verb, doctor_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter to examine").required();
  const option probe =
      verb.add_option("--probe", "N", options.probes,
                      "random probes (default: until the rate is known to 5 %, at most 10M)");
  verb.add_option("--probe-seed", "S", options.probe_seed, "draw other random probes");
  verb.add_option("--negatives", "FILE", options.negatives,
                  "ask for the lines of this file instead, none of which was inserted; one that "
                  "was counts as a false positive")
      .excludes(probe);
  verb.add_option("--fpr", "P", options.rate, "hold it to this rate (default: the one promised)");
  declare_confidence(verb, options.confidence);
  options.key_file.declare(verb);
  options.clock.declare(verb);
  options.lines.declare(verb);
  declare_json(verb, options.json);
}

examine_options examination(const doctor_options& options) {
  examine_options result;
  result.confidence = parse_confidence(options.confidence);
  result.seed = options.probe_seed;
  if (!options.probes.empty()) {
    result.probes = parse_count(options.probes);
    if (result.probes == 0) fail(errc::invalid, "--probe is 0; allowed: 1 and more");
  }
  if (!options.rate.empty()) {
    result.rate = parse_ratio(options.rate);
    if (!(result.rate > 0 && result.rate < 1)) {
      fail(errc::invalid, "--fpr is " + options.rate + "; allowed: above 0 % and below 100 %");
    }
  }
  return result;
}

tally ask_lines(const asker& ask, const doctor_options& options) {
  tally total;
  key_input({}, {options.negatives}, options.lines)
      .each_block([&](const line_block& block) { return count_present(ask, block.keys); },
                  [&](const line_block& block, std::uint64_t hits) {
                    total.asked += block.keys.size();
                    total.hits += hits;
                  });
  return total;
}

// Texts cost from a microsecond to milliseconds of cryptography each: unless told how many, ask for
// about a second, and for no more than this.
constexpr std::uint64_t most_texts = 10'000;
constexpr std::chrono::seconds patience(1);

tally ask_random_texts(const asker& ask, const std::function<std::string()>& next,
                       std::uint64_t probes) {
  constexpr std::uint64_t batch = 16;
  const std::uint64_t most = probes != 0 ? probes : most_texts;
  const auto end = std::chrono::steady_clock::now() + patience;
  progress shown;
  tally total;
  while (total.asked < most && (probes != 0 || std::chrono::steady_clock::now() < end)) {
    std::vector<std::string> texts(std::min(batch, most - total.asked));
    for (std::string& text : texts) text = next();
    total.hits += count_present(ask, std::vector<std::string_view>(texts.begin(), texts.end()));
    total.asked += texts.size();
    shown.count(texts.size());
  }
  return total;
}

health examined(const any_filter& filter, const doctor_options& options) {
  examine_options how = examination(options);
  how.now = options.clock.time_for(filter);
  if (!options.negatives.empty()) {
    return examine(filter, ask_lines(asker_of(filter, options.key_file, how.now), options), how);
  }
  const any_kind& kind = filter.kind();
  const bool has_key = !options.key_file.path.empty();
  // Random digests need no key, but a wrong one is a mistake all the same.
  if (has_key && !kind.can<guards>()) (void)options.key_file.for_filter(filter.record().hash);
  const bool needs_key = kind.can<guards>() || filter.record().hash.id == hash_id::keyed;
  if ((kind.can<reads_texts>() || kind.can<guards>()) && has_key == needs_key) {
    if (const auto texts = random_texts(filter, how.seed)) {
      const asker ask = asker_of(filter, options.key_file, how.now);
      return examine(filter, ask_random_texts(ask, texts, how.probes), how, true);
    }
  }
  progress shown;
  health found = examine(filter, how, [&](std::uint64_t asked) { shown.count(asked); });
  if (found.measured) return found;
  found.remarks.emplace_back(
      needs_key && !has_key && (kind.can<guards>() || kind.can<reads_texts>())
          ? "not measured: only under its secret does it answer; give --key-file"
      : kind.can<reads_texts>()
          ? "not measured: random texts so short may be in it; give --negatives"
          : "not measured: it answers other questions than whether a key is there");
  return found;
}

std::string_view verdict(const health& found) {
  return found.healthy() ? "healthy" : "degraded";
}

json as_json(const any_filter& filter, const health& found) {
  const any_kind& kind = filter.kind();
  json result{{"verdict", verdict(found)},
              {"reasons", found.reasons},
              {"remarks", found.remarks},
              {"advice", found.advice},
              {"fold", or_null(found.fold)},
              {"rate", or_null(found.rate)},
              {"promised", to_json(found.record.promised)},
              {"confidence", found.confidence}};
  result["measured"] = nullptr;
  if (const auto& measured = found.measured) {
    result["measured"] = {{"rate", measured->rate},          {"low", measured->interval.low},
                          {"high", measured->interval.high}, {"asked", measured->counts.asked},
                          {"hits", measured->counts.hits},   {"random", measured->random}};
  }
  result["predicted_rate"] = {{"of_items", or_null(found.predicted_of_items)},
                              {"of_estimated_keys", or_null(found.predicted_of_estimate)}};
  result["current_rate"] = or_null(found.current_rate);
  result["fill"] = or_null(found.fill);
  result["estimated_keys"] = found.estimated ? to_json(*found.estimated) : json(nullptr);
  result["items"] = found.record.items;
  result["overflows"] = or_null(found.overflows);
  result["stages"] = or_null(found.stages);
  result["false_negatives"] = or_null(found.false_negatives);
  result["capacity"] = or_null(found.capacity);
  result["headroom"] = or_null(found.headroom);
  result["hash"] = hash_json(found.record.hash);
  result["hash"]["keyed"] = has_secret(found.record.hash);
  result["hash"]["consistent"] = or_null(found.consistent);
  result["format"] = {{"version", wire::format_version}, {"checksums", "verified"}};
  result["kind"] = kind.info.name;
  result["shape"] = shape_json(kind, filter.shape());
  result["bytes"] = filter.bytes();
  return result;
}

std::string keys_text(std::uint64_t keys) {
  return format_count(keys) + (keys == 1 ? " key" : " keys");
}

std::string text_of(const measurement& measured) {
  const auto& [counts, random, rate, interval] = measured;
  return fmt::format("{} ({} to {}): it claimed {} of {} {}", format_ratio(rate),
                     format_ratio(interval.low), format_ratio(interval.high),
                     format_count(counts.hits), format_count(counts.asked),
                     random ? "random keys that are not in it" : "keys said to be absent");
}

std::string held_to(const health& found) {
  const promise promised = found.record.promised;
  std::string text = "none";
  if (promised.keys != 0) {
    text = fmt::format("{} up to {}", format_ratio(promised.rate), keys_text(promised.keys));
  }
  if (found.rate && *found.rate != promised.rate) {
    text += fmt::format("; held to {}", format_ratio(*found.rate));
  }
  return text;
}

std::string predicted(const health& found) {
  std::string text;
  if (found.predicted_of_items) {
    text = format_ratio(*found.predicted_of_items) + " for the keys inserted";
  }
  if (found.predicted_of_estimate) {
    text += fmt::format("{}{} for those estimated", text.empty() ? "" : ", ",
                        format_ratio(*found.predicted_of_estimate));
  }
  return text;
}

std::string headroom(const health& found) {
  const auto size = static_cast<std::uint64_t>(std::abs(*found.headroom));
  return fmt::format("{} {} ({} allows {}{})", keys_text(size),
                     *found.headroom < 0 ? "too many" : "more",
                     found.false_negatives ? "its plan" : format_ratio(*found.rate),
                     format_count(*found.capacity), found.estimated ? "" : ", repeats counted");
}

std::string hash_health(const health& found) {
  std::string text = describe(found.record.hash);
  if (!has_secret(found.record.hash)) text += ", not keyed";
  if (found.consistent) {
    text += *found.consistent ? "; cells and record agree" : "; cells and record disagree";
  }
  return text;
}

// What a kind cannot tell has no line.
void print_findings(const any_filter& filter, const health& found) {
  std::vector<std::vector<std::string>> rows{{"verdict", std::string(verdict(found))}};
  for (const std::string& reason : found.reasons) rows.push_back({"because", reason});
  for (const std::string& remark : found.remarks) rows.push_back({"note", remark});
  rows.push_back({"advice", found.advice});
  if (found.measured) rows.push_back({"rate measured", text_of(*found.measured)});
  rows.push_back({"rate promised", held_to(found)});
  if (const std::string rates = predicted(found); !rates.empty()) {
    rows.push_back({"rate predicted", rates});
  }
  if (found.current_rate) rows.push_back({"rate of its bits", format_ratio(*found.current_rate)});
  if (found.fill) rows.push_back({"fill", format_ratio(*found.fill)});
  if (found.estimated) rows.push_back({"keys estimated", to_text(*found.estimated)});
  rows.push_back(
      {"keys inserted", fmt::format("{} (repeats counted)", format_count(found.record.items))});
  if (found.headroom) rows.push_back({"headroom", headroom(found)});
  rows.push_back({"hash", hash_health(found)});
  rows.push_back(
      {"format", fmt::format("version {}, checksums verified; {}, {}", wire::format_version,
                             filter.kind().info.name, format_size(filter.bytes()))});
  print_table(rows);
  fmt::print("\n");
  print_paragraph(fmt::format(
      "A rate is the share of keys that are not in the filter and that it claims all the same. In "
      "brackets: where the truth lies, with {} confidence.",
      format_ratio(found.confidence)));
}

exit_status run_on_shards(sharded_filter& filter, const doctor_options& options) {
  if (!options.negatives.empty()) {
    fail(errc::invalid, filter.name() +
                            ": of a filter in shards, `bloomery query -c` counts how "
                            "many lines of a file it claims");
  }
  const redis_filter::description of = filter.describe();
  options.clock.require_use(*of.kind, of.on_time);
  if (!options.key_file.path.empty()) (void)options.key_file.for_filter(of.hash);
  const examine_options how = examination(options);
  return examine_shards(filter,
                        {.probes = how.probes,
                         .seed = how.seed,
                         .confidence = how.confidence,
                         .rate = how.rate == 0 ? std::nullopt : std::optional(how.rate),
                         .now = options.clock.at},
                        options.json);
}

exit_status examine_foreign(const foreign::filter& filter, const examine_options& how,
                            const doctor_options& options) {
  const asker ask = asker_of(filter, options.key_file, options.clock);
  std::optional<tally> negatives;
  if (!options.negatives.empty()) negatives = ask_lines(ask, options);
  const foreign_health found = examine(filter, ask_foreign_strangers(filter, how), negatives, how);
  print(filter, found, options.json);
  return found.healthy() ? exit_status::found : exit_status::not_found;
}

exit_status run(const doctor_options& options) {
  const location where(options.filter);
  if (const auto spread = where.in_shards()) return run_on_shards(*spread, options);
  if (const auto theirs = where.load_foreign()) {
    return examine_foreign(*theirs, examination(options), options);
  }
  const any_filter filter = where.open();
  const health found = examined(filter, options);
  if (options.json) {
    print_json(as_json(filter, found));
  } else {
    print_findings(filter, found);
  }
  return found.healthy() ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_doctor(verb_list& verbs) {
  verbs.add<doctor_options>(
      "doctor",
      "Check that a filter keeps its promise\n"
      "Asks for keys that it was not given and compares how many it claims with the "
      "rate that it promised. Filters of other programs are examined as well, such as a key of "
      "BF or CF in a Redis server. Exits 0 if it is healthy, 1 if it is degraded.",
      "  seq 1000 | bloomery build --keys 2k -o ward.bloom\n"
      "  bloomery doctor ward.bloom\n"
      "  seq 2000 | bloomery build --set bits=9000 --set hashes=5 -o ill.bloom\n"
      "  bloomery doctor ill.bloom --fpr 1%   # exits 1: it holds too many keys",
      declare, run);
}

}  // namespace bloomery::cli
