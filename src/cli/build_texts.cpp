// build from texts, which are read whole, counted and then given to the filter: it may know them in
// parts.
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "build.hpp"
#include "insertion.hpp"

namespace bloomery::cli {
built build_texts(const any_kind& kind, const build_options& options) {
  const hasher hash = options.hash.chosen();
  const sourced_texts input = read_texts(options.input(), options.sources);
  const std::uint64_t sources = input.names.size();
  const auto empty_for = [&](std::uint64_t keys) {
    const sized plan = size_of(kind, options, keys, [&] {
      const auto shape = kind.plan(keys, options.promised_rate());
      return kind.can<searches>() ? kind.as<searches>().with_sources(shape, sources) : shape;
    });
    const std::uint64_t room =
        kind.can<searches>() ? kind.as<searches>().sources(plan.shape) : sources;
    if (room < sources) {
      fail(errc::limit, "the input names " + format_count(sources) +
                            " sources, over the --set sources=" + std::to_string(room));
    }
    return kind.create(plan.shape, hash.identity(), plan.promised);
  };
  // What a text counts for, only the filter knows; a small one is asked.
  std::uint64_t counted = 0;
  if (!all_fixed(options.shape.fixed(kind)) && options.keys.empty()) {
    any_filter small = empty_for(1);
    insert_texts(small, hash, input);
    counted = small.record().items;
  }
  any_filter filter = empty_for(keys_to_size_for(options.keys, counted));
  const text_tally done = insert_texts(filter, hash, input);
  report_left_out(done, input);
  filter.set_names(input.names);
  return {std::move(filter), {{"left_out", done.left_out}}};
}

}  // namespace bloomery::cli
