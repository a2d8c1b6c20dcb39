// The split-block Bloom filter of Apache Parquet, as it stands in a file before a column's pages.
//
// Purpose:   ask a filter that Arrow, DuckDB, Impala, Spark or Trino wrote, once it is cut out of its Parquet
//            file, and write one. The key is a value as Parquet's plain encoding has it; of a string that is
//            the string itself.
// Cost:      blocks of 256 bits, 8 bits a key, each in a word of its own; powers of two, as its writers take.
// Guarantee: reads the form of the specification only: uncompressed, xxHash, blocks; up to 128 MiB, its limit.
// Citation:  Putze, Sanders, Singler 2007 (blocks); Apache Parquet, BloomFilter.md.
//
//     const auto made = bloomery::foreign::parquet_block::plan(1000, 0.01);
//     assert(made.blocks == 64);
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bloomery/wire/foreign/format.hpp"

namespace bloomery::foreign {

struct parquet_block {
  static constexpr format_info info{
      .name = "parquet-block",
      .title = "Parquet split-block Bloom filter",
      .writer = "Apache Parquet",
      .keys = "values in Parquet's plain encoding; strings as they are"};
  static constexpr std::uint64_t words = 8;
  static constexpr std::uint64_t block_bytes = 32;
  static constexpr double usual_rate = 0.01;

  std::uint64_t blocks = 0;

  static bool recognises(byte_view start, std::uint64_t length);
  static found_bits<parquet_block> read(byte_view file);
  static parquet_block plan(std::uint64_t keys, std::optional<double> rate);

  [[nodiscard]] std::uint64_t bytes() const { return block_bytes * blocks; }
  [[nodiscard]] std::uint64_t bits() const { return 8 * bytes(); }
  [[nodiscard]] static std::uint64_t hashes() { return words; }
  static std::uint64_t hash_of(std::string_view value);
  void each_bit(std::string_view value, auto visit) const {
    const std::uint64_t hash = hash_of(value);
    const std::uint64_t block = (hash >> 32) * blocks >> 32;
    for (std::uint64_t word = 0; word < words; ++word) {
      const std::uint32_t bit = static_cast<std::uint32_t>(hash) * salts[word] >> 27;
      if (!visit((block * words + word) * 32 + bit)) return;
    }
  }
  static void inserted(bool /*fresh*/) {}

  [[nodiscard]] double current_rate(const filter& of, byte_view bits) const;
  [[nodiscard]] std::vector<fact> facts() const;
  [[nodiscard]] std::vector<std::byte> head() const;
  [[nodiscard]] static byte_view tail() { return {}; }

  static constexpr std::array<std::uint32_t, words> salts{0x47b6137b, 0x44974d91, 0x8824ad5b,
                                                          0xa2b7289d, 0x705495c7, 0x2df1424b,
                                                          0x9efc4947, 0x5c6bfb31};
};

}  // namespace bloomery::foreign
