// Whether a batch of keys is in a semi-sorted cuckoo table: several keys at once.
//
// Purpose:   the vector code under filters/changing/sorted_cuckoo.hpp; sorted_kernels.inl has it once for
//            all back ends.
// Cost:      four loads a key, two of them in a table of 8 KB; beyond the cache, lines are asked for some
//            steps ahead.
// Guarantee: what a search of both buckets answers, bit for bit, for tables of fewer than 2^32 buckets, an
//            even number, and fingerprints of at most 16 bits. A prefix of the batch is answered: none of
//            it by the portable back end, or of other tables.
// Citation:  Fan, Andersen, Kaminsky, Mitzenmacher 2014.
//
//     bloomery::bits::sorted_buckets table(10, 13);
//     const std::vector<bloomery::digest> keys(20);  // all the same: bucket 0, fingerprint 1
//     const bloomery::digest_span asked(keys);
//     bool there[20];
//     assert(bloomery::bits::cuckoo_contains(table.words(), asked, there).hits == 0);
//     table.put(table.first_bit(0), 1);
//     const auto done = bloomery::bits::cuckoo_contains(table.words(), asked, there);
//     assert(done.hits == done.keys);
#pragma once

#include "bloomery/bits/batch/answered.hpp"
#include "bloomery/bits/table/sorted_buckets.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery::bits {

answered cuckoo_contains(const sorted_words& in, const digest_span& keys, bool* answers);
answered cuckoo_contains(const sorted_words& in, const integer_span& keys, bool* answers);

}  // namespace bloomery::bits
