#include "bloomery/bits/table/bucket_table.hpp"

#include <string>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/zeros.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t spare_bytes = 16;

// `buckets`, if a table can have them.
std::uint64_t checked(std::uint64_t buckets, unsigned slots, unsigned width) {
  const std::uint64_t bucket_bits = std::uint64_t{slots} * width;
  if (width < 1 || width > bucket_table::max_width || slots < 1 ||
      bucket_bits > bucket_table::max_bucket_bits) {
    fail(errc::invalid, "buckets of " + std::to_string(slots) + " cells of " +
                            std::to_string(width) + " bits; allowed: cells of 1 to " +
                            std::to_string(bucket_table::max_width) + " bits, " +
                            std::to_string(bucket_table::max_bucket_bits) + " in a bucket");
  }
  if (buckets < 1 || buckets > max_bits / bucket_bits) {
    fail(errc::limit, std::to_string(buckets) + " buckets of " + std::to_string(bucket_bits) +
                          " bits; allowed: 1 to " + std::to_string(max_bits / bucket_bits));
  }
  return buckets;
}

// Whether pair_searcher takes such buckets.
bool in_pairs(unsigned slots, unsigned width) {
  const unsigned half_bits = slots / 2 * width;
  return width >= 8 && slots % 2 == 0 && half_bits % 4 == 0 && half_bits % 8 + half_bits <= 64;
}

std::array<std::uint8_t, 16> starts_in_pairs(unsigned bucket_bits, unsigned width) {
  std::array<std::uint8_t, 16> starts{};
  for (unsigned byte = 0; byte < 16; ++byte) {
    const unsigned bit = byte < 8 ? 8 * byte : 8 * (bucket_bits / 16 + byte - 8);
    starts[byte] = static_cast<std::uint8_t>(bit / width * width);
  }
  return starts;
}

core::uint128 repeated(unsigned slots, unsigned width) {
  core::uint128 low = 0;
  for (unsigned slot = 0; slot < slots; ++slot) low |= core::uint128{1} << slot * width;
  return low;
}

}  // namespace

unsigned bucket_table::most_paired(unsigned width) {
  unsigned slots = max_bucket_bits / width;
  while (slots > 0 && !in_pairs(slots, width)) --slots;
  return slots;
}

std::uint64_t bucket_table::stored_bytes(std::uint64_t buckets, unsigned slots, unsigned width) {
  const std::uint64_t bits = checked(buckets, slots, width) * slots * width;
  return core::round_up(bits / 8 + 1 + spare_bytes, cache_line_bytes);
}

bucket_table::bucket_table(std::uint64_t buckets, unsigned slots, unsigned width)
    : bucket_table(buckets, slots, width, storage::allocate(stored_bytes(buckets, slots, width))) {}

bucket_table::bucket_table(std::uint64_t buckets, unsigned slots, unsigned width, storage stored)
    : stored_(std::move(stored)),
      buckets_(checked(buckets, slots, width)),
      slots_(slots),
      width_(width),
      bucket_bits_(slots * width),
      narrow_(bucket_bits_ <= 57 || bucket_bits_ == 64),
      paired_(!narrow_ && in_pairs(slots, width)),
      straddling_(8 * cache_line_bytes % bucket_bits_ != 0),
      starts_(starts_in_pairs(bucket_bits_, width)),
      max_value_(~std::uint64_t{0} >> (64 - width)),
      low_(repeated(slots, width)),
      high_(low_ << (width - 1)),
      rest_(low_ * max_value_ ^ high_) {
  const std::uint64_t bits = buckets * bucket_bits_;
  const std::uint64_t expected = stored_bytes(buckets, slots, width);
  if (stored_.size() != expected) {
    fail(errc::corrupt, std::to_string(buckets) + " buckets of " + std::to_string(bucket_bits_) +
                            " bits take " + std::to_string(expected) + " bytes, there are " +
                            std::to_string(stored_.size()));
  }
  if (!core::zero_from_bit(stored_.bytes(), bits)) {
    fail(errc::corrupt, "bits are set in the padding of the buckets");
  }
}

}  // namespace bloomery::bits
