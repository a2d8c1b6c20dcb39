#include "redis/compat/bloom_chain.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/wire/foreign/redis_bloom.hpp"
#include "redis/compat/packed.hpp"

namespace bloomery::redis {
namespace {

using foreign::redis_bloom;

constexpr double tightening = redis_bloom::tightening;
constexpr std::uint64_t most_links = redis_bloom::most_links;
constexpr std::uint64_t most_hashes = redis_bloom::most_hashes;
constexpr std::size_t header_bytes = 20;
constexpr std::size_t header_bytes_of_link = 53;
// What is reported of a chain and of each link beside the bits.
constexpr std::uint64_t reported_of_chain = 32;
constexpr std::uint64_t reported_of_link = 64;

// Positions (a + i·b mod 2^64) mod range for i from 0.
class positions {
 public:
  positions(const bloom_chain::hash& key, core::modulus range)
      : sum_(key.a), step_(key.b), range_(range) {}
  [[nodiscard]] std::uint64_t operator*() const { return range_.of(sum_); }
  void operator++() { sum_ += step_; }

 private:
  std::uint64_t sum_;
  std::uint64_t step_;
  core::modulus range_;
};

// Four bits are looked at together: that one of them is missing in a filter which is half full, and does not have the
// key, the processor can guess, where it cannot guess which.
bool has(const bloom_chain::link& in, const bloom_chain::hash& key) {
  constexpr std::uint32_t together = 4;
  const std::byte* const bits = in.bits.bytes().data();
  positions at(key, in.range);
  const auto next = [&] {
    const std::uint64_t place = *at;
    ++at;
    return bits[place / 8] >> place % 8;
  };
  std::uint32_t left = in.hashes;
  for (; left >= together; left -= together) {
    std::byte all = next();
    for (std::uint32_t i = 1; i < together; ++i) all &= next();
    if ((all & std::byte{1}) == std::byte{}) return false;
  }
  for (; left != 0; --left) {
    if ((next() & std::byte{1}) == std::byte{}) return false;
  }
  return true;
}

void set(bloom_chain::link& in, const bloom_chain::hash& key) {
  std::byte* const bits = in.bits.writable().data();
  positions at(key, in.range);
  for (std::uint32_t i = 0; i < in.hashes; ++i, ++at) {
    const std::uint64_t place = *at;
    bits[place / 8] |= std::byte{1} << place % 8;
  }
}

[[noreturn]] void refuse(const std::string& why) {
  fail(errc::corrupt, why);
}

}  // namespace

bloom_chain::bloom_chain(std::uint64_t capacity, double rate, std::uint32_t growth, bool scaling,
                         budget allowed)
    : options_(no_round | force_64 | (scaling ? 0U : std::uint32_t{no_scaling})), growth_(growth) {
  grow(capacity, scaling ? rate * tightening : rate, allowed);
}

void bloom_chain::grow(std::uint64_t capacity, double rate, budget allowed) {
  link made{};
  made.capacity = capacity;
  made.rate = rate;
  const redis_bloom::size size = redis_bloom::size_of(capacity, rate);
  made.bits_a_key = size.bits_a_key;
  made.hashes = size.hashes;
  made.told_bits = size.bits;
  made.range = core::modulus(made.told_bits);
  allowed.require(core::uint128{memory()} + made.told_bits / 8);
  links_.reserve(links_.size() + 1);
  made.bits = block::zeroed(made.told_bits / 8);
  links_.push_back(std::move(made));
}

bloom_chain::hash bloom_chain::of(byte_view key) const {
  const auto [a, b] = redis_bloom::pair_of(key, is_64_bit());
  return {a, b};
}

void bloom_chain::prefetch(const hash& key) const {
  const link& newest = links_.back();
  const std::byte* const bits = newest.bits.bytes().data();
  positions at(key, newest.range);
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(newest.hashes, 16); ++i, ++at) {
    __builtin_prefetch(bits + *at / 8, 1);
  }
}

bool bloom_chain::contains(const hash& key) const {
  return std::any_of(links_.rbegin(), links_.rend(),
                     [&](const link& each) { return has(each, key); });
}

