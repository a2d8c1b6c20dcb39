#include "bloomery/filters/secure/crypto.hpp"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include <algorithm>
#include <cassert>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::secure {
namespace {

// What OpenSSL can fail at, given sound arguments, is memory.
void require(bool done) {
  if (!done) fail(errc::out_of_memory, "the cryptographic library could not complete a step");
}
template <class T>
T* required(T* made) {
  require(made != nullptr);
  return made;
}

const unsigned char* in(byte_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* out(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* held) const noexcept {
    Free(held);
  }
};
using bn_context = std::unique_ptr<BN_CTX, freed_by<BN_CTX_free>>;
using digest_context = std::unique_ptr<EVP_MD_CTX, freed_by<EVP_MD_CTX_free>>;
using key_context = std::unique_ptr<EVP_PKEY_CTX, freed_by<EVP_PKEY_CTX_free>>;

bn_context new_context() {
  return bn_context(required(BN_CTX_secure_new()));
}

digest_context hashing(const EVP_MD* function, std::span<const byte_view> parts) {
  digest_context context(required(EVP_MD_CTX_new()));
  require(EVP_DigestInit_ex(context.get(), function, nullptr) == 1);
  for (const byte_view part : parts) {
    require(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
  }
  return context;
}

}  // namespace

bool same_bytes(byte_view a, byte_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

void fill_random(std::span<std::byte> bytes) {
  if (RAND_priv_bytes(out(bytes), static_cast<int>(bytes.size())) != 1) {
    fail(errc::io, "the system gave no random bytes");
  }
}

block prf(byte_view key, byte_view input) {
  block result;
  require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), in(input), input.size(),
               out(result), nullptr) != nullptr);
  return result;
}

block sha256(std::span<const byte_view> parts) {
  const digest_context context = hashing(EVP_sha256(), parts);
  block result;
  require(EVP_DigestFinal_ex(context.get(), out(result), nullptr) == 1);
  return result;
}

struct keystream_cipher {
  std::unique_ptr<EVP_CIPHER_CTX, freed_by<EVP_CIPHER_CTX_free>> context;
  std::array<std::byte, 1024> buffer{};
  std::size_t used = sizeof buffer;
  ~keystream_cipher() { wipe(buffer); }
};

keystream::keystream(const block& key) : cipher_(new keystream_cipher) {
  cipher_->context.reset(required(EVP_CIPHER_CTX_new()));
  const std::array<unsigned char, 16> start{};
  require(EVP_EncryptInit_ex(cipher_->context.get(), EVP_aes_256_ctr(), nullptr, in(key),
                             start.data()) == 1);
}

std::uint64_t keystream::next() {
  auto& buffer = cipher_->buffer;
  if (cipher_->used == buffer.size()) {
    const std::array<unsigned char, sizeof buffer> zeros{};
    int written = 0;
    require(EVP_EncryptUpdate(cipher_->context.get(), out(buffer), &written, zeros.data(),
                              static_cast<int>(zeros.size())) == 1);
    cipher_->used = 0;
  }
  const auto word = core::load_le<std::uint64_t>(buffer.data() + cipher_->used);
  cipher_->used += sizeof word;
  return word;
}

void discard::operator()(keystream_cipher* held) const noexcept {
  delete held;
}
void discard::operator()(bignum_st* held) const noexcept {
  BN_clear_free(held);
}
void discard::operator()(bn_mont_ctx_st* held) const noexcept {
  BN_MONT_CTX_free(held);
}
void discard::operator()(evp_pkey_st* held) const noexcept {
  EVP_PKEY_free(held);
}

number::number() : held_(required(BN_secure_new())) {
  BN_set_flags(get(), BN_FLG_CONSTTIME);
}

number::number(std::uint64_t value) : number() {
  require(BN_set_word(get(), value) == 1);
}

number::number(byte_view big_endian) : number() {
  require(BN_bin2bn(in(big_endian), static_cast<int>(big_endian.size()), get()) != nullptr);
}

number number::copy() const {
  number result;
  require(BN_copy(result.get(), get()) != nullptr);
  return result;
}

secret_bytes number::bytes(std::size_t size) const {
  secret_bytes result(size);
  [[maybe_unused]] const int written = BN_bn2binpad(get(), out(result), static_cast<int>(size));
  assert(written >= 0);
  return result;
}

bool operator==(const number& a, const number& b) {
  const auto size =
      static_cast<std::size_t>(std::max(BN_num_bytes(a.get()), BN_num_bytes(b.get())));
  return same_bytes(a.bytes(size), b.bytes(size));
}

modulus::modulus(number n) : n_(std::move(n)) {
  if (BN_is_odd(n_.get()) == 0) return;
  montgomery_.reset(required(BN_MONT_CTX_new()));
  require(BN_MONT_CTX_set(montgomery_.get(), n_.get(), new_context().get()) == 1);
}

bool modulus::holds(const number& x) const {
  return BN_is_zero(x.get()) == 0 && BN_cmp(x.get(), n_.get()) < 0;
}

