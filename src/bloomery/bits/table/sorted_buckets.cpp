#include "bloomery/bits/table/sorted_buckets.hpp"

#include <string>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/zeros.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t bytes_behind = 16;

constexpr sorted_sequences all_sequences() {
  sorted_sequences all{};
  for (unsigned high = 0; high < 16; ++high) {
    for (unsigned low = 0; low < 16; ++low) {
      all.front[high << 4 | low] = static_cast<std::uint16_t>(low + (high + 1) * high / 2);
      all.back[high << 4 | low] = static_cast<std::uint16_t>(
          (low + 2) * (low + 1) * low / 6 + (high + 3) * (high + 2) * (high + 1) * high / 24);
    }
  }
  for (unsigned d = 0; d < 16; ++d) {
    for (unsigned c = 0; c <= d; ++c) {
      for (unsigned b = 0; b <= c; ++b) {
        for (unsigned a = 0; a <= b; ++a) {
          const unsigned four = a | b << 4 | c << 8 | d << 12;
          all.planes[all.number(four)] = static_cast<std::uint16_t>(transposed(four));
        }
      }
    }
  }
  return all;
}

// `buckets`, if a table can have them.
std::uint64_t checked(std::uint64_t buckets, unsigned print_bits) {
  if (print_bits < sorted_buckets::min_print_bits || print_bits > sorted_buckets::max_print_bits) {
    fail(errc::invalid, "fingerprints of " + std::to_string(print_bits) +
                            " bits; allowed: " + std::to_string(sorted_buckets::min_print_bits) +
                            " to " + std::to_string(sorted_buckets::max_print_bits));
  }
  const std::uint64_t most = max_bits / sorted_buckets::bits_of_bucket(print_bits);
  if (buckets < 1 || buckets > most) {
    fail(errc::limit,
         std::to_string(buckets) + " sorted buckets; allowed: 1 to " + std::to_string(most));
  }
  return buckets;
}

// By how much the bits of a fingerprint that are r modulo 4, for r = 1, 2 and 3, move to their planes.
std::array<unsigned char, 3> shifts_of(unsigned print_bits) {
  std::array<unsigned char, 3> shifts{};
  unsigned planes = 0;
  for (unsigned r = 1; r < 4; ++r) {
    planes += (print_bits + 4 - r) / 4;  // of those that are r - 1
    shifts[r - 1] = static_cast<unsigned char>(4 * planes - r);
  }
  return shifts;
}

core::uint128 one_in_each(unsigned planes) {
  core::uint128 ones = 0;
  for (unsigned i = 0; i < planes; ++i) ones |= core::uint128{1} << 4 * i;
  return ones;
}

}  // namespace

constinit const sorted_sequences sequences = all_sequences();

std::uint64_t sorted_buckets::stored_bytes(std::uint64_t buckets, unsigned print_bits) {
  const std::uint64_t bits = checked(buckets, print_bits) * bits_of_bucket(print_bits);
  return core::round_up(bits / 8 + 1 + bytes_behind, cache_line_bytes);
}

sorted_buckets::sorted_buckets(std::uint64_t buckets, unsigned print_bits)
    : sorted_buckets(buckets, print_bits, storage::allocate(stored_bytes(buckets, print_bits))) {}

sorted_buckets::sorted_buckets(std::uint64_t buckets, unsigned print_bits, storage stored)
    : stored_(std::move(stored)),
      buckets_(checked(buckets, print_bits)),
      print_bits_(print_bits),
      straddling_(8 * cache_line_bytes % bits_of_bucket(print_bits) != 0),
      shifts_(shifts_of(print_bits)),
      max_value_(~std::uint64_t{0} >> (64 - print_bits)),
      ones_(one_in_each(print_bits)) {
  const std::uint64_t expected = stored_bytes(buckets, print_bits);
  if (stored_.size() != expected) {
    fail(errc::corrupt, std::to_string(buckets) + " sorted buckets of " +
                            std::to_string(bucket_bits()) + " bits take " +
                            std::to_string(expected) + " bytes, there are " +
                            std::to_string(stored_.size()));
  }
  if (!core::zero_from_bit(stored_.bytes(), buckets_ * bucket_bits())) {
    fail(errc::corrupt, "bits are set in the padding of the buckets");
  }
  require_sorted();
}

void sorted_buckets::require_sorted() const {
  search([&](const auto& in) {
    for (std::uint64_t i = 0; i < buckets_; ++i) {
      const std::uint64_t first = first_bit(i);
      const unsigned code = core::load_le<std::uint32_t>(start() + first / 8) >> first % 8 & 0xfff;
      if (code >= sorted_sequences::count) {
        fail(errc::corrupt, "bucket " + std::to_string(i) + " has the sequence " +
                                std::to_string(code) + "; allowed: 0 to " +
                                std::to_string(sorted_sequences::count - 1));
      }
      const unsigned free = in.free(in.bucket(first));
      if ((free & (free + 1)) != 0) {
        fail(errc::corrupt,
             "bucket " + std::to_string(i) + " has a free place behind a fingerprint");
      }
    }
  });
}

}  // namespace bloomery::bits
