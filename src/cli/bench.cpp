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
  std::vector<std::string> key_bytes;
  unsigned repeats = 3;
  unsigned seconds = 3;
  std::vector<std::string> kinds;
  std::vector<std::string> shapes;
  std::vector<std::string> plugins;
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
  verb.add_option("--key-bytes", "B[,B...]", options.key_bytes,
                  "keys are texts of so many bytes, under the unkeyed and the keyed hash, "
                  "instead of integers; of --hash, the lengths to measure")
      .separated_by(',');
  verb.add_option("--repeats", "R", options.repeats, "repeats at least; the fastest counts")
      .show_default();
  verb.add_option("--seconds", "S", options.seconds, "more repeats while there is time in each run")
      .show_default();
  verb.add_option("--kind", "KIND", options.kinds, "only these kinds");
  verb.add_option(
      "--shape", "KIND:FIELD=VALUE,...", options.shapes,
      "a kind with fields fixed, beside those of --kind; a value that ends in n is times "
      "the number of keys");
  verb.add_option("--rival", "FILE.so", options.plugins,
                  "a plug-in with rivals of your own; docs/bench.md says how to write one");
  verb.add_option("--chart", "FILE.svg", options.chart,
                  "draw the times and the memory, a row a structure")
      .drawing();
  verb.add_flag("--hash", options.hash, "measure the hash functions instead");
  verb.add_flag("--no-rivals", options.no_rivals, "leave out the rivals that are built in");
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

// The name in tables and charts: texts have two hashes.
std::string shown_name(const bench::bench_row& row, std::size_t key_bytes) {
  return key_bytes == 0 || row.rival ? row.name : row.name + ", " + row.hash;
}

// The fastest way of each structure to answer, its batches or single keys, to insert or be built, and its
// bits. The fastest with the most keys comes first.
class bench_chart {
 public:
  void add(const bench::bench_options& chosen, const std::vector<bench::bench_row>& rows) {
    for (const bench::bench_row& row : rows) {
      const std::string name = shown_name(row, chosen.key_bytes) + (row.rival ? " (rival)" : "");
      const auto x = static_cast<double>(chosen.keys);
      switch (row.what) {
        case bench::operation::find:
          keep_least(row.batch ? batches_ : singles_, name, {x, row.ns_per_key});
          keep_least(bits_, name, {x, row.bits_per_key});
          break;
        case bench::operation::insert:
        case bench::operation::build:
          keep_least(fillings_, name, {x, row.ns_per_key});
          break;
        case bench::operation::find_dependent:
        case bench::operation::remove:
        case bench::operation::build_on_two:
          break;
      }
    }
  }

  [[nodiscard]] drawing draw(double rate) const {
    const axis keys{.label = "keys", .counts = true};
    const auto block = [&](const char* title, const char* unit, structures shown) {
      std::ranges::stable_sort(shown, {}, [](const structure& s) { return s.points.back().y; });
      panel made{
          .title = title, .x = keys, .y = {.label = unit, .logarithmic = true}, .curves = {}};
      for (const structure& each : shown) {
        made.curves.push_back({each.name, drawn::points, each.points});
      }
      return made;
    };
    return {
        .title = "Time and space on this machine, at " + format_ratio(rate),
        .source = "Measured in one run, the least of its repeats; half of the look-ups find a key.",
        .command = invocation(),
        .panels = {block("Look-up in batches", "ns a key", batches_),
                   block("Look-up one by one", "ns a key", singles_),
                   block("Insert or build, in the fastest way", "ns a key", fillings_),
                   block("Memory", "bits a key", bits_)},
        .by_rows = true};
  }

 private:
  struct structure {
    std::string name;
    std::vector<chart_point> points;
  };
  using structures = std::vector<structure>;

  static void keep_least(structures& all, const std::string& name, chart_point point) {
    auto place = std::ranges::find(all, name, &structure::name);
    if (place == all.end()) {
      all.push_back({name, {}});
      place = std::prev(all.end());
    }
    if (!place->points.empty() && place->points.back().x == point.x) {
      place->points.back().y = std::min(place->points.back().y, point.y);
    } else {
      place->points.push_back(point);
    }
  }

  structures batches_;
  structures singles_;
  structures fillings_;
  structures bits_;
};

std::string against_text(const bench::bench_row& rival, bool fair) {
  if (fair) return rival.name;
  return fmt::format("{}, at {:.1f} bits and {}", rival.name, rival.bits_per_key,
                     format_ratio(rival.measured_rate));
}

