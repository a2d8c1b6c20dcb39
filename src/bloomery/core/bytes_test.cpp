#include "bloomery/core/bytes.hpp"

#include <gtest/gtest.h>

#include <array>

namespace bloomery::core {
namespace {

template <class T>
class little_endian_test : public ::testing::Test {};
using widths = ::testing::Types<std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(little_endian_test, widths);

TYPED_TEST(little_endian_test, stores_the_lowest_byte_first_at_any_address) {
  constexpr auto value = static_cast<TypeParam>(0x1122334455667788);
  for (std::size_t offset = 0; offset < 8; ++offset) {
    std::array<std::byte, 24> place{};
    store_le(place.data() + offset, value);
    for (std::size_t i = 0; i < place.size(); ++i) {
      const bool written = i >= offset && i < offset + sizeof value;
      const auto expected =
          written ? static_cast<std::byte>(value >> 8 * (i - offset) & 0xff) : std::byte{0};
      EXPECT_EQ(place.at(i), expected) << "byte " << i << ", offset " << offset;
    }
    EXPECT_EQ(load_le<TypeParam>(place.data() + offset), value);
  }
}

TYPED_TEST(little_endian_test, swapping_reverses_the_bytes) {
  constexpr auto value = static_cast<TypeParam>(0x1122334455667788);
  const TypeParam swapped = detail::swap_bytes(value);
  for (std::size_t i = 0; i < sizeof value; ++i) {
    EXPECT_EQ(swapped >> 8 * i & 0xff, value >> 8 * (sizeof value - 1 - i) & 0xff);
  }
}

TEST(round_up, gives_the_next_multiple) {
  for (const std::uint64_t multiple : {1U, 3U, 64U, 512U}) {
    for (std::uint64_t value = 0; value <= 3 * multiple; ++value) {
      const std::uint64_t up = round_up(value, multiple);
      EXPECT_EQ(up % multiple, 0U);
      EXPECT_GE(up, value);
      EXPECT_LT(up - value, multiple);
    }
  }
}

}  // namespace
}  // namespace bloomery::core
