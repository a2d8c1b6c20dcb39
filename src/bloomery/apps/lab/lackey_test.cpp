#include "bloomery/apps/lab/lackey.hpp"

#include "testing.hpp"

namespace bloomery::lab {
namespace {

using testing::throws_error;

TEST(lackey, tells_branches_from_other_instructions) {
  // A loop of two instructions, the second of which jumps back twice and then goes on; and a call that
  // always jumps.
  const auto trace = read_lackey(
      "==12== Lackey\nI  10,2\nI  12,2\nI  10,2\nI  12,2\nI  10,2\nI  12,2\nI  14,5\nI  80,1\n");
  ASSERT_EQ(trace.branches.size(), 3U);
  EXPECT_EQ(trace.branches[0].at, 0x12U);
  EXPECT_TRUE(trace.branches[0].taken && trace.branches[1].taken && !trace.branches[2].taken);
  EXPECT_TRUE(trace.loads.empty());
}

TEST(lackey, gives_loads_to_the_instruction_that_did_them) {
  const auto trace = read_lackey(" L 1,1\nI  10,2\n L a0,8\n S b0,8\nI  12,2\n M c0,4\n");
  ASSERT_EQ(trace.loads.size(), 2U);
  EXPECT_EQ(trace.loads[0].at, 0x10U);
  EXPECT_EQ(trace.loads[0].address, 0xa0U);
  EXPECT_EQ(trace.loads[1].at, 0x12U);
  EXPECT_EQ(trace.loads[1].address, 0xc0U);
}

TEST(lackey, refuses_other_lines_by_number) {
  for (const char* wrong : {"I  10\n", "I  xy,2\n", "I  10,z\n", "hello\n", " L 10,2 \n", "I",
                            "I  fffffffffffffffff,2\n"}) {
    EXPECT_TRUE(throws_error(errc::corrupt, "line 2", [&] {
      (void)read_lackey("I  1,1\n" + std::string(wrong));
    })) << wrong;
  }
  EXPECT_TRUE(read_lackey("").branches.empty());
}

}  // namespace
}  // namespace bloomery::lab
