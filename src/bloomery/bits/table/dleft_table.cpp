#include "bloomery/bits/table/dleft_table.hpp"

#include <string>

#include "bloomery/core/error.hpp"

namespace bloomery::bits {
namespace {

unsigned cells_of(const math::dleft_size& size) {
  return static_cast<unsigned>(size.cells);
}

unsigned width_of(const math::dleft_size& size) {
  return static_cast<unsigned>(size.remainder_bits + size.counter_bits);
}

}  // namespace

dleft_table::dleft_table(const layout& size)
    : dleft_table(size, bucket_table(size.tables * size.buckets, cells_of(size), width_of(size))) {}

dleft_table::dleft_table(const layout& size, storage stored)
    : dleft_table(size, bucket_table(size.tables * size.buckets, cells_of(size), width_of(size),
                                     std::move(stored))) {
  for (std::uint64_t cell = 0; cell < table_.bits(); cell += table_bits_) check_table(cell);
}

void dleft_table::check_table(std::uint64_t first) const {
  table_.search([&](const auto& in) {
    const auto by = finding(in);
    const auto highest = in.every(std::uint64_t{1} << (table_.width() - 1));
    const std::uint64_t bucket_bits = size_.cells * table_.width();
    for (std::uint64_t here = first; here < first + table_bits_; here += bucket_bits) {
      const auto free = by.unused(here);
      const auto from_first_free = highest & ~((free & -free) - 1);
      const auto nothing = by.holding(here, in.every(0));  // no remainder is 0
      if (free != in.equal(in.bucket(here), 0) || free != nothing ||
          (free != 0 && free != from_first_free)) {
        fail(errc::corrupt, "a bucket has unused cells before used ones, or half used");
      }
      const std::uint64_t end = free != 0 ? in.first(here, free) : here + bucket_bits;
      for (std::uint64_t cell = here; cell < end; cell += table_.width()) {
        const std::uint64_t remainder = table_.get(cell) >> size_.counter_bits;
        const auto wanted = in.every(remainder << size_.counter_bits);
        auto others = by.holding(here, wanted);
        others &= others - 1;
        // Tables after this one look back to it.
        const std::size_t table = first / table_bits_;
        const std::uint64_t origin = here - place_of(0, remainder).buckets[table];
        const place at = place_of(std::min(origin, origin + table_bits_), remainder);
        for (std::size_t t = 0; t < table; ++t) {
          others |= by.holding(at.buckets[t], wanted);
        }
        if (others != 0) fail(errc::corrupt, "two cells have the same bucket and remainder");
      }
    }
  });
}

void dleft_table::refuse() const {
  fail(errc::limit, "no room for the key: its " + std::to_string(size_.tables) +
                        " buckets are full; the filter takes " +
                        std::to_string(math::dleft_capacity(size_)) + " distinct keys");
}

std::uint64_t dleft_table::stored_bytes(const layout& size) {
  return bucket_table::stored_bytes(size.tables * size.buckets, cells_of(size), width_of(size));
}

std::uint64_t dleft_table::cells_of_width(std::uint64_t width) {
  constexpr std::uint64_t least_paired = 8;
  constexpr std::uint64_t most_paired = 32;
  return width < least_paired || width > most_paired
             ? bucket_table::max_bucket_bits / width
             : bucket_table::most_paired(static_cast<unsigned>(width));
}

void dleft_table::require_searchable(const layout& size, std::string_view tag) {
  const auto require = [&](const std::string& what, std::uint64_t bits, std::uint64_t most) {
    if (bits <= most) return;
    fail(errc::invalid, what + "remainder_bits and " + std::string(tag) + " is " +
                            std::to_string(bits) + "; allowed: 1 to " + std::to_string(most));
  };
  require("", width_of(size), bucket_table::max_width);
  require("cells times ", size.cells * width_of(size), bucket_table::max_bucket_bits);
}

std::vector<std::uint64_t> dleft_table::loads() const {
  std::vector<std::uint64_t> buckets(size_.cells + 1, 0);
  for (std::uint64_t i = 0; i < table_.buckets(); ++i) {
    unsigned load = 0;
    while (load < table_.slots() && table_.get(table_.cell(i, load)) != 0) ++load;
    ++buckets[load];
  }
  return buckets;
}

}  // namespace bloomery::bits
