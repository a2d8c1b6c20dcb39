#include "bloomery/filters/secure/encrypted.hpp"

#include <bit>
#include <cassert>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery {
namespace {

using secure::modulus_bytes;
using secure::number;
using secure::secret_sort;

constexpr std::string_view purpose = "bloomery encrypted filter";

// Slices from the front; `width` is at most 64.
hash::positions slices_of(const encrypted_shape& s, const number& ciphertext) {
  const secure::secret_bytes bytes = ciphertext.bytes();
  const std::uint64_t width = s.slice_bits();
  assert(width >= 1 && width <= 64);
  hash::positions at;
  std::uint64_t bit = 0;
  for (std::uint64_t i = 0; i < s.hashes; ++i) {
    std::uint64_t slice = 0;
    for (std::uint64_t j = 0; j < width; ++j, ++bit) {
      const auto byte = std::to_integer<std::uint64_t>(bytes[bit / 8]);
      slice = slice << 1 | (byte >> (7 - bit % 8) & 1);
    }
    at.push_back(hash::reduce(slice << (64 - width), s.bits));
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

cipher_key cipher_key::load(byte_view stored) {
  number k(secure::opened(secret_sort::cipher_key, stored, modulus_bytes, modulus_bytes));
  if (!secure::is_exponent(k)) {
    fail(errc::corrupt, "a cipher key holds no exponent prime to p - 1");
  }
  return cipher_key(std::move(k));
}

secure::secret_bytes cipher_key::save() const {
  return secure::enclosed(secret_sort::cipher_key, exponent_.bytes());
}

number cipher_key::encrypt(std::string_view word) const {
  return secure::safe_prime().power(secure::residue_of(purpose, word), exponent_);
}

converted_query::converted_query(number ciphertext, hash_identity owner)
    : ciphertext_(std::move(ciphertext)), identity_(owner) {
  if (!secure::is_residue(ciphertext_)) {
    fail(errc::corrupt, "a converted query holds no quadratic residue");
  }
}

hash::positions encrypted_rule::positions_of(const shape& s, const cipher_key& key,
                                             std::string_view word) {
  return slices_of(s, key.encrypt(word));
}

hash::positions encrypted_rule::positions_of(const shape& s, const converted_query& query) {
  return slices_of(s, query.ciphertext());
}

template struct erasure<encrypted_filter>;

}  // namespace bloomery
