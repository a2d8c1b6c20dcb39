#include "bloomery/bits/code/entropy_coder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "bloomery/bits/code/byte_scan.hpp"
#include "bloomery/bits/code/rans.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/parallel.hpp"

namespace bloomery::bits {
namespace {

// What the symbols of a block are. Gaps are the counts of the commoner bit before each rarer one.
enum class alphabet : std::uint8_t { raw, bytes, gaps_of_ones, gaps_of_zeros };
// Where their frequencies come from: the count of ones alone, or a table in the block.
enum class model : std::uint8_t { independent_bits, measured };

// A block's head: 16 bytes, docs/format.md has the same table.
struct block_head {
  alphabet symbols = alphabet::raw;
  model frequencies = model::independent_bits;
  rans::lanes lanes = rans::lanes::one;
  std::uint32_t raw_bytes = 0;
  std::uint32_t ones = 0;  // the set bits, or of gaps, the rarer ones
  std::uint32_t coded_bytes = 0;

  [[nodiscard]] std::uint64_t bits() const { return std::uint64_t{8} * raw_bytes; }
};
constexpr std::size_t head_bytes = 16;

// A block is one unit, or many of them if they have so few rarer bits that heads would count.
constexpr std::size_t unit_bytes = std::size_t{1} << 20;
constexpr std::uint64_t most_units = 2048;
constexpr std::uint64_t most_rare_bits_of_many = std::uint64_t{1} << 17;
// If at most one bit in this many is a rarer one, gaps are fewer than bytes, and faster.
constexpr std::uint64_t gaps_from = 32;
// If at most one in this many is, bytes are not even considered. Only such units are joined.
constexpr std::uint64_t bytes_from = 64;
static_assert(most_rare_bits_of_many == 8 * unit_bytes / bytes_from);

// Lanes where their three bytes each hardly count.
constexpr double bits_for_four_lanes = 8 << 12;
constexpr double bits_for_all_lanes = 8 * (48 << 10);
// What a block can take beyond its symbols' cost.
constexpr std::size_t spare_room = 256;
// For less than this share of a block its decoding is not worth the while.
constexpr double least_saving = 1.0 / 2048;

// A gap is a symbol and plain bits; the last symbol stands for 63 · 2^plain_bits and no end yet.
constexpr unsigned most_plain_bits = 32;
constexpr std::size_t gap_symbols = 64;
constexpr std::uint8_t longer = gap_symbols - 1;
static_assert(longer == 63);

using rans::require;

constexpr std::uint64_t most_weight = ~std::uint64_t{0};

std::uint64_t high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(core::uint128{a} * b >> 64);
}

// `part` of `whole` in units of 2^-64, less than 1.
std::uint64_t share(std::uint64_t part, std::uint64_t whole) {
  if (part >= whole) return most_weight;
  return static_cast<std::uint64_t>((core::uint128{part} << 64) / whole);
}

// So that a symbol costs little more than its plain bits: their 2^n values are nearly alike while
// the chance of a rarer bit among as many is below 1/8.
unsigned plain_bits_of(const block_head& head) {
  unsigned bits = 0;
  while (bits < most_plain_bits && std::uint64_t{head.ones} << (bits + 1) <= head.bits() / 8) {
    ++bits;
  }
  return bits;
}

// Weights in whole numbers alone, so that every machine finds the same.
byte_weights weights_of_bytes(const block_head& head) {
  const std::uint64_t one = share(head.ones, head.bits());
  const std::uint64_t zero = share(head.bits() - head.ones, head.bits());
  std::array<std::uint64_t, 9> by_ones{};
  for (unsigned count = 0; count <= 8; ++count) {
    by_ones[count] = most_weight;
    for (unsigned i = 0; i < 8; ++i) by_ones[count] = high(by_ones[count], i < count ? one : zero);
  }
  byte_weights weights{};
  for (unsigned b = 0; b < weights.size(); ++b) {
    weights[b] = std::max(by_ones[static_cast<std::size_t>(std::popcount(b))], std::uint64_t{1});
  }
  return weights;
}

byte_weights weights_of_gaps(const block_head& head) {
  std::uint64_t passed = share(head.bits() - head.ones, head.bits());  // by one symbol's worth
  for (unsigned i = plain_bits_of(head); i != 0; --i) passed = high(passed, passed);
  byte_weights weights{};
  std::uint64_t reached = most_weight;
  for (std::size_t s = 0; s < longer; ++s) {
    const std::uint64_t beyond = high(reached, passed);
    weights[s] = std::max(reached - beyond, std::uint64_t{1});
    reached = beyond;
  }
  weights[longer] = std::max(reached, std::uint64_t{1});
  return weights;
}

std::size_t plain_bytes(const block_head& head) {
  return (std::uint64_t{head.ones} * plain_bits_of(head) + 7) / 8;
}

std::uint64_t most_symbols(const block_head& head) {
  return head.ones + head.bits() / (std::uint64_t{longer} << plain_bits_of(head));
}

bool of_gaps(const block_head& head) {
  return head.symbols == alphabet::gaps_of_ones || head.symbols == alphabet::gaps_of_zeros;
}

byte_weights independent_weights(const block_head& head) {
  return of_gaps(head) ? weights_of_gaps(head) : weights_of_bytes(head);
}

// Measured weights, of the 256 bytes or 64 gaps, below 2^16: seven bits a byte, the lowest first, all
// but the last byte with the eighth bit set; after a 0, a byte that says how many more follow it.
constexpr std::size_t longest_run = 255;
constexpr unsigned weight_bits = 16;

std::size_t symbols_of(const block_head& head) {
  return of_gaps(head) ? gap_symbols : byte_weights{}.size();
}

byte_weights measured_weights(const byte_weights& counts) {
  const std::uint64_t total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  byte_weights weights{};
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    weights[s] = std::max<std::uint64_t>(counts[s] * ((1U << weight_bits) - 1) / total, 1);
  }
  return weights;
}

