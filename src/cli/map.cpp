// map: values for keys, from lines KEY<TAB>VALUE.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "bloomery/any/planner.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "insert_lines.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "sizing.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

std::optional<std::uint64_t> as_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool plain = text == "0" || !text.starts_with('0');  // 007 is a name
  if (problem != std::errc{} || end != text.data() + text.size() || !plain) return std::nullopt;
  return number;
}

// What a file of pairs says. Values are numbers if all of them are, and names otherwise.
class pairs {
 public:
  void add(std::string_view key, digest d, std::string_view value) {
    entries_.push_back({d, 0});
    key_ends_.push_back(keys_.append(key).size());
    if (numeric_) {
      const auto number = as_number(value);
      numeric_ = number.has_value();
      if (number) numbers_.push_back(*number);
    }
    if (ids_.size() == entries_.size() - 1) {
      const auto found = id_of_.find(std::string(value));
      if (found != id_of_.end()) {
        ids_.push_back(found->second);
      } else if (names_.size() < wire::max_names) {
        id_of_.emplace(value, names_.size());
        ids_.push_back(names_.size());
        names_.emplace_back(value);
      }
    }
  }

  // Once all have been added.
  void settle() {
    if (!numeric_ && ids_.size() < entries_.size()) {
      fail(errc::limit, "there are more than " + format_count(wire::max_names) +
                            " different values; values that are no numbers are kept by name");
    }
    const auto& values = numeric_ ? numbers_ : ids_;
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i].value = values[i];
    if (numeric_) names_.clear();
  }

  // Sorted by key; the distinct ones counted, and two values for one key refused where that is so.
  std::uint64_t distinct(bool refuse_conflicts) const {
    std::vector<std::size_t> order(entries_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return entries_[a].key < entries_[b].key; });
    std::uint64_t count = order.empty() ? 0 : 1;
    for (std::size_t i = 1; i < order.size(); ++i) {
      const keyed_value& one = entries_[order[i - 1]];
      const keyed_value& two = entries_[order[i]];
      count += std::uint64_t{one.key != two.key};
      if (refuse_conflicts && one.key == two.key && one.value != two.value) {
        fail(errc::invalid, fmt::format("the key '{}' has two values: '{}' and '{}'", key(order[i]),
                                        text_of_value(one.value), text_of_value(two.value)));
      }
    }
    return count;
  }

  [[nodiscard]] std::uint64_t values() const {
    std::uint64_t most = 0;
    for (const keyed_value& entry : entries_) most = std::max(most, entry.value);
    return most + 1;
  }
  [[nodiscard]] std::span<const keyed_value> entries() const { return entries_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  [[nodiscard]] std::string_view key(std::size_t i) const {
    const std::size_t start = i == 0 ? 0 : key_ends_[i - 1];
    return std::string_view(keys_).substr(start, key_ends_[i] - start);
  }
  [[nodiscard]] std::string text_of_value(std::uint64_t value) const {
    return names_.empty() ? std::to_string(value) : names_[value];
  }

  std::vector<keyed_value> entries_;
  std::string keys_;
  std::vector<std::size_t> key_ends_;
  bool numeric_ = true;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint64_t> id_of_;
};

// Calls use(key, digest, value) for each line KEY SEP VALUE, of standard input if there are no files.
template <class Use>
void for_pairs(const hasher& hash, const std::vector<std::string>& files,
               const line_options& options, Use use) {
  progress shown;
  line_format format = options.format();
  format.field = 1;
  line_source source(files, format.delimiter, shown);
  std::uint64_t line_number = 0;
  process_lines(
      source, options.thread_count(), format,
      [&](const line_block& block) { return digests_of(block, hash); },
      [&](const line_block& block, const std::vector<digest>& digests) {
        for (std::size_t i = 0; i < digests.size(); ++i) {
          ++line_number;
          const std::string_view line = block.lines[block.line_of_key[i]];
          const std::string_view key = block.keys[i];
          if (key.size() == line.size()) {
            fail(errc::invalid, fmt::format("line {} has no value: expected KEY, a separator "
                                            "(--separator, a tab) and VALUE",
                                            line_number));
          }
          use(key, digests[i], line.substr(key.size() + 1));
        }
        shown.count(digests.size());
      });
}

struct map_build_options {
  std::string kind;
  std::string rate = "1%";
  shape_option shape;
  hash_options hash;
  line_options lines;
  std::string output;
  std::vector<std::string> files;
  bool json = false;
};

