// Where a batch of keys lies in a cuckoo table, and whether it is there: several keys at once.
//
// Purpose:   the vector code under filters/changing/cuckoo.hpp; cuckoo_kernels.inl has it once for all
//            back ends.
// Cost:      docs/performance.md has it. Beyond the cache, lines are asked for some steps ahead.
// Guarantee: what `other_cuckoo_bucket` and a search of both buckets answer, bit for bit, for tables of
//            fewer than 2^32 buckets, an even number, each within a word. A prefix of the batch is
//            answered: none of it by the portable back end, or of other tables.
// Citation:  Fan, Andersen, Kaminsky, Mitzenmacher 2014.
//
//     bloomery::bits::bucket_table table(10, 4, 12);
//     const std::array<bloomery::digest, 20> keys{};  // all the same: bucket 0, fingerprint 1
//     bool there[20];
//     assert(bloomery::bits::cuckoo_contains(table.words(), keys, there).hits == 0);
//     table.set(table.cell(0, 0), 1);
//     const auto done = bloomery::bits::cuckoo_contains(table.words(), keys, there);
//     assert(done.hits == done.keys);
#pragma once

#include <cstdint>

#include "bloomery/bits/batch/answered.hpp"
#include "bloomery/bits/table/bucket_table.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bits {

// The two buckets of a fingerprint, by number, add up to an odd number that depends on it alone,
// modulo the even number of buckets: so either gives the other, and they differ. Were that number
// linear in the fingerprint, pairs would close short cycles, and the table be full too early. Buckets
// are named by their first bit.
inline std::uint64_t other_cuckoo_bucket(std::uint64_t bucket, std::uint64_t print,
                                         std::uint64_t buckets, std::uint64_t bucket_bits) {
  const std::uint64_t half = hash::reduce(print * print * hash::golden, buckets / 2);
  const std::uint64_t other = (2 * half + 1) * bucket_bits - bucket;
  // It may have wrapped; a branch could not be predicted.
  return other + (buckets * bucket_bits & (0 - (other >> 63)));
}

// One key of a table whose shape the compiler knows, of buckets of whole bytes in a word.
template <unsigned slots, unsigned width>
bool cuckoo_contains_of(const bucket_table& table, digest d) {
  static_assert(slots * width % 8 == 0 && slots * width <= 64);
  constexpr std::uint64_t bucket_bytes = slots * width / 8;
  constexpr std::uint64_t low = [] {
    std::uint64_t bits = 0;
    for (unsigned slot = 0; slot < slots; ++slot) bits |= std::uint64_t{1} << slot * width;
    return bits;
  }();
  constexpr std::uint64_t high = low << (width - 1);
  constexpr std::uint64_t most = ~std::uint64_t{0} >> (64 - width);
  constexpr std::uint64_t rest = low * (most >> 1);
  const std::uint64_t buckets = table.buckets();
  const std::byte* const data = table.bytes().data();
  const std::uint64_t print = 1 + hash::reduce(d.hi, most);
  const std::uint64_t first = hash::reduce(d.lo, buckets);
  const std::uint64_t second = other_cuckoo_bucket(first, print, buckets, 1);
  const auto unequal = [=](std::uint64_t bucket) {  // as bucket_table searches
    const std::uint64_t differ =
        core::load_le<std::uint64_t>(data + bucket * bucket_bytes) ^ print * low;
    return ((differ & rest) + rest) | differ;
  };
  return (unequal(first) & unequal(second) & high) != high;
}

answered cuckoo_contains(const bucket_words& in, const digest_span& keys, bool* answers);
answered cuckoo_contains(const bucket_words& in, const integer_span& keys, bool* answers);

}  // namespace bloomery::bits
