#include "bloomery/apps/overlay/qrp.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "bloomery/bits/code/inflate.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::overlay {
namespace {

constexpr std::uint32_t multiplier = 0x4F1BBCDC;
constexpr std::byte reset_variant{0};
constexpr std::byte patch_variant{1};
constexpr std::size_t reset_bytes = 6;
constexpr std::size_t patch_head = 5;
constexpr std::size_t stream_overhead = 64;  // of zlib, for what does not become shorter

char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[noreturn]] void malformed(const std::string& what) {
  fail(errc::corrupt, "a message of query routing " + what);
}

// Entry i of those that are packed, first in the high bits, as a signed number.
int entry_of(byte_view packed, std::uint64_t i, unsigned bits) {
  if (bits == 8) return static_cast<std::int8_t>(packed[i]);
  const auto byte = std::to_integer<unsigned>(packed[i / 2]);
  const unsigned nibble = i % 2 == 0 ? byte >> 4 : byte & 0xFU;
  return static_cast<int>(nibble ^ 8U) - 8;
}

}  // namespace

std::uint32_t qrp_hash(std::string_view word, unsigned bits) {
  assert(bits >= 1 && bits <= 32);
  std::uint32_t folded = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto byte = static_cast<unsigned char>(small_letter(word[i]));
    folded ^= std::uint32_t{byte} << (8 * (i % 4));
  }
  return folded * multiplier >> (32 - bits);
}

std::vector<std::string> qrp_words(std::string_view text) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char c : text) {
    const char small = small_letter(c);
    const bool part = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') ||
                      static_cast<unsigned char>(small) >= 0x80;
    if (part && !inside) words.emplace_back();
    if (part) words.back().push_back(small);
    inside = part;
  }
  return words;
}

qrp_table::qrp_table(std::uint64_t slots, std::uint8_t infinity) : infinity_(infinity) {
  math::require_whole("slots", slots, 2, most_qrp_slots);
  math::require_whole("infinity", infinity, 2, 127);
  if (!std::has_single_bit(slots)) {
    fail(errc::invalid, "slots is " + std::to_string(slots) + "; allowed: powers of two");
  }
  distances_.assign(slots, infinity);
}

void qrp_table::add(std::string_view word) {
  distances_[qrp_hash(word, static_cast<unsigned>(std::countr_zero(slots())))] = 1;
}

void qrp_table::merge(const qrp_table& other) {
  if (other.slots() != slots() || other.infinity_ != infinity_) {
    fail(errc::incompatible, "one table has " + std::to_string(slots()) + " slots, the other " +
                                 std::to_string(other.slots()) + ", or another infinity");
  }
  for (std::size_t i = 0; i < distances_.size(); ++i) {
    distances_[i] = std::min(distances_[i], other.distances_[i]);
  }
}

bool qrp_table::may_match(std::span<const std::string> words) const {
  const auto bits = static_cast<unsigned>(std::countr_zero(slots()));
  return !words.empty() && std::ranges::all_of(words, [&](const std::string& word) {
    return distances_[qrp_hash(word, bits)] < infinity_;
  });
}

double qrp_table::fill() const {
  const auto used =
      std::ranges::count_if(distances_, [&](std::uint8_t each) { return each < infinity_; });
  return static_cast<double>(used) / static_cast<double>(slots());
}

std::vector<std::vector<std::byte>> qrp_table::messages(unsigned entry_bits,
                                                        std::size_t most_bytes) const {
  const bool short_entries = entry_bits == 4 && infinity_ > 9;  // 1 - 9 is the least of 4 bits
  if ((entry_bits != 4 && entry_bits != 8) || short_entries || most_bytes == 0) {
    fail(errc::invalid, "entries have " + std::to_string(entry_bits) +
                            " bits; allowed: 4, up to infinity 9, or 8");
  }
  std::vector<std::byte> entries(slots() * entry_bits / 8);
  for (std::size_t i = 0; i < distances_.size(); ++i) {
    const auto change = static_cast<unsigned>(int{distances_[i]} - int{infinity_});
    if (entry_bits == 8) {
      entries[i] = static_cast<std::byte>(change & 0xFFU);
    } else {
      entries[i / 2] |= static_cast<std::byte>((change & 0xFU) << (i % 2 == 0 ? 4 : 0));
    }
  }
  const std::size_t patches = (entries.size() + most_bytes - 1) / most_bytes;
  if (patches > 255) fail(errc::invalid, "a table takes more than 255 messages of that size");

  std::vector<std::vector<std::byte>> made(1 + patches);
  made[0].resize(reset_bytes, reset_variant);
  core::store_le(&made[0][1], static_cast<std::uint32_t>(slots()));
  made[0][5] = std::byte{infinity_};
  for (std::size_t i = 0; i < patches; ++i) {
    const byte_view some = byte_view(entries)
                               .subspan(i * most_bytes)
                               .first(std::min(most_bytes, entries.size() - i * most_bytes));
    made[i + 1] = {patch_variant, static_cast<std::byte>(i + 1), static_cast<std::byte>(patches),
                   std::byte{0}, static_cast<std::byte>(entry_bits)};
    made[i + 1].insert(made[i + 1].end(), some.begin(), some.end());
  }
  return made;
}

