// remove: keys out of a filter that can let them go.
#include <memory>

#include "ask.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "changed_file.hpp"
#include "counted_keys.hpp"
#include "input.hpp"
#include "options.hpp"
#include "redis_filter.hpp"
#include "report.hpp"
#include "sharded_filter.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct remove_options : key_options {
  bool compact = false;
  lock_option lock;
  acknowledging_options acknowledged;
};

void declare(command& verb, remove_options& options) {
  options.declare(verb, "change", "remove");
  verb.add_flag("--compact", options.compact,
                "then give back the room of all that was removed, for kinds that can (" +
                    kinds_that<compacts>() + ")");
  options.acknowledged.declare(verb);
  options.lock.declare(verb);
}

exit_status tell_removed(const std::string& filter, std::uint64_t asked,
                         const std::vector<std::string>& kept, const remove_options& options) {
  report_left(kept, asked, "were not removed");
  if (options.json) {
    print_json({{"asked", asked},
                {"removed", asked - kept.size()},
                {"not_removed", kept},
                {"filter", filter}});
  }
  return kept.empty() ? exit_status::found : exit_status::not_found;
}

// What a server has done when it fails stays done, and nobody else can tell how far that is.
template <class Work>
void saying_how_far(const std::uint64_t& asked, const Work& work) {
  try {
    work();
  } catch (const error& problem) {
    fail(problem.code(), std::string(problem.what()) + "; it is done with the first " +
                             format_count(asked) + " keys, and perhaps some of those after them");
  }
}

// From the filter where it is.
template <class Filter>
exit_status remove_in_server(Filter& filter, const redis_filter::description& of,
                             const remove_options& options) {
  options.clock.require_use(*of.kind, of.on_time);
  const hasher hash = options.key_file.for_filter(of.hash);
  std::uint64_t asked = 0;
  std::vector<std::string> kept;
  const auto erase = [&](const line_block& block, std::span<const digest> digests) {
    const auto gone = std::make_unique<bool[]>(digests.size());
    filter.erase(digests, {gone.get(), digests.size()});
    asked += digests.size();
    for (std::size_t i = 0; i < digests.size(); ++i) {
      if (!gone[i]) kept.emplace_back(block.keys[i]);
    }
  };
  saying_how_far(asked, [&] { options.input().each(hash, erase); });
  return tell_removed(filter.name(), asked, kept, options);
}

// From a value behind CF, by the keys themselves.
exit_status remove_items_in_server(redis_filter& filter, const foreign::format& of,
                                   const remove_options& options) {
  require_no_secret(*of.info, options.key_file, options.clock);
  if (options.compact) {
    fail(errc::invalid,
         "a " + std::string(of.info->title) + " is compacted by CF.COMPACT: leave --compact out");
  }
  std::uint64_t asked = 0;
  std::vector<std::string> kept;
  const auto erase = [&](const line_block& block) {
    const auto gone = std::make_unique<bool[]>(block.keys.size());
    filter.erase(of, block.keys, {gone.get(), block.keys.size()});
    asked += block.keys.size();
    for (std::size_t i = 0; i < block.keys.size(); ++i) {
      if (!gone[i]) kept.emplace_back(block.keys[i]);
    }
  };
  saying_how_far(asked, [&] {
    options.input().each_block([](const line_block&) { return true; },
                               [&](const line_block& block, bool) { erase(block); });
  });
  return tell_removed(filter.name(), asked, kept, options);
}

exit_status run(const remove_options& options) {
  if (const auto spread = location(options.filter).in_shards(options.acknowledged.chosen())) {
    const auto of = spread->describe();
    if (!of.kind->can<erases>())
      refuse(*of.kind, " cannot remove keys; kinds that can: bloomery kinds");
    if (options.compact) refuse(*of.kind, " in shards gives no room back");
    return remove_in_server(*spread, of, options);
  }
  options.acknowledged.require_unused(location(options.filter).name());
  changed_file where(options.filter, options.lock, options.files_read());
  if (redis_filter* const held = where.in_server()) {
    if (const foreign::format* const theirs = held->foreign_format())
      return remove_items_in_server(*held, *theirs, options);
    const auto of = held->describe();
    if (of.kind->can<erases>() && !options.compact) return remove_in_server(*held, of, options);
  }
  any_filter filter = where.load();
  if (!filter.kind().can<erases>()) {
    refuse(filter.kind(), " cannot remove keys; kinds that can: bloomery kinds");
  }
  if (options.compact && !filter.kind().can<compacts>()) {
    refuse(filter.kind(), " has no room to give back");
  }
  const hasher hash = options.key_file.for_filter(filter.record().hash);
  options.clock.advance(filter);
  std::uint64_t asked = 0;
  std::vector<std::string> kept;
  std::vector<std::string> stuck;
  options.input().each(hash, [&](const line_block& block, std::span<const digest> digests) {
    asked += digests.size();
    for (std::size_t i = 0; i < digests.size(); ++i) {  // one by one, to tell which stay
      if (filter.as<erases>().erase({&digests[i], 1}) != 0) continue;
      (is_full(filter, digests[i]) ? stuck : kept).emplace_back(block.keys[i]);
    }
  });
  const std::uint64_t removed = asked - kept.size() - stuck.size();
  if (options.compact) filter.as<compacts>().compact();
  if (removed != 0 || options.compact) where.save(filter);
  where.release();
  report_left(kept, asked, "were not removed");
  report_left(stuck, asked, "stay, because their counters are full and have lost count");
  kept.insert(kept.end(), stuck.begin(), stuck.end());
  if (options.json) {
    json report{{"asked", asked}, {"removed", removed}, {"not_removed", kept}};
    where.report(report);
    report["filter"] = filter_json(filter);
    print_json(report);
  }
  return kept.empty() ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_remove(verb_list& verbs) {
  verbs.add<remove_options>(
      "remove",
      "Remove keys from a filter that can let them go\n"
      "Names the keys that stay, and exits 1 if there are any. Remove only keys that "
      "were added: removing others may take away keys that were.",
      "  seq 100 | bloomery build --kind counting --keys 100 -o sessions.bloom\n"
      "  bloomery remove sessions.bloom 47\n"
      "  bloomery query sessions.bloom 47   # exits 1: it is gone\n"
      "  seq 90 100 > ended.txt && bloomery remove sessions.bloom -f ended.txt --json",
      declare, run);
}

}  // namespace bloomery::cli
