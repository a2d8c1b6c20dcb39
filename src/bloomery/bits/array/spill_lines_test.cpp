#include "bloomery/bits/array/spill_lines.hpp"

#include <map>

#include "bloomery/hash/mix.hpp"
#include "parts.hpp"

namespace bloomery::testing {
namespace {

using bits::spill_lines;

// Fills the table to its last slot and empties it, again and again, with owners of several lines each.
// Whatever the history, the bytes are those of a table that got the same lines in another order.
TEST(spill_lines, depend_on_nothing_but_who_has_what) {
  for (const std::uint64_t slots : {1U, 2U, 7U, 40U}) {
    SCOPED_TRACE(slots);
    constexpr std::uint64_t owners = 50;
    spill_lines table(slots, owners);
    std::map<std::uint64_t, std::vector<std::uint64_t>> oracle;  // the marks of an owner's lines
    std::uint64_t used = 0;
    for (std::uint64_t step = 0; step < 4000; ++step) {
      const std::uint64_t draw = hash::mix(step);
      const std::uint64_t owner = hash::mix(draw) % owners;
      const bool growing = step / 300 % 2 == 0;
      if (draw % 4 < (growing ? 3U : 1U)) {
        ASSERT_EQ(table.add(owner), used < slots);
        if (used == slots) continue;
        const auto lines = table.of(owner);
        ASSERT_EQ(table.line(lines, lines.count - 1)[3], 0U) << "a new line is empty";
        table.line(lines, lines.count - 1)[3] = step + 1;
        oracle[owner].push_back(step + 1);
        ++used;
      } else if (!oracle[owner].empty()) {
        table.drop(owner);
        oracle[owner].pop_back();
        --used;
      }
      ASSERT_EQ(table.used(), used);
      if (step % 50 != 0) continue;
      spill_lines rebuilt(slots, owners);
      for (std::uint64_t i = owners; i-- > 0;) {
        const auto lines = table.of(i);
        ASSERT_EQ(lines.count, oracle[i].size());
        for (std::uint64_t j = 0; j < lines.count; ++j) {
          ASSERT_EQ(table.line(lines, j)[3], oracle[i][j]);
          ASSERT_TRUE(rebuilt.add(i));
          rebuilt.line(rebuilt.of(i), j)[3] = oracle[i][j];
        }
      }
      ASSERT_EQ(bytes_of(table), bytes_of(rebuilt));
      const spill_lines loaded(slots, owners, owned(bytes_of(table)));
      ASSERT_EQ(loaded.used(), used);
    }
  }
}

TEST(spill_lines, refuse_bytes_that_no_history_leaves) {
  const auto refused = [](const std::string& why, auto change) {
    spill_lines table(10, 100);
    for (const std::uint64_t owner : {21U, 22U, 22U, 95U, 96U}) table.add(owner);
    std::vector<std::byte> bytes = bytes_of(table);
    (void)spill_lines(10, 100, owned(bytes));
    change(bytes);
    return throws_error(errc::corrupt, why, [&] { spill_lines(10, 100, owned(bytes)); });
  };
  // Owners are the first 80 bytes, eight each: 21, 22, 22 in slots 2 to 4, 95 in 9, 96 in 0.
  EXPECT_TRUE(refused("out of its place", [](auto& b) { std::swap(b[16], b[24]); }));
  EXPECT_TRUE(refused("out of its place", [](auto& b) { std::swap(b[32], b[40]); }));
  EXPECT_TRUE(refused("of line 110 of 100", [](auto& b) { b[72] = std::byte{111}; }));
  EXPECT_TRUE(refused("nobody's", [](auto& b) { b[128 + 64] = std::byte{1}; }));
  EXPECT_TRUE(refused("padding", [](auto& b) { b[127] = std::byte{1}; }));
  EXPECT_TRUE(refused("bytes", [](auto& b) { b.resize(b.size() - 64); }));
  EXPECT_TRUE(refused("left", [](auto& b) { b.resize(b.size() + 64); }));
  EXPECT_TRUE(throws_error(errc::limit, "allowed", [] { spill_lines(0, 1); }));
}

}  // namespace
}  // namespace bloomery::testing
