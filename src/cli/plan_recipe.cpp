#include "plan_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bloomery/core/units.hpp"
#include "wrap.hpp"

namespace bloomery::cli {
namespace {

std::string with_separators(std::uint64_t value) {
  std::string text = format_count(value);
  std::replace(text.begin(), text.end(), ',', '\'');
  return text;
}

// Lines in which the parts of a statement stand as far as the page allows.
void add_statement(std::vector<std::string>& lines, const std::vector<std::string>& parts) {
  constexpr std::size_t most = page_width - 2;
  std::string line;
  for (const std::string& part : parts) {
    if (!line.empty() && line.size() + 1 + part.size() > most) {
      lines.push_back(line);
      line = "   ";
    }
    line += (line.empty() || line.ends_with('(') ? "" : " ") + part;
  }
  lines.push_back(line);
}

}  // namespace

recipe recipe_for(const planned_filter& plan, bool keyed, const window_option& window) {
  const any_kind& kind = *plan.kind;
  std::string type = "bloomery::" + std::string(kind.info.name) + "_filter";
  std::replace(type.begin(), type.end(), '-', '_');
  const std::string keys = with_separators(plan.promised.keys);
  const std::string rate = fmt::format("{}", plan.promised.rate);
  const std::string hash = "bloomery::keyed_hash(secret)";
  const bool is_map = plan.values > 1;
  const bool takes_more = kind.can<inserts>() && !is_map;
  const bool as_planned =
      !kind.can<lays_out>() || plan.shape == kind.plan(plan.promised.keys, plan.promised.rate);
  const std::uint64_t milliseconds = window.length(false).milliseconds;

  recipe made;
  made.cpp = {"#include \"bloomery/bloomery.hpp\"", ""};
  if (keyed) made.cpp.emplace_back("// secret: 32 bytes that nobody else knows");
  if (!takes_more) {
    made.cpp.emplace_back(is_map ? "// pairs: all keys with their values, in a std::map, say"
                                 : "// keys: all of them, in a std::vector, say");
  }
  add_statement(made.cpp, {"using chosen =",
                           keyed ? fmt::format("bloomery::bloom<{}, bloomery::keyed_hash>;", type)
                                 : fmt::format("bloomery::bloom<{}>;", type)});
  std::string shape;
  if (!as_planned) {
    for (const field_value& value : plan.shape) {
      shape += (shape.empty() ? "{" : ", ") + format_value(value);
    }
    shape += "},";
  } else if (milliseconds != 0) {
    shape =
        fmt::format("{}::plan_time({}, {}, {}),", type, keys, rate, with_separators(milliseconds));
  }
  const std::string last = keyed ? hash + ");" : ");";
  const auto before_hash = [&](const std::string& part) { return part + (keyed ? "," : ");"); };
  std::vector<std::string> statement;
  if (!shape.empty()) {
    statement = {fmt::format("chosen filter({}(", type), shape,
                 keyed ? hash + ".identity()," : "{},",
                 before_hash(fmt::format("{{{}, {}}})", keys, rate))};
  } else if (takes_more) {
    statement = {before_hash(fmt::format("chosen filter({}, {}", keys, rate))};
  } else {
    statement = {before_hash(fmt::format("auto filter = chosen::{}, {}",
                                         is_map ? "build_map(pairs" : "build(keys", rate))};
  }
  if (keyed) statement.push_back(last);
  add_statement(made.cpp, statement);

  // A kind that is built whole counts its keys.
  made.shell =
      fmt::format("bloomery {} --kind {}{}{} --fpr {}{}{} -o {}", is_map ? "map build" : "build",
                  kind.info.name, takes_more ? " --keys " + short_count(plan.promised.keys) : "",
                  milliseconds != 0 ? " --window " + window.text : "", rate,
                  as_planned ? "" : fmt::format(" --transmit --memory {}B", plan.bytes),
                  keyed ? " --key-file SECRET" : "", is_map ? "MAP PAIRS" : "FILTER KEYS");
  // Redis has no keyed hash.
  if (as_planned && takes_more && !keyed && !kind.can<erases>() && !kind.can<counts>() &&
      !kind.can<forgets>()) {
    made.redis = fmt::format("BF.RESERVE KEY {} {}{}", rate, plan.promised.keys,
                             kind.can<grows>() ? "" : " NONSCALING");
  }
  return made;
}

}  // namespace bloomery::cli
