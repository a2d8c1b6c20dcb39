#include "bloomery/wire/foreign/automerge_bloom.hpp"

#include <algorithm>
#include <limits>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/hash/xxh64.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/laws/triple_hashing.hpp"

namespace bloomery::foreign {
namespace {

constexpr std::byte first_version{0x42};
constexpr std::byte second_version{0x43};
constexpr std::uint64_t hash_bytes = 32;
constexpr std::size_t key_digits = 2 * hash_bytes;
constexpr std::uint64_t most_filter_bits = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_filters = 8;  // in what is taken for a message at all

void put_number(std::vector<std::byte>& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<std::byte>((value & 0x7f) | 0x80));
  to.push_back(static_cast<std::byte>(value));
}

// Goes through bytes of which only the start may be there; `sound` until they cannot be what is asked for.
class walk {
 public:
  walk(byte_view start, std::uint64_t length) : start_(start), length_(length) {}

  [[nodiscard]] bool sound() const { return sound_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::uint64_t left() const { return length_ - at_; }
  void refuse() { sound_ = false; }

  // LEB128, up to 2^32 - 1, in as few bytes as it takes: Automerge refuses more.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35 && sound_ && at_ < start_.size(); shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(start_[at_++]);
      value |= (byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if ((byte == 0 && shift != 0) || value > std::numeric_limits<std::uint32_t>::max()) break;
      return value;
    }
    refuse();
    return 0;
  }
  void skip(std::uint64_t bytes) {
    if (bytes > left()) return refuse();
    at_ += bytes;
  }
  std::uint64_t hashes() {
    const std::uint64_t count = number();
    skip(count * hash_bytes);
    return count;
  }

 private:
  byte_view start_;
  std::uint64_t length_;
  std::size_t at_ = 0;
  bool sound_ = true;
};

struct filter_prefix {
  std::uint64_t entries = 0;
  std::uint64_t bits_per_entry = 0;
  std::uint64_t probes = 0;
  bool possible =
      false;  // that they are such numbers, and that the bits have as many bytes as are left
};
filter_prefix prefix_in(walk& from) {
  filter_prefix found;
  found.entries = from.number();
  found.bits_per_entry = from.number();
  found.probes = from.number();
  found.possible = from.sound() && found.entries >= 1 && found.bits_per_entry >= 1 &&
                   found.bits_per_entry <= automerge_bloom::most_bits_an_entry &&
                   found.probes >= 1 && found.probes <= max_hashes &&
                   (found.entries * found.bits_per_entry + 7) / 8 == from.left();
  return found;
}

// The parts of a message up to its filter's bytes.
struct message_front {
  std::uint64_t heads = 0;
  std::uint64_t needs = 0;
  std::uint64_t filters = 0;
  std::uint64_t last_sync = 0;
  std::size_t bytes = 0;  // before the length of the filter
  std::uint64_t filter_bytes = 0;
};
message_front front_in(walk& from, byte_view start) {
  message_front found;
  if (start.empty() || (start[0] != first_version && start[0] != second_version)) from.refuse();
  from.skip(1);
  found.heads = from.hashes();
  found.needs = from.hashes();
  found.filters = from.number();
  if (!from.sound() || found.filters != 1) return found;
  found.last_sync = from.hashes();
  found.bytes = from.at();
  found.filter_bytes = from.number();
  if (found.filter_bytes > from.left()) from.refuse();
  return found;
}

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

std::array<std::uint32_t, 3> automerge_bloom::numbers_of(std::string_view change) {
  std::array<std::uint32_t, 3> numbers{};
  if (change.size() != key_digits ||
      std::ranges::any_of(change, [](char digit) { return digit_value(digit) < 0; })) {
    fail(errc::invalid,
         in_quotes(change) + " is no hash of a change: that is 64 hexadecimal digits");
  }
  for (std::size_t i = 0; i < 12; ++i) {
    const auto byte = static_cast<std::uint32_t>(16 * digit_value(change[2 * i]) +
                                                 digit_value(change[2 * i + 1]));
    numbers[i / 4] |= byte << 8 * (i % 4);
  }
  return numbers;
}

std::string automerge_bloom::example_key(std::uint64_t i) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string key;
  std::array<std::byte, 8> number{};
  core::store_le(number.data(), i);
  for (std::uint64_t part = 0; part < 4; ++part) {
    for (std::uint64_t hash = hash::xxh64(number, part), n = 0; n < 16; ++n, hash >>= 4) {
      key.push_back(digits[hash & 0xf]);
    }
  }
  return key;
}

double automerge_bloom::current_rate(const filter& /*of*/, byte_view bits) const {
  return math::triple_instance_rate(bits, probes);
}

automerge_bloom automerge_bloom::planned(std::uint64_t keys, std::optional<double> rate) {
  automerge_bloom made;
  made.entries = std::max<std::uint64_t>(1, keys);
  const auto require_possible = [&] {
    if (made.entries <= (most_filter_bits - 7) / made.bits_per_entry) return;
    fail(errc::limit, std::to_string(keys) + " keys of " + std::to_string(made.bits_per_entry) +
                          " bits are too many for Automerge, which counts bits in 32 bits");
  };
  if (!rate) {
    require_possible();
    return made;
  }
  const std::uint64_t count = made.entries;
  math::require_plannable(count, *rate);
  const auto keeps = [&](const automerge_bloom& tried) {
    return math::exact_rate(tried.bits(), count, tried.probes) <= *rate &&
           math::triple_rate(tried.bits(), count, tried.probes) <= *rate;
  };
  // Probes of few bits often meet, so that few keys may take more bits than an entry has: more entries, then.
  for (;; made.entries *= 2) {
    made.bits_per_entry = made.entries == count ? 1 : most_bits_an_entry / 2 + 1;
    for (; made.bits_per_entry <= most_bits_an_entry; ++made.bits_per_entry) {
      require_possible();
      made.probes = math::best_hashes(made.bits(), count);
      if (!keeps(made)) continue;
      // What Automerge writes, if that is as good.
      automerge_bloom usual;
      usual.entries = made.entries;
      return usual.bytes() == made.bytes() && keeps(usual) ? usual : made;
    }
  }
}

