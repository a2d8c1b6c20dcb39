#include "bloomery/wire/foreign/redis_bloom.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/laws/set_operations.hpp"
#include "bloomery/wire/foreign/bit_filter.hpp"

namespace bloomery::foreign {
namespace {

// As many digits as values of this type were made with: more would give other sizes.
constexpr double ln_2 = 0.693147180559945;
constexpr double ln_2_squared = 0.480453013918201;

[[noreturn]] void refuse(const std::string& why) {
  fail(errc::corrupt, why);
}

std::uint64_t ones_of(byte_view cells) {
  std::uint64_t count = 0;
  for (const std::byte byte : cells) {
    count += static_cast<std::uint64_t>(std::popcount(std::to_integer<std::uint8_t>(byte)));
  }
  return count;
}

}  // namespace

redis_bloom::size redis_bloom::size_of(std::uint64_t capacity, double rate) {
  size made{.bits_a_key = -std::log(rate) / ln_2_squared, .bits = 0, .hashes = 0};
  const double wanted = static_cast<double>(capacity) * made.bits_a_key;
  if (!(rate > 0) || !(wanted < 0x1p63)) {
    fail(errc::limit, "Insufficient memory to create filter: its size is beyond all limits");
  }
  made.bits = core::round_up(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted)), 64);
  made.hashes = static_cast<std::uint32_t>(std::ceil(ln_2 * made.bits_a_key));
  return made;
}

std::uint64_t redis_bloom::untold_bits(std::uint64_t capacity, double bits_a_key) {
  const double bits = static_cast<double>(capacity) * bits_a_key;
  if (!(bits >= 1 && bits < 0x1p63)) refuse("the bits a key make no number of bits");
  return static_cast<std::uint64_t>(bits);
}

void redis_bloom::grow(std::uint64_t capacity, double rate) {
  const size planned = size_of(capacity, rate);
  require_room(bits() / 8 + planned.bits / 8, {});
  links_.push_back({.capacity = capacity,
                    .rate = rate,
                    .hashes = planned.hashes,
                    .bits_a_key = planned.bits_a_key,
                    .told_bits = planned.bits,
                    .exponent = 0,
                    .range = planned.bits,
                    .cells = redis_bytes(planned.bits / 8),
                    .items = 0});
}

void redis_bloom::require_sound(const link& each) {
  if (each.hashes == 0 || each.hashes > most_hashes) {
    refuse(std::to_string(each.hashes) + " hashes; 1 to " + std::to_string(most_hashes) +
           " can be");
  }
  if (each.range == 0 || (each.range - 1) / 8 >= each.cells.size()) {
    refuse("positions up to " + std::to_string(each.range) + " in " +
           std::to_string(each.cells.size()) + " bytes");
  }
  if (!(each.rate > 0 && each.rate < 1)) refuse("the rate is not between 0 and 1");
  if (!(each.bits_a_key > 0 && std::isfinite(each.bits_a_key))) {
    refuse("the bits a key are no number");
  }
}

std::unique_ptr<filter> redis_bloom::read(byte_view payload, const wire::load_options& options) {
  redis_dump dump = read_redis_value(payload, type, encoding, options);
  redis_fields from(dump);
  auto made = std::make_unique<redis_bloom>();
  made->items_ = from.number();
  const std::uint64_t links = from.number(most_links, "the number of filters");
  constexpr std::uint64_t known_options = no_round | entries_are_bits | force_64 | no_scaling;
  made->options_ = dump.version >= 2 ? from.number(known_options, "the options") : 0;
  if (dump.version >= 4) made->growth_ = from.number(UINT32_MAX, "the growth");
  if (links == 0) refuse("there is no filter in the chain");
  for (std::uint64_t i = 0; i < links; ++i) {
    link read{};
    read.capacity = from.number();
    read.rate = from.real();
    read.hashes = from.number();
    read.bits_a_key = from.real();
    if (dump.version > 0) {
      read.told_bits = from.number();
      read.exponent = from.number(62, "the exponent of the range");
    } else {
      read.told_bits = untold_bits(read.capacity, read.bits_a_key);
    }
    read.range = read.exponent > 0 ? std::uint64_t{1} << read.exponent : read.told_bits;
    read.cells = from.bytes();
    read.items = from.number();
    require_sound(read);
    made->links_.push_back(std::move(read));
  }
  from.require_end();
  made->came_as(payload);
  return made;
}

