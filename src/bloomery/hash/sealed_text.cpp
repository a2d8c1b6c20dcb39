#include "bloomery/hash/sealed_text.hpp"

#include <cassert>

namespace bloomery::hash {
namespace {

constexpr unsigned was_cut = 0x80;

void append(std::string& to, std::uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8) to += static_cast<char>(word >> shift);
}

// Both ways.
std::string under_stream(const hasher& hash, digest of, std::string text) {
  for (std::size_t at = 0; at < text.size(); at += 16) {
    std::string input = "bloomery sealed text";
    for (const std::uint64_t word : {of.lo, of.hi, std::uint64_t{at}}) append(input, word);
    const digest made = hash(input);
    std::string stream;
    append(stream, made.lo);
    append(stream, made.hi);
    for (std::size_t i = 0; i < stream.size() && at + i < text.size(); ++i) {
      text[at + i] = static_cast<char>(text[at + i] ^ stream[i]);
    }
  }
  return text;
}

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

}  // namespace

std::string sealed_text(const hasher& hash, digest of, std::string_view text, std::size_t size) {
  assert(size > 0 && size < was_cut);
  std::size_t length = text.size();
  if (length > size - 1) {
    length = size - 1;
    while (length > 0 && size - length < 4 && continues_character(text[length])) --length;
  }
  const auto mark = static_cast<unsigned>(length) | (length < text.size() ? was_cut : 0);
  std::string open(1, static_cast<char>(mark));
  open.append(text.substr(0, length)).resize(size, '\0');
  return under_stream(hash, of, std::move(open));
}

std::string unsealed_text(const hasher& hash, digest of, std::string_view sealed) {
  const std::string open = under_stream(hash, of, std::string(sealed));
  if (open.empty()) return {};
  const auto mark = static_cast<unsigned char>(open[0]);
  const std::size_t length = mark & (was_cut - 1);
  if (length >= open.size() || open.find_first_not_of('\0', 1 + length) != std::string::npos) {
    return {};
  }
  return open.substr(1, length) + ((mark & was_cut) != 0 ? "…" : "");
}

}  // namespace bloomery::hash
