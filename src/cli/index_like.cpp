// index like: which files of a shelf a file is, or shares blocks with.
#include <fmt/format.h>

#include "bloomery/apps/shelf/file_blocks.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "index_shelf.hpp"
#include "message.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using apps::resemblance;

struct index_like_options {
  shelf_option shelf;
  std::vector<std::string> files;
  std::uint64_t top = 5;
  std::string confidence = "95%";
  bool json = false;
};

void declare(command& verb, index_like_options& options) {
  options.shelf.declare(verb);
  verb.add_option("files", "FILE|DIR", options.files, "files to compare with those of the shelf")
      .required();
  verb.add_option("--top", "N", options.top, "files named for one that is not known")
      .show_default();
  declare_confidence(verb, options.confidence);
  declare_json(verb, options.json);
}

// Of the boxes that a file is compared with: the very file if there is one, else what shares blocks with it
// beyond chance.
std::vector<resemblance> worth_naming(const std::vector<resemblance>& all, std::uint64_t top) {
  std::vector<resemblance> named;
  for (const resemblance& each : all) {
    if (each.known != all.front().known) break;
    if (!each.known && named.size() == top) break;
    if (each.known || each.related) named.push_back(each);
  }
  return named;
}

json resemblance_json(const std::string& label, const resemblance& each) {
  return {{"label", label}, {"known", each.known}, {"share", to_json(each.share)}};
}

std::string resemblance_text(const std::string& path, const std::string& label,
                             const resemblance& each) {
  const std::string how =
      each.known ? "known"
                 : fmt::format("{} [{}, {}]", format_ratio(each.share.value),
                               format_ratio(each.share.low), format_ratio(each.share.high));
  return fmt::format("{}\t{}\t{}\n", shown_label(path), how, shown_label(label));
}

// The labels of the boxes that state another number of keys than they hold.
class accusations {
 public:
  explicit accusations(const apps::shelf& shelf) : shelf_(&shelf), told_(shelf.boxes().size()) {
    for (std::size_t i = 0; i < told_.size(); ++i) {
      if (shelf.is_doctored(i)) accuse(i, "its fill is not that of the keys it states");
    }
  }
  void accuse(std::size_t box, std::string_view why) {
    if (told_[box]) return;
    told_[box] = true;
    const std::string& label = shelf_->boxes()[box].label;
    labels_.push_back(label);
    tell(fmt::format("the box {} of the shelf has been doctored: {}", shown_label(label), why));
  }
  [[nodiscard]] const json& labels() const { return labels_; }

 private:
  const apps::shelf* shelf_;
  std::vector<bool> told_;
  json labels_ = json::array();
};

exit_status run(const index_like_options& options) {
  const double confidence = parse_confidence(options.confidence);
  const apps::shelf shelf = options.shelf.open();
  require_keys(shelf, {apps::keys_of::blocks}, "`like` is for one made with --blocks");
  const hasher hash = options.shelf.hash_for(shelf);
  accusations doctored(shelf);
  json report = json::array();
  bool any = false;
  documents all(options.files, options.shelf.path);
  all.each([&](const std::string& path, std::string_view contents) {
    const auto compared = apps::resembling(shelf, contents, hash, confidence);
    for (const resemblance& each : compared) {
      if (each.doctored) doctored.accuse(each.box, "it has more blocks than the keys it states");
    }
    json likes = json::array();
    std::string text;
    for (const resemblance& each : worth_naming(compared, options.top)) {
      const std::string& label = shelf.boxes()[each.box].label;
      likes.push_back(resemblance_json(label, each));
      text += resemblance_text(path, label, each);
    }
    any |= !likes.empty();
    report.push_back({{"file", path}, {"like", likes}});
    if (!options.json) print_text(text);
  });
  if (options.json) {
    print_json({{"confidence", confidence}, {"doctored", doctored.labels()}, {"files", report}});
  }
  if (all.skipped() != 0 || !doctored.labels().empty()) return exit_status::error;
  return any ? exit_status::found : exit_status::not_found;
}

}  // namespace

void add_index_like(verb_list& verbs) {
  verbs.add<index_like_options>(
      "index like",
      "Name known files, and those of a shelf that share blocks\n"
      "A file that is on the shelf is always known. Of another, the files that have most of its "
      "blocks are named, with the share of its blocks and its interval. Blocks lie at multiples of "
      "their size: bytes that were inserted hide all that follows. A box whose fill or answers do "
      "not fit the number of keys that it states is told of, and the exit status is 2.",
      "  seq 20000 > old.txt; sed '9000s/.*/8999/' old.txt > new.txt\n"
      "  bloomery index build --blocks 512 -o known.shelf old.txt\n"
      "  bloomery index like known.shelf old.txt\n"
      "  bloomery index like known.shelf new.txt --json",
      declare, run);
}

}  // namespace bloomery::cli
