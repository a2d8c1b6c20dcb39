// The cache digest of Squid: which URLs a proxy has, as its siblings ask for it.
//
// Purpose:   read what a Squid says it holds, and write what a Squid believes. The key is a URL as Squid logs
//            it; the method is GET.
// Cost:      5 bits a URL and 4 hashes, as Squid makes them, is a rate of 9 % when full; a rate that is asked
//            for takes as many whole bits a URL as it needs, which Squid reads as well.
// Guarantee: reads what Squid reads and refuses what it refuses: other versions, a mask of the wrong size,
//            another number of hashes, and more than 65 % ones.
// Citation:  Rousskov, Wessels 1998; Tarkoma et al., §IV-A; the form is that of Squid 2.4 to 6.
//
//     const auto url = bloomery::foreign::squid_digest::chunks_of("http://example.org/");
//     assert(url != bloomery::foreign::squid_digest::chunks_of("http://example.org"));
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bloomery/wire/foreign/format.hpp"

namespace bloomery::foreign {

struct squid_digest {
  static constexpr format_info info{.name = "squid-digest",
                                    .title = "Squid cache digest",
                                    .writer = "Squid",
                                    .keys = "URLs, as Squid logs them, asked for with GET"};
  static constexpr double max_fill = 0.65;
  static constexpr std::uint64_t chunks = 4;
  static constexpr std::size_t head_bytes = 128;
  static constexpr std::uint64_t usual_bits = 5;  // a URL
  static constexpr std::string_view path = "/squid-internal-periodic/store_digest";

  std::uint16_t version = 5;
  std::uint16_t required_version = 3;
  std::uint32_t capacity = 0;
  std::uint32_t count = 0;
  std::uint32_t deleted = 0;
  std::uint8_t bits_per_entry = usual_bits;

  static bool recognises(byte_view start, std::uint64_t length);
  static found_bits<squid_digest> read(byte_view file);
  static squid_digest plan(std::uint64_t keys, std::optional<double> rate);

  [[nodiscard]] std::uint64_t bytes() const {
    return (std::uint64_t{capacity} * bits_per_entry + 7) / 8;
  }
  [[nodiscard]] std::uint64_t bits() const { return 8 * bytes(); }
  [[nodiscard]] static std::uint64_t hashes() { return chunks; }
  // The four numbers that become places, modulo the bits.
  static std::array<std::uint32_t, chunks> chunks_of(std::string_view url);
  void each_bit(std::string_view url, auto visit) const {
    const std::uint64_t size = bits();
    for (const std::uint32_t chunk : chunks_of(url)) {
      if (!visit(chunk % size)) return;
    }
  }
  void inserted(bool /*fresh*/) { ++count; }

  [[nodiscard]] static double current_rate(const filter& of, byte_view bits);
  [[nodiscard]] std::vector<fact> facts() const;
  [[nodiscard]] std::vector<std::byte> head() const;
  [[nodiscard]] static byte_view tail() { return {}; }
};

}  // namespace bloomery::foreign
