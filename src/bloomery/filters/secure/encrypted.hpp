// The encrypted filter of Bellovin and Cheswick: a set under one party's key, asked about under
// another's, through a third who turns the one into the other.
//
// Purpose:   the owner does not learn what is asked, the asker learns nothing of the set but the
//            answer, the third party knows neither key nor word. The three parties are in
//            apps/security/query_conversion.hpp.
// Cost:      the bits of a standard filter; a power modulo 2048 bits a key, some 3 ms, and another in
//            each query by the third party.
// Guarantee: no false negatives. E_k(x) = x^k mod p of words hashed to quadratic residues commutes, so
//            that a query that was converted from the asker's key to the owner's has the bits of the
//            owner's own. Received numbers that are no residues are refused: they would leak a bit.
//            What leaks: docs/threat-model.md.
// Citation:  Bellovin, Cheswick 2004 (ePrint 2004/022); Pohlig, Hellman 1978; Tarkoma §III-W.
//
//     using namespace bloomery;
//     const cipher_key owner = cipher_key::generate();
//     auto set = encrypted_filter::for_keys(10, 0.001);
//     set.insert_text(owner, "zebra");
//     assert(set.may_match(converted_query(owner.encrypt("zebra"), owner.identity())));
#pragma once

#include <array>

#include "bloomery/filters/secure/guarded_cells.hpp"
#include "bloomery/filters/secure/stored_secret.hpp"

namespace bloomery {

struct encrypted_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &encrypted_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key: slices of its ciphertext",
                  &encrypted_shape::hashes, 1, max_hashes),
  };

  // All slices together are no longer than log2 p, so that none repeats another; each has this many
  // bits more than a position, so that positions are alike within 2^-margin.
  static constexpr std::uint64_t margin = 10;
  [[nodiscard]] std::uint64_t slice_bits() const {
    return std::min<std::uint64_t>(64, (secure::modulus_bits - 1) / hashes);
  }
  void check() const;
};

// An exponent prime to p - 1: of an owner, of an asker, or the pad that the two agree on to hide
// their keys from the third party.
class cipher_key {
 public:
  static cipher_key generate() { return cipher_key(secure::random_exponent()); }
  static cipher_key load(byte_view stored);
  [[nodiscard]] secure::secret_bytes save() const;
  [[nodiscard]] hash_identity identity() const { return identity_; }

  [[nodiscard]] secure::number encrypt(std::string_view word) const;  // E_k(H(word))
  // Modulo p - 1.
  [[nodiscard]] secure::number times(const cipher_key& other) const {
    return secure::exponents().product(exponent_, other.exponent_);
  }
  [[nodiscard]] cipher_key inverse() const {
    return cipher_key(secure::exponents().inverse(exponent_));
  }

 private:
  explicit cipher_key(secure::number exponent);

  secure::number exponent_;
  hash_identity identity_;
};

// What the third party made of a query, for the one who has the filter. errc::corrupt if it is no
// quadratic residue.
class converted_query {
 public:
  converted_query(secure::number ciphertext, hash_identity owner);
  [[nodiscard]] const secure::number& ciphertext() const { return ciphertext_; }
  [[nodiscard]] hash_identity identity() const { return identity_; }  // of the owner's key

 private:
  secure::number ciphertext_;
  hash_identity identity_;
};

struct encrypted_rule {
  static constexpr kind_info kind{
      .name = "encrypted",
      .title = "Encrypted Bloom filter",
      .answers = "Is x, which only the asker knows, in the set that only the owner knows?",
      .citation = "Bellovin, Cheswick 2004",
      .header = "bloomery/filters/secure/encrypted.hpp",
  };
  using shape = encrypted_shape;
  using secret_type = cipher_key;
  using can = ability_list<guards, merges, tells_rate, measures>;

  static shape sized(const standard_shape& size, std::uint64_t /*keys*/,
                     const cipher_key* /*secret*/) {
    return {size.bits, size.hashes};
  }
  static hash::positions positions_of(const shape& s, const cipher_key& key, std::string_view word);
  static hash::positions positions_of(const shape& s, const converted_query& query);
};

using encrypted_filter = filter<guarded_cells<encrypted_rule>>;

}  // namespace bloomery
