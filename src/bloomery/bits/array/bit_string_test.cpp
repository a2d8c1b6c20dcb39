#include "bloomery/bits/array/bit_string.hpp"

#include <algorithm>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

void expect_same(const bits::bit_string& bits, const std::vector<bool>& oracle) {
  ASSERT_EQ(bits.size(), oracle.size());
  for (std::size_t i = 0; i < oracle.size(); ++i) ASSERT_EQ(bits.test(i), oracle[i]) << i;
  EXPECT_EQ(bits.bytes().size(), (oracle.size() + 511) / 512 * 64);
  EXPECT_NO_THROW(bits::bit_string(bits.size(), storage::view(bits.bytes()))) << "clean padding";
}

// Grows to 1600 bits, over lines and back to none.
TEST(bit_string, does_as_a_vector_of_bits) {
  bits::bit_string bits;
  std::vector<bool> oracle;
  for (std::uint64_t step = 0; step < 12'000; ++step) {
    const bool grow = step < 3000 ? hash::mix(step) % 4 != 0 : hash::mix(step) % 4 == 0;
    const auto at = [&](std::uint64_t places) {
      return static_cast<std::ptrdiff_t>(hash::mix(~step) % places);
    };
    if (grow || oracle.empty()) {
      const auto i = at(oracle.size() + 1);
      bits.insert_zero(static_cast<std::uint64_t>(i));
      oracle.insert(oracle.begin() + i, false);
      if (hash::mix(step * 3) % 4 != 0) {
        bits.flip(static_cast<std::uint64_t>(i));
        oracle[static_cast<std::size_t>(i)] = true;
      }
    } else {
      const auto i = at(oracle.size());
      bits.remove(static_cast<std::uint64_t>(i));
      oracle.erase(oracle.begin() + i);
    }
    if (step % 97 != 0 || oracle.empty()) continue;
    expect_same(bits, oracle);
    const auto first = at(oracle.size());
    const auto begin = oracle.begin() + first;
    EXPECT_EQ(bits.count(static_cast<std::uint64_t>(first), oracle.size()),
              static_cast<std::uint64_t>(std::count(begin, oracle.end(), true)));
    EXPECT_EQ(bits.ones_from(static_cast<std::uint64_t>(first)),
              static_cast<std::uint64_t>(std::find(begin, oracle.end(), false) - begin));
    expect_same(bits::bit_string(bits), oracle);
  }
  EXPECT_LT(oracle.size(), 10U);
}

TEST(bit_string, finds_runs_over_words) {
  bits::bit_string bits;
  for (std::uint64_t i = 0; i < 300; ++i) {
    bits.insert_zero(i);
    if (i != 250) bits.flip(i);
  }
  EXPECT_EQ(bits.ones_from(0), 250U);
  EXPECT_EQ(bits.ones_from(63), 187U);
  EXPECT_EQ(bits.ones_from(64), 186U);
  EXPECT_EQ(bits.ones_from(250), 0U);
  EXPECT_EQ(bits.ones_from(251), 49U);
  EXPECT_EQ(bits.ones_from(300), 0U);
}

TEST(bit_string, refuses_other_lengths_and_dirty_padding) {
  EXPECT_TRUE(throws_error(errc::corrupt, "bits need",
                           [] { bits::bit_string(600, storage::allocate(64)); }));
  storage dirty = storage::allocate(64);
  dirty.bytes_for_writing()[63] = std::byte{0x80};
  EXPECT_TRUE(throws_error(errc::corrupt, "padding", [&] { bits::bit_string(511, dirty); }));
  EXPECT_NO_THROW(bits::bit_string(512, dirty));
}

}  // namespace
}  // namespace bloomery::testing
