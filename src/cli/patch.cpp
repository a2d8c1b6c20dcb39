// patch: the new version of a filter, from the old one and a delta.
#include "changed_file.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct patch_options {
  std::string before;
  std::string delta;
  std::string output;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, patch_options& options) {
  verb.add_option("old", "OLD", options.before, "the version that the delta was made from")
      .required();
  verb.add_option("delta", "DELTA", options.delta,
                  "what `bloomery diff` wrote; - is standard input")
      .required();
  declare_output(verb, options.output, "the result", "NEW");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const patch_options& options) {
  std::vector<std::string> inputs = unless_replaced(options.before, options.output);
  inputs.push_back(options.delta);
  changed_file target(options.output, options.lock, inputs);
  const any_filter before = location(options.before).open();
  const bits::file_contents delta = location(options.delta).read();
  const any_filter after = with_names({options.before, options.delta}, [&] {
    return patch(before, delta.bytes(), reading().limits());
  });
  target.save(after);
  if (options.json) print_json(filter_json(after));
  return exit_status::found;
}

}  // namespace

void add_patch(verb_list& verbs) {
  verbs.add<patch_options>(
      "patch", "Make the new version of a filter of the old one and a delta",
      "  seq 1000 | bloomery build --keys 2k -o v1.bloom\n"
      "  cp v1.bloom v2.bloom && bloomery add v2.bloom zebra\n"
      "  bloomery diff v1.bloom v2.bloom -o v2.delta\n"
      "  bloomery patch v1.bloom v2.delta -o made.bloom && cmp made.bloom v2.bloom\n"
      "  bloomery patch v1.bloom - -o v1.bloom < v2.delta\n"
      "  bloomery query v1.bloom zebra",
      declare, run);
}

}  // namespace bloomery::cli