std::vector<std::byte> write_table(std::span<const std::uint64_t> weights) {
  std::vector<std::byte> table;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    std::uint64_t rest = weights[s];
    for (; rest >= 0x80; rest >>= 7) table.push_back(static_cast<std::byte>(rest | 0x80));
    table.push_back(static_cast<std::byte>(rest));
    if (weights[s] != 0) continue;
    std::size_t more = 0;
    while (more < longest_run && s + 1 < weights.size() && weights[s + 1] == 0) ++more, ++s;
    table.push_back(static_cast<std::byte>(more));
  }
  return table;
}

// Takes the table off the front of `coded`.
byte_weights read_table(byte_view& coded, std::size_t symbols) {
  byte_weights weights{};
  const auto next = [&] {
    require(!coded.empty(), "a table of weights is cut");
    const auto byte = std::to_integer<std::uint64_t>(coded.front());
    coded = coded.subspan(1);
    return byte;
  };
  bool all_zero = true;
  for (std::size_t s = 0; s < symbols; ++s) {
    std::uint64_t byte = 0x80;
    for (unsigned shift = 0; byte >= 0x80; shift += 7) {
      require(shift < weight_bits, "a weight is too large");
      byte = next();
      weights[s] |= (byte & 0x7f) << shift;
    }
    require(weights[s] >> weight_bits == 0, "a weight is too large");
    if (weights[s] != 0) {
      all_zero = false;
      continue;
    }
    const std::uint64_t more = next();
    require(more < symbols - s, "a table of weights is too long");
    s += more;
  }
  require(!all_zero, "a table of weights has only zeros");
  return weights;
}

// ---- encoding

struct gap_list {
  std::unique_ptr<std::byte[]> symbols;
  std::size_t count = 0;
  std::vector<std::byte> plain;

  gap_list(const block_head& head, byte_view raw) {
    const unsigned plain_bits = plain_bits_of(head);
    const std::uint64_t flip =
        head.symbols == alphabet::gaps_of_zeros ? ~std::uint64_t{0} : std::uint64_t{0};
    symbols = std::make_unique_for_overwrite<std::byte[]>(most_symbols(head));
    plain.resize(plain_bytes(head) + 8);
    std::byte* to = plain.data();
    std::uint64_t held = 0;  // bits that are not a whole byte yet
    unsigned held_bits = 0;
    std::uint64_t from = 0;
    const auto add_word = [&](std::uint64_t first, std::uint64_t word) {
      for (; word != 0; word &= word - 1) {
        const std::uint64_t at = first + static_cast<std::uint64_t>(std::countr_zero(word));
        const std::uint64_t gap = at - from;
        from = at + 1;
        std::uint64_t symbol = gap >> plain_bits;
        for (; symbol >= longer; symbol -= longer) symbols[count++] = std::byte{longer};
        symbols[count++] = static_cast<std::byte>(symbol);
        held |= (gap & ((std::uint64_t{1} << plain_bits) - 1)) << held_bits;
        core::store_le(to, held);
        held_bits += plain_bits;
        to += held_bits / 8;
        held >>= held_bits / 8 * 8;
        held_bits %= 8;
      }
    };
    const std::size_t whole = raw.size() / 8 * 8;
    for (std::size_t i = 0; i < whole; i += 8) {
      add_word(8 * i, core::load_le<std::uint64_t>(raw.data() + i) ^ flip);
    }
    for (std::size_t i = whole; i < raw.size(); ++i) {
      add_word(8 * i, (std::to_integer<std::uint64_t>(raw[i]) ^ flip) & 0xff);
    }
    assert(count <= most_symbols(head));
    plain.resize(plain_bytes(head));
  }
};

