#include "bloomery/filters/secure/oblivious.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {
namespace {

using secure::block;
using secure::content;
using secure::modulus;
using secure::modulus_bytes;
using secure::number;
using secure::secret_bytes;
using enum oblivious_protocol;

constexpr std::size_t public_bytes = 1 + modulus_bytes;
constexpr std::size_t longest_der = 4096;
constexpr std::size_t longest_word = secure::longest_message / 2;
constexpr std::size_t proof_bytes = sizeof(block) + modulus_bytes;

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

bool proves(const number& known, const number& x, const number& signature, byte_view proof) {
  const modulus& p = secure::safe_prime();
  const byte_view stated = proof.first(sizeof(block));
  const number c(stated);
  const number s(proof.subspan(sizeof(block)));
  if (!secure::exponents().holds(s)) return false;
  const number commitment = p.product(p.power(generator(), s), p.power(known, c));
  const number other = p.product(p.power(x, s), p.power(signature, c));
  return secure::same_bytes(challenge(known, x, signature, commitment, other), stated);
}

void require_protocol(const oblivious_shape& s, oblivious_protocol protocol) {
  const auto given = static_cast<std::size_t>(protocol);
  if (s.protocol == given) return;
  fail(errc::incompatible, "the filter's protocol is " +
                               std::string(oblivious_protocol_names[s.protocol]) + ", the key's " +
                               std::string(oblivious_protocol_names[given]));
}

positions probed(const oblivious_shape& s, digest token) {
  return positions_of(uniform_probes{s.bits, s.hashes}, token);
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

oblivious_public oblivious_public::receive(byte_view received) {
  const byte_view body =
      secure::opened(content::oblivious_public, received, public_bytes, public_bytes);
  return {protocol_in(body), number(body.subspan(1))};
}

secure::message oblivious_public::send() const {
  return secure::enclosed(content::oblivious_public, with_protocol(protocol_, value_.bytes()));
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

digest oblivious_public::token(std::string_view word, const number& signature) {
  const block found = secure::sha256(std::array<byte_view, 3>{bytes_of("bloomery oblivious token"),
                                                              signature.bytes(), bytes_of(word)});
  return {load_le<std::uint64_t>(found.data()), load_le<std::uint64_t>(found.data() + 8)};
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
  const byte_view body = secure::opened(content::oblivious_secret, stored, 2, longest_der);
  if (protocol_in(body) == rsa) return oblivious_secret(secure::rsa_key::load(body.subspan(1)));
  number k(body.subspan(1));
  if (body.size() != 1 + modulus_bytes || !secure::is_exponent(k)) {
    fail(errc::corrupt, "an oblivious secret holds no exponent prime to p - 1");
  }
  return oblivious_secret(std::move(k));
}

secret_bytes oblivious_secret::save() const {
  const secret_bytes body = public_.protocol() == rsa ? key_->save() : exponent_.bytes();
  return secure::enclosed<secret_bytes>(content::oblivious_secret,
                                        with_protocol(public_.protocol(), body));
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

secure::message oblivious_server::answer(byte_view request) const {
  const number x(secure::opened(content::oblivious_request, request, modulus_bytes, modulus_bytes));
  if (!secret_.known().is_element(x)) {
    fail(errc::corrupt, "a blinded request holds a number that no client sends");
  }
  const number signature = secret_.sign(x);
  const secret_bytes proof =
      secret_.known().protocol() == oprf ? secret_.prove(x, signature) : secret_bytes();
  return secure::enclosed(content::oblivious_reply, secure::joined({signature.bytes(), proof}));
}

open_question::open_question(oblivious_public known, std::string_view word, number blind)
    : known_(std::move(known)),
      word_(bytes_of(word).begin(), bytes_of(word).end()),
      blind_(std::move(blind)) {}

open_question::open_question(oblivious_public known, std::string_view word)
    : open_question(std::move(known), word, {}) {
  if (word.size() > longest_word) {
    fail(errc::limit, "the key has " + std::to_string(word.size()) + " bytes; allowed: up to " +
                          std::to_string(longest_word));
  }
  blind_ = known_.protocol() == rsa ? known_.ring().random() : secure::random_exponent();
}

// H(x)·r^e or H(x)^r.
number open_question::blinded() const {
  const number x = known_.hash(text_of(word_));
  const modulus& ring = known_.ring();
  if (known_.protocol() == oprf) return ring.power(x, blind_);
  return ring.product(x, ring.power(blind_, number(secure::rsa_key::exponent)));
}

secure::message open_question::request() const {
  return secure::enclosed(content::oblivious_request, blinded().bytes());
}

oblivious_token open_question::finish(byte_view reply) const {
  const bool with_proof = known_.protocol() == oprf;
  const std::size_t size = modulus_bytes + (with_proof ? proof_bytes : 0);
  const byte_view body = secure::opened(content::oblivious_reply, reply, size, size);
  const number received(body.first(modulus_bytes));
  const modulus& ring = known_.ring();
  const std::string_view word = text_of(word_);
  number signature;
  bool right = known_.is_element(received);
  if (right && with_proof) {
    right = proves(known_.value(), blinded(), received, body.subspan(modulus_bytes));
    if (right) signature = ring.power(received, secure::exponents().inverse(blind_));
  } else if (right) {
    signature = ring.product(received, ring.inverse(blind_));
    right = ring.power(signature, number(secure::rsa_key::exponent)) == known_.hash(word);
  }
  if (!right) fail(errc::corrupt, "the reply is not what this server's key makes of the request");
  return {oblivious_public::token(word, signature), known_};
}

secret_bytes open_question::save() const {
  const secret_bytes rest = secure::joined({known_.value().bytes(), blind_.bytes(), word_});
  return secure::enclosed<secret_bytes>(content::oblivious_question,
                                        with_protocol(known_.protocol(), rest));
}

open_question open_question::load(byte_view stored) {
  const byte_view body = secure::opened(content::oblivious_question, stored,
                                        public_bytes + modulus_bytes, secure::longest_message);
  oblivious_public known(protocol_in(body), number(body.subspan(1, modulus_bytes)));
  number blind(body.subspan(public_bytes, modulus_bytes));
  const bool sound =
      known.protocol() == rsa ? known.ring().holds(blind) : secure::is_exponent(blind);
  if (!sound) fail(errc::corrupt, "an open question is blinded by an impossible number");
  return {std::move(known), text_of(body.subspan(public_bytes + modulus_bytes)), std::move(blind)};
}

positions oblivious_rule::positions_of(const shape& s, const oblivious_secret& secret,
                                       std::string_view word) {
  const oblivious_public& known = secret.known();
  require_protocol(s, known.protocol());
  return probed(s, oblivious_public::token(word, secret.sign(known.hash(word))));
}

positions oblivious_rule::positions_of(const shape& s, const oblivious_token& token) {
  require_protocol(s, token.protocol());
  return probed(s, token.value());
}

template struct erasure<oblivious_filter>;

}  // namespace bloomery
