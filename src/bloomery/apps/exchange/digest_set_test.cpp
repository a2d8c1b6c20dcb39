#include "bloomery/apps/exchange/digest_set.hpp"

#include <gtest/gtest.h>

#include "bloomery/apps/exchange/coded_symbols.hpp"
#include "bloomery/apps/lab/request.hpp"
#include "stored_digests.hpp"

namespace bloomery::exchange {
namespace {

std::vector<digest> some_digests(std::uint64_t seed, std::uint64_t count) {
  std::vector<digest> drawn;
  for (std::uint64_t i = 0; i < count; ++i) drawn.push_back(lab::numbered(seed, 0, i));
  return drawn;
}

// Sizes around those of what is read at once.
constexpr std::array<std::uint64_t, 11> sizes{0,   1,    2,     255,   256,  257,
                                              512, 4097, 16384, 16385, 40000};

TEST(digest_set, one_that_is_stored_says_the_same) {
  for (const std::uint64_t size : sizes) {
    SCOPED_TRACE(size);
    const digest_set held(some_digests(1, size), 77);
    const digest_set stored = testing::elsewhere(held);
    EXPECT_EQ(stored.size(), held.size());
    EXPECT_EQ(stored.bytes(), 77U);
    EXPECT_EQ(stored.print(), held.print());
    EXPECT_EQ(stored.all(), held.all());
    EXPECT_EQ(held.all(), std::vector<digest>(held.keys().begin(), held.keys().end()));
    std::vector<digest> seen;
    stored.each(
        [&](std::span<const digest> some) { seen.insert(seen.end(), some.begin(), some.end()); });
    EXPECT_EQ(seen, held.all());
    for (const digest_set* const set : {&held, &stored}) {
      std::vector<digest> passed;
      for (digest_cursor at(*set); !at.at_end(); at.advance()) passed.push_back(*at);
      EXPECT_EQ(passed, held.all());
    }
    for (const digest d : held.keys()) {
      ASSERT_TRUE(stored.contains(d));
      ASSERT_FALSE(stored.contains({d.lo, d.hi + 1}));
    }
    EXPECT_FALSE(stored.contains({0, 0}));
    EXPECT_FALSE(stored.contains({~std::uint64_t{0}, ~std::uint64_t{0}}));
    if (size > 10) {
      EXPECT_EQ(stored.read(5, 3), held.read(5, 3));
    }
  }
}

TEST(digest_set, little_of_one_that_is_stored_is_in_memory) {
  const auto keys =
      std::make_shared<testing::lying_elsewhere>(digest_set(some_digests(2, 100'000)).all());
  const digest_set stored(keys);
  EXPECT_TRUE(stored.keys().empty());
  const std::uint64_t before = keys->keys_read();
  EXPECT_FALSE(stored.contains({1, 1}));
  EXPECT_LE(keys->keys_read() - before, 256U);
  rateless_encoder sums(stored);
  (void)sums.next(2000);
  EXPECT_LE(keys->most_at_once(), 16'384U);
}

// However they are asked for.
TEST(digest_set, symbols_of_one_that_is_stored_are_the_same) {
  const digest_set held(some_digests(3, 3000));
  for (const auto& asked : {std::vector<std::uint64_t>{64, 16, 16, 900, 16, 100, 3000},
                            std::vector<std::uint64_t>{1, 1023, 1, 1023, 1},
                            std::vector<std::uint64_t>{5000, 1, 70'000}}) {
    const digest_set stored = testing::elsewhere(held);
    rateless_encoder here(held);
    rateless_encoder there(stored);
    for (const std::uint64_t count : asked) {
      EXPECT_EQ(there.next(count), here.next(count));
      EXPECT_EQ(there.produced(), here.produced());
    }
  }
}

// A pass each time their number has doubled, and not for each that is asked for.
TEST(digest_set, one_that_is_stored_is_seldom_read) {
  const auto keys =
      std::make_shared<testing::lying_elsewhere>(digest_set(some_digests(4, 1000)).all());
  const digest_set stored(keys);
  const std::uint64_t before = keys->keys_read();
  rateless_encoder sums(stored);
  for (int i = 0; i < 500; ++i) (void)sums.next(16);
  EXPECT_EQ((keys->keys_read() - before) / keys->size(), 4U);  // 1,024, then 2, 4 and 8 times that
}

}  // namespace
}  // namespace bloomery::exchange
