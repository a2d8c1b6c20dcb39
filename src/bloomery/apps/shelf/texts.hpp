// The keys of documents: their words, or all their parts of n bytes.
//
// Purpose:   what a shelf is filled with and asked for where boxes are texts. Letters of ASCII are folded to
//            lower case. A word is a run of letters, digits and underscores of ASCII, as `grep -w` has them
//            in the C locale; other bytes only separate. An n-gram is any n bytes of one line.
// Cost:      a pass over the text and a hash of each word or byte; memory follows the distinct keys.
// Guarantee: the keys of a query are among those of every document that `grep -i` finds it in: as words with
//            `grep -iw`, as a part of a line with `grep -iF`.
//
//     const bloomery::hasher hash;
//     using bloomery::apps::keys_of;
//     const auto words = bloomery::apps::text_keys("A rose is a ROSE", keys_of::words, 0, hash);
//     assert(words.size() == 3 && std::ranges::find(words, hash("rose")) != words.end());
//     assert(bloomery::apps::has_words("A rose.", {"rose"}) && !bloomery::apps::has_words("rosebud", {"rose"}));
//     assert(bloomery::apps::has_part("Rosebud", "EBU") && !bloomery::apps::has_part("a\nb", "ab"));
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/shelf/shelf.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::apps {

// Lower case, by ASCII alone.
std::string folded(std::string_view text);

// Words of a folded text, in order.
std::vector<std::string_view> searchable_words(std::string_view text);

// Distinct, sorted. `keys` is words or ngrams, these of `grain` bytes.
std::vector<digest> text_keys(std::string_view text, keys_of keys, std::uint64_t grain,
                              const hasher& hash);

// The truth, for documents that a shelf names: whether the text has all these words, or this part of a line.
bool has_words(std::string_view text, const std::vector<std::string>& words);
bool has_part(std::string_view text, std::string_view part);

}  // namespace bloomery::apps
