// The digest of all messages that arrived, in order: two runs agree if their digests do.
//
// Purpose:   shows that the same parties do the same in two worlds, or twice in one.
// Cost:      two hashes of a message, no memory for it.
// Guarantee: another time, sender, receiver, message or order gives another digest, but for a chance of
//            2^-128. Worlds whose clocks differ agree on a time of zero.
//
//     bloomery::lab::transcript a, b;
//     a.add({}, bloomery::apps::peer{1}, bloomery::apps::peer{2}, {});
//     assert(a.summary() != b.summary());
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/apps/party.hpp"
#include "bloomery/hash/policies.hpp"

namespace bloomery::lab {

class transcript {
 public:
  void add(time when, peer from, peer to, byte_view message) {
    const digest said = xxh3_hash{}(message);
    const std::uint64_t ends =
        std::uint64_t{static_cast<std::uint32_t>(from)} << 32 | static_cast<std::uint32_t>(to);
    const std::array<std::uint64_t, 6> words{
        so_far_.lo, so_far_.hi, static_cast<std::uint64_t>(when.time_since_epoch().count()),
        ends,       said.lo,    said.hi};
    std::array<std::byte, sizeof words> bytes;
    for (std::size_t i = 0; i < words.size(); ++i) core::store_le(&bytes[8 * i], words[i]);
    so_far_ = xxh3_hash{}(byte_view(bytes));
  }
  [[nodiscard]] digest summary() const { return so_far_; }

 private:
  digest so_far_;
};

}  // namespace bloomery::lab
