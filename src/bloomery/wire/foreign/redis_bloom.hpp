// The Bloom filter of RedisBloom, which BF.ADD makes: a value of the type MBbloom--, as DUMP has it.
//
// Purpose:   ask, examine and make such values without a server; the module for Redis finds cells and sizes by
//            the same functions.
// Cost:      two hashes a key, and a division for each of its bits, in each filter of the chain.
// Guarantee: the bits are those of RedisBloom 2, and of its 1 where that wrote other ones. Fields are checked
//            before they are believed, so that no question leaves the bits, takes long, or divides by nothing.
// Citation:  Almeida, Baquero, Preguiça, Hutchison 2007 (chains); Kirsch, Mitzenmacher 2006 (two hashes).
//
//     using bloomery::foreign::redis_bloom;
//     assert(redis_bloom::size_of(1000, 0.0005).bits == 15872);
//     assert(redis_bloom::size_of(1000, 0.0005).hashes == 11);
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/hash/murmur.hpp"
#include "bloomery/wire/foreign/redis_value.hpp"

namespace bloomery::foreign {

class redis_bloom final : public redis_value {
 public:
  static constexpr format_info format{.name = "redis-bloom",
                                      .title = "Bloom filter of Redis",
                                      .writer = "BF.ADD, as DUMP has it",
                                      .keys = "items, as they are"};
  static constexpr std::string_view type = "MBbloom--";
  static constexpr std::uint64_t encoding = 4;
  static constexpr double usual_rate = 0.01;
  static constexpr std::uint64_t usual_growth = 2;
  static constexpr double tightening = 0.5;  // of the rate, from one filter of a chain to the next
  static constexpr std::uint64_t most_links = 65535;
  // The rate of the least positive number needs 1,075.
  static constexpr std::uint64_t most_hashes = 1100;

  // What a filter of so many keys and such a rate takes; beyond all limits, errc::limit.
  struct size {
    double bits_a_key;
    std::uint64_t bits;
    std::uint32_t hashes;
  };
  static size size_of(std::uint64_t capacity, double rate);
  // The bits of a filter in the first encoding, which does not store their number.
  static std::uint64_t untold_bits(std::uint64_t capacity, double bits_a_key);

  // A key as two numbers, which all filters of a chain share.
  struct pair {
    std::uint64_t a;
    std::uint64_t b;
  };
  static pair pair_of(byte_view key, bool with_64_bits) {
    if (with_64_bits) {
      const std::uint64_t a = hash::murmur_64a(key, 0xc6a4a7935bd1e995);
      return {a, hash::murmur_64a(key, a)};
    }
    const std::uint32_t a = hash::murmur_2(key, 0x9747b28c);
    return {a, hash::murmur_2(key, a)};
  }

  static std::unique_ptr<filter> read(byte_view payload, const wire::load_options& options);
  // At a rate that all filters of the chain keep together.
  static std::unique_ptr<filter> make(std::uint64_t keys, std::optional<double> rate);

  [[nodiscard]] const format_info& info() const override { return format; }
  [[nodiscard]] std::uint64_t bits() const override;
  [[nodiscard]] std::uint64_t hashes() const override { return links_.back().hashes; }
  [[nodiscard]] std::uint64_t ones() const override;
  // Of independent places: those of two hashes fall together now and then, which strangers to small filters meet
  // (a tenth more of them at a hundred keys).
  [[nodiscard]] double current_rate() const override;
  [[nodiscard]] std::optional<double> promised_rate() const override;
  [[nodiscard]] std::vector<fact> facts() const override;
  [[nodiscard]] std::unique_ptr<filter> emptied() const override;

 private:
  struct link {
    std::uint64_t capacity;
    double rate;
    std::uint64_t hashes;
    double bits_a_key;
    std::uint64_t told_bits;
    std::uint64_t exponent;  // of a range that is a power of two, in old filters; else 0
    std::uint64_t range;     // of positions
    redis_bytes cells;
    std::uint64_t items;
  };
  enum : std::uint64_t { no_round = 1, entries_are_bits = 2, force_64 = 4, no_scaling = 8 };

  void grow(std::uint64_t capacity, double rate);
  static void require_sound(const link& each);
  static bool has(const link& in, const pair& key);
  [[nodiscard]] pair hashed(byte_view key) const {
    return pair_of(key, (options_ & force_64) != 0);
  }
  void add(byte_view key) override;
  [[nodiscard]] bool has(byte_view key) const override;
  [[nodiscard]] redis_dump encoded() const override;

  std::uint64_t items_ = 0;
  std::uint64_t options_ = no_round | force_64;
  std::uint64_t growth_ = usual_growth;
  std::vector<link> links_;
};

}  // namespace bloomery::foreign
