// The value of BF.* keys: a chain of Bloom filters, each for more keys at half the rate of the one before
// (Almeida, Baquero, Preguiça, Hutchison 2007), in the bits and the encoding of the type MBbloom--.
//
// Guarantee: the same insertions make the same bytes as in other modules of this type, in RDB, in DUMP and
//            in the chunks of SCANDUMP; nothing read is believed unchecked.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bloomery/core/modulus.hpp"
#include "redis/type.hpp"

namespace bloomery::redis {

class bloom_chain : public stored<bloom_chain> {
 public:
  static constexpr const char* type_name = "MBbloom--";
  static constexpr int encoding = 4;
  static constexpr std::uint32_t default_growth = 2;  // unless a client says otherwise
  static constexpr std::uint64_t most_bytes_of_chunk = std::uint64_t{16} << 20;

  // A key as two numbers, which all filters of a chain share.
  struct hash {
    std::uint64_t a;
    std::uint64_t b;
  };

  struct link {
    block bits;
    std::uint64_t told_bits;  // as it is stored, which old filters may not be asked by
    core::modulus range;      // of positions
    std::uint64_t capacity;
    std::uint64_t items;
    double rate;
    double bits_a_key;
    std::uint32_t hashes;
    std::uint8_t exponent;  // of a range that is a power of two, in old filters; else 0
  };

  enum class outcome { is_new, was_there, full };

  // The rate must be above 0 and below 1, the capacity above 0.
  bloom_chain(std::uint64_t capacity, double rate, std::uint32_t growth, bool scaling,
              budget allowed);

  // Of the header that `header` makes, with all bits still to come in chunks.
  static bloom_chain from_header(byte_view header, budget allowed);

  [[nodiscard]] hash of(byte_view key) const;
  void prefetch(const hash& key) const;
  [[nodiscard]] bool contains(const hash& key) const;
  // `allowance` says what the key may take, once it has to be known: when the chain grows.
  template <class Allowance>
  outcome add(const hash& key, const Allowance& allowance) {
    if (contains(key)) return outcome::was_there;
    if (links_.back().items >= links_.back().capacity) {
      if ((options_ & no_scaling) != 0) return outcome::full;
      grow(allowance());
    }
    put(key);
    return outcome::is_new;
  }

  [[nodiscard]] const auto& links() const { return links_; }
  [[nodiscard]] std::uint64_t items() const { return items_; }
  [[nodiscard]] std::uint64_t capacity() const;
  // Nothing if it does not grow.
  [[nodiscard]] std::optional<std::uint32_t> growth() const;
  // As other modules of this type report it, whatever it takes here.
  [[nodiscard]] std::uint64_t reported_bytes() const;
  [[nodiscard]] bool is_64_bit() const { return (options_ & force_64) != 0; }

  // Chunks: `position` counts bytes of all filters, in order.
  [[nodiscard]] std::string header() const;
  [[nodiscard]] byte_view chunk(std::uint64_t position) const;  // empty behind the last
  // Throws errc::invalid if no filter has these bytes.
  void set_chunk(std::uint64_t position, byte_view bytes);

  static bloom_chain load(reading& from, int written);  // with which encoding
  void save(writing& to) const;
  void rewrite(rewriting& to) const;
  [[nodiscard]] std::size_t memory() const;
  [[nodiscard]] bloom_chain copy() const;
  template <class Move>
  void relocate(const Move& move) {
    for (link& each : links_) each.bits.relocate(move);
  }

 private:
  // Bits of what is stored as options.
  enum : std::uint32_t { no_round = 1, entries_are_bits = 2, force_64 = 4, no_scaling = 8 };
  static constexpr std::uint32_t known_options = 15;

  bloom_chain() = default;
  void grow(std::uint64_t capacity, double rate, budget allowed);
  void grow(budget allowed);
  void put(const hash& key);
  void require_sound() const;

  std::vector<link, allocator<link>> links_;
  std::uint64_t items_ = 0;
  std::uint32_t options_ = no_round | force_64;
  std::uint32_t growth_ = default_growth;
};

}  // namespace bloomery::redis
