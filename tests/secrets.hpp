// Secrets that are the same in every run, for tests and fuzzers.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bloomery/filters/secure/encrypted.hpp"
#include "bloomery/filters/secure/oblivious.hpp"
#include "bloomery/filters/secure/secure_index.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::testing {

inline index_secret fixed_index_secret(unsigned i) {
  const std::vector<std::byte> master(32, static_cast<std::byte>(i));
  return index_secret::load(secure::enclosed(secure::secret_sort::index_secret, master));
}

// Odd numbers are prime to p - 1, but for one that hashing does not hit.
inline secure::secret_bytes fixed_exponent(std::string_view holder) {
  secure::secret_bytes exponent = secure::exponents().hash("test key", holder).bytes();
  exponent.back() |= std::byte{1};
  return exponent;
}

inline cipher_key fixed_cipher_key(std::string_view holder) {
  return cipher_key::load(
      secure::enclosed(secure::secret_sort::cipher_key, fixed_exponent(holder)));
}

// The RSA key is that of a file in tests/golden.
inline oblivious_secret fixed_oblivious_secret(oblivious_protocol protocol,
                                               const std::string& holder = "oblivious") {
  if (protocol == oblivious_protocol::rsa) {
    const auto path = std::filesystem::path(BLOOMERY_GOLDEN_DIR) / (holder + ".secret");
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return oblivious_secret::load(bytes_of(text));
  }
  const std::array sort{static_cast<std::byte>(protocol)};
  return oblivious_secret::load(secure::enclosed(secure::secret_sort::oblivious_secret,
                                                 secure::joined({sort, fixed_exponent(holder)})));
}
// Its RSA modulus is the greater one, so that no request to the other is beyond it.
inline oblivious_secret impostor_secret(oblivious_protocol protocol) {
  return fixed_oblivious_secret(protocol, "oblivious_impostor");
}

inline oblivious_shape shape_with(oblivious_protocol protocol, std::uint64_t bits,
                                  std::uint64_t hashes) {
  return {bits, hashes, static_cast<std::uint64_t>(protocol)};
}

}  // namespace bloomery::testing