std::vector<std::byte> automerge_bloom::prefix() const {
  std::vector<std::byte> bytes;
  if (entries == 0) return bytes;
  for (const std::uint64_t number : {entries, bits_per_entry, probes}) put_number(bytes, number);
  return bytes;
}

automerge_bloom automerge_bloom::in(byte_view bytes) {
  walk from(bytes, bytes.size());
  const filter_prefix found = prefix_in(from);
  automerge_bloom made;
  if (bytes.empty()) return made;
  if (!from.sound() || found.entries == 0) {
    fail(errc::corrupt,
         "Automerge's filter begins with how many entries, bits an entry and probes "
         "it has; these bytes do not");
  }
  made.entries = found.entries;
  made.bits_per_entry = found.bits_per_entry;
  made.probes = found.probes;
  if (made.bits_per_entry < 1 || made.bits_per_entry > most_bits_an_entry || made.probes < 1 ||
      made.probes > max_hashes) {
    fail(errc::corrupt, "the filter states " + std::to_string(made.bits_per_entry) +
                            " bits an entry and " + std::to_string(made.probes) +
                            " probes; allowed: 1 to 64 of both");
  }
  if (made.bits() > most_filter_bits) {
    fail(errc::limit, "the filter states " + std::to_string(made.bits()) +
                          " bits; Automerge counts them in 32 bits");
  }
  if (!found.possible) {
    fail(errc::corrupt, "the filter states " + std::to_string(made.bytes()) +
                            " bytes of bits and has " + std::to_string(from.left()));
  }
  return made;
}

// By its length, which its first three numbers state.
bool automerge_filter::recognises(byte_view start, std::uint64_t length) {
  walk from(start, length);
  return prefix_in(from).possible;
}

found_bits<automerge_filter> automerge_filter::read(byte_view file) {
  if (file.empty()) fail(errc::corrupt, "there is nothing in the file");
  const automerge_filter made = of(in(file));
  return {made, file.subspan(made.prefix().size())};
}

automerge_filter automerge_filter::plan(std::uint64_t keys, std::optional<double> rate) {
  return of(planned(keys, rate));
}

std::vector<fact> automerge_filter::facts() const {
  return {{"entries", entries}, {"bits_per_entry", bits_per_entry}};
}

// By its first byte, and lists of hashes and a filter that fit into its length. Of text that begins with a B the
// numbers of hashes and filters are characters, and too large.
bool automerge_sync::recognises(byte_view start, std::uint64_t length) {
  walk from(start, length);
  const message_front found = front_in(from, start);
  if (!from.sound() || found.filters > most_filters) return false;
  if (found.filters != 1 || found.filter_bytes == 0) return true;
  const byte_view rest = start.subspan(std::min(from.at(), start.size()));
  walk inner(rest.first(std::min<std::uint64_t>(rest.size(), found.filter_bytes)),
             found.filter_bytes);
  return prefix_in(inner).possible;
}

found_bits<automerge_sync> automerge_sync::read(byte_view file) {
  walk from(file, file.size());
  const message_front found = front_in(from, file);
  if (!from.sound()) fail(errc::corrupt, "the bytes are no sync message of Automerge");
  if (found.filters != 1) {
    fail(errc::unsupported,
         found.filters == 0
             ? std::string(
                   "the sync message has no filter: it asks for changes by their names first")
             : "the sync message has " + std::to_string(found.filters) +
                   " filters; Automerge sends one, and only one is read");
  }
  automerge_sync made;
  const byte_view stored = file.subspan(from.at(), found.filter_bytes);
  static_cast<automerge_bloom&>(made) = in(stored);
  from.skip(found.filter_bytes);
  const byte_view back = file.subspan(from.at());
  made.changes = from.number();
  for (std::uint64_t i = 0; i < made.changes && from.sound(); ++i) from.skip(from.number());
  if (from.sound() && from.left() != 0) from.skip(from.number());  // flags, of later versions
  if (!from.sound() || from.left() != 0) {
    fail(errc::corrupt,
         "what stands behind the filter is not the changes and flags of a sync message");
  }
  made.front.assign(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(found.bytes));
  made.back.assign(back.begin(), back.end());
  made.heads = found.heads;
  made.needs = found.needs;
  made.last_sync = found.last_sync;
  const byte_view bits = stored.subspan(made.prefix().size());
  return {std::move(made), bits};
}

automerge_sync automerge_sync::plan(std::uint64_t keys, std::optional<double> rate) {
  return of(planned(keys, rate));
}

automerge_sync automerge_sync::of(const automerge_bloom& same) {
  automerge_sync made;
  static_cast<automerge_bloom&>(made) = same;
  return made;
}

std::vector<fact> automerge_sync::facts() const {
  return {{"entries", entries}, {"bits_per_entry", bits_per_entry}, {"heads", heads},
          {"needs", needs},     {"last_sync", last_sync},           {"changes", changes}};
}

std::vector<std::byte> automerge_sync::head() const {
  std::vector<std::byte> head = front;
  const std::vector<std::byte> before = prefix();
  put_number(head, before.size() + bytes());
  head.insert(head.end(), before.begin(), before.end());
  return head;
}

}  // namespace bloomery::foreign