void bloom_chain::grow(budget allowed) {
  const core::uint128 capacity = core::uint128{links_.back().capacity} * growth_;
  if (links_.size() >= most_links || capacity > UINT64_MAX) {
    fail(errc::limit, "Insufficient memory to create filter: it cannot grow further");
  }
  grow(static_cast<std::uint64_t>(capacity), links_.back().rate * tightening, allowed);
}

void bloom_chain::put(const hash& key) {
  set(links_.back(), key);
  ++links_.back().items;
  ++items_;
}

std::uint64_t bloom_chain::capacity() const {
  std::uint64_t sum = 0;
  for (const link& each : links_) sum += each.capacity;
  return sum;
}

std::optional<std::uint32_t> bloom_chain::growth() const {
  if ((options_ & no_scaling) != 0) return std::nullopt;
  return growth_;
}

std::uint64_t bloom_chain::reported_bytes() const {
  std::uint64_t sum = reported_of_chain;
  for (const link& each : links_) sum += reported_of_link + each.bits.size();
  return sum;
}

std::size_t bloom_chain::memory() const {
  std::size_t sum =
      links_.empty() ? 0 : usable_size(links_.data(), links_.capacity() * sizeof(link));
  for (const link& each : links_) sum += each.bits.usable();
  return sum;
}

bloom_chain bloom_chain::copy() const {
  bloom_chain made;
  made.items_ = items_;
  made.options_ = options_;
  made.growth_ = growth_;
  made.links_.reserve(links_.size());
  for (const link& each : links_) {
    made.links_.push_back({block::copy_of(each.bits.bytes()), each.told_bits, each.range,
                           each.capacity, each.items, each.rate, each.bits_a_key, each.hashes,
                           each.exponent});
  }
  return made;
}

// Of what was read: that no question or insertion can leave the bits, take long, or divide by nothing.
void bloom_chain::require_sound() const {
  if (links_.empty()) refuse("there is no filter in the chain");
  if ((options_ & ~known_options) != 0)
    refuse("the options " + std::to_string(options_) + " are not known");
  for (const link& each : links_) {
    if (each.hashes == 0 || each.hashes > most_hashes) {
      refuse(std::to_string(each.hashes) + " hashes; 1 to " + std::to_string(most_hashes) +
             " can be");
    }
    if ((each.range.value() - 1) / 8 >= each.bits.size()) {
      refuse("positions up to " + std::to_string(each.range.value()) + " in " +
             std::to_string(each.bits.size()) + " bytes");
    }
    if (!(each.rate > 0 && each.rate < 1)) refuse("the rate is not between 0 and 1");
    if (!(each.bits_a_key > 0 && std::isfinite(each.bits_a_key)))
      refuse("the bits a key are no number");
  }
}

namespace {

// Positions of old filters are below a power of two; 2^0 says that they are not.
core::modulus range_of(std::uint64_t bits, std::uint64_t exponent) {
  if (exponent > 62) refuse("a range of 2^" + std::to_string(exponent));
  if (exponent == 0 && bits == 0) refuse("a filter without bits");
  return core::modulus(exponent > 0 ? std::uint64_t{1} << exponent : bits);
}

}  // namespace

bloom_chain bloom_chain::load(reading& from, int written) {
  bloom_chain made;
  made.items_ = from.number();
  const std::uint64_t links = from.number(most_links, "the number of filters");
  made.options_ =
      written >= 2 ? static_cast<std::uint32_t>(from.number(known_options, "options")) : 0;
  if (written >= 4)
    made.growth_ = static_cast<std::uint32_t>(from.number(UINT32_MAX, "the growth"));
  for (std::uint64_t i = 0; i < links; ++i) {
    link read{};
    read.capacity = from.number();
    read.rate = from.real();
    read.hashes = static_cast<std::uint32_t>(from.number(UINT32_MAX, "the number of hashes"));
    read.bits_a_key = from.real();
    if (written > 0) {
      read.told_bits = from.number();
      read.exponent = static_cast<std::uint8_t>(from.number(UINT8_MAX, "n2"));
    } else {
      read.told_bits = redis_bloom::untold_bits(read.capacity, read.bits_a_key);
    }
    read.range = range_of(read.told_bits, read.exponent);
    read.bits = from.bytes();
    read.items = from.number();
    made.links_.push_back(std::move(read));
  }
  made.require_sound();
  return made;
}

