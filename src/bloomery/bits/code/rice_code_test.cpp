#include "bloomery/bits/code/rice_code.hpp"

#include <vector>

#include "bloomery/hash/mix.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

// Every width, numbers of every size, one after another: each is read back and ends where it should.
TEST(rice_code, reads_what_it_wrote) {
  for (std::uint64_t rice = 0; rice <= math::max_rice_bits; ++rice) {
    const rice_code code{rice, 56};
    std::vector<std::byte> bits(400 * 12 + rice_code::spare_bytes);
    std::vector<std::uint64_t> numbers;
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
      numbers.push_back(hash::mix(i + rice) >> (8 + i % 57 % 56));
      const std::uint64_t next = code.write(bits.data(), end, numbers.back());
      ASSERT_EQ(next, end + code.length(numbers.back()));
      end = next;
    }
    std::uint64_t at = 0;
    for (const std::uint64_t number : numbers) ASSERT_EQ(code.read(bits.data(), at), number);
    EXPECT_EQ(at, end);
  }
}

TEST(rice_code, no_number_takes_more_than_the_bound) {
  const rice_code code{0, 56};
  EXPECT_EQ(code.length(31), 32U);
  EXPECT_EQ(code.length(32), 88U);
  EXPECT_EQ(code.length((std::uint64_t{1} << 56) - 1), 88U);
}

}  // namespace
}  // namespace bloomery::bits
