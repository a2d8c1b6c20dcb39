#include "bloomery/apps/exchange/lt_code.hpp"

#include <gtest/gtest.h>

#include <random>

#include "testing.hpp"

namespace bloomery::exchange {
namespace {

using bloomery::testing::throws_error;

// Whatever symbols come, and in whichever order, known blocks are the file's.
TEST(lt_code, gives_the_file_back) {
  std::mt19937_64 random(3);
  for (const std::uint64_t blocks : {2U, 17U, 500U}) {
    std::vector<std::byte> file(blocks * 12);
    for (std::byte& each : file) each = static_cast<std::byte>(random());
    const lt_code code(blocks, 12, 9);
    lt_decoder decoder(code);
    std::uint64_t added = 0;
    while (!decoder.complete()) {
      const std::uint64_t number = random() % 100'000;
      decoder.add(number, code.symbol(file, number));
      ASSERT_LT(++added, 10 * blocks + 100);
      if (added == blocks / 2) {
        for (std::size_t i = 0; i < file.size(); i += 12) {
          const bool zeros =
              std::all_of(decoder.file().begin() + static_cast<std::ptrdiff_t>(i),
                          decoder.file().begin() + static_cast<std::ptrdiff_t>(i) + 12,
                          [](std::byte b) { return b == std::byte{}; });
          EXPECT_TRUE(zeros || std::equal(file.begin() + static_cast<std::ptrdiff_t>(i),
                                          file.begin() + static_cast<std::ptrdiff_t>(i) + 12,
                                          decoder.file().begin() + static_cast<std::ptrdiff_t>(i)));
        }
      }
    }
    EXPECT_EQ(decoder.file(), file);
    if (blocks == 500) {
      EXPECT_LT(added, 750U);
    }
  }
}

TEST(lt_code, refuses_other_sizes) {
  const lt_code code(4, 10, 1);
  EXPECT_TRUE(throws_error(errc::invalid, "40", [&] { (void)code.symbol({}, 1); }));
  lt_decoder decoder(code);
  EXPECT_TRUE(throws_error(errc::corrupt, "10", [&] { decoder.add(1, {}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "blocks", [] { lt_code(1, 10, 1); }));
}

}  // namespace
}  // namespace bloomery::exchange
