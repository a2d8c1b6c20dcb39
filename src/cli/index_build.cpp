// index build: a filter on each of many documents, files or segments of a table, in one file.
#include "bloomery/apps/shelf/file_blocks.hpp"
#include "bloomery/apps/shelf/texts.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "changed_file.hpp"
#include "index_shelf.hpp"
#include "index_table.hpp"
#include "report.hpp"
#include "sizing.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using apps::keys_of;

struct index_build_options {
  std::vector<std::string> paths;
  std::string output;
  std::optional<std::uint64_t> ngrams;
  std::string blocks;
  std::optional<std::uint64_t> ranges;
  table_options table;
  std::string rate = "1%";
  shape_option shape;
  key_file_option key_file;
  lock_option lock;
  bool json = false;
};

void declare(command& verb, index_build_options& options) {
  verb.add_option("paths", "FILE|DIR", options.paths,
                  "documents, and folders of them; links in folders are not followed")
      .required();
  const option grams =
      verb.add_option("--ngrams", "N", options.ngrams,
                      "keys are all N bytes of a line that follow one another, not words: finds "
                      "parts of words");
  const option blocks = verb.add_option("--blocks", "SIZE", options.blocks,
                                        "keys are the blocks of a file and the file: for `like`")
                            .excludes(grams);
  verb.add_option("--ranges", "N", options.ranges,
                  "the one file is a table (CSV); the range of each of its --fields is cut into N "
                  "segments")
      .excludes(grams)
      .excludes(blocks);
  options.table.declare(verb);
  verb.add_option("--fpr", "P", options.rate, "how often a box is named in vain").show_default();
  options.shape.declare(verb);
  options.key_file.declare(verb);
  declare_output(verb, options.output, "the shelf");
  options.lock.declare(verb);
  declare_json(verb, options.json);
}

// A fixed shape for every box, if --set gives all of it.
std::optional<standard_shape> fixed_shape(const shape_option& option) {
  if (option.settings.empty()) return std::nullopt;
  const auto fixed = option.fixed(default_kind());
  if (!all_fixed(fixed)) {
    fail(errc::invalid, "--set needs both bits and hashes here; without, each box has its own");
  }
  return shape_from<standard_shape>(std::vector<field_value>{*fixed[0], *fixed[1]});
}

apps::shelf empty_shelf(const index_build_options& options, const hasher& hash) {
  if (options.ngrams) {
    return apps::shelf(hash.identity(), keys_of::ngrams, *options.ngrams);
  }
  if (options.blocks.empty()) return apps::shelf(hash.identity(), keys_of::words);
  return apps::shelf(hash.identity(), keys_of::blocks, parse_size(options.blocks));
}

apps::shelf shelf_of_documents(const index_build_options& options, double rate, const hasher& hash,
                               std::uint64_t& skipped) {
  const auto shape = fixed_shape(options.shape);
  apps::shelf made = empty_shelf(options, hash);
  documents all(options.paths, options.output);
  all.each([&](const std::string& path, std::string_view text) {
    if (made.keys() == keys_of::blocks) {
      apps::file_keys keys = apps::keys_of_file(text, made.grain(), hash);
      keys.blocks.push_back(keys.whole);
      shape ? made.add(path, std::move(keys.blocks), *shape)
            : made.add(path, std::move(keys.blocks), rate);
      return;
    }
    auto keys = apps::text_keys(text, made.keys(), made.grain(), hash);
    shape ? made.add(path, std::move(keys), *shape) : made.add(path, std::move(keys), rate);
  });
  skipped = all.skipped();
  if (made.boxes().empty()) {
    fail(errc::io, "there is no document that could be read; no shelf was written");
  }
  return made;
}

json shelf_json(const apps::shelf& made, std::size_t bytes, std::uint64_t skipped) {
  std::uint64_t items = 0;
  for (const auto& box : made.boxes()) items += box.filter.record().items;
  return {{"boxes", made.boxes().size()},
          {"keys", apps::keys_of_names[static_cast<std::size_t>(made.keys())]},
          {"grain", made.grain()},
          {"items", items},
          {"bytes", bytes},
          {"skipped", skipped},
          {"hash", hash_json(made.hash())}};
}

exit_status run(const index_build_options& options) {
  const double rate = parse_ratio(options.rate);
  hash_options hash_chosen;
  hash_chosen.key_file = options.key_file;
  const hasher hash = hash_chosen.chosen();
  std::vector<std::string> inputs = options.paths;
  inputs.push_back(options.key_file.path);
  changed_file target(options.output, options.lock, inputs);
  std::uint64_t skipped = 0;
  options.table.require_use(options.ranges.has_value());
  const apps::shelf made = options.ranges
                               ? options.table.shelf_of(options.paths, *options.ranges, rate, hash)
                               : shelf_of_documents(options, rate, hash, skipped);
  const std::vector<std::byte> bytes = made.save();
  target.save(bytes);
  if (options.json) print_json(shelf_json(made, bytes.size(), skipped));
  return skipped == 0 ? exit_status::found : exit_status::error;
}

}  // namespace

void add_index_build(verb_list& verbs) {
  verbs.add<index_build_options>(
      "index build",
      "Make a shelf: a filter of each document, file or segment\n"
      "Documents and files are boxes of their own; of a table the segments of its columns are. "
      "Words are runs of letters, digits and underscores of ASCII, in lower case. A file that "
      "cannot be read is told and left out, and the exit status is 2, as grep's. Packed files "
      "(.gz) are taken as they are.",
      "  printf 'red fish\\n' > one.txt; printf 'blue fish\\n' > two.txt\n"
      "  bloomery index build -o fish.shelf one.txt two.txt\n"
      "  bloomery index search fish.shelf fish red\n"
      "  bloomery index build --blocks 4096 -o files.shelf /usr/share/common-licenses\n"
      "  printf 'price,age\\n10,3\\n250,7\\n' > stock.csv\n"
      "  bloomery index build --ranges 64 --header --fields price,age \\\n"
      "    -o stock.shelf stock.csv --json",
      declare, run);
}

}  // namespace bloomery::cli
