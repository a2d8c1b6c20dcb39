// diff: what changed from one version of a filter to the next.
#include <thread>

#include "changed_file.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct diff_options {
  std::string before;
  std::string after;
  std::string output;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, diff_options& options) {
  verb.add_option("old", "OLD", options.before, "the version that the receiver has").required();
  verb.add_option("new", "NEW", options.after,
                  "the version to be made of it, of one kind, shape and hash")
      .required();
  declare_output(verb, options.output, "the delta", "DELTA");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const diff_options& options) {
  changed_file target(options.output, options.lock, {options.before, options.after});
  const any_filter before = location(options.before).open();
  const any_filter after = location(options.after).open();
  const std::vector<std::byte> delta = with_names({options.before, options.after}, [&] {
    return diff(before, after, std::thread::hardware_concurrency());
  });
  target.save(delta);
  if (options.json) {
    print_json({{"kind", after.kind().info.name},
                {"bytes", after.bytes()},
                {"written", delta.size()},
                {"items", after.record().items}});
  }
  return exit_status::found;
}

}  // namespace

void add_diff(verb_list& verbs) {
  verbs.add<diff_options>(
      "diff",
      "Write what changed between two versions of a filter\n"
      "Who has the old version makes the new one of it with `bloomery patch`.",
      "  seq 1000 | bloomery build --keys 2k -o old.bloom\n"
      "  cp old.bloom new.bloom && bloomery add new.bloom zebra\n"
      "  bloomery diff old.bloom new.bloom -o update.delta\n"
      "  wc -c new.bloom update.delta\n"
      "  bloomery diff old.bloom new.bloom -o - | bloomery patch old.bloom - -o copy",
      declare, run);
}

}  // namespace bloomery::cli