void declare_build(command& verb, map_build_options& options) {
  verb.add_option("--kind", options.kind,
                  "kind of map; `bloomery kinds` lists them (default: what takes least room)")
      .type_name("K");
  verb.add_option("--fpr", options.rate, "how many strangers may be given a value")
      .type_name("P")
      .show_default();
  options.shape.declare(verb);
  options.hash.declare(verb);
  options.lines.declare_pairs(verb);
  verb.add_option("-o,--output", options.output, "where to write the map; - is standard output")
      .required()
      .type_name("OUT");
  verb.add_option("files", options.files, "files of KEY<TAB>VALUE (default: standard input)")
      .type_name("FILE");
  declare_json(verb, options.json);
}

const kind_entry& map_kind(const std::string& name, std::uint64_t keys, double rate,
                           std::uint64_t values) {
  if (!name.empty()) {
    const kind_entry& kind = find_kind(name);
    if (!kind.can.value) {
      fail(errc::unsupported, a_filter(name) + " stores no values");
    }
    return kind;
  }
  needs wanted;
  wanted.keys = keys;
  wanted.rate = rate;
  wanted.values = values;
  wanted.fixed_set = true;
  const recommendation answer = recommend(wanted);
  if (answer.choices.empty()) {
    fail(errc::unsupported, "no kind holds " + format_count(values) +
                                " values: numbers are kept "
                                "as they are, so number them from 0, or name them");
  }
  return *answer.choices.front().kind;
}

exit_status run_build(const map_build_options& options) {
  const location target(options.output);
  const double rate = parse_ratio(options.rate);
  const hasher hash = options.hash.chosen();
  if (!options.kind.empty()) (void)map_kind(options.kind, 1, rate, 1);
  pairs input;
  for_pairs(
      hash, options.files, options.lines,
      [&](std::string_view key, digest d, std::string_view value) { input.add(key, d, value); });
  input.settle();
  const std::uint64_t values = input.values();
  const std::uint64_t most = std::max<std::uint64_t>(1, input.distinct(false));
  const kind_entry& kind = map_kind(options.kind, most, rate, values);
  // A bank, if asked for, keeps a key in several classes; elsewhere it would be a mistake.
  if (options.kind.empty() || !kind.can.classify) (void)input.distinct(true);
  const auto [shape, promised] = planned(kind, options.shape.fixed(kind), most, rate,
                                         [&] { return kind.plan_map(most, rate, values); });
  any_filter map = kind.build_map(shape, input.entries(), hash.identity(), promised,
                                  options.lines.thread_count());
  map.set_names(input.names());
  target.save(map);
  if (options.json) print_json(filter_json(map));
  return exit_status::found;
}

void declare_get(command& verb, key_options& options) {
  options.declare(verb, "ask", "look up");
}

// A name, or a number.
json value_json(const any_filter& map, std::uint64_t value) {
  const auto& names = map.names();
  return value < names.size() ? json(names[value]) : json(value);
}

// What a key has: a value, several where classes share it, or null where the map cannot tell.
std::vector<json> found_values(const any_filter& map, digest key, const mapped& answer) {
  if (answer.is == mapped::state::absent) return {};
  if (answer.is == mapped::state::present) return {value_json(map, answer.value)};
  if (!map.kind().can.classify) return {nullptr};
  std::vector<json> values;
  for (const std::uint64_t value : map.hits(key)) values.push_back(value_json(map, value));
  return values;
}

