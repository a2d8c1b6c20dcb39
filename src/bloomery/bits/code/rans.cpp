#include "bloomery/bits/code/rans.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/vectors.hpp"

namespace bloomery::bits::rans {

void refuse(const char* what) {
  fail(errc::corrupt, what);
}

frequencies normalised(const byte_weights& weights) {
  core::uint128 total = std::accumulate(weights.begin(), weights.end(), core::uint128{0});
  assert(total != 0);
  // So much that it is worth a slot even if all are raised to it.
  const core::uint128 least = total / (slots - weights.size()) + 1;
  const auto raised = [&](std::uint64_t weight) {
    return weight == 0 ? core::uint128{0} : std::max<core::uint128>(weight, least);
  };
  total = 0;
  for (const std::uint64_t weight : weights) total += raised(weight);
  assert(total != 0);
  frequencies result{};
  core::uint128 sum = 0;
  std::uint32_t before = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    sum += raised(weights[s]);
    const auto behind = static_cast<std::uint32_t>((sum * slots + total / 2) / total);
    result[s] = static_cast<std::uint16_t>(behind - before);
    before = behind;
  }
  return result;
}

namespace {

// A state lies in [floor, 2^state_bits), and gives or takes one word at a time.
constexpr unsigned word_bits = 16;
constexpr unsigned state_bits = 31;
constexpr std::uint32_t floor = std::uint32_t{1} << (state_bits - word_bits);

constexpr std::size_t most_lanes = std::size_t{1} << static_cast<unsigned>(lanes::all);
std::size_t lanes_for(std::size_t symbols, lanes most) {
  if (symbols < 1024 || most == lanes::one) return 1;
  if (symbols < 4096 || most == lanes::four) return 4;
  return most_lanes;
}

// A slot's symbol in the highest byte, the symbol's frequency, and which of its slots it is.
constexpr unsigned symbol_shift = 2 * scale;
constexpr std::uint32_t slot_mask = slots - 1;
using slot_table = std::array<std::uint32_t, slots>;

slot_table slots_of(const frequencies& of) {
  slot_table table;
  std::size_t at = 0;
  for (std::uint32_t s = 0; s < of.size(); ++s) {
    const std::uint32_t count = of[s];
    for (std::uint32_t i = 0; i < count; ++i) {
      table[at++] = s << symbol_shift | count << scale | i;
    }
  }
  assert(at == slots);
  return table;
}

// To push a symbol: its first slot above its frequency, and its frequency's reciprocal. Those of
// frequency 0 are listed, and pushed as the one that stands for them, which is listed too.
constexpr std::uint32_t listed = std::uint32_t{1} << 31;
struct coder {
  struct division {
    std::uint32_t factor;
    std::uint32_t shift;
  };
  std::array<std::uint32_t, 256> codes{};
  std::array<division, 256> divisions{};

  coder(const frequencies& of, std::optional<std::byte> stand_in) {
    std::uint32_t first = 0;
    for (std::size_t s = 0; s < of.size(); ++s) {
      const std::uint32_t count = of[s];
      if (count == 0) continue;
      codes[s] = first << scale | count;
      first += count;
      // ceil(2^(31 + n) / f) with n = ceil(log2 f) is exact below 2^31.
      const auto shift = static_cast<unsigned>(state_bits + std::bit_width(count - 1));
      divisions[s] = {static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + count - 1) / count),
                      shift};
    }
    if (!stand_in) return;
    const auto rarest = std::to_integer<std::size_t>(*stand_in);
    codes[rarest] |= listed;
    for (std::size_t s = 0; s < of.size(); ++s) {
      if (of[s] != 0) continue;
      codes[s] = codes[rarest];
      divisions[s] = divisions[rarest];
    }
  }
};

// Where words come from, and where places of the symbol that stands for others go, if any do.
struct input {
  const std::byte* words;
  const std::byte* end;
  std::byte stand_in;
  std::uint32_t* places;
};

// Where words and listed symbols go, both from the last to the first.
struct output {
  std::byte* words;
  std::byte* list;
};

// No branches, which would often be guessed wrong.
inline std::byte pull(const slot_table& table, std::uint32_t& state, input& from,
                      std::size_t place) {
  const std::uint32_t slot = table[state & slot_mask];
  state = (slot >> scale & slot_mask) * (state >> scale) + (slot & slot_mask);
  const std::uint32_t filled = state << word_bits | core::load_le<std::uint16_t>(from.words);
  const auto low = static_cast<std::uint32_t>(state < floor);
  state ^= (state ^ filled) & (0 - low);
  from.words += std::size_t{2} * low;
  const auto symbol = static_cast<std::byte>(slot >> symbol_shift);
  if (from.places != nullptr) {
    *from.places = static_cast<std::uint32_t>(place);
    from.places += static_cast<std::size_t>(symbol == from.stand_in);
  }
  return symbol;
}