number modulus::hash(std::string_view purpose, std::string_view text) const {
  constexpr std::size_t margin = 16;  // a remainder of so many more bytes is uniform within 2^-128
  assert(purpose.size() < 256);
  const std::array length{static_cast<std::byte>(purpose.size())};
  const digest_context context =
      hashing(EVP_shake256(), std::array{byte_view(length), bytes_of(purpose), bytes_of(text)});
  secret_bytes wide(static_cast<std::size_t>(BN_num_bytes(n_.get())) + margin);
  require(EVP_DigestFinalXOF(context.get(), out(wide), wide.size()) == 1);
  const number whole(wide);
  number result;
  require(BN_nnmod(result.get(), whole.get(), n_.get(), new_context().get()) == 1);
  return result;
}

number modulus::random() const {
  number result;
  do {
    if (BN_priv_rand_range(result.get(), n_.get()) != 1) {
      fail(errc::io, "the system gave no random bytes");
    }
  } while (BN_is_zero(result.get()) != 0);
  return result;
}

number modulus::product(const number& a, const number& b) const {
  number result;
  require(BN_mod_mul(result.get(), a.get(), b.get(), n_.get(), new_context().get()) == 1);
  return result;
}

number modulus::difference(const number& a, const number& b) const {
  number result;
  require(BN_mod_sub(result.get(), a.get(), b.get(), n_.get(), new_context().get()) == 1);
  return result;
}

number modulus::inverse(const number& a) const {
  number result;
  if (BN_mod_inverse(result.get(), a.get(), n_.get(), new_context().get()) == nullptr) {
    fail(errc::corrupt, "a number that should have an inverse has none");
  }
  return result;
}

number modulus::power(const number& base, const number& exponent) const {
  assert(montgomery_ != nullptr);
  number result;
  require(BN_mod_exp_mont_consttime(result.get(), base.get(), exponent.get(), n_.get(),
                                    new_context().get(), montgomery_.get()) == 1);
  return result;
}

const modulus& safe_prime() {
  static const modulus prime = [] {
    number p;
    require(BN_get_rfc3526_prime_2048(p.get()) != nullptr);
    return modulus(std::move(p));
  }();
  return prime;
}

const modulus& exponents() {
  static const modulus order = [] {
    number n = safe_prime().value().copy();
    require(BN_sub_word(n.get(), 1) == 1);
    return modulus(std::move(n));
  }();
  return order;
}

number residue_of(std::string_view purpose, std::string_view text) {
  const number x = safe_prime().hash(purpose, text);
  return safe_prime().product(x, x);
}

bool is_residue(const number& x) {
  return safe_prime().holds(x) && BN_is_one(x.get()) == 0 &&
         BN_kronecker(x.get(), safe_prime().value().get(), new_context().get()) == 1;
}

number random_exponent() {
  for (;;) {
    number k = exponents().random();
    if (is_exponent(k)) return k;
  }
}

// p - 1 is 2q: what is prime to it is odd and not q.
bool is_exponent(const number& x) {
  static const number q = [] {
    number half;
    require(BN_rshift1(half.get(), exponents().value().get()) == 1);
    return half;
  }();
  return exponents().holds(x) && BN_is_odd(x.get()) != 0 && BN_is_one(x.get()) == 0 && !(x == q);
}

rsa_key rsa_key::generate() {
  return rsa_key(required(EVP_RSA_gen(modulus_bits)));  // e is 65537 unless told
}

rsa_key rsa_key::load(byte_view der) {
  const auto refuse = [] { fail(errc::corrupt, "this is no RSA key of 2048 bits"); };
  const unsigned char* at = in(der);
  rsa_key key(d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &at, static_cast<long>(der.size())));
  if (key.held_ == nullptr || EVP_PKEY_get_bits(key.held_.get()) != modulus_bits) refuse();
  BIGNUM* found = nullptr;
  require(EVP_PKEY_get_bn_param(key.held_.get(), OSSL_PKEY_PARAM_RSA_E, &found) == 1);
  const bool usual = BN_is_word(found, exponent) != 0;
  BN_free(found);
  if (!usual || !same_bytes(key.save(), der)) refuse();
  number n = key.modulus_value();
  if (BN_is_odd(n.get()) == 0) refuse();
  // A damaged d, prime or coefficient shows in the first signature.
  const modulus ring(std::move(n));
  const number x = ring.hash("probe of an RSA key", {});
  if (!(ring.power(key.sign(x), number(exponent)) == x)) refuse();
  return key;
}

secret_bytes rsa_key::save() const {
  const int size = i2d_PrivateKey(held_.get(), nullptr);
  require(size > 0);
  secret_bytes der(static_cast<std::size_t>(size));
  unsigned char* at = out(der);
  require(i2d_PrivateKey(held_.get(), &at) == size);
  return der;
}

number rsa_key::modulus_value() const {
  number n;
  BIGNUM* into = n.get();
  require(EVP_PKEY_get_bn_param(held_.get(), OSSL_PKEY_PARAM_RSA_N, &into) == 1);
  return n;
}

number rsa_key::sign(const number& x) const {
  const key_context context(required(EVP_PKEY_CTX_new(held_.get(), nullptr)));
  const secret_bytes given = x.bytes(modulus_bytes);
  secret_bytes made(modulus_bytes);
  std::size_t size = made.size();
  const bool done = EVP_PKEY_decrypt_init(context.get()) == 1 &&
                    EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_NO_PADDING) == 1 &&
                    EVP_PKEY_decrypt(context.get(), out(made), &size, in(given), given.size()) == 1;
  if (!done) fail(errc::corrupt, "the RSA key does not work");
  return number(made);
}

}  // namespace bloomery::secure
