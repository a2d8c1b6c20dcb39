#include <algorithm>
#include <cassert>
#include <memory>
#include <new>
#include <utility>

#include "bloomery/any/kinds.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/bits/batch/by_region.hpp"
#include "bloomery/bits/batch/pipeline.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/bloom.hpp"
#include "contestant.hpp"
#include "harness.hpp"
#include "rivals.hpp"

namespace bloomery::bench {
namespace {

void require_valid(const bench_options& options) {
  if (options.keys == 0) fail(errc::invalid, "a benchmark needs at least one key");
  if (options.keys > max_bench_keys) {
    fail(errc::limit, "a benchmark takes at most " + format_count(max_bench_keys) + " keys");
  }
  if (options.repeats == 0) fail(errc::invalid, "a benchmark needs at least one repeat");
  for (const std::string& name : options.kinds) (void)find_kind(name);
}

using key_vector = std::vector<std::uint64_t>;

template <class F>
pass run_single(std::uint64_t bytes, double rate, const workload& work) {
  bloom<F, integer_hash> filter(work.keys.size(), rate);
  pass result;
  if constexpr (able<F, inserts>) {
    result = time_each(
        work, [&](std::uint64_t key) { filter.insert(key); },
        [&](std::uint64_t key) { return filter.may_contain(key); });
  } else {
    result = time_all(
        work, [&](const key_vector& keys) { filter = bloom<F, integer_hash>::build(keys, rate); },
        [&](const key_vector& keys) {
          return static_cast<std::uint64_t>(std::ranges::count_if(
              keys, [&](std::uint64_t key) { return filter.may_contain(key); }));
        });
  }
  result.bytes = bytes;
  return result;
}

// Memory that the system has not handed out before may be far slower at its first touch, on a
// virtual machine above all, and the first contestant would pay for all.
void warm_memory(std::uint64_t bytes) {
  storage warmed = storage::allocate(bytes);
  for (std::uint64_t at = 0; at < warmed.size(); at += 4096) {
    warmed.bytes_for_writing()[at] = std::byte{1};
  }
}

constexpr std::size_t batch_size = 4096;

// Asks for all keys, a batch at a time; how many are found.
template <class Ask>
std::uint64_t count_in_batches(const key_vector& keys, Ask ask) {
  const auto answers = std::make_unique<bool[]>(batch_size);
  std::uint64_t positives = 0;
  for (std::size_t first = 0; first < keys.size(); first += batch_size) {
    const std::size_t size = std::min(batch_size, keys.size() - first);
    positives += ask(std::span(keys).subspan(first, size), std::span(answers.get(), size));
  }
  return positives;
}

template <class F>
pass run_batch(std::uint64_t bytes, double rate, const workload& work) {
  using filter_type = bloom<F, integer_hash>;
  filter_type filter(work.keys.size(), rate);
  const auto shape = filter.filter().shape();
  const auto built = [&]([[maybe_unused]] unsigned threads) {
    if constexpr (able<F, builds>) {
      return filter_type::build(shape, work.keys, {}, integer_hash{}, threads);
    } else {
      return filter_type(F(shape, integer_hash{}.identity()), integer_hash{});
    }
  };
  pass result = time_all(
      work,
      [&](const key_vector& keys) {
        if constexpr (able<F, inserts>) {
          filter.insert(keys);
        } else {
          filter = built(1);
        }
      },
      [&](const key_vector& keys) {
        return count_in_batches(keys,
                                [&](std::span<const std::uint64_t> batch, std::span<bool> answers) {
                                  return filter.may_contain(batch, answers);
                                });
      });
  if constexpr (able<F, builds>) {
    const std::uint64_t beside = std::min(bits::records_memory, 8 * work.keys.size());
    warm_memory(bytes + beside);
    result.build_ns = time_ns([&] { (void)built(1); });
    warm_memory(bytes + beside);
    result.build_two_ns = time_ns([&] { (void)built(2); }, CLOCK_MONOTONIC);
  }
  result.bytes = bytes;
  return result;
}

// One line a key, from as much memory as a blocked filter takes.
pass run_floor(std::uint64_t bytes, const workload& work) {
  constexpr std::size_t group = 32;
  bits::bit_array memory(bytes * 8);
  std::fill_n(memory.words(), memory.size() / 64, 1);
  const std::uint64_t lines = bytes / cache_line_bytes;
  const std::uint64_t* const words = std::as_const(memory).words();
  const auto read = [&](const key_vector& keys) {
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
  };
  pass result = time_all(
      work, [](const key_vector&) {}, read);
  result.found = result.mistaken = 0;  // it is asked nothing
  result.bytes = bytes;
  return result;
}

void add_floor(const bench_options& options, std::vector<contestant>& contestants) {
  const any_kind& kind = find_kind(blocked_filter::kind.name);
  const std::uint64_t bytes = kind.payload_bytes(kind.plan(options.keys, options.rate));
  contestants.push_back({.name = "(one random line)",
                         .rival = false,
                         .batch = true,
                         .finds_all = false,
                         .only_reads = true,
                         .run = [bytes](const workload& work) { return run_floor(bytes, work); }});
}

bool is_wanted(const bench_options& options, std::string_view name) {
  const auto& wanted = options.kinds;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

template <filter_type F>
void add_kind(const bench_options& options, std::vector<contestant>& contestants,
              std::vector<left_out>& skipped) {
  const any_kind& kind = find_kind(F::kind.name);
  const std::string name(F::kind.name);
  if (!is_wanted(options, name)) return;
  constexpr bool holds_keys = able<F, inserts> || able<F, builds>;
  if constexpr (holds_keys && able<F, asks>) {
    const double rate = options.rate;
    const std::uint64_t bytes = kind.payload_bytes(kind.plan(options.keys, rate));
    const auto add = [&](bool batch, const std::function<pass(const workload&)>& run) {
      contestants.push_back({.name = name,
                             .rival = false,
                             .batch = batch,
                             .finds_all = !F::kind.false_negatives,
                             .run = run});
    };
    add(false, [bytes, rate](const workload& work) { return run_single<F>(bytes, rate, work); });
    add(true, [bytes, rate](const workload& work) { return run_batch<F>(bytes, rate, work); });
  } else {
    skipped.push_back({name, holds_keys ? "cannot answer queries" : "cannot hold keys"});
  }
}

template <class... Kinds>
void add_kinds(kind_list<Kinds...> /*all*/, const bench_options& options,
               std::vector<contestant>& contestants, std::vector<left_out>& skipped) {
  (add_kind<Kinds>(options, contestants, skipped), ...);
}

double operation_ns(const pass& one, operation what) {
  switch (what) {
    case operation::insert:
      return one.insert_ns;
    case operation::query_hit:
      return one.hit_ns;
    case operation::query_miss:
      return one.miss_ns;
    case operation::build:
      return one.build_ns;
    case operation::build_on_two:
      break;
  }
  return one.build_two_ns;
}

bench_row make_row(const contestant& side, operation what, const std::vector<pass>& passes,
                   double keys) {
  std::vector<double> times;
  times.reserve(passes.size());
  for (const pass& one : passes) times.push_back(operation_ns(one, what) / keys);
  const pass& any = passes.front();  // only the times differ between repeats
  return {.name = side.name,
          .rival = side.rival,
          .what = what,
          .batch = side.batch,
          .ns_per_key = median(std::move(times)),
          .bits_per_key = static_cast<double>(any.bytes) * 8 / keys,
          .measured_rate = static_cast<double>(any.mistaken) / keys};
}

filter_results measure(const bench_options& options, const progress& report) {
  const workload work = make_workload(options.keys, options.seed);
  filter_results results;
  std::vector<contestant> sides;
  add_floor(options, sides);
  add_kinds(all_kinds{}, options, sides, results.skipped);
  for (const any_kind& kind : kinds()) {
    if (!kind.can<guards>() || !is_wanted(options, kind.info.name)) continue;
    results.skipped.push_back({std::string(kind.info.name), "cannot hold keys"});
  }
  if (options.rivals) add_filter_rivals(options, work, sides, results.skipped);

  std::vector<std::vector<pass>> passes(sides.size());
  const std::size_t turns = sides.size() * options.repeats;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const std::size_t repeat = turn / sides.size();
    const std::size_t at = (turn + repeat) % sides.size();
    if (report) report(static_cast<double>(turn) / static_cast<double>(turns), sides[at].name);
    warm_memory(2 * options.keys + std::min(bits::records_memory, 8 * options.keys));
    passes[at].push_back(sides[at].run(work));
    assert(!sides[at].finds_all || passes[at].back().found == options.keys);
  }
  if (report) report(1, "");

  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (const operation what : all_operations) {
      if (operation_ns(passes[i].front(), what) == 0) continue;  // not measured
      if (sides[i].only_reads && what != operation::query_miss) continue;
      results.rows.push_back(
          make_row(sides[i], what, passes[i], static_cast<double>(options.keys)));
    }
  }
  return results;
}

}  // namespace

filter_results run_filters(const bench_options& options, const progress& report) {
  require_valid(options);
  try {
    return measure(options, report);
  } catch (const std::bad_alloc&) {
    fail(errc::out_of_memory, "not enough memory to measure " + format_count(options.keys) +
                                  " keys; take fewer, or no rivals");
  }
}

std::string label(const bench_row& row) {
  std::string text;
  switch (row.what) {
    case operation::insert:
      text = "insert";
      break;
    case operation::query_hit:
      text = "query hit";
      break;
    case operation::query_miss:
      text = "query miss";
      break;
    case operation::build:
      return "build";
    case operation::build_on_two:
      return "build, 2 threads";
  }
  return row.batch ? text + " batch" : text;
}

}  // namespace bloomery::bench