inline void push(const coder& coder, std::uint32_t& state, output& to, std::byte symbol) {
  const auto s = std::to_integer<std::size_t>(symbol);
  const std::uint32_t code = coder.codes[s];
  const std::uint32_t count = code & slot_mask;
  const auto full = static_cast<std::uint32_t>(state >= count << (state_bits - scale));
  core::store_le(to.words - 2, static_cast<std::uint16_t>(state));
  to.words -= std::size_t{2} * full;
  state >>= word_bits * full;
  const coder::division by = coder.divisions[s];
  const auto quotient = static_cast<std::uint32_t>(std::uint64_t{state} * by.factor >> by.shift);
  state += quotient * (slots - count) + (code >> scale & slot_mask);
  to.list[-1] = symbol;
  to.list -= code >> 31;
}

template <std::size_t Lanes>
void pull_groups(const slot_table& table, std::uint32_t* states, input& from,
                 std::span<std::byte> symbols) {
  input now = from;  // which no byte written can change
  for (std::size_t at = 0; at + Lanes <= symbols.size() && now.words <= now.end; at += Lanes) {
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      symbols[at + lane] = pull(table, states[lane], now, at + lane);
    }
  }
  from = now;
}

template <std::size_t Lanes>
void push_groups(const coder& coder, std::uint32_t* states, output& to, byte_view symbols) {
  output now = to;
  for (std::size_t at = symbols.size(); at != 0; at -= Lanes) {
    for (std::size_t lane = Lanes; lane-- != 0;) {
      push(coder, states[lane], now, symbols[at - Lanes + lane]);
    }
  }
  to = now;
}

// For each set of eight lanes, where to put the words of those in it: one after the other from the
// first lane, or up to the last place.
using lane_orders = std::array<std::array<std::uint8_t, 8>, 256>;

constexpr lane_orders make_orders(bool expand) {
  lane_orders orders{};
  for (unsigned lanes = 0; lanes < 256; ++lanes) {
    std::uint8_t rank = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      if (expand) {
        orders[lanes][lane] = rank;
      } else {
        orders[lanes][8U - static_cast<unsigned>(std::popcount(lanes)) + rank] = lane;
      }
      ++rank;
    }
  }
  return orders;
}
[[maybe_unused]] constexpr lane_orders expanding = make_orders(true);
[[maybe_unused]] constexpr lane_orders contracting = make_orders(false);

}  // namespace
}  // namespace bloomery::bits::rans

#define BLOOMERY_KERNELS "bloomery/bits/code/rans_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {
namespace rans {
namespace {

void pull_all(std::size_t lane_count, const slot_table& table, std::uint32_t* states, input& from,
              std::span<std::byte> symbols) {
  if (lane_count == 1) return pull_groups<1>(table, states, from, symbols);
  if (lane_count == 4) return pull_groups<4>(table, states, from, symbols);
  BLOOMERY_BY(core::chosen_backend(), pull_groups(table, states, from, symbols));
}

void push_all(std::size_t lane_count, const coder& coder, std::uint32_t* states, output& to,
              byte_view symbols) {
  if (lane_count == 1) return push_groups<1>(coder, states, to, symbols);
  if (lane_count == 4) return push_groups<4>(coder, states, to, symbols);
  BLOOMERY_BY(core::chosen_backend(), push_groups(coder, states, to, symbols));
}

// Symbols that are all the same take no bits, and no states either.
bool all_the_same(const frequencies& of) {
  return std::ranges::find(of, slots) != of.end();
}

// Appends the words and the states, and returns what it listed.
std::vector<std::byte> encode(byte_view symbols, lanes most_of_them, const frequencies& of,
                              std::optional<std::byte> stand_in, std::vector<std::byte>& coded) {
  if (symbols.empty() || all_the_same(of)) return {};
  const std::size_t lane_count = lanes_for(symbols.size(), most_of_them);
  const coder coder(of, stand_in);
  std::array<std::uint32_t, most_lanes> states{};
  states.fill(floor);
  // A word for each symbol at most, and some that are written before they are known to be needed.
  constexpr std::size_t spare = 16;
  const std::size_t most_words = spare + 2 * symbols.size();
  const std::size_t most = most_words + 2 + symbols.size();
  const auto places = std::make_unique_for_overwrite<std::byte[]>(most);
  output to{places.get() + most_words, places.get() + most};
  const std::size_t whole = symbols.size() - symbols.size() % lane_count;
  for (std::size_t at = symbols.size(); at-- != whole;) {
    push(coder, states[at - whole], to, symbols[at]);
  }
  push_all(lane_count, coder, states.data(), to, symbols.first(whole));
  coded.insert(coded.end(), to.words, places.get() + most_words);
  for (const std::uint32_t state : std::span(states).first(lane_count)) {
    coded.resize(coded.size() + 4);
    core::store_le(coded.data() + coded.size() - 4, state);
  }
  return {to.list, places.get() + most};
}

// Writes the places of `stand_in`, if there is room for them, and returns how many there are.
std::size_t decode(byte_view coded, lanes most_of_them, const frequencies& of,
                   std::span<std::byte> symbols, std::byte stand_in = {},
                   std::uint32_t* places = nullptr) {
  if (symbols.empty() || all_the_same(of)) {
    require(coded.empty(), "a coded block goes on after its symbols");
    std::ranges::fill(symbols, static_cast<std::byte>(std::ranges::max_element(of) - of.begin()));
    return 0;
  }
  // Words end where the states begin, so a group that has too few stays within what is coded.
  const std::size_t lane_count = lanes_for(symbols.size(), most_of_them);
  require(coded.size() >= 4 * lane_count && coded.size() % 2 == 0, "a coded block is cut");
  input from{coded.data(), coded.data() + coded.size() - 4 * lane_count, stand_in, places};
  std::array<std::uint32_t, most_lanes> states{};
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    states[lane] = core::load_le<std::uint32_t>(from.end + 4 * lane);
    require(states[lane] >= floor && states[lane] >> state_bits == 0,
            "a coded block starts in an impossible state");
  }
  const slot_table table = slots_of(of);
  pull_all(lane_count, table, states.data(), from, symbols);
  require(from.words <= from.end, "a coded block ends before its symbols");
  const std::size_t whole = symbols.size() - symbols.size() % lane_count;
  for (std::size_t at = whole; at < symbols.size(); ++at) {
    symbols[at] = pull(table, states[at - whole], from, at);
  }
  require(from.words == from.end, "a coded block has more words than its symbols, or fewer");
  require(std::ranges::all_of(std::span(states).first(lane_count),
                              [](std::uint32_t state) { return state == floor; }),
          "a coded block does not end where it must");
  return static_cast<std::size_t>(from.places - places);
}

double cost_of(std::uint64_t count, std::uint16_t frequency) {
  return static_cast<double>(count) * (scale - std::log2(frequency));
}

}  // namespace
}  // namespace rans