std::unique_ptr<filter> redis_bloom::make(std::uint64_t keys, std::optional<double> rate) {
  const std::uint64_t capacity = std::max<std::uint64_t>(1, keys);
  const double promised = rate.value_or(usual_rate);
  math::require_plannable(capacity, promised);
  auto made = std::make_unique<redis_bloom>();
  made->grow(capacity, promised * tightening);
  return made;
}

std::uint64_t redis_bloom::bits() const {
  std::uint64_t sum = 0;
  for (const link& each : links_) sum += 8 * each.cells.size();
  return sum;
}

std::uint64_t redis_bloom::ones() const {
  std::uint64_t sum = 0;
  for (const link& each : links_) sum += ones_of(each.cells);
  return sum;
}

double redis_bloom::current_rate() const {
  std::vector<double> rates;
  for (const link& each : links_) {
    const double fill = static_cast<double>(ones_of(each.cells)) / static_cast<double>(each.range);
    rates.push_back(math::instance_rate(std::min(1.0, fill), each.hashes));
  }
  return math::any_claims(rates);
}

std::optional<double> redis_bloom::promised_rate() const {
  const double first = links_.front().rate;
  return (options_ & no_scaling) != 0 ? first : std::min(1.0, first / tightening);
}

std::vector<fact> redis_bloom::facts() const {
  std::uint64_t capacity = 0;
  for (const link& each : links_) capacity += std::min(each.capacity, UINT64_MAX - capacity);
  return {{"keys", items_},
          {"capacity", capacity},
          {"filters", std::uint64_t{links_.size()}},
          {"growth", (options_ & no_scaling) != 0 ? std::uint64_t{0} : growth_},
          {"promised_rate", *promised_rate()}};
}

std::unique_ptr<filter> redis_bloom::emptied() const {
  if (links_.size() != 1) return nullptr;
  auto made = std::make_unique<redis_bloom>();
  made->options_ = options_;
  made->growth_ = growth_;
  made->links_ = links_;
  std::ranges::fill(made->links_.front().cells, std::byte{});
  made->links_.front().items = 0;
  return made;
}

bool redis_bloom::has(const link& in, const pair& key) {
  std::uint64_t sum = key.a;
  for (std::uint64_t i = 0; i < in.hashes; ++i, sum += key.b) {
    const std::uint64_t at = sum % in.range;
    if ((in.cells[at / 8] >> at % 8 & std::byte{1}) == std::byte{}) return false;
  }
  return true;
}

bool redis_bloom::has(byte_view key) const {
  const pair hash = hashed(key);
  return std::ranges::any_of(links_, [&](const link& each) { return has(each, hash); });
}

void redis_bloom::add(byte_view key) {
  if (has(key)) return;
  if (links_.back().items >= links_.back().capacity) {
    if ((options_ & no_scaling) != 0) fail(errc::limit, "the filter is full, and does not grow");
    const core::uint128 capacity = core::uint128{links_.back().capacity} * growth_;
    if (links_.size() == most_links || capacity > UINT64_MAX) {
      fail(errc::limit, "the filter is full, and cannot grow further");
    }
    grow(static_cast<std::uint64_t>(capacity), links_.back().rate * tightening);
  }
  link& into = links_.back();
  const pair hash = hashed(key);
  std::uint64_t sum = hash.a;
  for (std::uint64_t i = 0; i < into.hashes; ++i, sum += hash.b) {
    const std::uint64_t at = sum % into.range;
    into.cells[at / 8] |= std::byte{1} << at % 8;
  }
  ++into.items;
  ++items_;
}

redis_dump redis_bloom::encoded() const {
  redis_dump made{std::string(type), encoding, {items_, links_.size(), options_, growth_}};
  for (const link& each : links_) {
    made.fields.insert(made.fields.end(), {each.capacity, each.rate, each.hashes, each.bits_a_key,
                                           each.told_bits, each.exponent, each.cells, each.items});
  }
  return made;
}

}  // namespace bloomery::foreign
