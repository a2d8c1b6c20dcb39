// A hash for filters that live no longer than the program: keyed, with a proof, as fast as xxh3_hash.
//
// Purpose:   keys of strangers in a filter that nobody stores, such as that of `bloomery uniq`. The
//            secret is drawn afresh: whoever chose the keys did so without it.
// Cost:      a multiplication for 16 bytes, and five at the end.
// Guarantee: two keys of at most n bytes, chosen without sight of the secret and of answers that depend
//            on it, have one digest with a chance of at most math::universal_collision(n), some 2^-64,
//            whatever they are. No pseudo-random function: a stored filter that strangers may ask again
//            and again needs keyed_hash. The identity is hash_id::custom with a random tag, so that no
//            other filter agrees with it.
// Citation:  Carter, Wegman 1979; Black, Halevi, Krawczyk, Krovetz, Rogaway 1999 (NH, and a polynomial of
//            its blocks).
//
//     const std::array<std::byte, bloomery::universal_hash::secret_bytes> drawn{};  // at random
//     const bloomery::universal_hash hash(drawn);
//     assert(hash("abc") == hash(std::string("abc")) && hash("abc") != hash("abd"));
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/identity.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery {

class universal_hash {
 public:
  static constexpr std::size_t block_bytes = 1024;
  struct secret {
    std::array<std::uint64_t, block_bytes / 8> of_words;
    std::array<std::uint64_t, 2> of_blocks;
    std::uint64_t of_length;
    std::uint64_t of_end;
    std::uint64_t tag;
  };
  static constexpr std::size_t secret_bytes = sizeof(secret);

  explicit universal_hash(byte_view drawn);  // uniformly, once a filter
  [[nodiscard]] hash_identity identity() const { return {hash_id::custom, secret_->tag}; }
  [[nodiscard]] digest operator()(const byte_key auto& key) const { return hash(bytes_of(key)); }

 private:
  [[nodiscard]] digest hash(byte_view key) const;

  std::shared_ptr<const secret> secret_;
};

}  // namespace bloomery
