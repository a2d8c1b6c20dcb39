// fold: the same keys in a smaller filter, without the keys.
#include "changed_file.hpp"
#include "location.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct fold_options {
  std::string filter;
  std::uint64_t factor = 2;
  std::string output;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, fold_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter to fold").required();
  verb.add_option("--by", "N", options.factor, "shrink to 1/N; N must divide the shape")
      .show_default();
  declare_output(verb, options.output, "the result");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const fold_options& options) {
  changed_file target(options.output, options.lock,
                      unless_replaced(options.filter, options.output));
  const any_filter folded = location(options.filter).open().as<folds>().folded(options.factor);
  target.save(folded);
  if (options.json) print_json(filter_json(folded));
  return exit_status::found;
}

}  // namespace

void add_fold(verb_list& verbs) {
  verbs.add<fold_options>(
      "fold",
      "Shrink a filter by a whole factor, at a higher rate\n"
      "Its keys stay, and need not be known. The factor must divide the bits of the "
      "filter, or what takes their place.",
      "  seq 1000 > k.txt\n"
      "  bloomery build --set bits=65536 --set hashes=5 -o large.bloom k.txt\n"
      "  bloomery fold large.bloom --by 4 -o small.bloom && bloomery info small.bloom\n"
      "  bloomery fold large.bloom -o - | bloomery query - 7",
      declare, run);
}

}  // namespace bloomery::cli
