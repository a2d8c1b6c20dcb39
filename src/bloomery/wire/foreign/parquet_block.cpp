#include "bloomery/wire/foreign/parquet_block.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/xxh64.hpp"
#include "bloomery/math/laws/lanes.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::foreign {
namespace {

constexpr std::uint64_t most_parquet_bytes = std::uint64_t{128} << 20;
constexpr math::lane_block parquet_lanes{.lanes = parquet_block::words, .lane_bits = 32};

// Thrift's compact form of: numBytes, in front, then three unions, of whose members each is the first.
constexpr std::byte thrift_first_number{0x15};
constexpr std::array<std::byte, 13> thrift_rest{
    std::byte{0x1c}, std::byte{0x1c}, std::byte{0}, std::byte{0},    std::byte{0x1c},
    std::byte{0x1c}, std::byte{0},    std::byte{0}, std::byte{0x1c}, std::byte{0x1c},
    std::byte{0},    std::byte{0},    std::byte{0}};
constexpr std::size_t most_varint = 5;  // bytes

// The number after the first byte, and how many bytes it takes; none if it does not end.
struct thrift_number {
  std::uint64_t value = 0;
  std::size_t bytes = 0;
};
thrift_number number_in(byte_view start) {
  thrift_number found;
  for (std::size_t i = 0; i < most_varint && i + 1 < start.size(); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(start[i + 1]);
    found.value |= (byte & 0x7f) << 7 * i;
    if (byte < 0x80) return {found.value, i + 1};
  }
  return {};
}

}  // namespace

bool parquet_block::recognises(byte_view start, std::uint64_t /*length*/) {
  if (start.empty() || start[0] != thrift_first_number) return false;
  const thrift_number stated = number_in(start);
  if (stated.bytes == 0) return false;
  const byte_view rest = start.subspan(1 + stated.bytes);
  // The first union is a sign of its own; the others may say what is not known here.
  return rest.size() >= 4 && std::equal(rest.begin(), rest.begin() + 4, thrift_rest.begin());
}

found_bits<parquet_block> parquet_block::read(byte_view file) {
  const thrift_number stated = number_in(file);
  if (file.empty() || file[0] != thrift_first_number || stated.bytes == 0) {
    fail(errc::corrupt, "the bytes are no split-block filter of Parquet");
  }
  // Zigzag: numbers below zero are odd.
  const std::uint64_t bytes = stated.value / 2;
  if (stated.value % 2 != 0 || bytes == 0 || bytes % block_bytes != 0) {
    fail(errc::corrupt, "a split-block filter has a multiple of 32 bytes; this one states " +
                            (stated.value % 2 != 0 ? "fewer than 0" : std::to_string(bytes)));
  }
  if (bytes > most_parquet_bytes) {
    fail(errc::limit, "a split-block filter has at most 134217728 bytes; this one states " +
                          std::to_string(bytes));
  }
  const parquet_block made{bytes / block_bytes};
  const std::vector<std::byte> head = made.head();
  if (file.size() < head.size() || !std::equal(head.begin(), head.end(), file.begin())) {
    fail(errc::unsupported, "only split-block filters by xxHash that are not compressed are known");
  }
  const byte_view rest = file.subspan(head.size());
  if (rest.size() != bytes) {
    fail(errc::corrupt, "the filter states " + std::to_string(bytes) + " bytes and has " +
                            std::to_string(rest.size()));
  }
  return {made, rest};
}

parquet_block parquet_block::plan(std::uint64_t keys, std::optional<double> rate) {
  const std::uint64_t entries = std::max<std::uint64_t>(1, keys);
  const double asked = rate.value_or(usual_rate);
  math::require_plannable(entries, asked);
  for (std::uint64_t blocks = 1; block_bytes * blocks <= most_parquet_bytes; blocks *= 2) {
    if (math::lane_blocked_rate(parquet_lanes, blocks, entries, words) <= asked) return {blocks};
  }
  math::refuse_rate(asked);
}

std::uint64_t parquet_block::hash_of(std::string_view value) {
  return hash::xxh64(std::as_bytes(std::span(value)), 0);
}

double parquet_block::current_rate(const filter& /*of*/, byte_view bits) const {
  double sum = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    std::array<double, words> fills{};
    for (std::uint64_t word = 0; word < words; ++word) {
      const auto lane = core::load_le<std::uint32_t>(&bits[block * block_bytes + 4 * word]);
      fills[word] = std::popcount(lane) / 32.0;
    }
    sum += math::lane_instance_rate(fills, words);
  }
  return sum / static_cast<double>(blocks);
}

std::vector<fact> parquet_block::facts() const {
  return {{"blocks", blocks}};
}

std::vector<std::byte> parquet_block::head() const {
  std::vector<std::byte> head{thrift_first_number};
  std::uint64_t zigzag = 2 * bytes();
  for (; zigzag >= 0x80; zigzag >>= 7) head.push_back(static_cast<std::byte>(zigzag | 0x80));
  head.push_back(static_cast<std::byte>(zigzag));
  head.insert(head.end(), thrift_rest.begin(), thrift_rest.end());
  return head;
}

}  // namespace bloomery::foreign
