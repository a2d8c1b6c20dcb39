// build from keys that are all alike.
#include <optional>

#include "bloomery/any/planner.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "build.hpp"
#include "insertion.hpp"

namespace bloomery::cli {
namespace {

std::vector<field_value> plan_shape(const any_kind& kind, const build_options& options,
                                    std::uint64_t keys) {
  const double rate = options.promised_rate();
  if (!options.transmit) return kind.plan(keys, rate);
  if (!kind.can<lays_out>()) refuse(kind, " cannot be made sparse for sending");
  return least_on_the_wire(
      kind, keys, rate,
      options.memory.empty() ? std::nullopt : std::optional(parse_size(options.memory)));
}

// For how many keys the filter is, where that is known before they come; one that grows needs no size.
std::optional<std::uint64_t> stated_keys(const any_kind& kind, const build_options& options,
                                         const window_length& window) {
  if (!options.keys.empty()) return parse_count(options.keys);
  if (window.arrivals != 0) return window.arrivals;
  if (kind.can<grows>() || all_fixed(options.shape.fixed(kind))) return default_first_keys;
  return std::nullopt;
}

// As the keys come.
any_filter filled(const any_kind& kind, const build_options& options, const key_input& input,
                  const sized& plan) {
  const hasher hash = options.hash.chosen();
  any_filter filter = kind.create(plan.shape, hash.identity(), plan.promised);
  options.clock.require_use(kind, runs_on_time(filter));
  insert_keys(filter, hash, input, options.clock, [&] { require_within(filter, options.memory); });
  return filter;
}

}  // namespace

built build_keys(const any_kind& kind, const build_options& options) {
  const window_length window = options.window_given();
  const auto plan_for = [&](std::uint64_t keys) {
    return size_of(kind, options, keys, [&] {
      return window.milliseconds == 0 ? plan_shape(kind, options, keys)
                                      : kind.as<keeps_time>().plan_time(
                                            keys, options.promised_rate(), window.milliseconds);
    });
  };
  std::optional<sized> plan;
  if (const auto stated = stated_keys(kind, options, window)) plan = plan_for(*stated);
  key_input input = options.input();
  if (plan && kind.can<inserts>()) return {filled(kind, options, input, *plan)};
  if (kind.can<forgets>()) {
    fail(errc::invalid,
         a_filter(kind.info.name) + " forgets: give --window, or --keys for the keys inside it");
  }
  if (!plan) require_promise(kind, options);
  // Repeats change what a kind holds that is not built whole, and so does their order.
  const bool whole = kind.can<builds>();
  if (!whole) input = input.kept();
  const hasher hash = options.hash.chosen();
  distinct_keys counted = input.distinct(hash);
  std::vector<digest> digests = counted.take();
  const std::uint64_t keys = keys_to_size_for(options.keys, [&] {
    const phase counting("counting the distinct keys");
    return count_distinct(digests, input.threads());
  }());
  if (!plan) plan = plan_for(keys);
  if (!whole) {
    std::vector<digest>().swap(digests);
    return {filled(kind, options, input, *plan)};
  }
  const phase building("building " + a_filter(kind.info.name));
  any_filter filter =
      kind.build(plan->shape, digests, hash.identity(), plan->promised, input.threads());
  return {with_insertions(std::move(filter), counted.insertions())};
}

}  // namespace bloomery::cli
