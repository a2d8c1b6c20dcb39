// age: a filter forgets the keys that nobody has touched since it last aged.
#include <fmt/format.h>

#include "bloomery/any/registry.hpp"
#include "changed_file.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct age_options {
  std::string filter;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, age_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter to change").required();
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const age_options& options) {
  changed_file where(options.filter, options.lock, unless_replaced(options.filter, options.filter));
  any_filter filter = where.load();
  if (!filter.kind().can<ages>()) {
    refuse(filter.kind(),
           " does not age on demand; kinds that forget by themselves: bloomery kinds");
  }
  const std::uint64_t forgotten = filter.as<ages>().age();
  where.save(filter);
  if (options.json) {
    json report{{"forgotten", forgotten}};
    where.report(report);
    report["filter"] = filter_json(filter);
    print_json(report);
  } else {
    fmt::print("{}\n", forgotten);
  }
  return exit_status::found;
}

}  // namespace

void add_age(verb_list& verbs) {
  verbs.add<age_options>(
      "age",
      "Forget the keys not touched since the last time\n"
      "Prints how many were forgotten. For state-machine maps; other kinds forget by "
      "themselves, or never.",
      "  printf 'f1\\t0\\nf2\\t1\\n' | bloomery map build --kind state-machine -o flows\n"
      "  bloomery age flows                 # 0: nothing is old yet\n"
      "  printf 'f1\\t1\\n' | bloomery map set flows && bloomery age flows\n"
      "  bloomery map get flows f1 f2",
      declare, run);
}

}  // namespace bloomery::cli
