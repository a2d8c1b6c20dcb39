// Whether a batch of keys is in a d-left table: where several keys lie at once, then each in all its
// buckets at once.
//
// Purpose:   the vector code under bits/table/dleft_table.hpp; dleft_kernels.inl has it once for all back ends.
// Cost:      docs/performance.md has it. Beyond the cache, lines are asked for some steps ahead.
// Guarantee: what dleft_table::contains answers, bit for bit. A prefix of the batch is answered: none of
//            it by the portable back end, of more than four tables or of 2^32 buckets in one, of
//            remainders beyond 32 bits, or if buckets are not searched in pairs.
// Citation:  Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006.
//
//     bloomery::bits::dleft_table table({.tables = 4, .buckets = 10, .cells = 4, .remainder_bits =
//         12,
//                                  .counter_bits = 5});
//     const std::array<bloomery::digest, 20> keys{};  // all the same
//     bool there[20];
//     assert(bloomery::bits::dleft_contains(table.words(), keys, there).hits == 0);
//     table.search([&](const auto& by) { table.insert(by, table.locate(keys[0]), 9, [](auto) {}); });
//     const auto done = bloomery::bits::dleft_contains(table.words(), keys, there);
//     assert(done.hits == done.keys);
#pragma once

#include <cstdint>

#include "bloomery/bits/batch/answered.hpp"
#include "bloomery/bits/table/bucket_table.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery::bits {

struct dleft_words {
  bucket_pairs in;  // all tables, one after the other
  std::uint64_t tables;
  std::uint64_t buckets;       // in each
  std::uint64_t most;          // of the remainders, which begin with 1
  std::uint64_t counter_bits;  // below the remainder
};

answered dleft_contains(const dleft_words& table, const digest_span& keys, bool* answers);
answered dleft_contains(const dleft_words& table, const integer_span& keys, bool* answers);

}  // namespace bloomery::bits
