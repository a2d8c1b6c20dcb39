// Goh's secure index (Z-IDX): the words of one document, found by a trapdoor that only the owner of a
// key can make.
//
// Purpose:   documents and their indexes lie with a server that is to search them without learning
//            the words. The owner sends the trapdoor of a word; the server asks each index.
// Cost:      the bits of a standard filter for `tokens` words; 2k pseudo-random functions a word,
//            some 40 µs.
// Guarantee: no false negatives. One word sets unrelated bits in two documents, because the number of
//            the document is part of each codeword. A sealed index has as many random ones as the
//            missing words would set, so that its fill says nothing of how many there are. What
//            leaks: docs/threat-model.md.
// Citation:  Goh 2003 (ePrint 2003/216); Tarkoma §III-W.
//
//     const bloomery::index_owner owner(bloomery::index_secret::generate());
//     const std::array<std::string_view, 3> words{"red", "fish", "red"};
//     bloomery::index_server server;
//     server.add(owner.index(7, words, 100, 1e-9));
//     const auto found = server.search(owner.trapdoor("fish", 40));
//     assert(found.size() == 1 && found[0] == 7 && server.search(owner.trapdoor("blue", 40)).empty());
#pragma once

#include <array>
#include <limits>

#include "bloomery/filters/secure/guarded_cells.hpp"
#include "bloomery/filters/secure/message.hpp"
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

  [[nodiscard]] secure::block trapdoor_part(std::uint64_t i, std::string_view word) const;
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
  explicit trapdoor(byte_view received);
  [[nodiscard]] secure::message send() const;
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
  static positions positions_of(const shape& s, const index_secret& secret, std::string_view word);
  static positions positions_of(const shape& s, const trapdoor& found);

  template <class Set>
  static void blinding(const shape& s, const index_secret& secret, std::uint64_t words, Set set) {
    secure::keystream random = secret.blinding(s.document);
    for (std::uint64_t i = 0; i < words * s.hashes; ++i) set(reduce(random.next(), s.bits));
  }
};

using secure_index_filter = filter<guarded_cells<secure_index_rule>>;

class index_owner {
 public:
  explicit index_owner(index_secret secret) : secret_(std::move(secret)) {}

  // Sealed. `tokens` bounds the words, repeats and all, and follows from the document's length alone.
  [[nodiscard]] secure_index_filter index(std::uint64_t document,
                                          std::span<const std::string_view> words,
                                          std::uint64_t tokens, double rate) const;
  [[nodiscard]] secure::message trapdoor(std::string_view word, std::uint64_t hashes) const {
    return bloomery::trapdoor(secret_, word, hashes).send();
  }
  [[nodiscard]] const index_secret& secret() const { return secret_; }

 private:
  index_secret secret_;
};

// Has indexes and no key.
class index_server {
 public:
  void add(secure_index_filter index) { indexes_.push_back(std::move(index)); }
  // The numbers of the owner's documents that may have the word.
  [[nodiscard]] std::vector<std::uint64_t> search(byte_view trapdoor_message) const;

 private:
  std::vector<secure_index_filter> indexes_;
};

}  // namespace bloomery
