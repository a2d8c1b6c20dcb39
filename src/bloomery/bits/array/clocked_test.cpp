#include "bloomery/bits/array/clocked.hpp"

#include "bloomery/bits/array/bit_array.hpp"
#include "parts.hpp"

namespace bloomery::bits {
namespace {

clocked<bit_array> restored(storage stored) {
  return {std::move(stored), [](storage rest) { return bit_array(600, std::move(rest)); }};
}

TEST(clocked, keeps_time_and_cells_through_storage) {
  clocked<bit_array> bits{bit_array(600)};
  bits.set_time(99);
  bits.cells.set(599);
  const storage all = testing::owned(testing::bytes_of(bits));
  ASSERT_EQ(all.size(), clocked<bit_array>::payload_bytes(bit_array_bytes(600)));
  const auto again = restored(all);
  EXPECT_TRUE(again.time() == 99 && again.cells.test(599));
  const auto viewed = restored(storage::view(all.bytes()));
  EXPECT_EQ(viewed.cells.bytes().data(), all.bytes().data() + 64);
}

TEST(clocked, refuses_what_cannot_be) {
  using testing::throws_error;
  EXPECT_TRUE(throws_error(errc::corrupt, "bytes", [] { restored(storage{}); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "bytes", [] { restored(storage::allocate(64)); }));
  storage late = storage::allocate(192);
  late.bytes_for_writing()[7] = std::byte{0x80};
  EXPECT_TRUE(throws_error(errc::corrupt, "clock", [&] { restored(std::move(late)); }));
  clocked<bit_array> bits{bit_array(600)};
  bits.set_time(5);
  EXPECT_NO_THROW(bits.require_later(5));
  EXPECT_TRUE(throws_error(errc::invalid, "time is 4", [&] { bits.require_later(4); }));
  EXPECT_TRUE(throws_error(errc::invalid, "time", [&] { bits.require_later(max_items + 1); }));
}

}  // namespace
}  // namespace bloomery::bits