byte_code::byte_code(const byte_weights& weights) {
  const core::uint128 total = std::accumulate(weights.begin(), weights.end(), core::uint128{0});
  byte_weights common{};
  byte_weights rare{};
  std::uint64_t all_rare = 0;
  for (std::size_t s = 0; s < weights.size(); ++s) {
    if (weights[s] >= total / (rans::slots / 2)) {
      common[s] = weights[s];
    } else if (weights[s] != 0) {
      if (!has_rare_) stand_in_ = static_cast<std::byte>(s);
      has_rare_ = true;
      rare[s] = weights[s];
      all_rare += weights[s];
    }
  }
  if (has_rare_) {
    common[std::to_integer<std::size_t>(stand_in_)] = all_rare;
    rare_ = rans::normalised(rare);
  }
  common_ = rans::normalised(common);
}

double byte_code::cost(const byte_weights& counts) const {
  double bits = 0;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    const bool is_rare = rare_[s] != 0;
    bits +=
        rans::cost_of(counts[s], common_[is_rare ? std::to_integer<std::size_t>(stand_in_) : s]);
    if (is_rare) bits += rans::cost_of(counts[s], rare_[s]);
  }
  return bits;
}

// With rare symbols the size of what codes them comes first, and they come last.
constexpr std::size_t size_bytes = 4;

void byte_code::encode(byte_view symbols, rans::lanes most, std::vector<std::byte>& coded) const {
  if (!has_rare_) {
    rans::encode(symbols, most, common_, {}, coded);
    return;
  }
  const std::size_t start = coded.size();
  coded.resize(start + size_bytes);
  const std::vector<std::byte> list = rans::encode(symbols, most, common_, stand_in_, coded);
  const std::size_t behind = coded.size();
  rans::encode(list, most, rare_, {}, coded);
  core::store_le(coded.data() + start, static_cast<std::uint32_t>(coded.size() - behind));
}

void byte_code::decode(byte_view coded, rans::lanes most, std::span<std::byte> symbols) const {
  if (!has_rare_) {
    rans::decode(coded, most, common_, symbols);
    return;
  }
  rans::require(coded.size() >= size_bytes, "a coded block is cut");
  const auto rare_bytes = core::load_le<std::uint32_t>(coded.data());
  coded = coded.subspan(size_bytes);
  rans::require(rare_bytes <= coded.size(), "a coded block is cut");
  const auto places = std::make_unique_for_overwrite<std::uint32_t[]>(symbols.size() + 2);
  const std::size_t count = rans::decode(coded.first(coded.size() - rare_bytes), most, common_,
                                         symbols, stand_in_, places.get());
  const auto list = std::make_unique_for_overwrite<std::byte[]>(count);
  rans::decode(coded.last(rare_bytes), most, rare_, {list.get(), count});
  for (std::size_t i = 0; i < count; ++i) symbols[places[i]] = list[i];
}

}  // namespace bloomery::bits
