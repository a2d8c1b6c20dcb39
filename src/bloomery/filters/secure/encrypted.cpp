#include "bloomery/filters/secure/encrypted.hpp"

#include <bit>
#include <cassert>

#include "bloomery/hash/mix.hpp"

namespace bloomery {
namespace {

using secure::content;
using secure::modulus_bytes;
using secure::number;

constexpr std::string_view purpose = "bloomery encrypted filter";

number residue_in(content what, byte_view received) {
  number x(secure::opened(what, received, modulus_bytes, modulus_bytes));
  if (!secure::is_residue(x)) {
    fail(errc::corrupt, std::string(secure::name_of(what)) + " holds no quadratic residue");
  }
  return x;
}

number exponent_in(content what, byte_view received) {
  number k(secure::opened(what, received, modulus_bytes, modulus_bytes));
  if (!secure::is_exponent(k)) {
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
  return cipher_key(exponent_in(content::cipher_secret, stored));
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
  return secure::enclosed<secure::secret_bytes>(content::owner_share,
                                                key_.times(pad.inverse()).bytes());
}

secure::secret_bytes set_asker::share(const cipher_key& pad) const {
  return secure::enclosed<secure::secret_bytes>(content::asker_share,
                                                pad.times(key_.inverse()).bytes());
}

secure::message set_asker::ask(std::string_view word) const {
  return secure::enclosed(content::cipher_query, key_.encrypt(word).bytes());
}

query_converter::query_converter(byte_view asker_share, byte_view owner_share)
    : ratio_(secure::exponents().product(exponent_in(content::asker_share, asker_share),
                                         exponent_in(content::owner_share, owner_share))) {
  if (!secure::is_exponent(ratio_)) fail(errc::invalid, "asker and owner have the same key");
}

query_converter query_converter::load(byte_view stored) {
  return query_converter(exponent_in(content::conversion, stored));
}

secure::secret_bytes query_converter::save() const {
  return secure::enclosed<secure::secret_bytes>(content::conversion, ratio_.bytes());
}

secure::message query_converter::convert(byte_view query) const {
  const number turned =
      secure::safe_prime().power(residue_in(content::cipher_query, query), ratio_);
  return secure::enclosed(content::converted_query, turned.bytes());
}

converted_query::converted_query(byte_view received)
    : ciphertext_(residue_in(content::converted_query, received)) {}

positions encrypted_rule::positions_of(const shape& s, const cipher_key& key,
                                       std::string_view word) {
  return slices_of(s, key.encrypt(word));
}

positions encrypted_rule::positions_of(const shape& s, const converted_query& query) {
  return slices_of(s, query.ciphertext());
}

}  // namespace bloomery
