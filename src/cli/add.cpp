// add: further keys into a filter that exists.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "changed_file.hpp"
#include "insertion.hpp"
#include "options.hpp"
#include "redis_filter.hpp"
#include "report.hpp"
#include "sharded_filter.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct add_options : key_options {
  bool sources = false;
  lock_option lock;
  std::string grow;
  acknowledging_options acknowledged;
};

void declare(command& verb, add_options& options) {
  options.declare(verb, "change", "add");
  verb.add_flag("--sources", options.sources,
                "column 1 names the source of the text that follows, for kinds that search texts");
  options.lock.declare(verb);
  verb.add_option("--grow", "N", options.grow,
                  "for a filter in shards: first make room for so many more keys, by a generation "
                  "of further shards at half the rate of the last");
  options.acknowledged.declare(verb);
}

// Texts of a source that was not named cannot be told from those that were.
void require_same_sources(const any_filter& filter, bool sources) {
  if (!sources && !filter.record().names.empty()) {
    fail(errc::invalid,
         "the texts of this filter have sources: add lines of a source, a separator "
         "and a text, with --sources");
  }
  if (sources && filter.record().names.empty() && filter.record().items != 0) {
    fail(errc::invalid, "the texts of this filter have no sources; add others without --sources");
  }
}

// What a report tells. JSON is made of it only for one: to destroy JSON takes memory, and once the file
// is written nothing may fail.
struct outcome {
  std::uint64_t fresh = 0;
  std::optional<std::uint64_t> left_out;
  std::optional<std::vector<std::string>> not_taken;
  std::optional<std::uint64_t> taken;  // where not all are
};

outcome add_texts(any_filter& filter, const add_options& options) {
  require_same_sources(filter, options.sources);
  const sourced_texts input = read_texts(options.input(), options.sources, filter.record().names);
  const text_tally done =
      insert_texts(filter, options.key_file.for_filter(filter.record().hash), input);
  report_left_out(done, input);
  filter.set_names(input.names);
  return {done.fresh, done.left_out, {}, {}};
}

outcome add_guarded(any_filter& filter, const add_options& options) {
  const any_kind& kind = filter.kind();
  if (kind.can<seals>()) refuse(kind, " is sealed when it is built; build it again from all");
  const auto secret = options.key_file.contents(kind.info.name);
  std::uint64_t fresh = 0;
  options.input().each_text([&](std::string_view text) {
    options.key_file.explained([&] {
      fresh += filter.as<guards>().insert_texts(secret, {&text, 1});
    });
  });
  return {fresh, {}, {}, {}};
}

// Of a kind that takes no key back that was removed; names those that it did not.
outcome add_unless_removed(any_filter& filter, const add_options& options, const hasher& hash) {
  std::uint64_t asked = 0;
  std::uint64_t fresh = 0;
  std::vector<std::string> left;
  options.input().each(hash, [&](const line_block& block, std::span<const digest> digests) {
    asked += digests.size();
    fresh += insert_block(filter, hash, block, digests);
    const auto taken = std::make_unique<bool[]>(digests.size());
    filter.as<asks>().may_contain(digests, {taken.get(), digests.size()});
    for (std::size_t i = 0; i < digests.size(); ++i) {
      if (!taken[i]) left.emplace_back(block.keys[i]);
    }
  });
  report_left(left, asked, "were not added: once removed, a key cannot come back");
  const std::uint64_t taken = asked - left.size();
  return {fresh, {}, std::move(left), taken};
}

outcome add_keys(any_filter& filter, const add_options& options) {
  const any_kind& kind = filter.kind();
  if (!kind.can<inserts>()) {
    refuse(kind, " takes no keys once it is built; build it again from all");
  }
  if (kind.can<maps>() && !kind.can<advertises>() &&
      kind.as<maps>().value_limit(filter.shape()) > 1) {
    refuse(kind,
           " is a map, and a key needs its value: `bloomery map set` gives it, "
           "`bloomery map build` builds another");
  }
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  if (kind.can<erases>() && !kind.can<forgets>() && kind.info.false_negatives) {
    return add_unless_removed(filter, options, hash);
  }
  return {insert_keys(filter, hash, options.input(), options.clock), {}, {}, {}};
}