// The shortest form found so far.
struct choice {
  block_head head;
  double bits = 0;
  std::optional<byte_code> code;
  std::vector<std::byte> table;

  // `plain` bits come with the symbols.
  void consider(block_head candidate, const byte_weights& counts, std::uint64_t plain) {
    candidate.frequencies = model::independent_bits;
    take_if_shorter(candidate, counts, plain, independent_weights(candidate), {});
    if (std::ranges::all_of(counts, [](std::uint64_t count) { return count == 0; })) return;
    candidate.frequencies = model::measured;
    const byte_weights measured = measured_weights(counts);
    take_if_shorter(candidate, counts, plain, measured,
                    write_table(std::span(measured).first(symbols_of(candidate))));
  }

  // Treats the bits as independent: then their cost depends only on the number of ones.
  void consider_bytes(const block_head& candidate) {
    const byte_weights weights = independent_weights(candidate);
    const byte_code with(weights);
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    const double cost = with.cost(weights) / all * candidate.raw_bytes;
    if (cost < bits) *this = {candidate, cost, with, {}};
  }

 private:
  void take_if_shorter(const block_head& candidate, const byte_weights& counts, std::uint64_t plain,
                       const byte_weights& weights, std::vector<std::byte> written) {
    const byte_code with(weights);
    const double cost =
        with.cost(counts) + static_cast<double>(plain + std::uint64_t{8} * written.size());
    if (cost < bits) *this = {candidate, cost, with, std::move(written)};
  }
};

// Every eighth kibibyte of a large block: enough to see whether its bits are independent.
std::vector<std::byte> sample_of(byte_view raw) {
  constexpr std::size_t piece = 1024;
  constexpr std::size_t pieces_apart = 8;
  constexpr std::size_t large = std::size_t{1} << 17;
  std::vector<std::byte> sample;
  if (raw.size() < large) return sample;
  sample.reserve(raw.size() / pieces_apart + piece);
  for (std::size_t at = 0; at + piece <= raw.size(); at += pieces_apart * piece) {
    const byte_view part = raw.subspan(at, piece);
    sample.insert(sample.end(), part.begin(), part.end());
  }
  return sample;
}

bool are_independent(const block_head& head, byte_view sample) {
  choice guess;
  guess.bits = std::numeric_limits<double>::infinity();
  guess.consider(head, count_bytes(sample), 0);
  return guess.head.frequencies == model::independent_bits;
}

struct block {
  byte_view raw;
  std::uint64_t ones = 0;
};

void write_head(const block_head& head, std::byte* to) {
  to[0] = static_cast<std::byte>(head.symbols);
  to[1] = static_cast<std::byte>(head.frequencies);
  to[2] = static_cast<std::byte>(head.lanes);
  core::store_le(to + 4, head.raw_bytes);
  core::store_le(to + 8, head.ones);
  core::store_le(to + 12, head.coded_bytes);
}

