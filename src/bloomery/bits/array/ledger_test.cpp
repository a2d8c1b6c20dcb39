#include "bloomery/bits/array/ledger.hpp"

#include "testing.hpp"

namespace bloomery::bits {
namespace {

TEST(ledger, keeps_its_numbers_through_storage) {
  ledger numbers(9);
  EXPECT_EQ(numbers.bytes().size(), 128U);
  for (std::uint64_t i = 0; i < 9; ++i) {
    EXPECT_EQ(numbers.get(i), 0U);
    numbers.set(i, ~i);
  }
  numbers.add(8, 8);
  const ledger copied = numbers;
  numbers.set(0, 0);
  const ledger viewed(9, storage::view(copied.bytes()));
  EXPECT_EQ(viewed.get(0), ~std::uint64_t{0});
  EXPECT_EQ(viewed.get(7), ~std::uint64_t{7});
  EXPECT_EQ(viewed.get(8), ~std::uint64_t{0});
}

TEST(ledger, refuses_what_does_not_fit) {
  EXPECT_TRUE(testing::throws_error(errc::corrupt, "9 numbers take 128 bytes, there are 64",
                                    [] { ledger(9, storage::allocate(64)); }));
  storage dirty = storage::allocate(64);
  dirty.bytes_for_writing()[24] = std::byte{1};
  EXPECT_NO_THROW(ledger(4, dirty));
  EXPECT_TRUE(testing::throws_error(errc::corrupt, "padding", [&] { ledger(3, dirty); }));
  ledger viewed(8, storage::view(dirty.bytes()));
  EXPECT_TRUE(testing::throws_error(errc::read_only, "view", [&] { viewed.require_writable(); }));
}

}  // namespace
}  // namespace bloomery::bits
