// T4: documents that have a word are named, and few others, however small their filters.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <random>
#include <set>
#include <sstream>

#include "bloomery/apps/shelf/texts.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/core/distinct.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using apps::keys_of;
using word_set = std::set<std::string>;

constexpr std::size_t fewest_words = 200;  // for small documents and strangers to them

// The truth, by other means than those of the shelf: what is no part of a word becomes space.
word_set true_words(std::string text) {
  constexpr std::string_view parts =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  for (char& c : text) {
    c = parts.find(c) == std::string_view::npos
            ? ' '
            : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

struct corpus {
  std::vector<std::string> texts;
  std::vector<word_set> words;          // of each, the truth
  std::vector<std::string> vocabulary;  // of all, in an order of chance

  void add(std::string text) {
    word_set& own = words.emplace_back(true_words(text));
    vocabulary.insert(vocabulary.end(), own.begin(), own.end());
    texts.push_back(std::move(text));
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t all = 0;
    for (const std::string& text : texts) all += text.size();
    return all;
  }
  // Of the distinct words of each document, one a line.
  [[nodiscard]] std::size_t listed_bytes() const {
    std::size_t all = 0;
    for (const word_set& each : words) {
      for (const std::string& word : each) all += word.size() + 1;
    }
    return all;
  }
};

corpus read_corpus(const lab::request& asked) {
  const std::string& folder = asked.text("files");
  std::vector<std::string> paths = asked.outside().files(folder);
  std::erase_if(paths, [](const std::string& path) {
    return path.ends_with(".gz") || path.ends_with(".xz") || path.ends_with(".bz2");
  });
  std::mt19937_64 random(asked.seed());
  std::ranges::shuffle(paths, random);
  paths.resize(std::min<std::size_t>(paths.size(), asked.count("documents")));
  corpus read;
  for (const std::string& path : paths) read.add(asked.outside().read(path));
  read.vocabulary = core::distinct(std::move(read.vocabulary));
  std::ranges::shuffle(read.vocabulary, random);
  if (read.texts.size() < 2 || read.vocabulary.size() < fewest_words) {
    fail(errc::invalid, folder + " has " + format_count(read.texts.size()) + " documents of " +
                            format_count(read.vocabulary.size()) +
                            " words; needed: two, and 200 words");
  }
  return read;
}

// Every word asked of every document.
void ask_for_words(const corpus& read, const lab::request& asked, lab::result& found) {
  const hasher hash{xxh3_hash(asked.seed())};
  const double rate = asked.ratio("fpr");
  apps::shelf shelf(hash.identity(), keys_of::words);
  for (std::size_t i = 0; i < read.texts.size(); ++i) {
    shelf.add(std::to_string(i), apps::text_keys(read.texts[i], keys_of::words, 0, hash), rate);
  }
  std::vector<apps::ledger> books(read.texts.size());
  const std::size_t queries = std::min<std::size_t>(asked.count("queries"), read.vocabulary.size());
  for (std::size_t q = 0; q < queries; ++q) {
    const digest key = hash(read.vocabulary[q]);
    for (std::size_t i = 0; i < books.size(); ++i) {
      books[i].record(shelf.may_hold(i, key), read.words[i].contains(read.vocabulary[q]));
    }
  }
  apps::ledger all;
  std::vector<double> shares;
  double predicted = 0;
  for (std::size_t i = 0; i < books.size(); ++i) {
    if (books[i].strangers() == 0) continue;  // it has every word that was asked for
    all += books[i];
    const standard_filter& filter = shelf.boxes()[i].filter;
    shares.push_back(static_cast<double>(books[i].false_positives()) /
                     static_cast<double>(books[i].strangers()));
    predicted += standard_filter::predicted_rate(filter.shape(), filter.record().items);
  }
  found.never("a document that has the word was left out", all.missed(),
              all.missed() + all.true_positives());
  if (shares.size() > 1) {
    found.add(lab::mean_of("documents named for a word that they have not", lab::unit::share,
                           shares, predicted / static_cast<double>(shares.size())));
  }
  lab::figure& size = found.add(
      lab::told("bytes of the shelf", lab::unit::bytes, static_cast<double>(shelf.save().size())));
  size.rivals = {{"the words of each document", static_cast<double>(read.listed_bytes())},
                 {"the documents", static_cast<double>(read.bytes())}};
}

// Documents of a few words in a few bits: the mean over filters of what each lets through.
lab::figure ask_small(const corpus& read, std::uint64_t bits, std::uint64_t words,
                      std::uint64_t hashes, std::uint64_t count, std::uint64_t seed) {
  constexpr std::size_t strangers = 50;
  const hasher hash{xxh3_hash(seed)};
  std::mt19937_64 random(seed + bits);
  std::vector<std::string> drawn = read.vocabulary;
  const std::size_t needed = words + strangers;
  std::vector<double> shares;
  apps::shelf shelf(hash.identity(), keys_of::words);
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < needed; ++j) {
      std::swap(drawn[j], drawn[j + random() % (drawn.size() - j)]);
    }
    std::vector<digest> keys;
    for (std::uint64_t j = 0; j < words; ++j) keys.push_back(hash(drawn[j]));
    shelf.add("", std::move(keys), standard_shape{bits, hashes});
    double passed = 0;
    for (std::size_t j = words; j < needed; ++j) {
      passed += shelf.may_hold(i, hash(drawn[j])) ? 1 : 0;
    }
    shares.push_back(passed / strangers);
  }
  lab::figure figure =
      lab::mean_of(std::to_string(words) + " words in " + std::to_string(bits) +
                       " bits: named for a word that is not there",
                   lab::unit::share, shares, math::exact_rate(bits, words, hashes));
  figure.rivals = {{"the textbook's formula says", math::classic_rate(bits, words, hashes)}};
  return figure;
}

