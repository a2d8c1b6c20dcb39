#include "bloomery/math/kinds/fuse.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

constexpr double shortest_segment_log2 = 2;
constexpr double longest_segment_log2 = 18;

// The fitted lengths, but with three slots a key never more than 10·√n: shorter segments keep the
// building inside the cache. Much shorter ones would let two keys agree in all their slots too
// often: at 5·√n to 10·√n one attempt in 55 to 220 fails for that.
double segment_log2(double keys, unsigned arity) {
  const double fitted =
      arity == 3 ? std::min(std::log(keys) / std::log(3.33) + 2.25, std::log2(10 * std::sqrt(keys)))
                 : std::log(keys) / std::log(2.91) - 0.5;
  return std::floor(std::clamp(fitted, shortest_segment_log2, longest_segment_log2));
}

double slots_per_key(double keys, unsigned arity) {
  const double log = std::log(std::max(keys, 2.0));
  return arity == 3 ? std::max(1.125, 0.875 + 0.25 * std::log(1e6) / log)
                    : std::max(1.075, 0.77 + 0.305 * std::log(6e5) / log);
}

}  // namespace

fuse_size plan_fuse(std::uint64_t keys, unsigned arity) {
  require_whole("keys", keys, 1, max_keys);
  require_whole("arity", arity, 3, 4);
  fuse_size size{1, static_cast<unsigned>(segment_log2(real(keys), arity)), arity};
  const double segments =
      std::ceil(std::ldexp(real(keys) * slots_per_key(real(keys), arity), -int(size.segment_log2)));
  if (segments > arity) size.segments = static_cast<std::uint64_t>(segments) - (arity - 1);
  return size;
}

query_cost fuse_cost(const fuse_size& size, unsigned bits) {
  const double straddling = real(bits - 1) / real(cache_line_bits);
  const double most = std::ceil(real(size.slots()) * bits / real(cache_line_bits));
  const double lines = std::min(size.arity * (1 + straddling), most);
  return {lines, lines};
}

}  // namespace bloomery::math
