// retouch: clear bits, so that a filter no longer claims certain keys wrongly.

#include "bloomery/any/registry.hpp"
#include "bloomery/core/distinct.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/filters/set/retouching.hpp"
#include "changed_file.hpp"
#include "input.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct retouch_options {
  std::string filter;
  std::string unwanted;
  std::string members;
  std::string method;
  std::string random_bits;
  std::uint64_t seed = default_seed;
  std::string output;
  key_file_option key_file;
  line_options lines;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, retouch_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "a standard, counting or retouched filter")
      .required();
  const option unwanted = verb.add_option("--unwanted", "FILE", options.unwanted,
                                          "keys that must no longer be claimed, a line each");
  verb.add_option("--members", "FILE", options.members,
                  "the keys of the filter, to spare them and to count those lost");
  const option method = verb.add_option(
      "--method", "random|most-unwanted|fewest-members|best-ratio", options.method,
      "which bit of an unwanted key to clear; the last two need --members or a counting filter "
      "(default: fewest-members if it can, else most-unwanted)");
  verb.add_option(
          "--random-bits", "N", options.random_bits,
          "clear this many bits drawn from all that are set, whoever they belong to, in place "
          "of --unwanted")
      .excludes(unwanted)
      .excludes(method);
  verb.add_option("--seed", "S", options.seed,
                  "which bits --random-bits draws (default: a fixed one)");
  verb.add_option(
      "-o,--output", "OUT", options.output,
      "where to write the retouched filter (default: nowhere, to see what it would cost)");
  options.key_file.declare(verb);
  options.lines.declare(verb);
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

std::vector<digest> digests_in(const std::string& file, const hasher& hash,
                               const line_options& lines) {
  return key_input({}, {file}, lines).digests(hash);
}

retouch_method method_of(const std::string& name, bool members_known) {
  if (name.empty()) {
    return members_known ? retouch_method::fewest_members : retouch_method::most_unwanted;
  }
  for (std::size_t i = 0; i < retouch_methods.size(); ++i) {
    if (retouch_methods[i] == name) return static_cast<retouch_method>(i);
  }
  fail(errc::invalid, "--method is " + in_quotes(name) +
                          "; allowed: random, fewest-members, most-unwanted, best-ratio");
}

retouch_report clear_anywhere(retouched_filter& filter, const retouch_options& options,
                              std::vector<digest> members) {
  std::erase_if(members, [&](digest d) { return !filter.may_contain(d); });
  retouch_report done = clear_random(filter, parse_count(options.random_bits), options.seed);
  if (!members.empty()) {
    done.members = members.size();
    done.lost = std::erase_if(members, [&](digest d) { return !filter.may_contain(d); });
  }
  return done;
}

void print_report(const retouch_report& done, std::string_view method) {
  const auto known = [](const std::optional<std::uint64_t>& count) {
    return count ? format_count(*count) : std::string("unknown");
  };
  print_table({{"what", "how much"},
               {"method", std::string(method)},
               {"unwanted keys claimed", format_count(done.unwanted)},
               {"of them removed", format_count(done.removed)},
               {"bits cleared", format_count(done.cleared)},
               {"members lost", known(done.lost) + " of " + known(done.members)},
               {"members lost, predicted", format_ratio(done.predicted_loss)},
               {"all false positives removed", format_ratio(done.strangers_removed)},
               {"gained per loss (chi)", format_real(done.gain())}});
}

json report_json(const retouch_report& done, std::string_view method) {
  return {{"method", method},
          {"unwanted", done.unwanted},
          {"removed", done.removed},
          {"bits_cleared", done.cleared},
          {"members", or_null(done.members)},
          {"lost", or_null(done.lost)},
          {"predicted_loss", done.predicted_loss},
          {"false_positives_removed", done.strangers_removed},
          {"chi", done.gain()}};
}

retouched_filter to_retouch(const any_filter& given) {
  if (const auto* plain = given.get_if<standard_filter>()) return retouched(*plain);
  if (const auto* counting = given.get_if<counting_filter>()) return retouched(counting->plain());
  if (const auto* before = given.get_if<retouched_filter>()) return *before;
  refuse(given.kind(), " cannot be retouched; a standard, counting or retouched can");
}

exit_status run(const retouch_options& options) {
  std::optional<changed_file> target;
  if (!options.output.empty()) {
    std::vector<std::string> inputs = unless_replaced(options.filter, options.output);
    inputs.insert(inputs.end(), {options.unwanted, options.members, options.key_file.path});
    target.emplace(options.output, options.lock, inputs);
  }
  const any_filter given = location(options.filter).open();
  const auto* counting = given.get_if<counting_filter>();
  retouched_filter filter = to_retouch(given);
  if (options.unwanted.empty() == options.random_bits.empty()) {
    fail(errc::invalid, "give --unwanted FILE, or --random-bits N");
  }
  const hasher hash = options.key_file.for_filter(given.record().hash);
  std::vector<digest> members;
  if (!options.members.empty()) members = digests_in(options.members, hash, options.lines);
  std::string_view name = "random-bits";
  retouch_report done;
  if (options.unwanted.empty()) {
    done = clear_anywhere(filter, options, core::distinct(std::move(members)));
  } else {
    known_members known{members, {}};
    if (counting != nullptr)
      known.on_bit = [&](std::uint64_t i) { return counting->cells().counter(i); };
    const retouch_method method =
        method_of(options.method, !members.empty() || counting != nullptr);
    name = retouch_methods[static_cast<std::size_t>(method)];
    done = retouch(filter, digests_in(options.unwanted, hash, options.lines), method, known);
  }
  if (target) target->save(std::move(filter));
  if (options.json) {
    print_json(report_json(done, name));
  } else if (options.output != "-") {
    print_report(done, name);
  }
  return exit_status::found;
}

}  // namespace

void add_retouch(verb_list& verbs) {
  verbs.add<retouch_options>(
      "retouch",
      "Clear bits so that unwanted keys are no longer claimed\n"
      "Says what it costs: keys that are lost with them, and how many false positives "
      "go in all.",
      "  seq 1000 > keys.txt && bloomery build --fpr 5% -o keys.bloom keys.txt\n"
      "  seq 5001 5400 | bloomery query keys.bloom > wrong.txt\n"
      "  bloomery retouch keys.bloom --unwanted wrong.txt --members keys.txt -o better\n"
      "  bloomery query better -f wrong.txt   # exits 1: none is claimed any more\n"
      "  bloomery retouch keys.bloom --random-bits 100",
      declare, run);
}

}  // namespace bloomery::cli