void bloom_chain::save(writing& to) const {
  to.number(items_);
  to.number(links_.size());
  to.number(options_);
  to.number(growth_);
  for (const link& each : links_) {
    to.number(each.capacity);
    to.real(each.rate);
    to.number(each.hashes);
    to.real(each.bits_a_key);
    to.number(each.told_bits);
    to.number(each.exponent);
    to.bytes(each.bits.bytes());
    to.number(each.items);
  }
}

std::string bloom_chain::header() const {
  packed_writer to;
  to.put(items_);
  to.put(static_cast<std::uint32_t>(links_.size()));
  to.put(options_);
  to.put(growth_);
  for (const link& each : links_) {
    to.put(std::uint64_t{each.bits.size()});
    to.put(each.told_bits);
    to.put(each.items);
    to.put(each.rate);
    to.put(each.bits_a_key);
    to.put(each.hashes);
    to.put(each.capacity);
    to.put(each.exponent);
  }
  return to.take();
}

bloom_chain bloom_chain::from_header(byte_view header, budget allowed) {
  if (header.size() < header_bytes) refuse("the header is too short");
  packed_reader from(header);
  bloom_chain made;
  made.items_ = from.get<std::uint64_t>();
  const std::uint64_t links = from.get<std::uint32_t>();
  made.options_ = from.get<std::uint32_t>();
  made.growth_ = from.get<std::uint32_t>();
  if (links > most_links || header.size() != header_bytes + links * header_bytes_of_link) {
    refuse("the header is of another length");
  }
  // The sum first, so that a header that lies costs nothing.
  core::uint128 sum = core::uint128{links} * sizeof(link);
  for (std::uint64_t i = 0; i < links; ++i) {
    sum += core::load_le<std::uint64_t>(header.data() + header_bytes + i * header_bytes_of_link);
  }
  allowed.require(sum);
  made.links_.reserve(links);
  for (std::uint64_t i = 0; i < links; ++i) {
    link read{};
    const auto bytes = from.get<std::uint64_t>();
    read.told_bits = from.get<std::uint64_t>();
    read.items = from.get<std::uint64_t>();
    read.rate = from.get_real();
    read.bits_a_key = from.get_real();
    read.hashes = from.get<std::uint32_t>();
    read.capacity = from.get<std::uint64_t>();
    read.exponent = from.get<std::uint8_t>();
    read.range = range_of(read.told_bits, read.exponent);
    read.bits = block::zeroed(bytes);
    made.links_.push_back(std::move(read));
  }
  made.require_sound();
  return made;
}

byte_view bloom_chain::chunk(std::uint64_t position) const {
  for (const link& each : links_) {
    if (position < each.bits.size()) {
      const byte_view rest = each.bits.bytes().subspan(position);
      return rest.first(std::min<std::uint64_t>(rest.size(), most_bytes_of_chunk));
    }
    position -= each.bits.size();
  }
  return {};
}

void bloom_chain::set_chunk(std::uint64_t position, byte_view bytes) {
  for (link& each : links_) {
    if (position < each.bits.size()) {
      const std::span<std::byte> rest = each.bits.writable().subspan(position);
      if (bytes.size() > rest.size()) {
        fail(errc::invalid, "invalid chunk - Too big for current filter");
      }
      std::copy(bytes.begin(), bytes.end(), rest.begin());
      return;
    }
    position -= each.bits.size();
  }
  fail(errc::invalid, "invalid offset - no link found");
}

void bloom_chain::rewrite(rewriting& to) const {
  const std::string first = header();
  to.chunk("BF.LOADCHUNK", 1, {reinterpret_cast<const std::byte*>(first.data()), first.size()});
  std::uint64_t position = 0;
  for (byte_view bytes = chunk(0); !bytes.empty(); bytes = chunk(position)) {
    position += bytes.size();
    to.chunk("BF.LOADCHUNK", position + 1, bytes);
  }
}

}  // namespace bloomery::redis