std::vector<std::byte> encode_block(const block& from) {
  block_head head;
  head.raw_bytes = static_cast<std::uint32_t>(from.raw.size());
  choice best{head, static_cast<double>(head.bits()) * (1 - least_saving), {}, {}};

  const std::uint64_t rare = std::min(from.ones, head.bits() - from.ones);
  std::optional<gap_list> gaps;
  if (rare <= head.bits() / gaps_from) {
    head.symbols = from.ones == rare ? alphabet::gaps_of_ones : alphabet::gaps_of_zeros;
    head.ones = static_cast<std::uint32_t>(rare);
    gaps.emplace(head, from.raw);
    best.consider(head, count_bytes({gaps->symbols.get(), gaps->count}), 8 * plain_bytes(head));
  }
  if (rare > head.bits() / bytes_from) {
    head.symbols = alphabet::bytes;
    head.ones = static_cast<std::uint32_t>(from.ones);
    const std::vector<std::byte> sample = sample_of(from.raw);
    if (!sample.empty() && are_independent(head, sample)) {
      best.consider_bytes(head);
    } else {
      best.consider(head, count_bytes(from.raw), 0);
    }
  }

  head = best.head;
  if (best.code && best.bits >= bits_for_four_lanes) head.lanes = rans::lanes::four;
  if (best.code && best.bits >= bits_for_all_lanes) head.lanes = rans::lanes::all;
  std::vector<std::byte> coded(head_bytes);
  coded.reserve(head_bytes + static_cast<std::size_t>(best.bits / 8) + spare_room);
  coded.insert(coded.end(), best.table.begin(), best.table.end());
  if (head.symbols == alphabet::raw) {
    coded.insert(coded.end(), from.raw.begin(), from.raw.end());
  } else if (head.symbols == alphabet::bytes) {
    best.code->encode(from.raw, head.lanes, coded);
  } else if (head.ones != 0) {
    coded.resize(coded.size() + 4);
    core::store_le(coded.data() + coded.size() - 4, static_cast<std::uint32_t>(gaps->count));
    coded.insert(coded.end(), gaps->plain.begin(), gaps->plain.end());
    best.code->encode({gaps->symbols.get(), gaps->count}, head.lanes, coded);
  }
  head.coded_bytes = static_cast<std::uint32_t>(coded.size() - head_bytes);
  write_head(head, coded.data());
  return coded;
}

std::vector<block> blocks_of(byte_view raw) {
  std::vector<block> blocks;
  for (std::size_t at = 0; at < raw.size(); at += unit_bytes) {
    const byte_view unit = raw.subspan(at, std::min(unit_bytes, raw.size() - at));
    const std::uint64_t ones = count_ones(unit);
    if (!blocks.empty()) {
      block& last = blocks.back();
      const std::size_t size = last.raw.size() + unit.size();
      const std::uint64_t all = last.ones + ones;
      if (size <= most_units * unit_bytes &&
          std::min(all, std::uint64_t{8} * size - all) <= most_rare_bits_of_many) {
        last = {raw.subspan(at + unit.size() - size, size), all};
        continue;
      }
    }
    blocks.push_back({unit, ones});
  }
  return blocks;
}

template <class Work>
void for_each_block(std::size_t count, unsigned threads, const Work& work) {
  if (count == 0) return;
  std::atomic<std::size_t> next = 0;
  core::on_threads(static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, count)),
                   [&](unsigned) {
                     for (std::size_t i = next++; i < count; i = next++) work(i);
                   });
}

// ---- decoding

// Takes a block's head off the front of `coded`, which has its body next.
block_head take_head(byte_view& coded) {
  require(coded.size() >= head_bytes, "a coded block is cut");
  const std::byte* const at = coded.data();
  block_head head;
  const auto most_lanes = static_cast<rans::lanes>(at[2]);
  require(at[0] <= static_cast<std::byte>(alphabet::gaps_of_zeros) &&
              at[1] <= static_cast<std::byte>(model::measured) &&
              (most_lanes == rans::lanes::one || most_lanes == rans::lanes::four ||
               most_lanes == rans::lanes::all) &&
              at[3] == std::byte{0},
          "a coded block is of no known form");
  head.lanes = most_lanes;
  head.symbols = static_cast<alphabet>(at[0]);
  head.frequencies = static_cast<model>(at[1]);
  head.raw_bytes = core::load_le<std::uint32_t>(at + 4);
  head.ones = core::load_le<std::uint32_t>(at + 8);
  head.coded_bytes = core::load_le<std::uint32_t>(at + 12);
  coded = coded.subspan(head_bytes);
  require(head.coded_bytes <= coded.size(), "a coded block is cut");
  require(head.raw_bytes != 0 && head.ones <= head.bits() / (of_gaps(head) ? gaps_from : 1),
          "a coded block has impossible counts");
  return head;
}

