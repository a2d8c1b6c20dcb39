// map get: the values of keys.
#include "bloomery/any/registry.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

void declare(command& verb, key_options& options) {
  options.declare(verb, "ask", "look up");
}

// A name, or a number.
json value_json(const any_filter& map, std::uint64_t value) {
  const name_list names = map.record().names;
  return value < names.size() ? json(names[value]) : exact_json(value);
}

// What a key has: a value, several where classes share it, or null where the map cannot tell.
std::vector<json> found_values(const any_filter& map, digest key, const mapped& answer) {
  if (answer.is == mapped::state::absent) return {};
  if (answer.is == mapped::state::present) return {value_json(map, answer.value)};
  if (!map.kind().can<classifies>()) return {nullptr};
  std::vector<json> values;
  for (const std::uint64_t value : map.as<classifies>().hits(key))
    values.push_back(value_json(map, value));
  return values;
}

std::string value_text(const json& value) {
  if (value.is_null()) return "?";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

exit_status run(const key_options& options) {
  const any_filter map = location(options.filter).open();
  options.clock.require_use(map.kind(), runs_on_time(map));
  const hasher hash = options.key_file.for_filter(map.record().hash);
  const auto& values = map.as<maps>();
  const line_format format = options.lines.format();
  std::uint64_t asked = 0;
  std::uint64_t found = 0;
  std::uint64_t unknown = 0;
  json listed = json::array();
  options.input().each(hash, [&](const line_block& block, std::span<const digest> digests) {
    std::vector<mapped> answers(digests.size());
    found += values.values(digests, answers);
    asked += digests.size();
    std::string text;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      for (const json& value : found_values(map, digests[i], answers[i])) {
        unknown += std::uint64_t{value.is_null()};
        if (options.json) {
          listed.push_back({{"key", block.keys[i]}, {"value", value}});
          continue;
        }
        text.append(format.column(block.keys[i])).push_back(format.separator);
        text.append(format.column(value_text(value))).push_back(format.delimiter);
      }
    }
    print_text(text);
  });
  if (options.json) {
    print_json({{"asked", asked}, {"found", found}, {"unknown", unknown}, {"values", listed}});
  }
  return found != 0 ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_map_get(verb_list& verbs) {
  verbs.add<key_options>(
      "map get",
      "Print keys with their values\n"
      "A key that has none is not printed. Of a bank, where a key may have several, all "
      "are; ? stands where a map cannot tell.",
      "  printf 'apple\\t3\\npear\\t5\\n' | bloomery map build -o prices.map\n"
      "  bloomery map get prices.map apple pear\n"
      "  printf '%s\\n' pear plum | bloomery map get prices.map --json",
      declare, run);
}

}  // namespace bloomery::cli
