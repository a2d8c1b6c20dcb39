// info: what is in a filter file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "bloomery/any/health.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/bits/memory/mapped_file.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/wire/compressed.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "shard_reports.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct info_options {
  std::string filter;
  bool json = false;
};

void declare(command& verb, info_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter to describe").required();
  declare_json(verb, options.json);
}

struct stored_filter {
  any_filter filter;
  bool compressed;
  std::uint64_t bytes;
};

// By the start of a file that has been found sound; others may be changing the rest.
stored_filter described(byte_view start, any_filter filter) {
  return {std::move(filter), wire::stated_form(start) == wire::compressed_form,
          wire::stated_bytes(start)};
}

stored_filter stored(const std::string& name) {
  const location where(name);
  if (where.in_server()) {
    any_filter filter = where.open();
    const std::uint64_t bytes = save(filter).size();
    return {std::move(filter), false, bytes};
  }
  const std::string path = name == "-" ? "/dev/stdin" : name;
  if (std::filesystem::is_regular_file(path)) {
    any_filter filter = where.open();
    return described(bits::map_file(path, std::numeric_limits<std::uint64_t>::max()).bytes,
                     std::move(filter));
  }
  return with_names({name}, [&] {  // a pipe can be read once
    const bits::file_contents file = where.read();
    return described(file.bytes(), load(file.bytes(), reading().limits()));
  });
}

json fact_json(const foreign::fact& fact) {
  const auto* const whole = std::get_if<std::uint64_t>(&fact.value);
  return whole != nullptr ? exact_json(*whole) : json(std::get<double>(fact.value));
}

std::string fact_text(const foreign::fact& fact) {
  const auto* const whole = std::get_if<std::uint64_t>(&fact.value);
  return whole != nullptr ? format_count(*whole) : format_ratio(std::get<double>(fact.value));
}

exit_status describe_foreign(const foreign::filter& filter, bool as_json) {
  const foreign::format_info& of = filter.info();
  if (as_json) {
    json report{{"format", of.name},
                {"title", of.title},
                {"writer", of.writer},
                {"bits", filter.bits()},
                {"hashes", filter.hashes()},
                {"fill", filter.fill()},
                {"current_rate", filter.current_rate()}};
    for (const foreign::fact& fact : filter.facts())
      report[std::string(fact.name)] = fact_json(fact);
    print_json(report);
    return exit_status::found;
  }
  std::vector<std::vector<std::string>> rows{
      {"format", fmt::format("{} ({}, of {})", of.name, of.title, of.writer)},
      {"keys are", std::string(of.keys)},
      {"shape", fmt::format("{} bits, {} hashes", format_count(filter.bits()), filter.hashes())},
      {"fill", format_ratio(filter.fill())},
      {"rate now", format_ratio(filter.current_rate())}};
  for (const foreign::fact& fact : filter.facts()) {
    std::string name(fact.name);
    std::ranges::replace(name, '_', ' ');
    rows.push_back({name, fact_text(fact)});
  }
  print_table(rows);
  return exit_status::found;
}

exit_status run(const info_options& options) {
  if (const auto spread = location(options.filter).in_shards()) {
    return describe_shards(*spread, options.json);
  }
  if (const auto theirs = location(options.filter).load_foreign()) {
    return describe_foreign(*theirs, options.json);
  }
  const auto [filter, compressed, file_bytes] = stored(options.filter);
  if (options.json) {
    json report = filter_json(filter);
    report["compressed"] = compressed;
    report["file_bytes"] = file_bytes;
    print_json(report);
    return exit_status::found;
  }
  const any_kind& kind = filter.kind();
  const filter_record record = filter.record();
  std::vector<std::vector<std::string>> rows{
      {"kind", fmt::format("{} ({}, {})", kind.info.name, kind.info.title, kind.info.citation)},
      {"shape", shape_text(kind, filter.shape())},
      {"size", format_size(filter.bytes()) +
                   (compressed ? fmt::format(", compressed to {}", format_size(file_bytes)) : "")},
      {"hash", describe(record.hash)},
      {"keys inserted", fmt::format("{} (repeats counted)", format_count(record.items))},
  };
  if (kind.can<measures>()) {
    rows.push_back(
        {"keys estimated", to_text(filter.as<measures>().estimated_keys()) + ", 95 % interval"});
  }
  if (kind.can<tells_rate>()) {
    rows.push_back({"fill", format_ratio(filter.as<tells_rate>().fill())});
    rows.push_back({"rate now", format_ratio(filter.as<tells_rate>().current_rate())});
  }
  const bool by_value = kind.can<maps>() && kind.as<maps>().sized_by_loads() &&
                        kind.as<maps>().value_limit(filter.shape()) > 1;
  rows.push_back(
      {"rate predicted", format_ratio(kind.predicted_rate(filter.shape(), predicted_keys(filter))) +
                             (by_value ? ", if its keys have all values alike" : "")});
  if (kind.can<overflowing>()) {
    rows.push_back({"overflows", format_count(filter.as<overflowing>().overflows())});
  }
  if (kind.can<grows>()) rows.push_back({"stages", format_count(filter.as<grows>().stages())});
  if (kind.can<forgets>()) {
    rows.push_back({"window", fmt::format("{} {}", format_count(filter.as<forgets>().window()),
                                          runs_on_time(filter) ? "ms" : "arrivals")});
  }
  if (record.promised.keys != 0) {
    rows.push_back({"promised", fmt::format("{} up to {} {}", format_ratio(record.promised.rate),
                                            format_count(record.promised.keys),
                                            record.promised.keys == 1 ? "key" : "keys")});
  }
  print_table(rows);
  return exit_status::found;
}

}  // namespace

void add_info(verb_list& verbs) {
  verbs.add<info_options>("info", "Describe a filter: kind, shape, hash, fill and rates",
                          "  seq 1000 | bloomery build --keys 2k -o thousand.bloom\n"
                          "  bloomery info thousand.bloom\n"
                          "  bloomery info --json thousand.bloom | grep current_rate",
                          declare, run);
}

}  // namespace bloomery::cli
