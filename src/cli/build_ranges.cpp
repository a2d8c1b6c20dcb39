// build from numbers, each of them counted in the ranges that it lies in.
#include "bloomery/core/error.hpp"
#include "bloomery/filters/frequency/range_counts.hpp"
#include "build.hpp"
#include "ranges.hpp"

namespace bloomery::cli {

built build_ranges(const any_kind& kind, const build_options& options) {
  if (!kind.can<counts>() || !kind.can<inserts>() || kind.can<forgets>()) {
    refuse(kind, " does not count ranges; kinds that count do: bloomery kinds");
  }
  const hasher hash = options.hash.chosen();
  if (hash.identity() != hash_identity{}) {
    fail(errc::invalid, "ranges of numbers are not hashed: leave the options of the hash out");
  }
  if (options.keys.empty() && !all_fixed(options.shape.fixed(kind))) {
    fail(errc::invalid, "--ranges needs --keys, how many distinct numbers come, or --error");
  }
  const std::uint64_t keys =
      ranges_of_numbers(keys_to_size_for(options.keys, 0), options.range_bits);
  const sized plan =
      size_of(kind, options, keys, [&] { return kind.plan(keys, options.promised_rate()); });
  any_filter filter = kind.create(plan.shape, hash.identity(), plan.promised);
  options.input().each_text([&](std::string_view number) {
    filter.as<inserts>().insert(ranges_around(parse_number(number), options.range_bits));
  });
  return {std::move(filter)};
}

}  // namespace bloomery::cli
