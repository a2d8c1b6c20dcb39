// Goh's secure index (Z-IDX): the words of one document, found by a trapdoor that only the owner of a
// key can make.
//
// Purpose:   documents and their indexes lie with a server that is to search them without learning
//            the words. The owner sends the trapdoor of a word; the server asks each index. Those two
//            parties are in apps/security/index_search.hpp.
// Cost:      the bits of a standard filter for `tokens` words; 2k pseudo-random functions a word,
//            some 40 µs.
// Guarantee: no false negatives. One word sets unrelated bits in two documents, because the number of
//            the document is part of each codeword. A sealed index has as many random ones as the
//            missing words would set, so that its fill says nothing of how many there are. What
//            leaks: docs/threat-model.md.
// Citation:  Goh 2003 (ePrint 2003/216); Tarkoma §III-W.
//
//     using namespace bloomery;
//     const index_secret key = index_secret::generate();
//     secure_index_filter index({.bits = 1000, .hashes = 7, .tokens = 10, .document = 3});
//     index.insert_text(key, "fish");
//     index.seal(key, 1);
//     assert(index.may_match(trapdoor(key, "fish", 7)) && !index.may_contain_text(key, "qzxvj"));
#pragma once

#include <array>
#include <limits>

#include "bloomery/filters/secure/guarded_cells.hpp"
#include "bloomery/filters/secure/stored_secret.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/secure_index.hpp"

namespace bloomery {

struct secure_index_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t tokens = 0;
  std::uint64_t document = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &secure_index_shape::bits, 1, max_bits),
      whole_field("hashes", "r, keys, and bits per word", &secure_index_shape::hashes, 1,
                  max_hashes),
      whole_field("tokens", "u, the most words that a document of this length can have",
                  &secure_index_shape::tokens, 1, max_keys),
      whole_field("document", "number of the document, different for each under one key",
                  &secure_index_shape::document, 0, std::numeric_limits<std::uint64_t>::max()),
  };
  void check() const;  // a seal takes time in proportion to the words, and none has more than bits
};

// The owner's master key, and the subkeys k_1 to k_64 that follow from it.
class index_secret {
 public:
  static index_secret generate();
  static index_secret load(byte_view stored);
  [[nodiscard]] secure::secret_bytes save() const;
  [[nodiscard]] hash_identity identity() const { return identity_; }

  [[nodiscard]] secure::block trapdoor_part(std::uint64_t i, std::string_view word) const {
    return secure::prf(subkeys_[i], bytes_of(word));
  }
  [[nodiscard]] secure::keystream blinding(std::uint64_t document) const;

 private:
  explicit index_secret(const secure::block& master);

  secure::block master_;
  std::array<secure::block, max_hashes> subkeys_;
  hash_identity identity_;
};

// x_i = PRF(k_i, word): finds one word in every index of the owner.
class trapdoor {
 public:
  trapdoor(const index_secret& secret, std::string_view word, std::uint64_t hashes);
  trapdoor(hash_identity owner, std::vector<secure::block> parts)
      : identity_(owner), parts_(std::move(parts)) {}
  [[nodiscard]] hash_identity identity() const { return identity_; }  // of the owner's key
  [[nodiscard]] const std::vector<secure::block>& parts() const { return parts_; }

 private:
  hash_identity identity_;
  std::vector<secure::block> parts_;
};

struct secure_index_rule {
  static constexpr kind_info kind{
      .name = "secure-index",
      .title = "Goh's secure index",
      .answers = "Is the word of this trapdoor in the document?",
      .citation = "Goh 2003",
      .header = "bloomery/filters/secure/secure_index.hpp",
      .unmergeable = "an index is of one document, whose number is in every bit",
  };
  using shape = secure_index_shape;
  using secret_type = index_secret;

  using can = ability_list<guards, seals, has_capacity, checks_record, tells_rate>;

  // The number of a document is its own, so that equal words set unrelated bits in two files.
  static shape sized(const standard_shape& size, std::uint64_t keys, const index_secret* secret);
  static std::uint64_t most_texts(std::uint64_t bytes) { return math::most_words(bytes); }
  static std::uint64_t capacity(const shape& s) { return s.tokens; }
  static hash::positions positions_of(const shape& s, const index_secret& secret,
                                      std::string_view word);
  static hash::positions positions_of(const shape& s, const trapdoor& found);

  template <class Set>
  static void blinding(const shape& s, const index_secret& secret, std::uint64_t words, Set set) {
    secure::keystream random = secret.blinding(s.document);
    for (std::uint64_t i = 0; i < words * s.hashes; ++i) set(hash::reduce(random.next(), s.bits));
  }
};

using secure_index_filter = filter<guarded_cells<secure_index_rule>>;

}  // namespace bloomery
