// build from keys of which some are asked for more often than others.
#include <algorithm>

#include "bloomery/core/units.hpp"
#include "build.hpp"
#include "weights.hpp"

namespace bloomery::cli {
namespace {

// What weights bring: rates over the questions listed and of keys that are not.
struct service {
  double listed = 0;
  double others = 0;
  bool plain = false;  // all keys alike
};

service service_of(const any_kind& kind, shape_view shape, std::uint64_t keys,
                   weight_span weights) {
  const weighs::of_kind& weighing = kind.as<weighs>();
  return {weighing.weighted_rate(shape, keys, weights), kind.predicted_rate(shape, keys),
          weighing.treats_alike(shape)};
}

std::string to_text(const service& told) {
  if (told.plain) {
    return "the weights change nothing: a plain filter, at " + format_ratio(told.others) +
           " for all keys\n";
  }
  return "questions listed: " + format_ratio(told.listed) +
         "; keys that are not: " + format_ratio(told.others) + "\n";
}

}  // namespace

built build_weighted(const any_kind& kind, const build_options& options) {
  require_promise(kind, options);
  const double rate = options.promised_rate();
  const hasher hash = options.hash.chosen();
  const key_input input = options.input();
  distinct_keys counted = input.distinct(hash);
  const std::vector<digest> members = counted.take();
  const std::uint64_t keys =
      keys_to_size_for(options.keys, count_distinct(members, input.threads()));
  const auto weights = read_weights(options.weights, options.lines, hash, members);
  auto [shape, promised] = size_of(
      kind, options, keys, [&] { return kind.as<weighs>().plan_weighted(keys, rate, weights); },
      [&](shape_view tried) { return service_of(kind, tried, keys, weights).listed; });
  const service brought = service_of(kind, shape, keys, weights);
  // The rate asked for is that of the questions listed; strangers to the list may fare worse.
  if (promised.keys != 0) promised.rate = std::max(rate, brought.others);
  any_filter filter =
      kind.as<weighs>().build_weighted(shape, members, weights, hash.identity(), promised);
  return {with_insertions(std::move(filter), counted.insertions()),
          {{"weights",
            {{"listed_rate", brought.listed},
             {"other_rate", brought.others},
             {"used", !brought.plain}}}},
          to_text(brought)};
}

}  // namespace bloomery::cli
