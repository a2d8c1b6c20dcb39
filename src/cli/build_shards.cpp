// build of a filter that is spread over keys of a Redis Cluster.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/search.hpp"
#include "build.hpp"
#include "insertion.hpp"
#include "message.hpp"
#include "progress.hpp"
#include "sharded_filter.hpp"

namespace bloomery::cli {
namespace {

struct wanted_shards {
  std::uint64_t number = 0;  // or, if it is 0,
  std::uint64_t bytes = 0;   // at most, of each
};

wanted_shards wanted(const std::string& text) {
  if (text.find_first_of("bBi") != std::string::npos) return {0, parse_size(text)};
  const std::uint64_t number = parse_count(text);
  if (number == 0 || number > most_shards) {
    fail(errc::invalid, "--shards is " + text + "; allowed: from 1 to " +
                            format_count(most_shards) + ", or the size of each, as 64MiB");
  }
  return {number, 0};
}

void require_takes_shards(const any_kind& kind, const build_options& options) {
  if (!kind.can<inserts>()) {
    refuse(kind,
           " is built from all its keys at once, and no server does that: without --shards "
           "it can be copied there");
  }
  if (!kind.can<asks>()) {
    refuse(kind, " does not say whether a key is in it, which is what shards are asked");
  }
  if (!takes_digests(kind)) {
    refuse(kind, " needs more than the digests of its keys, which is what shards are sent");
  }
  if (options.window_given().arrivals != 0) {
    fail(errc::invalid, "--window " + options.window.text +
                            " is a number of keys, which no shard can count for all: give a time");
  }
  const bool other = !options.format.empty() || !options.weights.empty() ||
                     !options.error.empty() || options.range_bits != 0 || options.sources ||
                     options.transmit;
  if (other) {
    fail(errc::invalid,
         "--shards goes with --kind, --fpr, --keys, --set, --seed, --key-file, "
         "--integers, --window and what says how lines are read");
  }
}

sized plan_of_shard(const any_kind& kind, const build_options& options, const promise& promised) {
  const std::uint64_t milliseconds = options.window_given().milliseconds;
  const auto plan = [&] {
    return milliseconds == 0
               ? kind.plan(promised.keys, promised.rate)
               : kind.as<keeps_time>().plan_time(promised.keys, promised.rate, milliseconds);
  };
  return planned(kind, options.shape.fixed(kind), promised.keys, promised.rate, plan);
}

generation planned_shards(const any_kind& kind, const build_options& options, std::uint64_t keys) {
  generation made;
  made.promised = {keys, options.promised_rate()};
  const wanted_shards how = wanted(options.shards);
  bool promises = true;
  const auto shape_for = [&](std::uint64_t number) {
    made.shards = number;
    sized plan = plan_of_shard(kind, options, made.of_shard());
    promises = plan.promised.keys != 0;
    return std::move(plan.shape);
  };
  const auto with = [&](std::uint64_t number) {
    made.shape = shape_for(number);
    if (!promises) made.promised = {};  // every field was set by hand
    return made;
  };
  if (how.number != 0) return with(how.number);
  const auto fits = [&](std::uint64_t number) {
    return kind.payload_bytes(shape_for(number)) <= how.bytes;
  };
  const auto least = math::smallest(1, most_shards, fits);
  if (!least) {
    fail(errc::limit,
         fmt::format("{} shards of at most {} do not hold {} keys at {}", format_count(most_shards),
                     format_size(how.bytes), format_count(keys), format_ratio(made.promised.rate)));
  }
  return with(*least);
}

void note_size(const any_kind& kind, const generation& made) {
  const std::uint64_t bytes = kind.payload_bytes(made.shape);
  if (bytes <= usual_shard_bytes) return;
  tell(
      fmt::format("each shard takes {}: while a slot moves, two servers stand still as long as it "
                  "takes to dump and restore it; --shards {} makes smaller ones",
                  format_size(bytes), short_count(made.shards * (bytes / usual_shard_bytes + 1))));
}

std::uint64_t counted_keys(key_input& input, const hasher& hash) {
  input = input.kept();
  std::vector<digest> digests = input.distinct(hash).take();
  const phase counting("counting the distinct keys");
  return std::max<std::uint64_t>(1, count_distinct(digests, input.threads()));
}

struct tallied {
  std::uint64_t added = 0;
  std::uint64_t fresh = 0;
};

tallied fill(sharded_filter& filter, const hasher& hash, const key_input& input,
             const clock_option& clock) {
  tallied done;
  each_batch(input, hash, filter.worth_sending(), [&](std::span<const digest> digests) {
    const auto is_new = std::make_unique<bool[]>(digests.size());
    filter.insert(digests, {is_new.get(), digests.size()}, clock.at);
    done.added += digests.size();
    done.fresh +=
        static_cast<std::uint64_t>(std::count(is_new.get(), is_new.get() + digests.size(), true));
  });
  return done;
}

}  // namespace

exit_status build_in_shards(const any_kind& kind, const build_options& options) {
  const location where(options.output);
  if (where.address() == nullptr) {
    fail(errc::invalid, "--shards are keys of a Redis Cluster: -o redis://HOST:PORT/NAME");
  }
  require_takes_shards(kind, options);
  const hasher hash = options.hash.chosen();
  key_input input = options.input();
  const std::uint64_t keys =
      options.keys.empty() ? counted_keys(input, hash) : parse_count(options.keys);
  sharding plan{.kind = &kind, .hash = hash.identity(), .generations = {}};
  plan.generations.push_back(planned_shards(kind, options, keys));
  note_size(kind, plan.generations.front());
  const auto made = sharded_filter::create(*where.address(), plan, options.acknowledged.chosen());
  tallied done;
  try {
    options.clock.require_use(kind, made->describe().on_time);
    done = fill(*made, hash, input, options.clock);
    made->publish();
  } catch (const error& problem) {
    try {
      made->discard();
    } catch (const error&) {
      fail(problem.code(), std::string(problem.what()) + "; shards of it are still there");
    }
    throw;
  }
  if (options.json) {
    const generation& all = made->spread().generations.front();
    print_json({{"kind", kind.info.name},
                {"shards", all.shards},
                {"shape_of_shard", shape_json(kind, all.shape)},
                {"bytes_of_shard", kind.payload_bytes(all.shape)},
                {"hash", hash_json(made->spread().hash)},
                {"promised", to_json(all.promised)},
                {"added", done.added},
                {"new", done.fresh},
                {"filter", made->name()}});
  }
  return exit_status::found;
}

}  // namespace bloomery::cli
