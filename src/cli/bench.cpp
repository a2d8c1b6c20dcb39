// bench: how fast the kinds and hashes are on this machine, against rivals, in one run.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "bloomery/core/units.hpp"
#include "harness.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct bench_options {
  std::string keys = "1M";
  std::string rate = "1%";
  unsigned repeats = 5;
  std::vector<std::string> kinds;
  bool hash = false;
  bool no_rivals = false;
  bool json = false;
};

void declare(CLI::App& verb, bench_options& options) {
  verb.add_option("--keys", options.keys, "distinct keys")->type_name("N")->capture_default_str();
  verb.add_option("--fpr", options.rate, "false-positive rate of the filters")
      ->type_name("P")
      ->capture_default_str();
  verb.add_option("--repeats", options.repeats, "repeats; the median counts")
      ->type_name("R")
      ->capture_default_str();
  verb.add_option("--kind", options.kinds, "only these kinds")->type_name("K");
  verb.add_flag("--hash", options.hash, "measure the hash functions instead");
  verb.add_flag("--no-rivals", options.no_rivals, "leave the rivals out");
  declare_json(verb, options.json);
}

void show_progress(double done, std::string_view contestant) {
  if (::isatty(STDERR_FILENO) != 1) return;
  fmt::print(stderr, "\r\x1b[K{:.0f} % {}", 100 * done, done < 1 ? contestant : "");
  if (done >= 1) fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}", *ratio) : "-";
}

json ratio_json(const std::optional<double>& ratio) {
  return ratio ? json(*ratio) : json(nullptr);
}

json filters(const bench::bench_options& chosen, std::vector<std::vector<std::string>>& table) {
  const bench::filter_results results = bench::run_filters(chosen, show_progress);
  const auto ratios = bench::ratios_to_rivals(results.rows);
  json rows = json::array();
  table.push_back({"structure", "operation", "ns/key", "of best rival", "bits/key", "rate"});
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const bench::bench_row& row = results.rows[i];
    table.push_back({row.name, bench::label(row), fmt::format("{:.1f}", row.ns_per_key),
                     ratio_text(ratios[i]), fmt::format("{:.2f}", row.bits_per_key),
                     format_ratio(row.measured_rate)});
    rows.push_back({{"name", row.name},
                    {"rival", row.rival},
                    {"operation", bench::label(row)},
                    {"ns_per_key", row.ns_per_key},
                    {"ratio_to_best_rival", ratio_json(ratios[i])},
                    {"bits_per_key", row.bits_per_key},
                    {"measured_rate", row.measured_rate}});
  }
  json skipped = json::array();
  for (const bench::left_out& absent : results.skipped) {
    skipped.push_back({{"name", absent.name}, {"reason", absent.reason}});
    fmt::print(stderr, "bloomery: {} is left out: {}\n", absent.name, absent.reason);
  }
  return {{"keys", chosen.keys}, {"rate", chosen.rate}, {"rows", rows}, {"left_out", skipped}};
}

json hashes(const bench::hash_options& chosen, std::vector<std::vector<std::string>>& table) {
  const auto measured = bench::run_hashes(chosen, show_progress);
  const auto ratios = bench::ratios_to_rivals(measured);
  json rows = json::array();
  table.push_back({"hash", "key bytes", "ns/key", "of best rival"});
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const bench::hash_row& row = measured[i];
    table.push_back({row.name, std::to_string(row.key_bytes), fmt::format("{:.1f}", row.ns_per_key),
                     ratio_text(ratios[i])});
    rows.push_back({{"name", row.name},
                    {"rival", row.rival},
                    {"key_bytes", row.key_bytes},
                    {"ns_per_key", row.ns_per_key},
                    {"ratio_to_best_rival", ratio_json(ratios[i])}});
  }
  return {{"rows", rows}};
}

exit_status run(const bench_options& options) {
  std::vector<std::vector<std::string>> table;
  json result;
  if (options.hash) {
    bench::hash_options chosen;
    chosen.repeats = options.repeats;
    chosen.rivals = !options.no_rivals;
    result = hashes(chosen, table);
  } else {
    bench::bench_options chosen;
    chosen.keys = parse_count(options.keys);
    chosen.rate = parse_ratio(options.rate);
    chosen.repeats = options.repeats;
    chosen.kinds = options.kinds;
    chosen.rivals = !options.no_rivals;
    result = filters(chosen, table);
  }
  if (!options.no_rivals) {
    for (const bench::rival_info& rival : bench::rivals()) {
      if (rival.installed) continue;
      fmt::print(stderr, "bloomery: rival {} is not compiled in; install {} and build again\n",
                 rival.name, rival.package);
    }
  }
  if (options.json) {
    print_json(result);
  } else {
    print_table(table);
  }
  return exit_status::found;
}

}  // namespace

void add_bench(const verb_list& verbs) {
  verbs.add<bench_options>("bench", "Measure the kinds on this machine, against rivals",
                           "  bloomery bench --keys 10M --fpr 1%\n"
                           "  bloomery bench --hash --json",
                           declare, run);
}

}  // namespace bloomery::cli
