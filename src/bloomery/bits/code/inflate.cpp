#include "bloomery/bits/code/inflate.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/core/error.hpp"

namespace bloomery::bits {
namespace {

constexpr std::size_t longest_code = 15;
constexpr std::size_t literals = 288;  // with the lengths behind them
constexpr std::size_t distances = 32;
constexpr unsigned end_of_block = 256;

[[noreturn]] void malformed(const std::string& what) {
  fail(errc::corrupt, "a compressed stream " + what);
}

// Bits from the lowest of each byte on.
class bit_reader {
 public:
  explicit bit_reader(byte_view bytes) : bytes_(bytes) {}

  unsigned take(unsigned count) {
    unsigned value = 0;
    for (unsigned i = 0; i < count; ++i, ++at_) {
      if (at_ / 8 == bytes_.size()) malformed("ends too early");
      value |= (std::to_integer<unsigned>(bytes_[at_ / 8]) >> at_ % 8 & 1U) << i;
    }
    return value;
  }
  void to_whole_byte() { at_ = (at_ + 7) / 8 * 8; }
  [[nodiscard]] bool at_end() const { return at_ == 8 * bytes_.size(); }

 private:
  byte_view bytes_;
  std::size_t at_ = 0;
};

// A prefix code that is told by the lengths of its words alone: words of one length are consecutive numbers, in
// the order of their symbols, and begin where the shorter ones ended.
class prefix_code {
 public:
  explicit prefix_code(std::span<const std::uint8_t> lengths) {
    for (const std::uint8_t each : lengths) ++words_[each];
    const std::size_t used = lengths.size() - words_[0];
    words_[0] = 0;
    std::array<std::size_t, longest_code + 2> place{};
    std::int64_t open = 1;  // words of this length that no shorter one begins
    for (std::size_t length = 1; length <= longest_code; ++length) {
      open = 2 * open - words_[length];
      if (open < 0) malformed("has a code with too many words");
      place[length + 1] = place[length] + words_[length];
    }
    if (open > 0 && used > 1) malformed("has a code with too few words");
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != 0) {
        symbols_[place[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
      }
    }
  }

  unsigned read(bit_reader& bits) const {
    std::uint32_t word = 0;
    std::uint32_t first = 0;   // of this length
    std::uint32_t behind = 0;  // symbols of shorter words
    for (std::size_t length = 1; length <= longest_code; ++length) {
      word = word << 1 | bits.take(1);
      first <<= 1;
      if (word - first < words_[length]) return symbols_[behind + (word - first)];
      first += words_[length];
      behind += words_[length];
    }
    malformed("has a word that is not in its code");
  }

 private:
  std::array<std::uint16_t, longest_code + 1> words_{};
  std::array<std::uint16_t, literals> symbols_{};
};

// A number is the least of its symbol, and so many more bits.
struct range {
  std::uint16_t least;
  std::uint8_t bits;
};

constexpr std::array<range, 29> length_ranges = [] {
  std::array<range, 29> all{};
  unsigned least = 3;
  for (unsigned i = 0; i < 28; ++i) {
    const unsigned bits = i < 8 ? 0 : i / 4 - 1;
    all[i] = {static_cast<std::uint16_t>(least), static_cast<std::uint8_t>(bits)};
    least += 1U << bits;
  }
  all[28] = {258, 0};
  return all;
}();

constexpr std::array<range, 30> distance_ranges = [] {
  std::array<range, 30> all{};
  unsigned least = 1;
  for (unsigned i = 0; i < 30; ++i) {
    const unsigned bits = i < 4 ? 0 : i / 2 - 1;
    all[i] = {static_cast<std::uint16_t>(least), static_cast<std::uint8_t>(bits)};
    least += 1U << bits;
  }
  return all;
}();

template <std::size_t N>
unsigned number_in(const std::array<range, N>& ranges, unsigned symbol, bit_reader& bits) {
  if (symbol >= N) malformed("has a symbol that means nothing");
  return ranges[symbol].least + bits.take(ranges[symbol].bits);
}

class inflation {
 public:
  inflation(byte_view stream, std::size_t most) : bits_(stream), most_(most) {}

  std::vector<std::byte> run() {
    read_head();
    bool last = false;
    while (!last) {
      last = bits_.take(1) == 1;
      read_block(bits_.take(2));
    }
    bits_.to_whole_byte();
    read_checksum();
    if (!bits_.at_end()) malformed("goes on behind its end");
    return std::move(made_);
  }

