// Automerge's filter of changes, as it stands in a message of its sync protocol, and by itself.
//
// Purpose:   read which changes a peer says it has, and say which ones somebody has, so that the other sends the
//            rest. `automerge-sync` is a whole message; `automerge-filter` the filter in it. A key is the hash of a
//            change, in hexadecimal.
// Cost:      10 bits a change and 7 probes, as Automerge makes them, is a rate of 0.82 %, and up to 1.7 % of a few
//            changes, whose probes often meet; the filter says how many it has of both, so that another rate is
//            understood as well. No hash is computed: a key is one.
// Guarantee: of a message all that Automerge puts around the filter is checked for its lengths and kept as it is.
//            A message without a filter is refused, and so is one with several, which Automerge never sends. An
//            empty filter, as peers send that have nothing new, claims nothing and takes no key.
// Citation:  Kleppmann, Howard 2020, Byzantine eventual consistency (filters of changes); Dillinger, Manolios 2004
//            (triple hashing); the form is that of Automerge 1 to 3.
//
//     const auto made = bloomery::foreign::automerge_sync::plan(12, std::nullopt);
//     assert(made.bits() == 120 && made.hashes() == 7);
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/wire/foreign/format.hpp"

namespace bloomery::foreign {

// What both forms share.
struct automerge_bloom {
  static constexpr std::uint64_t usual_bits = 10;  // an entry
  static constexpr std::uint64_t usual_probes = 7;
  static constexpr std::uint64_t most_bits_an_entry = 64;

  std::uint64_t entries = 0;
  std::uint64_t bits_per_entry = usual_bits;
  std::uint64_t probes = usual_probes;

  [[nodiscard]] std::uint64_t bytes() const { return (entries * bits_per_entry + 7) / 8; }
  [[nodiscard]] std::uint64_t bits() const { return 8 * bytes(); }
  [[nodiscard]] std::uint64_t hashes() const { return probes; }
  // Its first twelve bytes; errc::invalid unless it is 64 hexadecimal digits.
  static std::array<std::uint32_t, 3> numbers_of(std::string_view change);
  static std::string example_key(std::uint64_t i);
  void each_bit(std::string_view change, auto visit) const {
    const std::uint64_t size = bits();
    auto [x, y, z] = numbers_of(change);
    std::uint64_t place = x % size;
    std::uint64_t step = y % size;
    for (std::uint64_t i = 0; i < probes; ++i) {
      if (!visit(place)) return;
      place = (place + step) % size;
      step = (step + z % size) % size;
    }
  }
  void inserted(bool /*fresh*/) {}
  [[nodiscard]] double current_rate(const filter& of, byte_view bits) const;

 protected:
  static automerge_bloom planned(std::uint64_t keys, std::optional<double> rate);
  // The bytes before the bits; none of an empty filter.
  [[nodiscard]] std::vector<std::byte> prefix() const;
  // The filter that is the whole of the bytes, which begin with its prefix.
  static automerge_bloom in(byte_view bytes);
};

struct automerge_filter : automerge_bloom {
  static constexpr format_info info{.name = "automerge-filter",
                                    .title = "Automerge filter of changes",
                                    .writer = "Automerge",
                                    .keys = "hashes of changes, in hexadecimal"};

  static bool recognises(byte_view start, std::uint64_t length);
  static found_bits<automerge_filter> read(byte_view file);
  static automerge_filter plan(std::uint64_t keys, std::optional<double> rate);
  static automerge_filter of(const automerge_bloom& same) { return {same}; }

  [[nodiscard]] std::vector<fact> facts() const;
  [[nodiscard]] std::vector<std::byte> head() const { return prefix(); }
  [[nodiscard]] static byte_view tail() { return {}; }
};

struct automerge_sync : automerge_bloom {
  static constexpr format_info info{.name = "automerge-sync",
                                    .title = "Automerge sync message",
                                    .writer = "Automerge",
                                    .keys = "hashes of changes, in hexadecimal"};

  // A peer that names no heads, wants no change by its name, was never in sync and sends no changes: the other
  // sends what the filter lacks.
  std::vector<std::byte> front{std::byte{0x42}, std::byte{0}, std::byte{0}, std::byte{1},
                               std::byte{0}};
  std::vector<std::byte> back{std::byte{0}};
  std::uint64_t heads = 0;
  std::uint64_t needs = 0;
  std::uint64_t last_sync = 0;
  std::uint64_t changes = 0;

  static bool recognises(byte_view start, std::uint64_t length);
  static found_bits<automerge_sync> read(byte_view file);
  static automerge_sync plan(std::uint64_t keys, std::optional<double> rate);
  static automerge_sync of(const automerge_bloom& same);

  [[nodiscard]] std::vector<fact> facts() const;
  [[nodiscard]] std::vector<std::byte> head() const;
  [[nodiscard]] byte_view tail() const { return back; }
};

}  // namespace bloomery::foreign