std::string value_text(const json& value) {
  if (value.is_null()) return "?";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

exit_status run_get(const key_options& options) {
  any_filter map = location(options.filter).open();
  if (map.runs_on_time()) map = map.copy();  // to be told the time
  options.clock.advance(map);
  const hasher hash = options.key_file.for_filter(map.record().hash);
  const line_format format = options.lines.format();
  std::uint64_t asked = 0;
  std::uint64_t found = 0;
  std::uint64_t unknown = 0;
  json listed = json::array();
  for_keys(hash, options.keys, options.files, options.lines,
           [&](const line_block& block, std::span<const digest> digests) {
             std::vector<mapped> answers(digests.size());
             found += map.values(digests, answers);
             asked += digests.size();
             std::string text;
             for (std::size_t i = 0; i < answers.size(); ++i) {
               for (const json& value : found_values(map, digests[i], answers[i])) {
                 unknown += std::uint64_t{value.is_null()};
                 if (options.json) {
                   listed.push_back({{"key", block.keys[i]}, {"value", value}});
                   continue;
                 }
                 text.append(block.keys[i]).push_back(format.separator);
                 text.append(value_text(value)).push_back(format.delimiter);
               }
             }
             print_text(text);
           });
  if (options.json) {
    print_json({{"asked", asked}, {"found", found}, {"unknown", unknown}, {"values", listed}});
  }
  return found != 0 ? exit_status::found : exit_status::not_found;
}

struct map_set_options {
  std::string filter;
  std::vector<std::string> files;
  key_file_option key_file;
  line_options lines;
  bool json = false;
};

void declare_set(command& verb, map_set_options& options) {
  verb.add_option("filter", options.filter, "the map to change").required().type_name("MAP");
  verb.add_option("files", options.files, "files of KEY<TAB>VALUE (default: standard input)")
      .type_name("FILE");
  options.key_file.declare(verb);
  options.lines.declare_pairs(verb);
  declare_json(verb, options.json);
}

// The number of a value: itself, or its place among the map's names.
std::uint64_t number_of(const any_filter& map, std::string_view value) {
  const auto& names = map.names();
  if (!names.empty()) {
    const auto name = std::ranges::find(names, value);
    if (name == names.end()) {
      fail(errc::invalid, fmt::format("'{}' is none of the map's {} values", value, names.size()));
    }
    return static_cast<std::uint64_t>(name - names.begin());
  }
  const auto number = as_number(value);
  if (!number) fail(errc::invalid, fmt::format("the value '{}' is no number", value));
  return *number;
}

// Whether a value that is set takes the place of the old one, which only the kind knows; a small map
// is asked.
void require_overwriting(const kind_entry& kind) {
  if (!kind.can.set_value) {
    fail(errc::unsupported, a_filter(kind.info.name) +
                                " cannot change values; build it again, or as bloomier-mutable");
  }
  constexpr digest key{1, 2};
  constexpr keyed_value before{key, 0};
  constexpr keyed_value after{key, 1};
  any_filter small = kind.build_map(kind.plan_map(1, default_rate, 2), {&before, 1}, {}, {}, 1);
  small.set_values({&after, 1});
  mapped answer;
  small.values({&key, 1}, {&answer, 1});
  if (answer != mapped{mapped::state::present, after.value}) {
    fail(errc::unsupported, a_filter(kind.info.name) +
                                " keeps the old value beside one that is set; build it again, or "
                                "as bloomier-mutable or state-machine");
  }
}

exit_status run_set(const map_set_options& options) {
  const location where(options.filter);
  any_filter map = where.load();
  require_overwriting(map.kind());
  const hasher hash = options.key_file.for_filter(map.record().hash);
  std::uint64_t done = 0;
  std::vector<std::string> strangers;
  for_pairs(hash, options.files, options.lines,
            [&](std::string_view key, digest d, std::string_view value) {
              const keyed_value entry{d, number_of(map, value)};
              if (map.set_values({&entry, 1}) != 0) {
                ++done;
              } else {
                strangers.emplace_back(key);
              }
            });
  if (done != 0) where.save(map);
  const std::uint64_t asked = done + strangers.size();
  report_left(strangers, asked, "are not in the map and were not set");
  if (options.json) print_json({{"asked", asked}, {"set", done}, {"not_set", strangers}});
  return done != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_map(verb_list& verbs) {
  verbs.add<map_build_options>("map build", "Build a map from lines of a key and its value",
                               "  bloomery map build -o regions.map host-region.tsv\n"
                               "  bloomery map build --kind bloomier-mutable --fpr 0.1% -o m m.tsv",
                               declare_build, run_build);
  verbs.add<key_options>(
      "map get",
      "Print keys with their values, all of them if a bank has several; ? where it cannot tell",
      "  bloomery map get regions.map db17.example web3.example\n"
      "  bloomery map get regions.map < hosts.txt",
      declare_get, run_get);
  verbs.add<map_set_options>("map set",
                             "Change values of keys that are in a map, and name those that are not",
                             "  printf 'db17.example\\teu-west\\n' | bloomery map set regions.map\n"
                             "  bloomery map set regions.map moved.tsv --json",
                             declare_set, run_set);
}

}  // namespace bloomery::cli
