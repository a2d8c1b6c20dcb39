// The filter of Nojima and Kadobayashi: a server's set, asked about without a third party, by a blind
// signature or an oblivious pseudo-random function.
//
// Purpose:   the server gives its filter away. Who asks for x needs σ = H(x)^d, which only the server
//            can compute, and gets it blinded: the server learns nothing of x, and nobody tries words
//            against the filter without the server's help for each. Server and client are in
//            apps/security/oblivious_query.hpp.
// Cost:      the bits of a standard filter; about 1 ms a key with RSA and 3 ms with the function;
//            a query costs that at the server, thrice it with the function's proof.
// Guarantee: no false negatives. The client checks each reply, σ^e = H(x) or the proof of equal
//            logarithms, so that a wrong σ is refused and never answers. Blinded requests are uniform
//            whatever the word. What leaks: docs/threat-model.md.
// Citation:  Nojima, Kadobayashi 2009; Chaum 1983 (blind RSA); Naor, Reingold 1997 and Jarecki, Liu
//            2009 (the function); Chaum, Pedersen 1992 (the proof); Tarkoma §III-W.
//
//     using namespace bloomery;
//     const auto secret = oblivious_secret::generate(oblivious_protocol::oprf);
//     auto set = oblivious_filter(oblivious_shape{1000, 10, 1});
//     set.insert_text(secret, "zebra");
//     const secure::number signature = secret.sign(secret.known().hash("zebra"));
//     const digest token = oblivious_public::token("zebra", signature);
//     assert(set.may_match(oblivious_token(token, secret.known())));
#pragma once

#include <array>

#include "bloomery/filters/secure/guarded_cells.hpp"
#include "bloomery/filters/secure/stored_secret.hpp"
#include "bloomery/hash/digest.hpp"

namespace bloomery {

enum class oblivious_protocol : std::uint8_t { rsa, oprf };
inline constexpr std::array<std::string_view, 2> oblivious_protocol_names{"rsa", "oprf"};

struct oblivious_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 0;
  std::uint64_t protocol = 0;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &oblivious_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key", &oblivious_shape::hashes, 1, max_hashes),
      choice_field("protocol", "how keys are signed without being seen", &oblivious_shape::protocol,
                   oblivious_protocol_names),
  };
};

// What clients need to know of the server's secret: the RSA modulus, or g^k.
class oblivious_public {
 public:
  oblivious_public(oblivious_protocol protocol, secure::number value);
  [[nodiscard]] oblivious_public copy() const { return {protocol_, value_.copy()}; }
  [[nodiscard]] oblivious_protocol protocol() const { return protocol_; }
  [[nodiscard]] hash_identity identity() const { return identity_; }
  [[nodiscard]] const secure::number& value() const { return value_; }
  [[nodiscard]] const secure::modulus& ring() const;               // that σ is computed in
  [[nodiscard]] secure::number hash(std::string_view word) const;  // H(word)
  [[nodiscard]] bool is_element(const secure::number& x) const;
  // Whether the proof, made by oblivious_secret::prove, shows that `signature` is x^k.
  [[nodiscard]] bool proves(const secure::number& x, const secure::number& signature,
                            byte_view proof) const;
  // H'(word, σ), from which the positions come.
  [[nodiscard]] static digest token(std::string_view word, const secure::number& signature);

 private:
  oblivious_protocol protocol_;
  secure::number value_;
  std::shared_ptr<const secure::modulus> ring_;  // of RSA
  hash_identity identity_;
};

class oblivious_secret {
 public:
  static oblivious_secret generate(oblivious_protocol protocol = oblivious_protocol::rsa);
  static oblivious_secret load(byte_view stored);
  [[nodiscard]] secure::secret_bytes save() const;
  [[nodiscard]] hash_identity identity() const { return public_.identity(); }
  [[nodiscard]] const oblivious_public& known() const { return public_; }
  [[nodiscard]] secure::number sign(const secure::number& x) const;  // x^d or x^k
  // Proves that `signature` is x^k for the k of the public g^k: challenge, then response.
  static constexpr std::size_t proof_bytes = sizeof(secure::block) + secure::modulus_bytes;
  [[nodiscard]] secure::secret_bytes prove(const secure::number& x,
                                           const secure::number& signature) const;

 private:
  explicit oblivious_secret(secure::rsa_key key);
  explicit oblivious_secret(secure::number exponent);

  std::shared_ptr<const secure::rsa_key> key_;
  secure::number exponent_;
  oblivious_public public_;
};

// What a client knows in the end: where to look.
class oblivious_token {
 public:
  oblivious_token(digest found, const oblivious_public& known)
      : digest_(found), protocol_(known.protocol()), identity_(known.identity()) {}
  [[nodiscard]] digest value() const { return digest_; }
  [[nodiscard]] oblivious_protocol protocol() const { return protocol_; }
  [[nodiscard]] hash_identity identity() const { return identity_; }

 private:
  digest digest_;
  oblivious_protocol protocol_;
  hash_identity identity_;
};

struct oblivious_rule {
  static constexpr kind_info kind{
      .name = "oblivious",
      .title = "Oblivious Bloom filter",
      .answers = "Is x, which the server is not told, in the server's set?",
      .citation = "Nojima, Kadobayashi 2009",
      .header = "bloomery/filters/secure/oblivious.hpp",
  };
  using shape = oblivious_shape;
  using secret_type = oblivious_secret;
  using can = ability_list<guards, merges, tells_rate, measures>;

  // The protocol is that of the secret.
  static shape sized(const standard_shape& size, std::uint64_t /*keys*/,
                     const oblivious_secret* secret) {
    if (secret == nullptr) return {size.bits, size.hashes, 0};
    return {size.bits, size.hashes, static_cast<std::uint64_t>(secret->known().protocol())};
  }
  static hash::positions positions_of(const shape& s, const oblivious_secret& secret,
                                      std::string_view word);
  static hash::positions positions_of(const shape& s, const oblivious_token& token);
};

using oblivious_filter = filter<guarded_cells<oblivious_rule>>;

}  // namespace bloomery
