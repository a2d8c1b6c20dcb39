#include "bloomery/math/laws/fingerprints.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {

double fingerprint_rate(std::uint64_t keys, unsigned bits, unsigned hash_bits) {
  if (keys == 0) return 0;
  const double same_hash = std::ldexp(real(keys), -static_cast<int>(hash_bits));
  return std::min(1.0, std::ldexp(1.0, -static_cast<int>(bits)) + same_hash);
}

unsigned fingerprint_bits(std::uint64_t keys, double rate, unsigned hash_bits) {
  require_whole("keys", keys, 1, max_keys);
  require_share("the false-positive rate", rate);
  for (unsigned bits = 1; bits <= max_fingerprint_bits; ++bits) {
    if (fingerprint_rate(keys, bits, hash_bits) <= rate) return bits;
  }
  fail(errc::limit, "fingerprints of " + std::to_string(max_fingerprint_bits) + " bits reach " +
                        format_real(fingerprint_rate(keys, max_fingerprint_bits, hash_bits)) +
                        ", not a rate of " + format_real(rate));
}

}  // namespace bloomery::math
