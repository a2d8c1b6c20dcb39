// What the secure filters need of OpenSSL, without its headers: nothing here is a primitive of ours.
//
// Purpose:   a pseudo-random function (HMAC-SHA-256), a keystream (AES-256-CTR), random bytes, numbers
//            modulo n (hashing to them by SHAKE-256, powers, inverses), the quadratic residues of a
//            safe prime, RSA.
// Cost:      some 2 µs for prf, 3 ms for a power with a full exponent of 2048 bits.
// Guarantee: powers, inverses and private RSA run in time that does not depend on secret values, as
//            far as OpenSSL promises it; numbers, blocks and secret_bytes are wiped when they go. A
//            machine without random bytes throws errc::io, a refusal of memory errc::out_of_memory.
// Citation:  the prime is RFC 3526's of 2048 bits, p = 2q + 1; Pohlig, Hellman 1978.
//
//     using namespace bloomery::secure;
//     const number x = residue_of("example", "zebra");
//     const number a = random_exponent();
//     const number b = random_exponent();
//     const bloomery::secure::modulus& p = safe_prime();
//     assert(p.power(p.power(x, a), b) == p.power(p.power(x, b), a) && is_residue(p.power(x, a)));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/wiped.hpp"

struct bignum_st;
struct bn_mont_ctx_st;
struct evp_pkey_st;

namespace bloomery::secure {

struct keystream_cipher;
struct discard {
  void operator()(keystream_cipher* held) const noexcept;
  void operator()(bignum_st* held) const noexcept;
  void operator()(bn_mont_ctx_st* held) const noexcept;
  void operator()(evp_pkey_st* held) const noexcept;
};

using core::wipe;
using secret_bytes = core::wiped_bytes;
bool same_bytes(byte_view a, byte_view b);  // in time that depends on the lengths alone
void fill_random(std::span<std::byte> bytes);

// 32 bytes that are wiped.
struct block : std::array<std::byte, 32> {
  block() : array{} {}
  block(const block&) = default;
  block& operator=(const block&) = default;
  ~block() { wipe(*this); }
};
block prf(byte_view key, byte_view input);
block sha256(std::span<const byte_view> parts);

// Uniform 64-bit words that a key determines.
class keystream {
 public:
  explicit keystream(const block& key);
  std::uint64_t next();

 private:
  std::unique_ptr<keystream_cipher, discard> cipher_;
};

inline constexpr std::size_t modulus_bits = 2048;
inline constexpr std::size_t modulus_bytes = modulus_bits / 8;

// A whole number of any size, from 0.
class number {
 public:
  number();
  explicit number(std::uint64_t value);
  explicit number(byte_view big_endian);
  [[nodiscard]] number copy() const;
  [[nodiscard]] secret_bytes bytes(
      std::size_t size = modulus_bytes) const;  // big-endian; it must fit
  [[nodiscard]] bignum_st* get() const { return held_.get(); }
  friend bool operator==(const number& a, const number& b);

 private:
  std::unique_ptr<bignum_st, discard> held_;
};

// Arithmetic modulo n. Operands are below n.
class modulus {
 public:
  explicit modulus(number n);
  [[nodiscard]] const number& value() const { return n_; }
  [[nodiscard]] bool holds(const number& x) const;  // from 1 to n - 1
  // Uniform within 2^-128; a purpose is a hash function of its own.
  [[nodiscard]] number hash(std::string_view purpose, std::string_view text) const;
  [[nodiscard]] number random() const;  // from 1 to n - 1
  [[nodiscard]] number product(const number& a, const number& b) const;
  [[nodiscard]] number difference(const number& a, const number& b) const;
  [[nodiscard]] number inverse(const number& a) const;  // errc::corrupt if there is none
  [[nodiscard]] number power(const number& base, const number& exponent) const;  // n is odd

 private:
  number n_;
  std::unique_ptr<bn_mont_ctx_st, discard> montgomery_;
};

// Half the numbers modulo the safe prime p are squares: a group of prime order q, so that no power
// tells more of its base than that it is one. 1 is left out.
const modulus& safe_prime();
const modulus& exponents();  // modulo p - 1
number residue_of(std::string_view purpose, std::string_view text);
bool is_residue(const number& x);
number random_exponent();
bool is_exponent(const number& x);  // prime to p - 1

// A private RSA key of 2048 bits.
class rsa_key {
 public:
  static constexpr std::uint64_t exponent = 65537;
  static rsa_key generate();
  static rsa_key load(byte_view der);  // errc::corrupt unless it is one that works
  [[nodiscard]] secret_bytes save() const;
  [[nodiscard]] number modulus_value() const;
  [[nodiscard]] number sign(const number& x) const;  // x^d, with OpenSSL's own blinding

 private:
  explicit rsa_key(evp_pkey_st* held) : held_(held) {}
  std::unique_ptr<evp_pkey_st, discard> held_;
};

}  // namespace bloomery::secure