void ask_small_documents(const corpus& read, const lab::request& asked, lab::result& found) {
  constexpr std::uint64_t hashes = 6;
  constexpr std::uint64_t bits_per_word = 8;
  const std::uint64_t count = asked.count("small");
  math::require_whole("small", count, 2, apps::most_boxes);
  lab::series curve{.panel = "Documents of m/8 words in filters of m bits, 6 hashes",
                    .x = "m, bits",
                    .y = "named in vain",
                    .name = "measured",
                    .points = {},
                    .logarithmic_x = true};
  std::vector<lab::series> curves(3, curve);
  curves[1].name = "exact rate";
  curves[2].name = "textbook's formula";
  for (const std::uint64_t bits : {16U, 32U, 64U, 128U, 256U}) {
    const std::uint64_t words = bits / bits_per_word;
    const lab::figure& figure =
        found.add(ask_small(read, bits, words, hashes, count, asked.seed()));
    const auto x = static_cast<double>(bits);
    curves[0].points.emplace_back(x, figure.measured);
    curves[1].points.emplace_back(x, math::exact_rate(bits, words, hashes));
    curves[2].points.emplace_back(x, math::classic_rate(bits, words, hashes));
  }
  for (lab::series& each : curves) found.plot(std::move(each));
}

}  // namespace

lab::result document_index(const lab::request& asked) {
  const corpus read = read_corpus(asked);
  lab::result found;
  asked.outside().phase("asking for words");
  ask_for_words(read, asked, found);
  asked.outside().phase("asking small documents");
  ask_small_documents(read, asked, found);
  return found;
}

extern constinit const system_info document_index_system{
    .id = "T4",
    .name = "Document index of small filters",
    .source = "Mullin 1987; Christensen et al. 4",
    .where = pattern::shelf,
    .does =
        "Every document has a small filter of its words. A search asks all of them, and names "
        "the documents that may have the word.",
    .figure =
        "No document that has the word is left out; others are named at the exact rate of "
        "their filters, which the textbook's formula misses where they are small.",
    .verb = "index search",
    .needs = "",
    .settings_or_none = {{{"files", "/usr/share/doc", "folder of the documents"},
                          {"documents", "200", "documents taken from it"},
                          {"queries", "1000", "words asked for"},
                          {"fpr", "1%", "rate that each filter is sized for"},
                          {"small", "10k", "documents of few words, of each size"}}},
    .run = document_index};

}  // namespace bloomery::systems
