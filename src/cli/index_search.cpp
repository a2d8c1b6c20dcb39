// index search: which documents of a shelf may have all words, or which rows may lie in ranges.
#include <fmt/format.h>

#include "bloomery/apps/shelf/texts.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "index_shelf.hpp"
#include "index_table.hpp"
#include "report.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using apps::keys_of;

struct index_search_options {
  shelf_option shelf;
  std::vector<std::string> words;
  std::vector<std::string> ranges;
  bool substring = false;
  bool verify = false;
  bool zero = false;
  bool json = false;
};

void declare(command& verb, index_search_options& options) {
  options.shelf.declare(verb);
  verb.add_option("words", "WORD", options.words, "all of which a document is to have");
  const option parts = verb.add_flag("--substring", options.substring,
                                     "words may be parts of others, or several with what is "
                                     "between them; for shelves of --ngrams");
  verb.add_option("--range", "NAME=LOW..HIGH", options.ranges,
                  "for shelves of --ranges: rows whose values lie there, ends included; an end may "
                  "be left out")
      .excludes(parts);
  verb.add_flag("--verify", options.verify, "read what is named, and leave out what is not so");
  verb.add_flag("-z,--zero", options.zero,
                "print paths as they are, a NUL behind each, for xargs -0");
  declare_json(verb, options.json);
}

// The keys that a document with these words has. errc::invalid for a word that has none.
std::vector<digest> wanted_keys(const index_search_options& options, const apps::shelf& shelf,
                                const hasher& hash) {
  if (options.words.empty()) fail(errc::invalid, "which words are to be searched for?");
  if (options.substring) {
    require_keys(shelf, {keys_of::ngrams}, "--substring is for one made with --ngrams");
  }
  require_keys(shelf, {keys_of::words, keys_of::ngrams},
               shelf.keys() == keys_of::segments ? "ask it with --range" : "ask it with `like`");
  std::vector<digest> keys;
  for (const std::string& word : options.words) {
    const bool parted = word.find('\n') != std::string::npos;
    const auto own = apps::text_keys(word, shelf.keys(), shelf.grain(), hash);
    if (own.empty() || parted) {
      fail(errc::invalid,
           in_quotes(word) + (shelf.keys() == keys_of::words
                                  ? " has no letter or digit of ASCII; a shelf of --ngrams finds it"
                                  : " is not " + std::to_string(shelf.grain()) +
                                        " bytes of one line or more, as this shelf needs"));
    }
    keys.insert(keys.end(), own.begin(), own.end());
  }
  return keys;
}

bool is_so(const index_search_options& options, std::string_view text) {
  if (!options.substring) return apps::has_words(text, options.words);
  return std::ranges::all_of(options.words,
                             [&](const std::string& part) { return apps::has_part(text, part); });
}

exit_status search_documents(const index_search_options& options, const apps::shelf& shelf) {
  const hasher hash = options.shelf.hash_for(shelf);
  bool all_read = true;
  std::uint64_t named = 0;
  json found = json::array();
  std::string text;
  for (const std::size_t box : shelf.holding(wanted_keys(options, shelf, hash))) {
    const std::string& label = shelf.boxes()[box].label;
    ++named;
    if (options.verify) {
      bool so = false;
      all_read &= try_document(label, [&](std::string_view read) { so = is_so(options, read); });
      if (!so) continue;
    }
    found.push_back(label);
    text += options.zero ? label + '\0' : shown_label(label) + '\n';
  }
  if (options.json) {
    print_json({{"boxes", shelf.boxes().size()},
                {"named", named},
                {"verified", options.verify},
                {"documents", found}});
  } else {
    print_text(text);
  }
  if (!all_read) return exit_status::error;
  return found.empty() ? exit_status::not_found : exit_status::found;
}

exit_status search_rows(const index_search_options& options, const apps::shelf& shelf) {
  if (!options.words.empty()) {
    fail(errc::invalid,
         in_quotes(options.words.front()) + " stands beside --range; say NAME=LOW..HIGH");
  }
  require_keys(shelf, {keys_of::segments}, "--range is for one made with --ranges");
  const apps::range_index index(shelf, options.shelf.hash_for(shelf));
  std::vector<apps::value_range> ranges;
  for (const std::string& range : options.ranges) ranges.push_back(parse_range(range, index));
  const std::vector<std::uint64_t> named = index.rows(ranges);
  json found = json::array();
  std::string text;
  if (options.verify) {
    each_row_inside(index, named, ranges, [&](std::uint64_t row, std::string_view record) {
      found.push_back({{"row", row + 1}, {"record", record}});
      text.append(record).push_back('\n');
    });
  } else {
    for (const std::uint64_t row : named) {
      found.push_back({{"row", row + 1}});
      text += std::to_string(row + 1) + '\n';
    }
  }
  if (options.json) {
    print_json({{"rows", index.row_count()},
                {"named", named.size()},
                {"verified", options.verify},
                {"found", found}});
  } else {
    print_text(text);
  }
  return found.empty() ? exit_status::not_found : exit_status::found;
}

exit_status run(const index_search_options& options) {
  const apps::shelf shelf = options.shelf.open();
  return options.ranges.empty() ? search_documents(options, shelf) : search_rows(options, shelf);
}

}  // namespace

void add_index_search(verb_list& verbs) {
  verbs.add<index_search_options>(
      "index search",
      "Print the documents with all words, or the rows in ranges\n"
      "None that has them is left out; others are named as often as --fpr of `index build` says, "
      "and --verify reads them to know. Of tables the numbers of rows are printed, from 1 behind "
      "the header, and with --verify the rows.",
      "  printf 'red fish\\n' > one.txt; printf 'blue fish\\n' > two.txt\n"
      "  bloomery index build --ngrams 3 -o fish.shelf one.txt two.txt\n"
      "  bloomery index search fish.shelf --substring 'ue fi'\n"
      "  bloomery index search fish.shelf --verify fish blue --json\n"
      "  printf 'price,age\\n10,3\\n250,7\\n' > stock.csv\n"
      "  bloomery index build --ranges 64 --header --fields price,age \\\n"
      "    -o stock.shelf stock.csv\n"
      "  bloomery index search stock.shelf --range price=5..20 --range age=..9",
      declare, run);
}

}  // namespace bloomery::cli
