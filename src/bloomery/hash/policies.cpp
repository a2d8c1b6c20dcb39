#include "bloomery/hash/policies.hpp"

#define XXH_INLINE_ALL
#include <highwayhash/highwayhash_target.h>
#include <highwayhash/instruction_sets.h>
#include <xxhash.h>

#include "bloomery/core/error.hpp"
#include "bloomery/core/wiped.hpp"
#include "bloomery/hash/batch_kernels.hpp"
#include "bloomery/hash/keyed_kernels.hpp"

namespace bloomery {
namespace {

digest highway(const keyed_hash::secret& secret, byte_view key) {
  // The array's own memory, aligned by its owner: copying it stalls the wide loads that follow.
  const auto& words = *reinterpret_cast<const highwayhash::HHKey*>(secret.data());
  HH_ALIGNAS(32) highwayhash::HHResult128 result;
  highwayhash::InstructionSets::Run<highwayhash::HighwayHash>(words, text_of(key).data(),
                                                              key.size(), &result);
  return {result[0], result[1]};
}

digest xxh3(std::uint64_t seed, byte_view key) {
  const XXH128_hash_t h = XXH3_128bits_withSeed(key.data(), key.size(), seed);
  return {h.low64, h.high64};
}

}  // namespace

digest xxh3_hash::hash(byte_view key) const {
  return xxh3(seed_, key);
}

void xxh3_hash::all(std::span<const std::string_view> keys, digest* digests) const {
  const std::uint64_t seed = seed_;
  for (std::size_t i = 0; i < keys.size(); ++i) digests[i] = xxh3(seed, bytes_of(keys[i]));
}

keyed_hash::keyed_hash(byte_view secret_key) {
  if (secret_key.size() != secret_bytes) {
    fail(errc::invalid, "a secret key is " + std::to_string(secret_bytes) +
                            " bytes, this one has " + std::to_string(secret_key.size()));
  }
  for (std::size_t i = 0; i < secret_.size(); ++i) {
    secret_[i] = core::load_le<std::uint64_t>(secret_key.data() + i * sizeof(std::uint64_t));
  }
  fingerprint_ = highway(secret_, bytes_of("bloomery key fingerprint")).lo;
}

keyed_hash::~keyed_hash() {
  core::wipe(std::as_writable_bytes(std::span(secret_)));
}

digest keyed_hash::hash(byte_view key) const {
  return highway(secret_, key);
}

void keyed_hash::all(std::span<const std::string_view> keys, digest* digests) const {
  std::size_t i = hash::keyed_digests(secret_, keys, digests);
  for (; i < keys.size(); ++i) digests[i] = highway(secret_, bytes_of(keys[i]));
}

void integer_hash::all(std::span<const std::uint64_t> values, digest* digests) const {
  std::size_t i = hash::hash_front(offset_, values.data(), values.size(), digests);
  for (; i < values.size(); ++i) digests[i] = (*this)(values[i]);
}

}  // namespace bloomery
