// Whole numbers of any length, for sums whose terms cancel.
//
// Purpose:   closed forms with alternating signs, exactly: hundreds of digits may cancel.
// Cost:      a limb is 32 bits; sums are linear in them, products quadratic.
// Guarantee: exact, but for `ratio`, which is right to 1e-15.
//
//     using bloomery::math::natural;
//     natural difference = bloomery::math::power(10, 40);
//     difference -= bloomery::math::power(10, 40) - natural(1);
//     assert(ratio(difference, natural(4)) == 0.25);
#pragma once

#include <cstdint>
#include <vector>

namespace bloomery::math {

class natural {
 public:
  explicit natural(std::uint64_t value = 0);

  natural& operator+=(const natural& other);
  natural& operator-=(const natural& other);  // other is not larger
  natural& operator*=(std::uint32_t factor);
  friend natural operator+(natural a, const natural& b) { return a += b; }
  friend natural operator-(natural a, const natural& b) { return a -= b; }
  friend natural operator*(const natural& a, const natural& b);
  friend bool operator==(const natural&, const natural&) = default;

  friend double ratio(const natural& a, const natural& b);  // a/b, b above 0

 private:
  void trim();

  std::vector<std::uint32_t> limbs_;  // the lowest first, the highest not 0
};

natural power(std::uint32_t base, std::uint64_t exponent);

}  // namespace bloomery::math
