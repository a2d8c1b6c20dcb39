// A filter of words that knows everything within one typing error of them.
//
// Purpose:   refusing poor passwords, and those that differ from one by a character left out, put in or
//            put for another. Instead of asking for the 190·L neighbours of a password of L characters, a
//            list holds of each word also what is left without one character, by itself and with the
//            place of that character. A password is then near a word if and only if it is listed, is
//            what is left of a word, leaves a word, or leaves at some place what a word leaves there.
// Cost:      2L+1 keys a word; 2L+2 look-ups and L+1 hashes a password.
// Guarantee: no word, and nothing at an edit distance of 1, is let pass. Others are refused at
//            any_of(rate, look_ups). Characters are those of UTF-8; a byte that is none is one by itself.
//            A filter that was not made as such a list is refused, but for its false-positive rate.
// Citation:  Spafford 1992 (OPUS); Manber, Wu 1994; Broder–Mitzenmacher §3.1; Tarkoma §IV-E.
//
//     const bloomery::hasher hash;
//     std::vector<bloomery::digest> keys{bloomery::apps::near_list::mark(hash)};
//     bloomery::apps::near_list::append_keys("dragon", hash, keys);
//     const auto filter = bloomery::apps::planned_set(keys, 1e-6);
//     const bloomery::apps::near_list poor(filter, hash);
//     assert(poor.refuses("dragon") && poor.refuses("dragn") && poor.refuses("dr4gon"));
//     assert(poor.refuses("dragon1") && !poor.refuses("dr4g0n"));
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bloomery/apps/gate/planned_set.hpp"
#include "bloomery/hash/hasher.hpp"

namespace bloomery::apps {

class near_list {
 public:
  static constexpr std::size_t longest_word = 256;  // characters

  // What the filter of a list must hold: the mark of a list, and the keys of each word. errc::limit if a
  // word is longer than the longest.
  static digest mark(const hasher& hash);
  static void append_keys(std::string_view word, const hasher& hash, std::vector<digest>& keys);

  // errc::incompatible if the filter lacks the mark, errc::unsupported if it is not asked for keys. The
  // filter must stay.
  near_list(const any_filter& filter, hasher hash);

  // Whether the list has it, or a word that is one edit away. By any thread.
  [[nodiscard]] bool refuses(std::string_view password) const;
  // How many different keys that takes, if none of them ends it.
  static std::uint64_t look_ups(std::string_view password);

 private:
  const any_filter* filter_;
  hasher hash_;
};

}  // namespace bloomery::apps
