#include "bloomery/filters/secure/oblivious.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {
namespace {

using secure::block;
using secure::modulus;
using secure::modulus_bytes;
using secure::number;
using secure::secret_bytes;
using secure::secret_sort;
using enum oblivious_protocol;

constexpr std::size_t longest_der = 4096;

// 2 squared: whatever is a square and not 1 generates the residues, since their order is prime.
const number& generator() {
  static const number four(4);
  return four;
}

oblivious_protocol protocol_in(byte_view body) {
  const auto stored = std::to_integer<std::uint64_t>(body[0]);
  if (stored >= oblivious_protocol_names.size()) {
    fail(errc::corrupt, "protocol " + std::to_string(stored) + " is not known");
  }
  return static_cast<oblivious_protocol>(stored);
}

secret_bytes with_protocol(oblivious_protocol protocol, byte_view rest) {
  return secure::joined({std::array{static_cast<std::byte>(protocol)}, rest});
}

// What Chaum and Pedersen's proof is about, hashed: g^k, x, x^k, and the commitments g^t and x^t.
block challenge(const number& known, const number& x, const number& signature,
                const number& commitment, const number& other_commitment) {
  return secure::sha256(std::array<byte_view, 6>{bytes_of("bloomery equal logarithms"),
                                                 known.bytes(), x.bytes(), signature.bytes(),
                                                 commitment.bytes(), other_commitment.bytes()});
}

void require_protocol(const oblivious_shape& s, oblivious_protocol protocol) {
  const auto given = static_cast<std::size_t>(protocol);
  if (s.protocol == given) return;
  fail(errc::incompatible, "the filter's protocol is " +
                               std::string(oblivious_protocol_names[s.protocol]) + ", the key's " +
                               std::string(oblivious_protocol_names[given]));
}

hash::positions probed(const oblivious_shape& s, digest token) {
  return positions_of(hash::uniform_probes{s.bits, s.hashes}, token);
}

}  // namespace

oblivious_public::oblivious_public(oblivious_protocol protocol, number value)
    : protocol_(protocol), value_(std::move(value)) {
  const secret_bytes bytes = value_.bytes();
  const bool long_and_odd = (bytes.front() & std::byte{0x80}) != std::byte{} &&
                            (bytes.back() & std::byte{1}) != std::byte{};
  if (protocol_ == rsa ? !long_and_odd : !secure::is_residue(value_)) {
    fail(errc::corrupt, "an oblivious public key holds an impossible number");
  }
  if (protocol_ == rsa) ring_ = std::make_shared<const modulus>(value_.copy());
  identity_ = secure::identity_of(with_protocol(protocol_, bytes));
}

const modulus& oblivious_public::ring() const {
  return protocol_ == rsa ? *ring_ : secure::safe_prime();
}

number oblivious_public::hash(std::string_view word) const {
  return protocol_ == rsa ? ring().hash("bloomery blind signature", word)
                          : secure::residue_of("bloomery oblivious function", word);
}

bool oblivious_public::is_element(const number& x) const {
  return protocol_ == rsa ? ring().holds(x) : secure::is_residue(x);
}

bool oblivious_public::proves(const number& x, const number& signature, byte_view proof) const {
  if (protocol_ != oprf || proof.size() != oblivious_secret::proof_bytes) return false;
  const modulus& p = secure::safe_prime();
  const byte_view stated = proof.first(sizeof(block));
  const number c(stated);
  const number s(proof.subspan(sizeof(block)));
  if (!secure::exponents().holds(s)) return false;
  const number commitment = p.product(p.power(generator(), s), p.power(value_, c));
  const number other = p.product(p.power(x, s), p.power(signature, c));
  return secure::same_bytes(challenge(value_, x, signature, commitment, other), stated);
}

digest oblivious_public::token(std::string_view word, const number& signature) {
  const block found = secure::sha256(std::array<byte_view, 3>{bytes_of("bloomery oblivious token"),
                                                              signature.bytes(), bytes_of(word)});
  return {core::load_le<std::uint64_t>(found.data()),
          core::load_le<std::uint64_t>(found.data() + 8)};
}

oblivious_secret::oblivious_secret(secure::rsa_key key)
    : key_(std::make_shared<const secure::rsa_key>(std::move(key))),
      public_(rsa, key_->modulus_value()) {}

oblivious_secret::oblivious_secret(number exponent)
    : exponent_(std::move(exponent)),
      public_(oprf, secure::safe_prime().power(generator(), exponent_)) {}

oblivious_secret oblivious_secret::generate(oblivious_protocol protocol) {
  if (protocol == rsa) return oblivious_secret(secure::rsa_key::generate());
  return oblivious_secret(secure::random_exponent());
}

oblivious_secret oblivious_secret::load(byte_view stored) {
  const byte_view body = secure::opened(secret_sort::oblivious_secret, stored, 2, longest_der);
  if (protocol_in(body) == rsa) return oblivious_secret(secure::rsa_key::load(body.subspan(1)));
  number k(body.subspan(1));
  if (body.size() != 1 + modulus_bytes || !secure::is_exponent(k)) {
    fail(errc::corrupt, "an oblivious secret holds no exponent prime to p - 1");
  }
  return oblivious_secret(std::move(k));
}

secret_bytes oblivious_secret::save() const {
  const secret_bytes body = public_.protocol() == rsa ? key_->save() : exponent_.bytes();
  return secure::enclosed(secret_sort::oblivious_secret, with_protocol(public_.protocol(), body));
}

number oblivious_secret::sign(const number& x) const {
  return key_ != nullptr ? key_->sign(x) : secure::safe_prime().power(x, exponent_);
}

secret_bytes oblivious_secret::prove(const number& x, const number& signature) const {
  const modulus& p = secure::safe_prime();
  const number t = secure::random_exponent();
  const block c = challenge(public_.value(), x, signature, p.power(generator(), t), p.power(x, t));
  const modulus& modulo = secure::exponents();
  const number response = modulo.difference(t, modulo.product(number(c), exponent_));
  return secure::joined({c, response.bytes()});
}

hash::positions oblivious_rule::positions_of(const shape& s, const oblivious_secret& secret,
                                             std::string_view word) {
  const oblivious_public& known = secret.known();
  require_protocol(s, known.protocol());
  return probed(s, oblivious_public::token(word, secret.sign(known.hash(word))));
}

hash::positions oblivious_rule::positions_of(const shape& s, const oblivious_token& token) {
  require_protocol(s, token.protocol());
  return probed(s, token.value());
}

template struct erasure<oblivious_filter>;

}  // namespace bloomery
