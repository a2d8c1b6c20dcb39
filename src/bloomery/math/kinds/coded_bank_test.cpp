#include "bloomery/math/kinds/coded_bank.hpp"

#include <bit>
#include <cmath>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

TEST(bank_code, words_and_values_are_one_to_one) {
  for (const code_kind kind : {code_kind::binary, code_kind::constant_weight}) {
    for (const std::uint64_t classes : {1U, 2U, 3U, 6U, 7U, 10U, 20U, 300U, 65'536U}) {
      const bank_code code(classes, kind);
      std::vector<double> ones(code.width(), 0);
      for (std::uint64_t value = 0; value < classes; ++value) {
        const std::uint64_t word = code.word(value);
        ASSERT_EQ(code.value(word), value);
        ASSERT_NE(word, 0U);
        ASSERT_EQ(word >> code.width(), 0U);
        if (code.weight() != 0) {
          ASSERT_EQ(std::popcount(word), static_cast<int>(code.weight()));
        }
        for (unsigned j = 0; j < code.width(); ++j) ones[j] += real(word >> j & 1) / real(classes);
      }
      const auto shares = code.shares();
      for (unsigned j = 0; j < code.width(); ++j) EXPECT_NEAR(shares[j], ones[j], 1e-9);
    }
  }
}

// ⌈log2(|S|+1)⌉ filters, since the word 0 is no word; constant weight takes few more.
TEST(bank_code, takes_as_many_filters_as_it_must) {
  EXPECT_EQ(bank_code(7, code_kind::binary).width(), 3U);
  EXPECT_EQ(bank_code(8, code_kind::binary).width(), 4U);
  EXPECT_EQ(bank_code(65'536, code_kind::binary).width(), 17U);
  EXPECT_EQ(bank_code(6, code_kind::constant_weight).width(), 4U);
  EXPECT_EQ(bank_code(7, code_kind::constant_weight).width(), 5U);
  EXPECT_EQ(bank_code(65'536, code_kind::constant_weight).width(), 19U);
  EXPECT_FALSE(bank_code(5, code_kind::binary).value(7)) << "no value has it";
  EXPECT_FALSE(bank_code(5, code_kind::constant_weight).value(0b1100)) << "the same";
  EXPECT_TRUE(throws_error(errc::invalid, "classes", [] { bank_code(0, code_kind::binary); }));
}

// A word of constant weight with one more bit is no word, whichever bit.
TEST(bank_code, constant_weight_shows_any_error) {
  const bank_code code(70, code_kind::constant_weight);
  for (std::uint64_t value = 0; value < 70; ++value) {
    for (std::uint64_t more = 1; more < std::uint64_t{1} << code.width(); ++more) {
      const std::uint64_t word = code.word(value);
      if ((word | more) != word) {
        ASSERT_FALSE(code.value(word | more));
      }
    }
  }
}

TEST(coded, three_zeros_at_one_percent) {
  EXPECT_NEAR(correct_probability(0.01, 3), 0.9703, 5e-5);
}

TEST(coded, rates_are_those_of_the_filters) {
  const coded_size binary{1000, 4, 3, code_kind::binary};  // words 01 10 11
  const double f = thinned_rate(1000, 150, 4, 2.0 / 3);
  EXPECT_NEAR(coded_rate(binary, 150), 1 - (1 - f) * (1 - f), 1e-12);
  EXPECT_NEAR(coded_error(binary, 150), f, 1e-12);
  const coded_size steady{1000, 4, 6, code_kind::constant_weight};  // two of four
  const double g = thinned_rate(1000, 150, 4, 0.5);
  const double none = std::pow(1 - g, 4);
  EXPECT_NEAR(coded_rate(steady, 150), 1 - none - 4 * g * std::pow(1 - g, 3), 1e-12);
  EXPECT_NEAR(coded_error(steady, 150), 1 - std::pow(1 - g, 2), 1e-12);
}

// Terms that add up to 1 + 2^-52.
TEST(coded_rate, of_full_filters_is_no_more_than_one) {
  EXPECT_LE(coded_rate({3, 1, 44'781, code_kind::constant_weight}, 100), 1);
  EXPECT_LE(coded_rate({3, 1, 44'781, code_kind::binary}, 100), 1);
}

TEST(coded, plans_keep_both_errors) {
  for (const std::uint64_t classes : {1U, 2U, 13U, 1000U}) {
    for (const std::uint64_t keys : {1U, 300U, 100'000U}) {
      for (const code_kind code : {code_kind::binary, code_kind::constant_weight}) {
        const coded_size size = plan_coded(keys, 0.01, classes, code);
        EXPECT_LE(coded_rate(size, keys), 0.01);
        EXPECT_LE(coded_error(size, keys), 0.01);
      }
    }
  }
}

TEST(coded, uneven_classes_are_planned_for_as_they_are) {
  const std::vector<value_load> loads{{0, 850}, {2, 150}};  // words 01 and 11
  const coded_size binary{9000, 4, 3, code_kind::binary};
  const double first = exact_rate(9000, 1000, 4);
  const double second = exact_rate(9000, 150, 4);
  EXPECT_NEAR(coded_rate(binary, loads), 1 - (1 - first) * (1 - second), 1e-15);
  EXPECT_NEAR(coded_error(binary, loads), second, 1e-15) << "of the first class";
  const std::vector<value_load> many{{0, 900}, {1, 50}, {12, 50}};
  for (const code_kind code : {code_kind::binary, code_kind::constant_weight}) {
    const coded_size size = plan_coded(many, 0.01, 13, code);
    EXPECT_LE(coded_rate(size, many), 0.01);
    EXPECT_LE(coded_error(size, many), 0.01);
    const coded_size less{size.bits - 1, size.hashes, 13, code};
    EXPECT_GT(std::max(coded_rate(less, many), coded_error(less, many)), 0.01);
  }
}

// The page's figures: bits a key of a million keys in this many classes at 1 %, to a tenth.
TEST(coded, bits_a_key) {
  const auto tenths = [](std::uint64_t classes, code_kind code) {
    const std::uint64_t bits = plan_coded(1'000'000, 0.0099, classes, code).bits;
    return std::llround(real(bits * bank_code(classes, code).width()) / 1e5);
  };
  EXPECT_EQ(tenths(2, code_kind::binary), 111);
  EXPECT_EQ(tenths(16, code_kind::binary), 312);
  EXPECT_EQ(tenths(256, code_kind::binary), 627);
  EXPECT_EQ(tenths(2, code_kind::constant_weight), 111);
  EXPECT_EQ(tenths(16, code_kind::constant_weight), 402);
  EXPECT_EQ(tenths(256, code_kind::constant_weight), 738);
}

}  // namespace
}  // namespace bloomery::math
