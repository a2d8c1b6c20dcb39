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
  verb.add_option("-o,--output", "OUT", options.output, "where to write the plain one").required();
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
  verbs.add<plain_options>("plain",
                           "Reduce a counting filter to the standard filter of the keys now in it",
                           "  bloomery plain sessions.bloom -o to-publish.bloom\n"
                           "  bloomery plain --json sessions.bloom -o to-publish.bloom",
                           declare, run);
}

}  // namespace bloomery::cli
