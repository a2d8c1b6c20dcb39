// Peers told only what they do not know yet: a filter of the known ones goes ahead, in 260 bytes.
//
// Purpose:   swarm discovery. Who looks for peers sends a filter of those it knows; the other answers with some
//            that the filter does not claim. A salt, new each time, makes another choice of what is wrongly
//            taken for known, so that nobody stays hidden.
// Cost:      the bytes of the filter, and 8 a new peer.
// Guarantee: no peer that was known is sent; one that was not is left out at the filter's rate. Filters fuller
//            than useful, and all that is malformed, are refused by errc::corrupt or errc::limit.
// Citation:  Pouwelse et al. 2008 (Tribler); Tarkoma §IV-B.
//
//     const std::vector<std::uint64_t> known{1, 2, 3};
//     const auto sent = bloomery::overlay::known_message(known, 260, 99);
//     const auto heard = bloomery::overlay::open_known(sent);
//     assert(heard.knows(2) && !heard.knows(4));
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/apps/overlay/messages.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::overlay {

struct known_peers {
  static constexpr std::string_view name = "swarm/known";
  std::uint64_t salt = 0;
  std::uint64_t hashes = 0;
  byte_view bits;
  static constexpr std::tuple fields{
      whole_field("salt", "of the hashes", &known_peers::salt, 0, any_number),
      whole_field("hashes", "bits of a peer", &known_peers::hashes, 1, 32),
      wire::bytes_field("bits", "of the filter", &known_peers::bits, 1, 4096),
  };
};

struct new_peers {
  static constexpr std::string_view name = "swarm/new";
  byte_view peers;
  static constexpr std::tuple fields{
      wire::bytes_field("peers", "8 bytes each", &new_peers::peers, 0, std::uint64_t{8} * 4096),
  };
};

// The filter of another's known peers.
class known_filter {
 public:
  known_filter(standard_filter filter, std::uint64_t salt)
      : filter_(std::move(filter)), salt_(salt) {}
  [[nodiscard]] bool knows(std::uint64_t peer) const {
    return filter_.may_contain(digest_of(peer, salt_));
  }
  [[nodiscard]] double rate() const { return filter_.current_rate(); }
  static digest digest_of(std::uint64_t peer, std::uint64_t salt) {
    const std::uint64_t lo = hash::mix(hash::mix(salt) + peer);
    return {lo, hash::mix(lo ^ hash::golden)};
  }

 private:
  standard_filter filter_;
  std::uint64_t salt_;
};

// The hashes are those that claim fewest strangers.
inline std::vector<std::byte> known_message(std::span<const std::uint64_t> known,
                                            std::uint64_t bytes, std::uint64_t salt) {
  constexpr std::uint64_t most_hashes = 32;
  const std::uint64_t hashes =
      known.empty() ? 1 : std::min(most_hashes, math::best_hashes(8 * bytes, known.size()));
  standard_filter filter(standard_shape{8 * bytes, hashes});
  for (const std::uint64_t peer : known) filter.insert(known_filter::digest_of(peer, salt));
  std::vector<std::byte> bits;
  for (const byte_view part : filter.payload()) bits.insert(bits.end(), part.begin(), part.end());
  bits.resize(bytes);  // without the padding
  return wire::write(known_peers{.salt = salt, .hashes = hashes, .bits = bits});
}

inline known_filter open_known(byte_view message) {
  const auto told = wire::read<known_peers>(message);
  const standard_shape shape{8 * told.bits.size(), told.hashes};
  std::vector<std::byte> padded(standard_filter::payload_bytes(shape));
  std::ranges::copy(told.bits, padded.begin());
  auto filter = standard_filter::restore(shape, {}, wire::copied(padded));
  wire::require_useful(filter, filter.record().hash);
  return {std::move(filter), told.salt};
}

// Of `candidates` those that the filter does not claim, at most so many.
inline std::vector<std::byte> new_message(std::span<const std::uint64_t> candidates,
                                          const known_filter& theirs, std::size_t most) {
  std::vector<std::byte> peers;
  for (const std::uint64_t peer : candidates) {
    if (peers.size() == 8 * most) break;
    if (theirs.knows(peer)) continue;
    peers.resize(peers.size() + 8);
    core::store_le(&peers[peers.size() - 8], peer);
  }
  return wire::write(new_peers{.peers = peers});
}

inline std::vector<std::uint64_t> open_new(byte_view message) {
  const auto told = wire::read<new_peers>(message);
  if (told.peers.size() % 8 != 0) {
    fail(errc::corrupt,
         "peers has " + std::to_string(told.peers.size()) + " bytes; allowed: a multiple of 8");
  }
  std::vector<std::uint64_t> peers;
  for (std::size_t at = 0; at < told.peers.size(); at += 8) {
    peers.push_back(core::load_le<std::uint64_t>(&told.peers[at]));
  }
  return peers;
}

}  // namespace bloomery::overlay
