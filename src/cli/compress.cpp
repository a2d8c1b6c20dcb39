// compress: the same filter in fewer bytes, or plain again.
#include <fmt/format.h>

#include <cstdio>
#include <thread>
#include <utility>

#include "changed_file.hpp"
#include "location.hpp"
#include "message.hpp"
#include "options.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

struct compress_options {
  std::string filter;
  std::string output;
  bool decompress = false;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, compress_options& options) {
  verb.add_option("filter", "FILTER", options.filter, "the filter, plain or compressed").required();
  declare_output(verb, options.output, "the result");
  verb.add_flag("-d,--decompress", options.decompress, "write it plain");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

exit_status run(const compress_options& options) {
  changed_file target(options.output, options.lock,
                      unless_replaced(options.filter, options.output));
  const any_filter filter = location(options.filter).open();
  std::vector<std::byte> file = save(filter);
  bool smaller = false;
  if (!options.decompress) {
    std::vector<std::byte> coded = compress(filter, std::thread::hardware_concurrency());
    smaller = coded.size() < file.size();
    if (smaller) {
      file = std::move(coded);
    } else {
      tell(options.filter + " does not get smaller, and is written plain");
    }
  }
  target.save(file);
  if (options.json) {
    print_json({{"kind", filter.kind().info.name},
                {"bytes", filter.bytes()},
                {"written", file.size()},
                {"compressed", smaller},
                {"items", filter.record().items}});
  }
  return exit_status::found;
}

}  // namespace

void add_compress(verb_list& verbs) {
  verbs.add<compress_options>(
      "compress",
      "Write a filter in fewer bytes, for the way or for keeping\n"
      "Every verb reads it as it is; one that changes it writes it plain again. A "
      "filter that was built with --transmit, or is far from full, gets much smaller.",
      "  seq 10000 | bloomery build --transmit --keys 10k -o sparse.bloom\n"
      "  bloomery compress sparse.bloom -o sparse.small\n"
      "  wc -c sparse.bloom sparse.small\n"
      "  bloomery compress --decompress sparse.small -o - | cmp - sparse.bloom",
      declare, run);
}

}  // namespace bloomery::cli