 private:
  void read_head() {
    const unsigned method = bits_.take(8);
    const unsigned flags = bits_.take(8);
    const bool dictionary = (flags & 0x20U) != 0;
    if ((method & 0xFU) != 8 || method >> 4 > 7 || (method * 256 + flags) % 31 != 0 || dictionary) {
      malformed("does not begin as zlib's do");
    }
  }

  void read_block(unsigned kind) {
    switch (kind) {
      case 0:
        read_stored();
        break;
      case 1:
        read_fixed();
        break;
      case 2:
        read_dynamic();
        break;
      default:
        malformed("has a block of no known kind");
    }
  }

  void read_stored() {
    bits_.to_whole_byte();
    const unsigned size = bits_.take(16);
    if ((bits_.take(16) ^ size) != 0xFFFFU) malformed("has a block of two sizes");
    for (unsigned i = 0; i < size; ++i) add(static_cast<std::byte>(bits_.take(8)));
  }

  void read_fixed() {
    std::array<std::uint8_t, literals> lengths{};
    std::fill_n(lengths.begin(), 144, std::uint8_t{8});
    std::fill_n(lengths.begin() + 144, 112, std::uint8_t{9});
    std::fill_n(lengths.begin() + 256, 24, std::uint8_t{7});
    std::fill_n(lengths.begin() + 280, 8, std::uint8_t{8});
    std::array<std::uint8_t, distances> far{};
    far.fill(5);
    read_symbols(prefix_code(lengths), prefix_code(far));
  }

  void read_dynamic() {
    const std::size_t near = bits_.take(5) + 257;
    const std::size_t far = bits_.take(5) + 1;
    const std::size_t told = bits_.take(4) + 4;
    if (near > 286 || far > 30) malformed("has codes with too many symbols");
    constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                 11, 4,  12, 3, 13, 2, 14, 1, 15};
    std::array<std::uint8_t, order.size()> of_lengths{};
    for (std::size_t i = 0; i < told; ++i) {
      of_lengths[order[i]] = static_cast<std::uint8_t>(bits_.take(3));
    }
    const prefix_code code(of_lengths);
    std::array<std::uint8_t, literals + distances> lengths{};
    for (std::size_t i = 0; i < near + far;) {
      const unsigned symbol = code.read(bits_);
      if (symbol < 16) {
        lengths[i++] = static_cast<std::uint8_t>(symbol);
        continue;
      }
      if (symbol == 16 && i == 0) malformed("repeats a length before the first");
      const std::uint8_t repeated = symbol == 16 ? lengths[i - 1] : std::uint8_t{0};
      const std::size_t times =
          symbol == 18 ? 11 + bits_.take(7) : 3 + bits_.take(symbol == 16 ? 2 : 3);
      if (times > near + far - i) malformed("has more lengths than symbols");
      std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(i), times, repeated);
      i += times;
    }
    if (lengths[end_of_block] == 0) malformed("has a block without an end");
    const std::span all(lengths);
    read_symbols(prefix_code(all.first(near)), prefix_code(all.subspan(near, far)));
  }

  void read_symbols(const prefix_code& near, const prefix_code& far) {
    for (;;) {
      const unsigned symbol = near.read(bits_);
      if (symbol == end_of_block) return;
      if (symbol < end_of_block) {
        add(static_cast<std::byte>(symbol));
        continue;
      }
      const unsigned length = number_in(length_ranges, symbol - end_of_block - 1, bits_);
      const unsigned distance = number_in(distance_ranges, far.read(bits_), bits_);
      if (distance > made_.size()) malformed("repeats what was before its start");
      for (unsigned i = 0; i < length; ++i) add(made_[made_.size() - distance]);
    }
  }

  void add(std::byte byte) {
    if (made_.size() == most_) {
      fail(errc::limit, "a compressed stream holds more than " + std::to_string(most_) + " bytes");
    }
    made_.push_back(byte);
  }

  void read_checksum() {
    constexpr std::uint32_t prime = 65521;
    std::uint32_t sum = 1;
    std::uint32_t of_sums = 0;
    for (const std::byte each : made_) {
      sum = (sum + std::to_integer<std::uint32_t>(each)) % prime;
      of_sums = (of_sums + sum) % prime;
    }
    std::uint32_t told = 0;
    for (int i = 0; i < 4; ++i) told = told << 8 | bits_.take(8);
    if (told != (of_sums << 16 | sum)) malformed("does not have the checksum that it tells");
  }

  bit_reader bits_;
  std::size_t most_;
  std::vector<std::byte> made_;
};

}  // namespace

std::vector<std::byte> inflate(byte_view stream, std::size_t most_bytes) {
  return inflation(stream, most_bytes).run();
}

}  // namespace bloomery::bits
