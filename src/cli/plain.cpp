// plain: the filter of bits that holds what a counting one does.
#include "changed_file.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct plain_options {
  std::string filter;
  std::string output;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, plain_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter to reduce").required();
  declare_output(verb, options.output, "the plain one");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const plain_options& options) {
  changed_file target(options.output, options.lock,
                      unless_replaced(options.filter, options.output));
  const any_filter reduced = location(options.filter).open().as<reduces>().plain();
  target.save(reduced);
  if (options.json) print_json(filter_json(reduced));
  return exit_status::found;
}

}  // namespace

void add_plain(verb_list& verbs) {
  verbs.add<plain_options>(
      "plain", "Reduce a counting filter to the standard one of its keys",
      "  seq 100 | bloomery build --kind counting --keys 100 -o counting.bloom\n"
      "  bloomery plain counting.bloom -o to-publish.bloom\n"
      "  bloomery query to-publish.bloom 7\n"
      "  bloomery plain --json counting.bloom -o to-publish.bloom | grep bytes",
      declare, run);
}

}  // namespace bloomery::cli
