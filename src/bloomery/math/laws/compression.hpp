// Filters made to be sent: sizes after entropy coding, and the best filter for a transmitted size.
//
// Purpose:   a filter larger in memory and sparser (or denser) than the usual one compresses to the
//            same bits on the wire and errs less often.
// Cost:      microseconds.
// Guarantee: sizes are entropies of independent bits, in the limit of many keys, so a real coder
//            comes within a header of them; no filter beats a rate of (1/2)^transmitted, and large
//            ones come as near as one likes. Impossible requests throw errc::invalid.
// Citation:  Mitzenmacher 2002; Broder–Mitzenmacher §2.6 and Table 1; Tarkoma §III-C.
//
//     const auto sparse = bloomery::math::compressed_filter(48, 3);
//     assert(std::abs(sparse.transmitted - 15.829) < 5e-4);
//     assert(sparse.rate < 0.000459 / 2);  // the rate of the best 16 bits a key, uncompressed
//     assert(bloomery::math::best_compressed(16, 48).hashes == 3);
#pragma once

#include <cstdint>

namespace bloomery::math {

// Bits per symbol of a coin that falls one way with probability p: H(p).
double entropy(double p);

// c·H(e^{-k/c}) for c bits of memory per key: what the entropy coder leaves of them.
double compressed_bits_per_key(double bits_per_key, std::uint64_t hashes);

struct compressed_size {
  double bits_per_key;  // in memory, m/n
  std::uint64_t hashes;
  double transmitted;  // bits per key on the wire, z/n
  double rate;         // asymptotic
};
compressed_size compressed_filter(double bits_per_key, std::uint64_t hashes);

// The lowest rate within both limits, over all whole k. Transmitted bits rise with c for every k,
// through the dense filters to the sparse ones, so each k has one largest c.
compressed_size best_compressed(double transmitted_limit, double most_bits_per_key);

// Bits per key of the exclusive or of a filter and its successor, `replaced_fraction` of the keys
// being new: c·H(2p(1-p^x)), p = e^{-k/c}.
double delta_bits_per_key(double bits_per_key, std::uint64_t hashes, double replaced_fraction);

}  // namespace bloomery::math
