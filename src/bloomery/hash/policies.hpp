// The hash policies: a key goes in, a digest comes out.
//
// Purpose:   xxh3_hash for keys nobody chooses against you (the default), keyed_hash when they may,
//            integer_hash for 64-bit integers.
// Cost:      `bloomery bench --hash` prints it; see docs/hash.md for the figures and the choice.
// Guarantee: each digest is a fixed function of key bytes (or integer) and seed or secret, the same
//            on every machine. A policy is any type with `identity()` and `operator()`.
// Citation:  XXH3: Collet 2019. HighwayHash: Alakuijala, Cox, Wassenberg, arXiv:1612.06257.
//
//     const bloomery::xxh3_hash hash;
//     assert(hash("abc") == hash(std::string("abc")));
//     assert(hash("abc") != bloomery::xxh3_hash{7}("abc"));
//     const bloomery::integer_hash of_integers;
//     assert(of_integers(1) != of_integers(2));
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/identity.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery {

class xxh3_hash {
 public:
  xxh3_hash() = default;
  explicit xxh3_hash(std::uint64_t seed) : seed_(seed) {}
  [[nodiscard]] hash_identity identity() const { return {hash_id::xxh3, seed_}; }
  [[nodiscard]] digest operator()(const byte_key auto& key) const { return hash(bytes_of(key)); }
  // The digests of a batch: the same, without a call for each. See key_batch.hpp for other keys.
  void all(std::span<const std::string_view> keys, digest* digests) const;

 private:
  [[nodiscard]] digest hash(byte_view key) const;
  std::uint64_t seed_ = default_seed;
};

class keyed_hash {
 public:
  using secret = std::array<std::uint64_t, 4>;
  static constexpr std::size_t secret_bytes = sizeof(secret);

  // 32 secret bytes, little-endian; anything guessable defeats the purpose.
  explicit keyed_hash(byte_view secret_key);
  keyed_hash(const keyed_hash&) = default;
  keyed_hash& operator=(const keyed_hash&) = default;
  ~keyed_hash();  // wipes the secret
  [[nodiscard]] hash_identity identity() const { return {hash_id::keyed, fingerprint_}; }
  [[nodiscard]] digest operator()(const byte_key auto& key) const { return hash(bytes_of(key)); }
  // The digests of a batch: the same, several at once.
  void all(std::span<const std::string_view> keys, digest* digests) const;

 private:
  [[nodiscard]] digest hash(byte_view key) const;
  alignas(32) secret secret_{};
  std::uint64_t fingerprint_ = 0;
};

class integer_hash {
 public:
  integer_hash() : integer_hash(default_seed) {}
  explicit integer_hash(std::uint64_t seed) : seed_(seed), offset_(hash::mix(seed)) {}
  [[nodiscard]] hash_identity identity() const { return {hash_id::integer, seed_}; }

  // Three multiplies, and injective: each half is a bijection of the key. Narrower and signed integers
  // are widened first: equal values are the same key.
  [[nodiscard]] digest operator()(std::integral auto value) const {
    const std::uint64_t hi = hash::mix(static_cast<std::uint64_t>(value) ^ offset_);
    const std::uint64_t product = hi * hash::golden;
    return {product ^ product >> 32, hi};
  }
  // What keys are mixed with: all that vector code needs to know.
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  // The digests of a batch: the same, several at once.
  void all(std::span<const std::uint64_t> values, digest* digests) const;

 private:
  std::uint64_t seed_;
  std::uint64_t offset_;
};

}  // namespace bloomery
