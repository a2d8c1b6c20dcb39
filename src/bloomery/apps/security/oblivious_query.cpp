#include "bloomery/apps/security/oblivious_query.hpp"

#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery {
namespace {

using secure::modulus;
using secure::number;
using secure::secret_bytes;
using enum oblivious_protocol;

}  // namespace

std::vector<std::byte> send(const oblivious_public& known) {
  const secret_bytes value = known.value().bytes();
  return wire::write(security::public_key{static_cast<std::uint64_t>(known.protocol()), value});
}

oblivious_public receive_public_key(byte_view received) {
  const auto message = wire::read<security::public_key>(received);
  return {static_cast<oblivious_protocol>(message.protocol), number(message.value)};
}

std::vector<std::byte> oblivious_server::answer(byte_view request) const {
  const auto message = wire::read<security::blinded_request>(request);
  require_same_hash({hash_id::guarded, message.key}, secret_.identity());
  const number x(message.number);
  if (!secret_.known().is_element(x)) {
    fail(errc::corrupt, "a blinded request holds a number that no client sends");
  }
  const number signature = secret_.sign(x);
  const secret_bytes proof =
      secret_.known().protocol() == oprf ? secret_.prove(x, signature) : secret_bytes();
  const secret_bytes signed_number = signature.bytes();
  return wire::write(security::signed_reply{signed_number, proof});
}

open_question::open_question(oblivious_public known, byte_view word, number blind)
    : known_(std::move(known)), word_(word.begin(), word.end()), blind_(std::move(blind)) {}

open_question::open_question(oblivious_public known, std::string_view word)
    : open_question(std::move(known), bytes_of(word), {}) {
  if (word.size() > security::kept_question::longest_word) {
    fail(errc::limit, "the key has " + std::to_string(word.size()) + " bytes; allowed: up to " +
                          std::to_string(security::kept_question::longest_word));
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

std::vector<std::byte> open_question::request() const {
  const secret_bytes number = blinded().bytes();
  return wire::write(security::blinded_request{number, known_.identity().tag});
}

oblivious_token open_question::finish(byte_view reply) const {
  const auto message = wire::read<security::signed_reply>(reply);
  const number received(message.number);
  const modulus& ring = known_.ring();
  const std::string_view word = text_of(word_);
  const bool with_proof = known_.protocol() == oprf;
  number signature;
  bool right = known_.is_element(received) && message.proof.empty() != with_proof;
  if (right && with_proof) {
    right = known_.proves(blinded(), received, message.proof);
    if (right) signature = ring.power(received, secure::exponents().inverse(blind_));
  } else if (right) {
    signature = ring.product(received, ring.inverse(blind_));
    right = ring.power(signature, number(secure::rsa_key::exponent)) == known_.hash(word);
  }
  if (!right) fail(errc::corrupt, "the reply is not what this server's key makes of the request");
  return {oblivious_public::token(word, signature), known_};
}

secret_bytes open_question::save() const {
  const secret_bytes value = known_.value().bytes();
  const secret_bytes blind = blind_.bytes();
  return wire::write<secret_bytes>(
      security::kept_question{static_cast<std::uint64_t>(known_.protocol()), value, blind, word_});
}

open_question open_question::load(byte_view stored) {
  const auto kept = wire::read<security::kept_question>(stored);
  oblivious_public known(static_cast<oblivious_protocol>(kept.protocol), number(kept.value));
  number blind(kept.blind);
  const bool sound =
      known.protocol() == rsa ? known.ring().holds(blind) : secure::is_exponent(blind);
  if (!sound) fail(errc::corrupt, "an open question is blinded by an impossible number");
  return {std::move(known), kept.word, std::move(blind)};
}

}  // namespace bloomery
