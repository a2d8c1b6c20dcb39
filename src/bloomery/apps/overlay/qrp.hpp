// Gnutella's query routing: tables of hashed keywords, sent as RESET and PATCH messages.
//
// Purpose:   a leaf tells its ultrapeer which words its files have, so that only questions it may answer reach it;
//            ultrapeers tell each other what their leaves have, for the last hop. The bytes are those of the
//            Query Routing Protocol: a RESET with the table's size, and PATCHes with what to add to each slot.
// Cost:      a byte a slot here, half a byte a slot on the wire.
// Guarantee: a table never misses a word that was added; others pass at the share of slots in use. `qrp_reader`
//            believes nothing: errc::corrupt for what no sender may send, errc::limit for tables that are larger
//            or fuller than it takes. Patches are read as they are or compressed, and sent as they are.
// Citation:  Rohrs, Query Routing for the Gnutella Network, 2002; Tarkoma §IV-B.
//
//     bloomery::overlay::qrp_table words(65536);
//     words.add("Monday");
//     bloomery::overlay::qrp_reader reader;
//     for (const auto& message : words.messages()) reader.take(message);
//     const std::vector<std::string> asked{"monday"};
//     assert(reader.whole() && reader.table().may_match(asked));
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/core/bytes.hpp"

namespace bloomery::overlay {

inline constexpr std::uint64_t most_qrp_slots = std::uint64_t{1} << 21;

// The slot of a word, in any case of its letters, in a table of 2^bits; bits is 1 to 31.
std::uint32_t qrp_hash(std::string_view word, unsigned bits);

// The words of a text, in small letters: what letters and digits of ASCII, and bytes beyond it, make up.
std::vector<std::string> qrp_words(std::string_view text);

// How far each slot's words are: 1 for the sender's own, `infinity` for nowhere.
class qrp_table {
 public:
  static constexpr std::uint8_t usual_infinity = 7;

  // errc::invalid unless the slots are a power of two from 2 to most_qrp_slots, and infinity 2 to 127.
  explicit qrp_table(std::uint64_t slots, std::uint8_t infinity = usual_infinity);

  void add(std::string_view word);
  // What either has, at the nearer distance; errc::incompatible unless they are of one size and infinity.
  void merge(const qrp_table& other);
  // Whether the sender may have something with all words. A question of none matches nothing.
  [[nodiscard]] bool may_match(std::span<const std::string> words) const;

  [[nodiscard]] std::uint64_t slots() const { return distances_.size(); }
  [[nodiscard]] std::uint8_t infinity() const { return infinity_; }
  [[nodiscard]] double fill() const;
  friend bool operator==(const qrp_table&, const qrp_table&) = default;

  // A RESET and the PATCHes that make this table of the empty one; entries of 4 or 8 bits, and at most so many
  // bytes of them in a message. errc::invalid if it takes more than 255, or entries are too short.
  [[nodiscard]] std::vector<std::vector<std::byte>> messages(unsigned entry_bits = 4,
                                                             std::size_t most_bytes = 4096) const;

 private:
  friend class qrp_reader;
  std::vector<std::uint8_t> distances_;
  std::uint8_t infinity_;
};

struct qrp_limits {
  std::uint64_t slots = std::uint64_t{1} << 17;
  double fill = 0.5;  // beyond it a word spares less than every other question
};

// A table that comes message by message, and is changed by later patches.
class qrp_reader {
 public:
  explicit qrp_reader(const qrp_limits& limits = {}) : limits_(limits) {}

  // What is thrown leaves the table as it was.
  void take(byte_view message);

  [[nodiscard]] bool begun() const { return table_.has_value(); }  // whether a RESET has come
  // Whether one has, and all PATCHes of the last sequence that was begun.
  [[nodiscard]] bool whole() const { return table_ && next_ == 0; }
  [[nodiscard]] const qrp_table& table() const {
    return *table_;
  }  // whole, or as before the patches

 private:
  // What all messages of a sequence say alike.
  struct patch_form {
    unsigned sequence = 0;  // how many they are
    unsigned compressor = 0;
    unsigned entry_bits = 0;
    friend bool operator==(const patch_form&, const patch_form&) = default;
  };
  void reset(byte_view body);
  void patch(byte_view body);

  qrp_limits limits_;
  std::optional<qrp_table> table_;
  std::vector<std::byte> data_;  // of the sequence that is coming
  unsigned next_ = 0;            // of its messages, from 1; 0 if none is coming
  patch_form form_;
};

}  // namespace bloomery::overlay
