// bench: how fast the kinds and hashes are on this machine, against rivals, in one run.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>

#include "bloomery/core/units.hpp"
#include "chart.hpp"
#include "harness.hpp"
#include "message.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct bench_options {
  std::vector<std::string> keys{"1M"};
  std::string rate = "1%";
  unsigned repeats = 5;
  std::vector<std::string> kinds;
  bool hash = false;
  bool no_rivals = false;
  std::string chart;
  bool json = false;
};

void declare(command& verb, bench_options& options) {
  verb.add_option("--keys", "N[,N...]", options.keys,
                  "distinct keys; several numbers, one run each")
      .separated_by(',')
      .show_default();
  verb.add_option("--fpr", "P", options.rate, "false-positive rate of the filters").show_default();
  verb.add_option("--repeats", "R", options.repeats, "repeats; the median counts").show_default();
  verb.add_option("--kind", "KIND", options.kinds, "only these kinds");
  verb.add_option("--chart", "FILE.svg", options.chart,
                  "draw the time and the memory of each, a row a structure")
      .drawing();
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

// One row a structure: the fastest way it was asked for absent keys, and its bits. The fastest with the
// most keys comes first.
class bench_chart {
 public:
  void add(std::uint64_t keys, const std::vector<bench::bench_row>& rows) {
    for (const bench::bench_row& row : rows) {
      if (row.what != bench::operation::query_miss) continue;
      const std::string name = row.name + (row.rival ? " (rival)" : "");
      auto place = std::ranges::find(structures_, name, &structure::name);
      if (place == structures_.end()) {
        structures_.push_back({name, {}, {}});
        place = std::prev(structures_.end());
      }
      const auto x = static_cast<double>(keys);
      if (!place->times.empty() && place->times.back().x == x) {
        place->times.back().y = std::min(place->times.back().y, row.ns_per_key);
      } else {
        place->times.push_back({x, row.ns_per_key});
        place->bits.push_back({x, row.bits_per_key});
      }
    }
  }

  [[nodiscard]] drawing draw(double rate) const {
    panel time{.title = "Time to ask for a key that is absent, in the structure's fastest way",
               .x = {.label = "keys", .counts = true},
               .y = {.label = "ns a key", .logarithmic = true},
               .curves = {}};
    panel size{.title = "Memory",
               .x = time.x,
               .y = {.label = "bits a key", .logarithmic = true},
               .curves = {}};
    std::vector<structure> sorted = structures_;
    std::ranges::stable_sort(sorted, {}, [](const structure& s) { return s.times.back().y; });
    for (const structure& each : sorted) {
      time.curves.push_back({each.name, drawn::points, each.times});
    }
    std::ranges::stable_sort(sorted, {}, [](const structure& s) { return s.bits.back().y; });
    for (const structure& each : sorted) {
      size.curves.push_back({each.name, drawn::points, each.bits});
    }
    return {.title = "Time and space on this machine, at " + format_ratio(rate),
            .source = "Measured in one run.",
            .command = invocation(),
            .panels = {time, size},
            .by_rows = true};
  }

 private:
  struct structure {
    std::string name;
    std::vector<chart_point> times;
    std::vector<chart_point> bits;
  };
  std::vector<structure> structures_;
};

json filters(const bench::bench_options& chosen, std::vector<std::vector<std::string>>& table,
             bench_chart& chart) {
  const bench::filter_results results = bench::run_filters(chosen, show_progress);
  chart.add(chosen.keys, results.rows);
  const auto ratios = bench::ratios_to_rivals(results.rows);
  json rows = json::array();
  if (table.empty()) {
    table.push_back(
        {"keys", "structure", "operation", "ns/key", "of best rival", "bits/key", "rate"});
  }
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const bench::bench_row& row = results.rows[i];
    table.push_back({short_count(chosen.keys), row.name, bench::label(row),
                     fmt::format("{:.1f}", row.ns_per_key), ratio_text(ratios[i]),
                     fmt::format("{:.2f}", row.bits_per_key), format_ratio(row.measured_rate)});
    rows.push_back({{"name", row.name},
                    {"rival", row.rival},
                    {"operation", bench::label(row)},
                    {"ns_per_key", row.ns_per_key},
                    {"ratio_to_best_rival", or_null(ratios[i])},
                    {"bits_per_key", row.bits_per_key},
                    {"measured_rate", row.measured_rate}});
  }
  json skipped = json::array();
  for (const bench::left_out& absent : results.skipped) {
    skipped.push_back({{"name", absent.name}, {"reason", absent.reason}});
    tell(fmt::format("{} is left out: {}", absent.name, absent.reason));
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
                    {"ratio_to_best_rival", or_null(ratios[i])}});
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
    chosen.rate = parse_ratio(options.rate);
    chosen.repeats = options.repeats;
    chosen.kinds = options.kinds;
    chosen.rivals = !options.no_rivals;
    bench_chart chart;
    json runs = json::array();
    for (const std::string& keys : options.keys) {
      chosen.keys = parse_count(keys);
      runs.push_back(filters(chosen, table, chart));
    }
    result = runs.size() == 1 ? runs[0] : json{{"runs", runs}};
    if (!options.chart.empty()) save_text(to_svg(chart.draw(chosen.rate)), options.chart);
  }
  if (!options.no_rivals) {
    for (const bench::rival_info& rival : bench::rivals()) {
      if (rival.installed) continue;
      tell(fmt::format("rival {} is not compiled in; install {} and build again", rival.name,
                       rival.package));
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

void add_bench(verb_list& verbs) {
  verbs.add<bench_options>(
      "bench", "Measure the kinds on this machine, against rivals",
      "  bloomery bench --keys 100k --kind standard --kind blocked --no-rivals\n"
      "  bloomery bench --hash --repeats 1 --no-rivals",
      declare, run);
}

}  // namespace bloomery::cli