void decode_gaps(const block_head& head, const byte_code& code, byte_view body,
                 std::span<std::byte> raw) {
  require(body.size() >= 4 + plain_bytes(head), "a coded block is cut");
  const auto count = core::load_le<std::uint32_t>(body.data());
  require(count >= head.ones && count <= most_symbols(head), "a coded block has impossible counts");
  const byte_view plain = body.subspan(4, plain_bytes(head));
  const auto symbols = std::make_unique_for_overwrite<std::byte[]>(count);
  code.decode(body.subspan(4 + plain.size()), head.lanes, {symbols.get(), count});

  const unsigned plain_bits = plain_bits_of(head);
  const std::uint64_t mask = (std::uint64_t{1} << plain_bits) - 1;
  std::uint64_t plain_at = 0;
  const auto next_plain = [&] {
    const std::size_t byte = plain_at / 8;
    std::uint64_t word = 0;
    if (byte + 8 <= plain.size()) {
      word = core::load_le<std::uint64_t>(plain.data() + byte);
    } else {
      for (std::size_t i = byte; i < plain.size(); ++i) {
        word |= std::to_integer<std::uint64_t>(plain[i]) << (8 * (i - byte));
      }
    }
    const std::uint64_t bits = word >> plain_at % 8;
    plain_at += plain_bits;
    return bits;
  };
  std::uint64_t at = 0;
  std::uint64_t left = head.ones;
  for (const std::byte b : std::span(symbols.get(), count)) {
    const auto symbol = std::to_integer<std::uint64_t>(b);
    at += symbol << plain_bits;
    if (symbol == longer) continue;
    at += next_plain() & mask;
    require(at < head.bits() && left != 0, "a coded block has bits beyond its end");
    raw[at / 8] ^= std::byte{1} << (at % 8);
    ++at;
    --left;
  }
  require(left == 0 && symbols[count - 1] != std::byte{longer}, "a coded block has too few gaps");
  require(plain_at % 8 == 0 || next_plain() == 0, "a coded block has bits behind its gaps");
}

void decode_block(const block_head& head, byte_view body, std::span<std::byte> raw) {
  if (head.symbols == alphabet::raw) {
    require(body.size() == raw.size(), "a block kept as it is has another size");
    std::memcpy(raw.data(), body.data(), raw.size());
    return;
  }
  const bool gaps = of_gaps(head);
  if (head.symbols == alphabet::gaps_of_zeros) std::ranges::fill(raw, std::byte{0xff});
  if (gaps && head.ones == 0) {
    require(body.empty(), "a coded block goes on after its symbols");
    return;
  }
  const byte_code code(head.frequencies == model::independent_bits
                           ? independent_weights(head)
                           : read_table(body, symbols_of(head)));
  if (gaps) {
    decode_gaps(head, code, body, raw);
  } else {
    code.decode(body, head.lanes, raw);
  }
}

}  // namespace

std::vector<std::byte> entropy_encode(byte_view raw, unsigned threads) {
  const std::vector<block> blocks = blocks_of(raw);
  std::vector<std::vector<std::byte>> parts(blocks.size());
  for_each_block(blocks.size(), threads,
                 [&](std::size_t i) { parts[i] = encode_block(blocks[i]); });
  std::vector<std::byte> coded;
  for (std::vector<std::byte>& part : parts) {
    coded.insert(coded.end(), part.begin(), part.end());
    part = {};
  }
  return coded;
}

std::vector<std::byte> raw_blocks(byte_view raw) {
  std::vector<std::byte> coded;
  while (!raw.empty()) {
    const byte_view unit = raw.first(std::min(raw.size(), unit_bytes));
    block_head head;
    head.raw_bytes = head.coded_bytes = static_cast<std::uint32_t>(unit.size());
    coded.resize(coded.size() + head_bytes);
    write_head(head, coded.data() + coded.size() - head_bytes);
    coded.insert(coded.end(), unit.begin(), unit.end());
    raw = raw.subspan(unit.size());
  }
  return coded;
}

std::uint64_t decoded_bytes(byte_view coded) {
  std::uint64_t total = 0;
  while (!coded.empty()) {
    const block_head head = take_head(coded);
    total += head.raw_bytes;
    coded = coded.subspan(head.coded_bytes);
  }
  return total;
}

void entropy_decode(byte_view coded, std::span<std::byte> raw, unsigned threads) {
  struct work {
    block_head head;
    byte_view body;
    std::span<std::byte> raw;
  };
  std::vector<work> blocks;
  while (!coded.empty()) {
    const block_head head = take_head(coded);
    require(head.raw_bytes <= raw.size(), "coded blocks hold more than they should");
    blocks.push_back({head, coded.first(head.coded_bytes), raw.first(head.raw_bytes)});
    coded = coded.subspan(head.coded_bytes);
    raw = raw.subspan(head.raw_bytes);
  }
  require(raw.empty(), "coded blocks hold less than they should");
  for_each_block(blocks.size(), threads, [&](std::size_t i) {
    try {
      decode_block(blocks[i].head, blocks[i].body, blocks[i].raw);
    } catch (const std::bad_alloc&) {  // ours are small, but others may be of any size
      fail(errc::out_of_memory,
           "no memory to decode a block of " + std::to_string(blocks[i].head.raw_bytes) + " bytes");
    }
  });
}

}  // namespace bloomery::bits