void qrp_reader::take(byte_view message) {
  if (message.empty()) malformed("is empty");
  if (message[0] == reset_variant) {
    reset(message);
  } else if (message[0] == patch_variant) {
    patch(message);
  } else {
    malformed("is neither a reset nor a patch");
  }
}

void qrp_reader::reset(byte_view body) {
  if (body.size() != reset_bytes)
    malformed("resets with " + std::to_string(body.size()) + " bytes");
  const auto slots = core::load_le<std::uint32_t>(&body[1]);
  const auto infinity = std::to_integer<std::uint8_t>(body[5]);
  if (slots < 2 || !std::has_single_bit(slots) || infinity < 2 || infinity > 127) {
    malformed("resets to " + std::to_string(slots) + " slots and infinity " +
              std::to_string(infinity));
  }
  if (slots > limits_.slots) {
    fail(errc::limit, "a query routing table of " + std::to_string(slots) +
                          " slots; this party takes up to " + std::to_string(limits_.slots));
  }
  table_.emplace(slots, infinity);
  data_.clear();
  next_ = 0;
}

void qrp_reader::patch(byte_view body) {
  if (!table_) malformed("patches a table that was never reset");
  if (body.size() < patch_head) malformed("ends in its head");
  const auto number = std::to_integer<unsigned>(body[1]);
  const patch_form form{.sequence = std::to_integer<unsigned>(body[2]),
                        .compressor = std::to_integer<unsigned>(body[3]),
                        .entry_bits = std::to_integer<unsigned>(body[4])};
  if (form.compressor > 1 || (form.entry_bits != 4 && form.entry_bits != 8)) {
    malformed("has compressor " + std::to_string(form.compressor) + " and entries of " +
              std::to_string(form.entry_bits) + " bits");
  }
  const bool first = number == 1;
  if (number == 0 || number > form.sequence || (first ? next_ != 0 : number != next_) ||
      (!first && form != form_)) {
    malformed("is patch " + std::to_string(number) + " of " + std::to_string(form.sequence) +
              " where another was due");
  }
  const bool plain = form.compressor == 0;
  const std::size_t entries = (table_->slots() * form.entry_bits + 7) / 8;
  const std::size_t most = plain ? entries : entries + entries / 512 + stream_overhead;
  const byte_view data = body.subspan(patch_head);
  const std::size_t before = first ? 0 : data_.size();
  if (data.size() > most - before) malformed("patches more slots than there are");
  if (plain && number == form.sequence && before + data.size() != entries) {
    malformed("patches fewer slots than there are");
  }
  if (first) data_.clear();
  data_.insert(data_.end(), data.begin(), data.end());
  form_ = form;
  next_ = number + 1;
  if (number != form.sequence) return;

  next_ = 0;
  std::vector<std::byte> all = std::exchange(data_, {});
  if (!plain) all = bits::inflate(all, entries);
  if (all.size() != entries) malformed("patches fewer slots than there are");
  qrp_table changed = *table_;
  for (std::uint64_t i = 0; i < changed.slots(); ++i) {
    const int distance = int{changed.distances_[i]} + entry_of(all, i, form.entry_bits);
    if (distance < 1 || distance > int{changed.infinity_}) {
      malformed("makes a distance of " + std::to_string(distance));
    }
    changed.distances_[i] = static_cast<std::uint8_t>(distance);
  }
  if (changed.fill() > limits_.fill) {
    fail(errc::limit, "a query routing table's fill is " + format_real(changed.fill()) +
                          "; this party takes up to " + format_real(limits_.fill));
  }
  table_ = std::move(changed);
}

}  // namespace bloomery::overlay