// Into the filter where it is. What was added before a conversation ends stays.
template <class Filter>
exit_status add_in_server(Filter& filter, const redis_filter::description& of,
                          const add_options& options, std::size_t at_once) {
  options.clock.require_use(*of.kind, of.on_time);
  if (options.sources) refuse(*of.kind, " tells no sources apart");
  const hasher hash = options.key_file.for_filter(of.hash);
  std::uint64_t added = 0;
  std::uint64_t fresh = 0;
  try {
    each_batch(options.input(), hash, at_once, [&](std::span<const digest> digests) {
      const auto is_new = std::make_unique<bool[]>(digests.size());
      filter.insert(digests, {is_new.get(), digests.size()}, options.clock.at);
      added += digests.size();
      fresh +=
          static_cast<std::uint64_t>(std::count(is_new.get(), is_new.get() + digests.size(), true));
    });
  } catch (const error& problem) {
    fail(problem.code(), std::string(problem.what()) + "; it has taken the first " +
                             format_count(added) + " keys, and perhaps some of those after them");
  }
  if (options.json) print_json({{"added", added}, {"new", fresh}, {"filter", filter.name()}});
  return exit_status::found;
}

// Into a value behind BF or CF, by the keys themselves.
exit_status add_items_in_server(redis_filter& filter, const foreign::format& of,
                                const add_options& options) {
  require_no_secret(*of.info, options.key_file, options.clock);
  if (options.sources) {
    fail(errc::invalid, "a " + std::string(of.info->title) + " tells no sources apart");
  }
  std::uint64_t added = 0;
  std::uint64_t fresh = 0;
  const auto insert = [&](const line_block& block) {
    const auto is_new = std::make_unique<bool[]>(block.keys.size());
    filter.insert(of, block.keys, {is_new.get(), block.keys.size()});
    added += block.keys.size();
    fresh += static_cast<std::uint64_t>(
        std::count(is_new.get(), is_new.get() + block.keys.size(), true));
  };
  try {
    options.input().each_block([](const line_block&) { return true; },
                               [&](const line_block& block, bool) { insert(block); });
  } catch (const error& problem) {
    fail(problem.code(), std::string(problem.what()) + "; it has taken the first " +
                             format_count(added) + " keys, and perhaps some of those after them");
  }
  if (options.json) print_json({{"added", added}, {"new", fresh}, {"filter", filter.name()}});
  return exit_status::found;
}

exit_status run(const add_options& options) {
  if (const auto spread = location(options.filter).in_shards(options.acknowledged.chosen())) {
    if (!options.grow.empty()) {
      spread->grow(next_generation(spread->spread(), parse_count(options.grow)));
    }
    return add_in_server(*spread, spread->describe(), options, spread->worth_sending());
  }
  if (!options.grow.empty()) {
    fail(errc::unsupported, location(options.filter).name() +
                                ": this filter is not in shards; kinds that grow by themselves: " +
                                kinds_that<grows>());
  }
  options.acknowledged.require_unused(location(options.filter).name());
  changed_file where(options.filter, options.lock, options.files_read());
  if (redis_filter* const held = where.in_server()) {
    if (const foreign::format* const theirs = held->foreign_format())
      return add_items_in_server(*held, *theirs, options);
    const auto of = held->describe();
    if (takes_digests(*of.kind)) return add_in_server(*held, of, options, 0);
  }
  any_filter filter = where.load();
  const any_kind& kind = filter.kind();
  options.clock.require_use(kind, runs_on_time(filter));
  if (options.sources && !kind.can<searches>()) refuse(kind, " tells no sources apart");
  const std::uint64_t before = filter.record().items;
  const outcome done = kind.can<reads_texts>() ? add_texts(filter, options)
                       : kind.can<guards>()    ? add_guarded(filter, options)
                                               : add_keys(filter, options);
  where.save(filter);
  if (options.json) {
    json report{{"added", done.taken.value_or(filter.record().items - before)},
                {"new", done.fresh}};
    if (done.left_out) report["left_out"] = *done.left_out;
    if (done.not_taken) report["not_taken"] = *done.not_taken;
    where.report(report);
    report["filter"] = filter_json(filter);
    print_json(report);
  }
  const bool none = done.not_taken && !done.not_taken->empty() && done.taken == 0U;
  return none ? exit_status::not_found : exit_status::found;
}

}  // namespace

void add_add(verb_list& verbs) {
  verbs.add<add_options>(
      "add",
      "Add keys to a filter, or texts to one that reads them\n"
      "A filter keeps its rate up to the keys that it was made for; `bloomery doctor` "
      "tells how much room there is. A large plain file is changed in place, safe against "
      "a crash at any moment; others are replaced as a whole.",
      "  printf '%s\\n' red green | bloomery build --keys 100 -o colours.bloom\n"
      "  bloomery add colours.bloom blue && bloomery query colours.bloom blue\n"
      "  printf '%s\\n' white black > more.txt\n"
      "  bloomery add colours.bloom -f more.txt && bloomery query colours.bloom black",
      declare, run);
}

}  // namespace bloomery::cli
