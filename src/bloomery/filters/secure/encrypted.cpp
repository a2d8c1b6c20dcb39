#include "bloomery/filters/secure/encrypted.hpp"

#include <bit>
#include <cassert>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery {
namespace {

using secure::content;
using secure::modulus_bytes;
using secure::number;

constexpr std::string_view purpose = "bloomery encrypted filter";

// A number, and the keys that it is of.
struct signed_number {
  number value;
  std::vector<hash_identity> keys;
};

signed_number number_in(content what, byte_view received, std::size_t keys) {
  const std::size_t size = modulus_bytes + keys * sizeof(secure::key_mark);
  const byte_view body = secure::opened(what, received, size, size);
  signed_number result{number(body.first(modulus_bytes)), {}};
  for (std::size_t at = modulus_bytes; at < size; at += sizeof(secure::key_mark)) {
    result.keys.push_back(secure::marked(body.subspan(at)));
  }
  return result;
}

signed_number residue_in(content what, byte_view received) {
  signed_number x = number_in(what, received, 1);
  if (!secure::is_residue(x.value)) {
    fail(errc::corrupt, std::string(secure::name_of(what)) + " holds no quadratic residue");
  }
  return x;
}

signed_number exponent_in(content what, byte_view received, std::size_t keys) {
  signed_number k = number_in(what, received, keys);
  if (!secure::is_exponent(k.value)) {
    fail(errc::corrupt, std::string(secure::name_of(what)) + " holds no exponent prime to p - 1");
  }
  return k;
}

// Slices from the front; `width` is at most 64.
positions slices_of(const encrypted_shape& s, const number& ciphertext) {
  const secure::secret_bytes bytes = ciphertext.bytes();
  const std::uint64_t width = s.slice_bits();
  assert(width >= 1 && width <= 64);
  positions at;
  std::uint64_t bit = 0;
  for (std::uint64_t i = 0; i < s.hashes; ++i) {
    std::uint64_t slice = 0;
    for (std::uint64_t j = 0; j < width; ++j, ++bit) {
      const auto byte = std::to_integer<std::uint64_t>(bytes[bit / 8]);
      slice = slice << 1 | (byte >> (7 - bit % 8) & 1);
    }
    at.push_back(reduce(slice << (64 - width), s.bits));
  }
  return at;
}

}  // namespace

void encrypted_shape::check() const {
  const auto needed = static_cast<std::uint64_t>(std::bit_width(bits - 1)) + margin;
  if (slice_bits() >= needed) return;
  fail(errc::limit, "hashes is " + std::to_string(hashes) + "; allowed with " +
                        std::to_string(bits) + " bits: 1 to " +
                        std::to_string((secure::modulus_bits - 1) / needed) +
                        ", since the slices come from one number of 2048 bits");
}

cipher_key::cipher_key(number exponent)
    : exponent_(std::move(exponent)), identity_(secure::identity_of(exponent_.bytes())) {}

cipher_key cipher_key::generate() {
  return cipher_key(secure::random_exponent());
}

cipher_key cipher_key::load(byte_view stored) {
  return cipher_key(exponent_in(content::cipher_secret, stored, 0).value);
}

secure::secret_bytes cipher_key::save() const {
  return secure::enclosed<secure::secret_bytes>(content::cipher_secret, exponent_.bytes());
}

number cipher_key::encrypt(std::string_view word) const {
  return secure::safe_prime().power(secure::residue_of(purpose, word), exponent_);
}

number cipher_key::times(const cipher_key& other) const {
  return secure::exponents().product(exponent_, other.exponent_);
}

cipher_key cipher_key::inverse() const {
  return cipher_key(secure::exponents().inverse(exponent_));
}

// Who has the pad reads the key from a share.
secure::secret_bytes set_owner::share(const cipher_key& pad) const {
  return secure::enclosed<secure::secret_bytes>(
      content::owner_share,
      secure::joined({key_.times(pad.inverse()).bytes(), secure::mark_of(key_.identity()),
                      secure::mark_of(pad.identity())}));
}

secure::secret_bytes set_asker::share(const cipher_key& pad) const {
  return secure::enclosed<secure::secret_bytes>(
      content::asker_share,
      secure::joined({pad.times(key_.inverse()).bytes(), secure::mark_of(key_.identity()),
                      secure::mark_of(pad.identity())}));
}

secure::message set_asker::ask(std::string_view word) const {
  return secure::enclosed(
      content::cipher_query,
      secure::joined({key_.encrypt(word).bytes(), secure::mark_of(key_.identity())}));
}

query_converter::query_converter(byte_view asker_share, byte_view owner_share) {
  const signed_number asker = exponent_in(content::asker_share, asker_share, 2);
  const signed_number owner = exponent_in(content::owner_share, owner_share, 2);
  if (asker.keys[1] != owner.keys[1]) {
    fail(errc::incompatible, "the pad of the asker's share is not that of the owner's");
  }
  *this = query_converter(secure::exponents().product(asker.value, owner.value), asker.keys[0],
                          owner.keys[0]);
  if (!secure::is_exponent(ratio_)) fail(errc::invalid, "asker and owner have the same key");
}

query_converter query_converter::load(byte_view stored) {
  signed_number ratio = exponent_in(content::conversion, stored, 2);
  return {std::move(ratio.value), ratio.keys[0], ratio.keys[1]};
}

secure::secret_bytes query_converter::save() const {
  return secure::enclosed<secure::secret_bytes>(
      content::conversion,
      secure::joined({ratio_.bytes(), secure::mark_of(asker_), secure::mark_of(owner_)}));
}

secure::message query_converter::convert(byte_view query) const {
  const signed_number asked = residue_in(content::cipher_query, query);
  if (asked.keys[0] != asker_) {
    fail(errc::incompatible, "the query is not under the key of the asker that this is for");
  }
  const number turned = secure::safe_prime().power(asked.value, ratio_);
  return secure::enclosed(content::converted_query,
                          secure::joined({turned.bytes(), secure::mark_of(owner_)}));
}

converted_query::converted_query(byte_view received) {
  signed_number query = residue_in(content::converted_query, received);
  ciphertext_ = std::move(query.value);
  identity_ = query.keys[0];
}

positions encrypted_rule::positions_of(const shape& s, const cipher_key& key,
                                       std::string_view word) {
  return slices_of(s, key.encrypt(word));
}

positions encrypted_rule::positions_of(const shape& s, const converted_query& query) {
  return slices_of(s, query.ciphertext());
}

template struct erasure<encrypted_filter>;

}  // namespace bloomery
