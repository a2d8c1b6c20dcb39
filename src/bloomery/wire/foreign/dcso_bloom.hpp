// The file of DCSO's `bloom`, which security teams use to share indicators.
//
// Purpose:   read and write what that tool, and gaucho or pybloom with it, read and write. Keys are lines.
// Cost:      one 64-bit hash a key, and a multiplication and two divisions for each of its bits.
// Guarantee: reads files that are not compressed by gzip, with the data that may follow the bits, which is kept.
// Citation:  the form is that of DCSO's flor and bloom, 0.2.
//
//     const auto made = bloomery::foreign::dcso_bloom::plan(100, 0.01);
//     assert(made.probes == 7 && made.size > 958 && made.size < 1000);
#pragma once

#include <cstdint>
#include <string_view>

#include "bloomery/wire/foreign/format.hpp"

namespace bloomery::foreign {

struct dcso_bloom {
  static constexpr format_info info{.name = "dcso-bloom",
                                    .title = "DCSO bloom file",
                                    .writer = "bloom",
                                    .keys = "lines, as they are"};
  static constexpr std::size_t head_bytes = 48;
  static constexpr double usual_rate = 0.01;
  static constexpr std::uint64_t modulus = 18446744073709551557U;
  static constexpr std::uint64_t factor = 18446744073709550147U;

  std::uint64_t capacity = 0;
  double rate = usual_rate;
  std::uint64_t probes = 0;
  std::uint64_t size = 0;  // bits
  std::uint64_t items = 0;
  std::vector<std::byte> data = {};  // of whoever wrote it

  static bool recognises(byte_view start, std::uint64_t length);
  static found_bits<dcso_bloom> read(byte_view file);
  static dcso_bloom plan(std::uint64_t keys, std::optional<double> rate);

  [[nodiscard]] std::uint64_t bytes() const { return (size + 63) / 64 * 8; }
  [[nodiscard]] std::uint64_t bits() const { return size; }
  [[nodiscard]] std::uint64_t hashes() const { return probes; }
  static std::uint64_t fnv1(std::string_view key);
  void each_bit(std::string_view key, auto visit) const {
    std::uint64_t hash = fnv1(key) % modulus;
    for (std::uint64_t i = 0; i < probes; ++i) {
      hash = hash * factor % modulus;
      if (!visit(hash % size)) return;
    }
  }
  void inserted(bool fresh) { items += std::uint64_t{fresh}; }

  [[nodiscard]] double current_rate(const filter& of, byte_view bits) const;
  [[nodiscard]] double promised_rate() const { return rate; }
  [[nodiscard]] std::vector<fact> facts() const;
  [[nodiscard]] std::vector<std::byte> head() const;
  [[nodiscard]] byte_view tail() const { return data; }
};

}  // namespace bloomery::foreign
