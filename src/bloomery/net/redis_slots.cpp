#include "bloomery/net/redis_slots.hpp"

#include <array>
#include <vector>

namespace bloomery::net {
namespace {

constexpr std::array<std::uint16_t, 256> crc_table() {
  constexpr std::uint16_t polynomial = 0x1021;
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned rest = byte << 8;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest << 1) ^ ((rest & 0x8000) != 0 ? polynomial : 0U);
    }
    table[byte] = static_cast<std::uint16_t>(rest);
  }
  return table;
}

std::uint16_t crc_16(std::string_view bytes) {
  static constexpr auto table = crc_table();
  unsigned sum = 0;
  for (const char c : bytes) {
    sum = (sum << 8 ^ table[(sum >> 8 ^ static_cast<unsigned char>(c)) & 0xff]) & 0xffff;
  }
  return static_cast<std::uint16_t>(sum);
}

// The first text for each slot, in the order of length and letters.
std::vector<std::string> tags() {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::vector<std::string> found(redis_slots);
  std::size_t missing = redis_slots;
  for (std::size_t length = 1; missing != 0; ++length) {
    std::string text(length, letters.front());
    std::vector<std::size_t> at(length);
    for (bool more = true; more && missing != 0;) {
      std::string& place = found[crc_16(text) % redis_slots];
      if (place.empty()) {
        place = text;
        --missing;
      }
      more = false;
      for (std::size_t i = length; i-- > 0 && !more;) {
        at[i] = (at[i] + 1) % letters.size();
        text[i] = letters[at[i]];
        more = at[i] != 0;
      }
    }
  }
  return found;
}

}  // namespace

std::uint16_t redis_slot(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return static_cast<std::uint16_t>(crc_16(key) % redis_slots);
}

const std::string& redis_tag(std::uint16_t slot) {
  static const std::vector<std::string> all = tags();
  return all.at(slot);
}

}  // namespace bloomery::net
