#include <algorithm>
#include <new>
#include <utility>

#include "bloomery/bits/batch/pipeline.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "kind_contestant.hpp"
#include "race.hpp"
#include "rivals.hpp"

namespace bloomery::bench {
namespace {

constexpr std::size_t least_key_bytes = 8;
constexpr std::size_t most_key_bytes = 4096;

void require_valid(const bench_options& options) {
  if (options.keys == 0) fail(errc::invalid, "a benchmark needs at least one key");
  if (options.keys > max_bench_keys) {
    fail(errc::limit, "a benchmark takes at most " + format_count(max_bench_keys) + " keys");
  }
  if (options.key_bytes != 0 &&
      (options.key_bytes < least_key_bytes || options.key_bytes > most_key_bytes)) {
    fail(errc::invalid, "texts of " + std::to_string(options.key_bytes) +
                            " bytes; allowed: " + std::to_string(least_key_bytes) + " to " +
                            std::to_string(most_key_bytes));
  }
  if (options.repeats == 0) fail(errc::invalid, "a benchmark needs at least one repeat");
  for (const std::string& name : options.kinds) (void)find_kind(name);
}

// One line a key, from as much memory as a blocked filter takes.
class floor_structure final : public structure<std::uint64_t> {
 public:
  explicit floor_structure(std::uint64_t bytes) : memory_(bytes * 8) {
    std::fill_n(memory_.words(), memory_.size() / 64, 1);
  }

  std::uint64_t find(key_span keys, bool /*batch*/) override {
    constexpr std::size_t group = 32;
    const std::uint64_t* const words = std::as_const(memory_).words();
    const std::uint64_t lines = bytes() / cache_line_bytes;
    std::uint64_t sum = 0;
    bits::pipelined<group, const std::uint64_t*>(
        keys.size(),
        [&](std::size_t first, std::span<const std::uint64_t*> at) {
          for (std::size_t i = 0; i < at.size(); ++i) {
            at[i] =
                words + hash::reduce(hash::mix(keys[first + i]), lines) * (cache_line_bits / 64);
            __builtin_prefetch(at[i]);
          }
        },
        [&](std::size_t, std::span<const std::uint64_t* const> at) {
          for (const std::uint64_t* word : at) sum += *word;
        });
    return sum;
  }
  [[nodiscard]] std::uint64_t bytes() const override { return memory_.size() / 8; }

 private:
  bits::bit_array memory_;
};

contestant<std::uint64_t> floor_of(const bench_options& options) {
  const any_kind& kind = find_kind(blocked_filter::kind.name);
  const std::uint64_t bytes = kind.payload_bytes(kind.plan(options.keys, options.rate));
  contestant<std::uint64_t> side;
  side.name = "(one random line)";
  side.finds_all = false;
  side.only_reads = true;
  side.can = {{operation::find, true}};
  side.make = [bytes] { return std::make_unique<floor_structure>(bytes); };
  return side;
}

template <class Key>
filter_results measure(const bench_options& options, const progress& report) {
  filter_results results;
  std::vector<contestant<Key>> sides;
  if constexpr (std::is_same_v<Key, std::uint64_t>) {
    sides.push_back(floor_of(options));
    add_kinds(all_kinds{}, options, integer_hash{}, sides, results.skipped);
  } else {
    add_text_kinds(options, sides, results.skipped);
  }
  for (const any_kind& kind : kinds()) {
    if (!kind.can<guards>() || !is_wanted(options, kind.info.name)) continue;
    results.skipped.push_back({std::string(kind.info.name), "cannot hold keys"});
  }
  add_rivals(options, sides, results.skipped);
  const auto work = make_workload<Key>(options.keys, options.seed, options.key_bytes);
  run_race(sides, work, options, report, results);
  return results;
}

}  // namespace

filter_results run_filters(const bench_options& options, const progress& report) {
  require_valid(options);
  try {
    return options.key_bytes == 0 ? measure<std::uint64_t>(options, report)
                                  : measure<std::string_view>(options, report);
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "not enough memory to measure " + format_count(options.keys) +
                                  " keys; take fewer, or no rivals");
  }
}

std::string label(const bench_row& row) {
  const auto by_batch = [&](std::string text) { return row.batch ? text + " batch" : text; };
  switch (row.what) {
    case operation::insert:
      return by_batch("insert");
    case operation::find:
      return by_batch("look-up");
    case operation::find_dependent:
      return "look-up dependent";
    case operation::remove:
      return by_batch("remove");
    case operation::build:
      return "build";
    case operation::build_on_two:
      break;
  }
  return "build, 2 threads";
}

}  // namespace bloomery::bench
