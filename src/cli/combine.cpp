// union and intersect: several filters of one shape and hash into one.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bloomery/any/registry.hpp"
#include "changed_file.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "shard_reports.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct combine_options {
  std::vector<std::string> filters;
  std::string output;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, combine_options& options) {
  verb.add_option("filters", "FILTER", options.filters, "filters of one kind, shape and hash")
      .required();
  declare_output(verb, options.output, "the result");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

// The factor by which folding would make the one of the other's shape; 0 if none does.
std::uint64_t fold_between(const any_filter& larger, const any_filter& smaller) {
  if (larger.can<folds>() == nullptr) return 0;
  const shape_values from = larger.shape();
  const shape_values to = smaller.shape();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto* size = std::get_if<std::uint64_t>(&from[i]);
    const auto* part = std::get_if<std::uint64_t>(&to[i]);
    if (size == nullptr || part == nullptr || *size == *part || *part == 0) continue;
    try {
      const std::uint64_t factor = *size / *part;
      return larger.as<folds>().folded(factor).shape() == to ? factor : 0;
    } catch (const error&) {
      return 0;  // it does not divide the shape
    }
  }
  return 0;
}

std::string cure(const any_filter& one, const any_filter& two,
                 const std::vector<std::string>& names) {
  if (&one.kind() != &two.kind()) return "build them of one --kind, with the same --keys and --fpr";
  if (one.record().hash != two.record().hash) {
    return "build them with the same --seed, or --key-file, or --integers";
  }
  const std::uint64_t first = fold_between(one, two);
  const std::uint64_t second = first == 0 ? fold_between(two, one) : 0;
  if (first + second != 0) {
    return fmt::format("`bloomery fold --by {} -o SMALL {}` makes them alike", first + second,
                       names[first == 0 ? 1 : 0]);
  }
  return "build them with the same --keys and --fpr, large enough for all keys together";
}

// Shard by shard, where they are. All are spread alike, so that those of one number lie in one slot.
exit_status unite_shards(const combine_options& options) {
  std::vector<std::unique_ptr<sharded_filter>> filters;
  std::vector<const sharded_filter*> parts;
  for (const std::string& name : options.filters) {
    filters.push_back(location(name).in_shards());
    if (filters.back() == nullptr) {
      fail(errc::incompatible, location(name).name() + ": this filter is not in shards, and " +
                                   filters.front()->name() + " is");
    }
    parts.push_back(filters.back().get());
    const sharding& first = filters.front()->spread();
    const sharding& other = filters.back()->spread();
    const bool alike =
        first.kind == other.kind && first.hash == other.hash &&
        std::ranges::equal(first.generations, other.generations,
                           [](const generation& one, const generation& two) {
                             return one.shards == two.shards && one.shape == two.shape;
                           });
    if (!alike) {
      fail(
          errc::incompatible,
          filters.front()->name() + " and " + filters.back()->name() +
              ": they are spread otherwise; build them of one --kind, with the same --keys, --fpr, "
              "--seed and --shards");
    }
  }
  const location to(options.output);
  if (to.address() == nullptr) {
    fail(errc::unsupported, options.output +
                                ": filters in shards are united in their cluster, -o "
                                "redis://HOST:PORT/NAME");
  }
  sharding plan = filters.front()->spread();
  if (!plan.kind->can<merges>()) refuse(*plan.kind, " cannot be united with others");
  const auto made = sharded_filter::create(*to.address(), plan, {}, false);
  const auto require_as_found = [&] {
    for (const auto& filter : filters) {
      if (filter->is_as_found()) continue;
      fail(errc::io, filter->name() +
                         ": another client has changed how it is spread meanwhile; run this again");
    }
  };
  // One that is its own result takes the others in, and keys that come meanwhile; where that would count twice if it
  // had to be done again, the result takes its place, and nothing comes into it from before it is read.
  const auto replaced =
      std::ranges::find_if(filters, [&](const auto& filter) { return made->replaces(*filter); });
  sharded_filter* const same = replaced == filters.end() ? nullptr : replaced->get();
  if (same != nullptr && adds_idempotently(*plan.kind)) {
    std::erase_if(parts, [&](const sharded_filter* part) { return made->replaces(*part); });
    if (!parts.empty()) same->unite(parts);
    require_as_found();
    return options.json ? describe_shards(*same, true) : exit_status::found;
  }
  std::uint64_t closed = 0;
  try {
    if (same != nullptr) made->begin_at(closed = same->close());
    made->unite(parts);
    require_as_found();
    made->publish();
  } catch (const error&) {
    if (closed != 0) same->open_again(closed);
    made->discard();
    throw;
  }
  return options.json ? describe_shards(*made, true) : exit_status::found;
}

template <class Ability, void (Ability::*Combine)(const any_filter&)>
exit_status run(const combine_options& options) {
  if (location(options.filters.front()).in_shards() != nullptr) {
    if constexpr (std::is_same_v<Ability, merges>) return unite_shards(options);
    fail(errc::unsupported, location(options.filters.front()).name() +
                                ": this filter is in shards, which this verb does not take");
  }
  std::vector<std::string> inputs = unless_replaced(options.filters.front(), options.output);
  inputs.insert(inputs.end(), options.filters.begin() + 1, options.filters.end());
  changed_file target(options.output, options.lock, inputs);
  any_filter result = location(options.filters.front()).load();
  for (std::size_t i = 1; i < options.filters.size(); ++i) {
    const any_filter other = location(options.filters[i]).open();
    const std::vector<std::string> names{options.filters.front(), options.filters[i]};
    with_names(names, [&] {
      try {
        (result.as<Ability>().*Combine)(other);
      } catch (const error& problem) {
        if (problem.code() != errc::incompatible) throw;
        fail(problem.code(), std::string(problem.what()) + "; " + cure(result, other, names));
      }
    });
  }
  target.save(result);
  if (options.json) print_json(filter_json(result));
  return exit_status::found;
}

}  // namespace

void add_union(verb_list& verbs) {
  verbs.add<combine_options>(
      "union",
      "Write the filter of all keys that any of the filters holds\n"
      "Filters can be united if they are of one kind, shape and hash: build them with "
      "the same --kind, --keys, --fpr and --seed.",
      "  seq 1 500 | bloomery build --keys 1k -o low.bloom\n"
      "  seq 501 900 | bloomery build --keys 1k -o high.bloom\n"
      "  bloomery union low.bloom high.bloom -o both.bloom\n"
      "  bloomery query both.bloom 1 700\n"
      "  bloomery union low.bloom high.bloom -o - | bloomery estimate -",
      declare, run<merges, &merges::merge>);
}

void add_intersect(verb_list& verbs) {
  verbs.add<combine_options>("intersect",
                             "Write a filter that holds the keys that all the filters hold",
                             "  seq 1 600 | bloomery build --keys 1k -o a.bloom\n"
                             "  seq 401 900 | bloomery build --keys 1k -o b.bloom\n"
                             "  bloomery intersect a.bloom b.bloom -o common.bloom\n"
                             "  bloomery query common.bloom 500\n"
                             "  bloomery intersect a.bloom b.bloom -o - | bloomery info -",
                             declare, run<intersects, &intersects::intersect>);
}

}  // namespace bloomery::cli