json json_of(const bench::bench_row& row) {
  return {{"name", row.name},
          {"rival", row.rival},
          {"hash", row.hash},
          {"operation", bench::label(row)},
          {"batch", row.batch},
          {"ns_per_key", row.ns_per_key},
          {"bits_per_key", row.bits_per_key},
          {"measured_rate", row.measured_rate},
          {"rate_sample", row.rate_sample}};
}

json filters(const bench::bench_options& chosen, std::vector<std::vector<std::string>>& table,
             bench_chart& chart) {
  const bench::filter_results results = bench::run_filters(chosen, show_progress);
  chart.add(chosen, results.rows);
  const auto held = bench::against_rivals(results.rows);
  json rows = json::array();
  if (table.empty()) {
    table.push_back(
        {"keys", "structure", "operation", "ns/key", "bits/key", "rate", "rival", "ratio"});
  }
  const std::string size = short_count(chosen.keys) +
                           (chosen.key_bytes == 0 ? "" : fmt::format(" x {} B", chosen.key_bytes));
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const bench::bench_row& row = results.rows[i];
    std::string ratio = "-";
    std::string rival;
    json shown = json_of(row);
    shown["ratio_to_best_rival"] = nullptr;
    shown["best_rival"] = nullptr;
    if (held[i]) {
      const bench::bench_row& other = results.rows[held[i]->rival];
      ratio = fmt::format("{:.2f}", held[i]->ratio);
      if (!held[i]->fair) ratio = "(" + ratio + ")";
      rival = against_text(other, held[i]->fair);
      shown[held[i]->fair ? "ratio_to_best_rival" : "ratio_to_nearest_rival"] = held[i]->ratio;
      shown[held[i]->fair ? "best_rival" : "nearest_rival"] = json_of(other);
    }
    table.push_back({size, shown_name(row, chosen.key_bytes), bench::label(row),
                     fmt::format("{:.2f}", row.ns_per_key), fmt::format("{:.2f}", row.bits_per_key),
                     format_ratio(row.measured_rate), rival, ratio});
    rows.push_back(std::move(shown));
  }
  json skipped = json::array();
  for (const bench::left_out& absent : results.skipped) {
    skipped.push_back({{"name", absent.name}, {"reason", absent.reason}});
    tell(fmt::format("{} is left out: {}", absent.name, absent.reason));
  }
  return {{"keys", chosen.keys},
          {"rate", chosen.rate},
          {"key_bytes", chosen.key_bytes == 0 ? json(nullptr) : json(chosen.key_bytes)},
          {"rows", rows},
          {"left_out", skipped}};
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

std::vector<std::size_t> lengths_of(const bench_options& options) {
  std::vector<std::size_t> lengths;
  for (const std::string& length : options.key_bytes) lengths.push_back(parse_count(length));
  return lengths;
}

exit_status run(const bench_options& options) {
  std::vector<std::vector<std::string>> table;
  json result;
  if (options.hash) {
    bench::hash_options chosen;
    chosen.repeats = options.repeats;
    chosen.rivals = !options.no_rivals;
    if (!options.key_bytes.empty()) chosen.key_bytes = lengths_of(options);
    result = hashes(chosen, table);
  } else {
    bench::bench_options chosen;
    chosen.rate = parse_ratio(options.rate);
    chosen.repeats = options.repeats;
    chosen.seconds = options.seconds;
    chosen.kinds = options.kinds;
    chosen.rivals = !options.no_rivals;
    chosen.plugins = options.plugins;
    for (const std::string& shape : options.shapes) {
      chosen.shapes.push_back(bench::parse_shape(shape));
    }
    bench_chart chart;
    json runs = json::array();
    std::vector<std::size_t> lengths = lengths_of(options);
    if (lengths.empty()) lengths.push_back(0);  // integers
    for (const std::size_t length : lengths) {
      chosen.key_bytes = length;
      for (const std::string& keys : options.keys) {
        chosen.keys = parse_count(keys);
        runs.push_back(filters(chosen, table, chart));
      }
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
      "  bloomery bench --keys 20k --shape blocked:hashes=5 --no-rivals --seconds 0\n"
      "  bloomery bench --keys 9k --key-bytes 20 --kind blocked --no-rivals --seconds 0\n"
      "  bloomery bench --hash --repeats 1 --no-rivals",
      declare, run);
}

}  // namespace bloomery::cli
