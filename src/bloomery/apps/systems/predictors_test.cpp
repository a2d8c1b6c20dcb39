#include <random>
#include <sstream>

#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

// A program of a few hundred branches, each with a mind of its own, and loads from a few places.
std::string made_up_trace() {
  std::mt19937_64 random(1);
  std::string text;
  const auto hex = [](std::uint64_t value) {
    std::ostringstream out;
    out << std::hex << value;
    return out.str();
  };
  for (int i = 0; i < 40'000; ++i) {
    const std::uint64_t at = 0x1000 + 16 * (random() % 300);
    const bool taken = random() % 10 < (at / 16) % 10;
    text += "I  " + hex(at) + ",4\n L " + hex(64 * (random() % 2000)) + ",8\n";
    text += "I  " + hex(taken ? at + 4096 : at + 4) + ",4\n";
  }
  return text;
}

TEST(predictors, lose_less_than_a_point_by_banks) {
  testing::paper_host outside(std::map<std::string, std::string>{{"trace", made_up_trace()}});
  const lab::result found =
      testing::run_experiment("O4", {{"trace", "trace"}, {"counters", "4096"}}, outside);
  EXPECT_TRUE(testing::as_promised(found));
  ASSERT_EQ(found.figures().size(), 6U);
  for (const std::size_t i : {0U, 2U, 4U}) {
    EXPECT_GT(found.figures()[i].measured, 0.5) << found.figures()[i].what;
  }
}

TEST(predictors, refuse_a_trace_of_something_else) {
  testing::paper_host outside(std::map<std::string, std::string>{{"trace", "hello\n"}});
  EXPECT_TRUE(testing::throws_error(errc::corrupt, "line 1", [&] {
    testing::run_experiment("O4", {{"trace", "trace"}}, outside);
  }));
}

}  // namespace
}  // namespace bloomery::systems
