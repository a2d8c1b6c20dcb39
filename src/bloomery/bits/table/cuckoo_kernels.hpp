// Where a batch of keys lies in a cuckoo table, and whether it is there: several keys at once.
//
// Purpose:   the vector code under filters/changing/cuckoo.hpp; cuckoo_kernels.inl has it once for all
//            back ends.
// Cost:      by AVX-512 half of what a batch of one key after another costs; docs/performance.md.
// Guarantee: what `other_cuckoo_bucket` and a search of both buckets answer, bit for bit, for tables of
//            fewer than 2^32 buckets, an even number, each within a word. A prefix of the batch is
//            answered: none of it by the portable back end, or of other tables.
// Citation:  Fan, Andersen, Kaminsky, Mitzenmacher 2014.
//
//     bloomery::bits::bucket_table table(10, 4, 12);
//     const std::vector<bloomery::digest> keys(20);  // all the same: bucket 0, fingerprint 1
//     bool there[20];
//     assert(bloomery::bits::cuckoo_contains(table.words(), keys.data(), 20, there).hits == 0);
//     table.set(table.cell(0, 0), 1);
//     const auto done = bloomery::bits::cuckoo_contains(table.words(), keys.data(), 20, there);
//     assert(done.hits == done.keys);
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bloomery/bits/batch/answered.hpp"
#include "bloomery/bits/table/bucket_table.hpp"
#include "bloomery/hash/digest.hpp"
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
  return std::min(other, other + buckets * bucket_bits);  // it may have wrapped
}

answered cuckoo_contains(const bucket_words& in, const digest* keys, std::size_t count,
                         bool* answers);

}  // namespace bloomery::bits
