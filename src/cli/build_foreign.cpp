// build for another program: a filter in its format, by its hashes.
#include <algorithm>
#include <array>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "build.hpp"

namespace bloomery::cli {
namespace {

// What decides about kinds and hashes of ours decides nothing here.
void require_foreign_options(const build_options& options) {
  const std::array<std::pair<bool, std::string_view>, 11> given{{
      {!options.kind.empty(), "--kind"},
      {options.window.given(), "--window"},
      {!options.error.empty(), "--error"},
      {!options.weights.empty(), "--weights"},
      {options.range_bits != 0, "--ranges"},
      {options.sources, "--sources"},
      {options.transmit, "--transmit"},
      {!options.shape.settings.empty(), "--set"},
      {!options.hash.seed.empty(), "--seed"},
      {options.hash.integers, "--integers"},
      {!options.hash.key_file.path.empty(), "--key-file"},
  }};
  for (const auto& [is, name] : given) {
    if (is) {
      fail(errc::invalid,
           std::string(name) + " is for filters of our own: leave it or --format out");
    }
  }
  if (options.clock.at) fail(errc::invalid, "--at is for filters of our own");
}

}  // namespace

built_foreign build_foreign(const build_options& options) {
  const foreign::format& format = foreign::find_format(options.format);
  require_foreign_options(options);
  (void)format.make(1, options.promised_rate());  // refused before the input is read
  key_input input = options.input();
  std::uint64_t keys = 0;
  if (options.keys.empty()) {
    input = input.kept();
    const std::vector<digest> digests = input.distinct(hasher()).take();
    keys = count_distinct(digests, input.threads());
  } else {
    keys = parse_count(options.keys);
  }
  auto made = format.make(std::max<std::uint64_t>(1, keys), options.promised_rate());
  if (!options.memory.empty() && made->bits() / 8 > parse_size(options.memory)) {
    fail(errc::limit, "the filter would take " + format_size(made->bits() / 8) +
                          ", over the --memory of " + options.memory);
  }
  std::uint64_t inserted = 0;
  input.each_block([](const line_block&) { return true; },
                   [&](const line_block& block, bool) {
                     made->insert(block.keys);
                     inserted += block.keys.size();
                   });
  return {std::move(made), inserted};
}

json foreign_json(const foreign::filter& filter, std::uint64_t file_bytes) {
  return {{"format", filter.info().name},
          {"bits", filter.bits()},
          {"hashes", filter.hashes()},
          {"fill", filter.fill()},
          {"current_rate", filter.current_rate()},
          {"file_bytes", file_bytes}};
}

}  // namespace bloomery::cli
