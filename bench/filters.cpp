#include <algorithm>
#include <array>
#include <cassert>
#include <new>

#include "bloomery/any/kinds.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/hashed.hpp"
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
  hashed<F, integer_hash> filter(work.keys.size(), rate);
  pass result;
  if constexpr (insertable<F>) {
    result = time_each(
        work, [&](std::uint64_t key) { filter.insert(key); },
        [&](std::uint64_t key) { return filter.may_contain(key); });
  } else {
    result = time_all(
        work, [&](const key_vector& keys) { filter = hashed<F, integer_hash>::build(keys, rate); },
        [&](const key_vector& keys) {
          return static_cast<std::uint64_t>(std::ranges::count_if(
              keys, [&](std::uint64_t key) { return filter.may_contain(key); }));
        });
  }
  result.bytes = bytes;
  return result;
}

constexpr std::size_t batch_size = 256;

// Calls act(digests) for each group of keys in turn.
template <class Act>
void in_batches(const std::vector<std::uint64_t>& keys, Act act) {
  const integer_hash hash;
  std::array<digest, batch_size> digests;
  for (std::size_t first = 0; first < keys.size(); first += batch_size) {
    const std::size_t size = std::min(batch_size, keys.size() - first);
    for (std::size_t i = 0; i < size; ++i) digests[i] = hash(keys[first + i]);
    act(std::span<const digest>(digests.data(), size));
  }
}

pass run_batch(const kind_entry& kind, double rate, const workload& work) {
  const hash_identity identity = integer_hash{}.identity();
  any_filter filter = kind.plan(work.keys.size(), rate, identity);
  pass result = time_all(
      work,
      [&](const key_vector& keys) {
        if (kind.can.insert) {
          in_batches(keys, [&](std::span<const digest> batch) { filter.insert(batch); });
          return;
        }
        std::vector<digest> all;
        all.reserve(keys.size());
        in_batches(keys, [&](std::span<const digest> batch) {
          all.insert(all.end(), batch.begin(), batch.end());
        });
        filter = kind.build(filter.shape(), all, identity, {keys.size(), rate}, 1);
      },
      [&](const key_vector& keys) {
        std::array<bool, batch_size> answers{};
        std::uint64_t positives = 0;
        in_batches(keys, [&](std::span<const digest> batch) {
          positives += filter.may_contain(batch, std::span(answers).first(batch.size()));
        });
        return positives;
      });
  result.bytes = filter.bytes();
  return result;
}

template <filter_kind F>
void add_kind(const bench_options& options, std::vector<contestant>& contestants,
              std::vector<left_out>& skipped) {
  const kind_entry& kind = find_kind(F::kind.name);
  const std::string name(F::kind.name);
  const auto& wanted = options.kinds;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) return;
  constexpr bool holds_keys = insertable<F> || buildable<F>;
  if constexpr (plannable<F> && holds_keys && membership<F>) {
    const double rate = options.rate;
    const std::uint64_t bytes = kind.payload_bytes(kind.plan_shape(options.keys, rate));
    const auto add = [&](bool batch, const std::function<pass(const workload&)>& run) {
      contestants.push_back({.name = name,
                             .rival = false,
                             .batch = batch,
                             .finds_all = !F::kind.false_negatives,
                             .run = run});
    };
    add(false, [bytes, rate](const workload& work) { return run_single<F>(bytes, rate, work); });
    add(true, [&kind, rate](const workload& work) { return run_batch(kind, rate, work); });
  } else if constexpr (!plannable<F>) {
    skipped.push_back({name, "cannot be sized for a rate"});
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
      break;
  }
  return one.miss_ns;
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
  add_kinds(all_kinds{}, options, sides, results.skipped);
  if (options.rivals) add_filter_rivals(options, work, sides, results.skipped);

  std::vector<std::vector<pass>> passes(sides.size());
  const std::size_t turns = sides.size() * options.repeats;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    const std::size_t repeat = turn / sides.size();
    const std::size_t at = (turn + repeat) % sides.size();
    if (report) report(static_cast<double>(turn) / static_cast<double>(turns), sides[at].name);
    passes[at].push_back(sides[at].run(work));
    assert(!sides[at].finds_all || passes[at].back().found == options.keys);
  }
  if (report) report(1, "");

  for (std::size_t i = 0; i < sides.size(); ++i) {
    for (const operation what : all_operations) {
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
  }
  return row.batch ? text + " batch" : text;
}

}  // namespace bloomery::bench
