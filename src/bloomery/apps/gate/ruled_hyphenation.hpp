// Hyphenation by a few rules, with a filter before the table of the words that do not follow them.
//
// Purpose:   the first use of a Bloom filter. Of all patterns those that are used most are kept as rules;
//            the words of a list that they hyphenate differently are exceptions, in a table that may be
//            slow. A filter says for most words that the table need not be read.
// Cost:      a look-up a word; the table is read for exceptions, and for others at the filter's rate.
// Guarantee: every word of the list is hyphenated as by all patterns: a false positive costs one reading
//            of the table, never a wrong hyphen. Words that are not of the list follow the rules alone.
// Citation:  Bloom 1970; Broder–Mitzenmacher §3.1.
//
//     const bloomery::apps::hyphen_patterns all("UTF-8\nRIGHTHYPHENMIN 3\na1b\na2ba\n");
//     const std::vector<std::string> words{"xxabxx", "xxabyy", "xxabaxx"};
//     const bloomery::apps::ruled_hyphenation ruled(all, words, {.rules = 1, .rate = 0.01});
//     bloomery::apps::ledger book;
//     assert(ruled.breaks("xxabxx", book) == all.breaks("xxabxx") && ruled.exceptions() == 1);
//     assert(ruled.breaks("xxabaxx", book).empty() && book.true_positives() == 1);
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/apps/gate/hyphen_patterns.hpp"
#include "bloomery/apps/ledger.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::apps {

class ruled_hyphenation {
 public:
  struct settings {
    std::uint64_t rules = 3500;  // patterns that are kept
    double rate = 0.01;          // of the filter
    std::string kind = {};       // of the filter; empty for the planner's choice
    hasher hash = hasher();
  };

  // Words are in lower case.
  ruled_hyphenation(const hyphen_patterns& all, std::span<const std::string> words,
                    const settings& chosen);

  // Tells the book whether the table was read, and whether it had the word.
  std::vector<std::size_t> breaks(std::string_view word, ledger& book) const;

  [[nodiscard]] const hyphen_patterns& rules() const { return rules_; }
  [[nodiscard]] std::uint64_t exceptions() const { return table_.size(); }
  [[nodiscard]] const any_filter& filter() const { return filter_; }

 private:
  hasher hash_;
  hyphen_patterns rules_;
  std::map<std::string, std::vector<std::size_t>> table_;  // stands for one on a disk
  any_filter filter_;
};

}  // namespace bloomery::apps
