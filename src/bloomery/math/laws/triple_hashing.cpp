#include "bloomery/math/laws/triple_hashing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

constexpr std::uint64_t most_counted = std::uint64_t{1} << 18;  // m·k
constexpr std::uint64_t most_walked = std::uint64_t{1} << 25;   // words

// How many numbers below n have no divisor in common with it.
std::uint64_t totient(std::uint64_t n) {
  std::uint64_t result = n;
  for (std::uint64_t p = 2; p * p <= n; ++p) {
    if (n % p != 0) continue;
    while (n % p == 0) n /= p;
    result -= result / p;
  }
  return n > 1 ? result - result / n : result;
}

// A key's places, without x: they differ as these do.
void place(std::uint64_t y, std::uint64_t z, std::uint64_t m, std::vector<std::uint64_t>& places) {
  std::uint64_t at = 0;
  for (std::uint64_t& each : places) {
    each = at;
    at = (at + y) % m;
    y = (y + z) % m;
  }
}

// All y of one greatest common divisor with m are alike: a unit times y and z makes the same places different.
std::vector<double> counted_places(std::uint64_t m, std::uint64_t k) {
  std::vector<double> shares(k + 1);
  std::vector<std::uint64_t> places(k);
  std::vector<std::uint64_t> seen(m, 0);
  std::uint64_t mark = 0;
  for (std::uint64_t y = 1; y <= m; ++y) {
    if (m % y != 0) continue;
    const double weight = real(totient(m / y)) / real(m) / real(m);
    for (std::uint64_t z = 0; z < m; ++z) {
      place(y % m, z, m, places);
      ++mark;
      std::uint64_t different = 0;
      for (const std::uint64_t each : places) {
        different += std::uint64_t{seen[each] != mark};
        seen[each] = mark;
      }
      shares[different] += weight;
    }
  }
  return shares;
}

// Place i is x + iy + T·z, T = i(i-1)/2, so that places i and j are one if c·v = 0, where i + j = s, v is y + z(s-1)/2
// and c = j-i for odd s, and v is 2y + z(s-1) and c = (j-i)/2 for even s. Either v is any number modulo m, and of all
// m, as many have the order r as numbers below r have no divisor in common with it. Two such things at once are rare, but for all
// places in a coset of r, which is what is left where k is large.
std::vector<double> first_order_places(std::uint64_t m, std::uint64_t k) {
  std::vector<double> shares(k + 1);
  shares[k] = 1;
  for (std::uint64_t s = 1; s + 3 <= 2 * k; ++s) {
    for (std::uint64_t r = 1; r < k; ++r) {
      if (m % r != 0) continue;
      std::uint64_t lost = 0;
      for (std::uint64_t j = s / 2 + 1; j <= s && j < k; ++j) {
        const std::uint64_t apart = 2 * j - s;
        const std::uint64_t c = s % 2 == 1 ? apart : apart / 2;
        lost += std::uint64_t{c % r == 0};
      }
      const double share = real(totient(r)) / real(m);
      shares[k] -= share;
      shares[k - lost] += share;
    }
  }
  for (std::uint64_t r = 1; r < k; ++r) {
    if (m % r != 0) continue;
    std::uint64_t pairs = r * r;  // of y and z of whose orders r is the least common multiple
    for (std::uint64_t p = 2; p <= r; ++p) {
      if (r % p == 0 && totient(p) == p - 1) pairs -= pairs / p / p;
    }
    const double share = real(pairs) / real(m) / real(m);
    shares[k] -= share;
    shares[r] += share;
  }
  return shares;
}

bool is_set(byte_view bits, std::uint64_t place) {
  return (bits[place / 8] >> place % 8 & std::byte{1}) != std::byte{0};
}

// The share of all x, y and z whose places are ones: the bits from each place on, all x at once.
double walked_rate(byte_view bits, std::uint64_t m, std::uint64_t k) {
  const std::uint64_t words = (m + 63) / 64;
  std::vector<std::uint64_t> from(m * words);  // from[p] has bit x if p + x is a one
  for (std::uint64_t p = 0; p < m; ++p) {
    for (std::uint64_t x = 0; x < m; ++x) {
      if (is_set(bits, (p + x) % m)) from[p * words + x / 64] |= std::uint64_t{1} << x % 64;
    }
  }
  std::vector<std::uint64_t> places(k);
  std::uint64_t claimed = 0;
  for (std::uint64_t y = 0; y < m; ++y) {
    for (std::uint64_t z = 0; z < m; ++z) {
      place(y, z, m, places);
      for (std::uint64_t word = 0; word < words; ++word) {
        std::uint64_t all = ~std::uint64_t{0};
        for (std::uint64_t i = 0; i < k && all != 0; ++i) all &= from[places[i] * words + word];
        claimed += static_cast<std::uint64_t>(std::popcount(all));
      }
    }
  }
  return real(claimed) / real(m) / real(m) / real(m);
}

}  // namespace

std::vector<double> triple_places(std::uint64_t m, std::uint64_t k) {
  return m <= most_counted / k ? counted_places(m, k) : first_order_places(m, k);
}

double triple_rate(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  const std::vector<double> shares = triple_places(m, k);
  const std::vector<double> covered = cover_probabilities(m, k, n * k);
  return std::inner_product(shares.begin(), shares.end(), covered.begin(), 0.0);
}

double triple_instance_rate(byte_view bits, std::uint64_t k) {
  const std::uint64_t m = 8 * bits.size();
  if (m == 0) return 0;
  const bool few = m < most_walked;  // so that their square fits
  if (few && m * m <= most_walked / k / ((m + 63) / 64)) return walked_rate(bits, m, k);
  std::uint64_t ones = 0;
  for (const std::byte byte : bits) {
    ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<std::uint8_t>(byte)));
  }
  const std::vector<double> shares = triple_places(m, k);
  double rate = 0;
  for (std::uint64_t d = 1; d <= k; ++d) {
    rate += shares[d] * std::pow(real(ones) / real(m), real(d));
  }
  return rate;
}

}  // namespace bloomery::math
