#include "bloomery/bits/array/unary_lines.hpp"

#include "bloomery/hash/mix.hpp"
#include "parts.hpp"

namespace bloomery::testing {
namespace {

using bits::unary_lines;

// Counters that are numbers, and which keys have which.
class numbers {
 public:
  numbers(std::uint64_t lines, std::uint64_t k) : pattern_(k), all_(lines * 512) {}
  [[nodiscard]] const hash::line_pattern& pattern() const { return pattern_; }
  void change(std::uint64_t line, std::uint64_t key, std::uint64_t by) {
    pattern_.all(key, [&](unsigned at) {
      all_[line * 512 + at] += by;
      return true;
    });
  }
  [[nodiscard]] std::uint64_t at(std::uint64_t i) const { return all_[i]; }

 private:
  hash::line_pattern pattern_;
  std::vector<std::uint64_t> all_;
};

void expect_numbers(const unary_lines& lines, const numbers& oracle) {
  for (std::uint64_t i = 0; i < lines.bits().size(); ++i) {
    const auto lane = static_cast<unsigned>(i / 64 % 8);
    ASSERT_EQ(lines.get(i / 512, lane, static_cast<unsigned>(i % 64)), oracle.at(i)) << i;
    ASSERT_EQ(lines.bits().test(i), oracle.at(i) != 0);
  }
}

// Lines go far beyond what has room at home, and come back; loading what is stored gives the same.
TEST(unary_lines, are_numbers_however_many_lines_they_spill_to) {
  for (const std::uint64_t k : {1U, 3U, 8U, 11U, 16U}) {
    SCOPED_TRACE(k);
    unary_lines lines(3, 30);
    const unary_lines empty(3, 30);
    numbers oracle(3, k);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> live;
    std::uint64_t most_spilled = 0;
    for (std::uint64_t step = 0; step < 4000; ++step) {
      const std::uint64_t draw = hash::mix(step);
      const bool growing = step / 1000 % 2 == 0;
      if (draw % 8 < (growing ? 6U : 2U) && live.size() < 700) {
        // A tenth of the keys is one of three, so that some counters grow tall.
        const std::uint64_t key = hash::mix(draw % 10 == 0 ? draw % 3 : draw);
        const std::uint64_t line = draw % 10 == 0 ? 1 : draw / 16 % 3;
        if (lines.count(line, oracle.pattern(), key) > 60) continue;
        live.emplace_back(line, key);
        bool fresh = false;
        oracle.pattern().all(key, [&](unsigned at) {
          fresh |= oracle.at(line * 512 + at) == 0;
          return true;
        });
        ASSERT_EQ(lines.raise(line, oracle.pattern(), key), fresh);
        oracle.change(line, key, 1);
      } else if (!live.empty()) {
        std::swap(live[hash::mix(~step) % live.size()], live.back());
        ASSERT_TRUE(lines.lower(live.back().first, oracle.pattern(), live.back().second));
        oracle.change(live.back().first, live.back().second, 0 - std::uint64_t{1});
        live.pop_back();
      }
      most_spilled = std::max(most_spilled, lines.spilled_lines());
      if (step % 250 != 249) continue;
      expect_numbers(lines, oracle);
      const unary_lines again(3, 30, owned(bytes_of(lines)));
      ASSERT_EQ(bytes_of(again), bytes_of(lines));
      expect_numbers(again, oracle);
    }
    EXPECT_EQ(lines.stuck(), 0U);
    EXPECT_GE(most_spilled, k > 1 ? 3U : 0U);
    for (const auto& [line, key] : live) ASSERT_TRUE(lines.lower(line, oracle.pattern(), key));
    EXPECT_EQ(bytes_of(lines), bytes_of(empty));
  }
}

TEST(unary_lines, full_counters_stay) {
  unary_lines lines(1, 4);
  const hash::line_pattern pattern(5);
  for (int i = 0; i < 300; ++i) lines.raise(0, pattern, 77);
  EXPECT_EQ(lines.count(0, pattern, 77), unary_lines::most);
  EXPECT_EQ(lines.stuck(), 5U);
  EXPECT_FALSE(lines.lower(0, pattern, 77));
  EXPECT_EQ(lines.bits().count(), 5U);
  EXPECT_EQ(bytes_of(unary_lines(1, 4, owned(bytes_of(lines)))), bytes_of(lines));
}

// Nothing to spill to: the line freezes with all its bits, and others go on.
TEST(unary_lines, freeze_rather_than_forget) {
  unary_lines lines(2, 1);
  const hash::line_pattern pattern(8);
  const auto key = [](std::uint64_t i) { return hash::mix(i); };
  for (std::uint64_t i = 0; i < 130; ++i) lines.raise(0, pattern, key(i));
  EXPECT_EQ(lines.spilled_lines(), 0U) << "a second line to spill to was wanted";
  EXPECT_EQ(lines.stuck(), lines.bits().count());
  for (std::uint64_t i = 0; i < 130; ++i) {
    EXPECT_EQ(lines.count(0, pattern, key(i)), unary_lines::most);
    EXPECT_FALSE(lines.lower(0, pattern, key(i)));
  }
  for (std::uint64_t i = 0; i < 130; ++i) lines.raise(0, pattern, key(i + 130));
  for (std::uint64_t i = 0; i < 260; ++i) EXPECT_NE(lines.count(0, pattern, key(i)), 0U);
  for (std::uint64_t i = 0; i < 100; ++i) lines.raise(1, pattern, key(i));
  EXPECT_EQ(lines.spilled_lines(), 1U);
  const unary_lines again(2, 1, owned(bytes_of(lines)));
  EXPECT_EQ(again.stuck(), lines.stuck());
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(lines.lower(1, pattern, key(i)));
  EXPECT_EQ(lines.bits().count(512, 1024), 0U);
  EXPECT_EQ(lines.spilled_lines(), 0U);
}

TEST(unary_lines, add_up) {
  for (const std::uint64_t spill : {1U, 20U}) {
    const hash::line_pattern pattern(6);
    unary_lines one(4, spill);
    unary_lines two(4, spill);
    unary_lines both(4, spill);
    for (std::uint64_t i = 0; i < 500; ++i) {
      const std::uint64_t key = hash::mix(i % 5 == 0 ? 1 : i);
      (hash::mix(i) % 3 == 0 ? one : two).raise(i % 4, pattern, key);
      both.raise(i % 4, pattern, key);
    }
    one.merge(two);
    if (spill == 20) {
      EXPECT_EQ(bytes_of(one), bytes_of(both));
      EXPECT_GE(both.spilled_lines(), 4U);
    }
    EXPECT_EQ(one.bits().count_common(both.bits()), both.bits().count());
    for (std::uint64_t i = 0; i < 500; ++i) {
      EXPECT_NE(one.count(i % 4, pattern, hash::mix(i % 5 == 0 ? 1 : i)), 0U);
    }
    (void)unary_lines(4, spill, owned(bytes_of(one)));
  }
}

TEST(unary_lines, refuse_bytes_that_no_history_leaves) {
  const hash::line_pattern pattern(8);
  const auto refused = [&](const std::string& why, auto change) {
    unary_lines lines(2, 2);
    for (std::uint64_t i = 0; i < 70; ++i) lines.raise(0, pattern, hash::mix(i));
    for (std::uint64_t i = 0; i < 10; ++i) lines.raise(1, pattern, hash::mix(i));
    std::vector<std::byte> bytes = bytes_of(lines);
    (void)unary_lines(2, 2, owned(bytes));
    change(bytes);
    return throws_error(errc::corrupt, why, [&] { unary_lines(2, 2, owned(bytes)); });
  };
  // Two lines of bits, two of codes, one of owners, two to spill to.
  EXPECT_TRUE(refused("not as many codes", [](auto& b) { b[64] ^= std::byte{1}; }));
  EXPECT_TRUE(refused("not as many codes", [](auto& b) { b[128 + 64] ^= std::byte{1}; }));
  EXPECT_TRUE(refused("in part", [](auto& b) { b[128 + 7] ^= std::byte{0x80}; }));
  EXPECT_TRUE(refused("in part", [](auto& b) { b[128 + 64 + 7] ^= std::byte{0x80}; }));
  EXPECT_TRUE(refused("is frozen and has codes", [](auto& b) {
    for (std::size_t i = 256; i < b.size(); ++i) b[i] = std::byte{0};
  }));
  EXPECT_TRUE(refused("say they have spilled none", [](auto& b) {
    std::fill(b.begin(), b.begin() + 64, std::byte{0});
    std::fill(b.begin() + 128, b.begin() + 192, std::byte{0});
  }));
  EXPECT_TRUE(refused("bytes", [](auto& b) { b.resize(128); }));
}

}  // namespace
}  // namespace bloomery::testing
