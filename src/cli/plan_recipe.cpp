#include "plan_recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

std::string with_separators(std::uint64_t value) {
  std::string text = format_count(value);
  std::replace(text.begin(), text.end(), ',', '\'');
  return text;
}

// A map is built whole, from digests and values.
recipe map_recipe(const planned_filter& plan, const std::string& type, const std::string& keys,
                  const std::string& rate, bool keyed) {
  recipe made;
  made.cpp = {
      fmt::format("#include \"{}\"", plan.kind->info.header), "",
      "// entries: for each key a bloomery::keyed_value, its digest and its value",
      fmt::format("using map = bloomery::{}_filter;", type),
      fmt::format("const auto filled = map::build(map::plan_map({}, {}, {}), entries);", keys, rate,
                  with_separators(plan.values) + (plan.values >> 63 != 0 ? "U" : ""))};
  made.shell = fmt::format("bloomery map build --kind {} --fpr {}{} -o MAP PAIRS",
                           plan.kind->info.name, rate, keyed ? " --key-file SECRET" : "");
  return made;
}

}  // namespace

recipe recipe_for(const planned_filter& plan, bool keyed, const window_option& window) {
  std::string type(plan.kind->info.name);
  std::replace(type.begin(), type.end(), '-', '_');
  const std::string keys = with_separators(plan.promised.keys);
  const std::string rate = fmt::format("{}", plan.promised.rate);
  if (plan.values > 1) return map_recipe(plan, type, keys, rate, keyed);
  const bool takes_more = plan.kind->can<inserts>();
  recipe made;
  made.cpp = {"#include \"bloomery/filters/bloom.hpp\"",
              fmt::format("#include \"{}\"", plan.kind->info.header), ""};
  const std::string name = fmt::format("bloomery::bloom<bloomery::{}_filter{}>", type,
                                       keyed ? ", bloomery::keyed_hash" : "");
  const std::string hash = keyed ? "bloomery::keyed_hash(secret)" : "";
  if (keyed) made.cpp.emplace_back("// secret: 32 bytes that nobody else knows");
  const bool as_planned = !plan.kind->can<lays_out>() ||
                          plan.shape == plan.kind->plan(plan.promised.keys, plan.promised.rate);
  const auto of_shape = [&](const std::string& shape) {
    made.cpp.push_back(fmt::format("{} filter(bloomery::{}_filter(", name, type));
    made.cpp.push_back(fmt::format("    {}, {}, {{{}, {}}}){});", shape,
                                   keyed ? hash + ".identity()" : "{}", keys, rate,
                                   keyed ? ", " + hash : ""));
  };
  const std::uint64_t milliseconds = window.length(false).milliseconds;
  if (!as_planned) {
    std::string fields;
    for (const field_value& value : plan.shape) {
      fields += (fields.empty() ? "" : ", ") + format_value(value);
    }
    of_shape("{" + fields + "}");
  } else if (milliseconds != 0) {
    of_shape(fmt::format("bloomery::{}_filter::plan_time({}, {}, {})", type, keys, rate,
                         with_separators(milliseconds)));
  } else if (takes_more) {
    made.cpp.push_back(fmt::format("{} filter({}, {}{}", name, keys, rate, keyed ? "," : ");"));
    if (keyed) made.cpp.push_back(fmt::format("    {});", hash));
  } else {
    made.cpp.emplace_back("// keys: all of them, in a std::vector, say");
    made.cpp.push_back(fmt::format("auto filter = {}::build(", name));
    made.cpp.push_back(fmt::format("    keys, {}{}{});", rate, keyed ? ", " : "", hash));
  }
  // A kind that is built whole counts its keys.
  made.shell =
      fmt::format("bloomery build --kind {}{}{} --fpr {}{}{} -o FILTER KEYS", plan.kind->info.name,
                  takes_more ? " --keys " + short_count(plan.promised.keys) : "",
                  milliseconds != 0 ? " --window " + window.text : "", rate,
                  as_planned ? "" : fmt::format(" --transmit --memory {}B", plan.bytes),
                  keyed ? " --key-file SECRET" : "");
  if (as_planned && takes_more && !plan.kind->can<erases>() && !plan.kind->can<counts>() &&
      !plan.kind->can<forgets>()) {
    made.redis = fmt::format("BF.RESERVE KEY {} {}{}", rate, plan.promised.keys,
                             plan.kind->can<grows>() ? "" : " NONSCALING");
  }
  return made;
}

}  // namespace bloomery::cli
