// The exponentially decaying Bloom filter: bits of what is far fade, and the most bits point the way.
//
// Purpose:   a routing table of one filter a link, in which nearer things score higher; which link to
//            take is decided in apps/routing/forwarding.hpp.
// Cost:      one filter of m bits a link, however far it sees; k cache lines a score, k about 32.
// Guarantee: own keys are never missed; keys relayed j times keep each bit with decay^-j, so that their
//            score is k·(q+(1-q)·fill) on average, q = decay^-j. Coins are a function of link and bit:
//            what was sent stays as it is until keys come, and then only gains bits. Links need
//            numbers of their own in the whole network: on two links of one number the same coins fall.
// Citation:  Kumar, Xu, Zegura 2005; Tarkoma §IV-B.
//
//     const bloomery::digest song = bloomery::xxh3_hash{}("song");
//     const auto shape = bloomery::exponential_decay_filter::plan(1000, 0.01);
//     bloomery::exponential_decay_filter far(shape), here(shape);
//     far.insert(song);
//     const bloomery::exponential_decay_filter* behind[] = {&far};
//     const auto sent = bloomery::exponential_decay_filter::advertisement(here, behind, 7);
//     assert(far.score(song) == 32 && sent.score(song) < 32);
#pragma once

#include <array>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/probes.hpp"

namespace bloomery {

struct exponential_decay_shape {
  std::uint64_t bits = 0;
  std::uint64_t hashes = 32;
  double decay = 2;

  static constexpr std::array fields{
      whole_field("bits", "m, the size in bits", &exponential_decay_shape::bits, 1, max_bits),
      whole_field("hashes", "k, bits set per key: the highest score",
                  &exponential_decay_shape::hashes, 1, max_hashes),
      real_field("decay", "a relay keeps one bit in this many", &exponential_decay_shape::decay, 1,
                 1e6),
  };
};

class exponential_decay_cells {
 public:
  using shape = exponential_decay_shape;
  using place = digest;
  using can = ability_list<asks, inserts, merges, advertises, scores, tells_rate>;
  static constexpr kind_info kind{
      .name = "exponential-decay",
      .title = "Exponentially decaying Bloom filter",
      .answers = "Which way is the nearest x?",
      .citation = "Kumar, Xu, Zegura 2005",
      .header = "bloomery/filters/routing/exponential_decay.hpp",
      .by_name_only = "is a routing table",
  };

  explicit exponential_decay_cells(const shape& s)
      : exponential_decay_cells(s, bits::bit_array(s.bits)) {}
  exponential_decay_cells(const shape& s, storage stored)
      : exponential_decay_cells(s, bits::bit_array(s.bits, std::move(stored))) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys);
  static math::query_cost query_cost(const shape& s, std::uint64_t keys) {
    return math::uniform_cost(s.bits, keys, s.hashes);
  }

  void prefetch(digest d) const {
    hash::each_position(probes(), d, [&](std::uint64_t i) { bits_.prefetch(i); });
  }

  bool insert(digest d);
  [[nodiscard]] bool contains(digest d) const {
    return probes().all(d, [&](std::uint64_t i) { return bits_.test(i); });
  }
  [[nodiscard]] std::uint64_t score(digest d) const;  // how many of its k bits are set
  [[nodiscard]] std::uint64_t noise_floor(double chance) const;
  void merge(const exponential_decay_cells& other);
  // Own bits, and of those of the others one in `decay`.
  static exponential_decay_cells advertisement(
      const exponential_decay_cells& own, std::span<const exponential_decay_cells* const> others,
      std::uint64_t link);

  [[nodiscard]] double fill() const {
    return static_cast<double>(ones_) / static_cast<double>(bits_.size());
  }
  [[nodiscard]] double current_rate() const;

  static void each_part(auto& self, auto visit) { visit(self.bits_); }
  static std::uint64_t payload_bytes(const shape& s) { return bits::bit_array_bytes(s.bits); }

 private:
  exponential_decay_cells(const shape& s, bits::bit_array bits)
      : shape_(s), bits_(std::move(bits)), ones_(bits_.count()) {}
  [[nodiscard]] hash::uniform_probes probes() const { return {shape_.bits, shape_.hashes}; }

  shape shape_;
  bits::bit_array bits_;
  std::uint64_t ones_;  // every routing decision needs the fill
};

using exponential_decay_filter = filter<exponential_decay_cells>;

}  // namespace bloomery
