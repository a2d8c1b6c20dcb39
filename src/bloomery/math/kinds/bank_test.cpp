#include "bloomery/math/kinds/bank.hpp"

#include <bit>
#include <cmath>
#include <numeric>
#include <set>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "testing.hpp"

namespace bloomery::math {
namespace {

using testing::throws_error;

// The binomial mean written out for a few keys, and as the loads of blocks have it.
TEST(thinned_rate, is_the_mean_over_loads) {
  double sum = 0;
  for (std::uint64_t load = 0; load <= 6; ++load) {
    const double ways =
        std::tgamma(7) / (std::tgamma(real(load) + 1) * std::tgamma(7 - real(load)));
    sum += ways * std::pow(0.3, load) * std::pow(0.7, 6 - load) * exact_rate(40, load, 3);
  }
  EXPECT_NEAR(thinned_rate(40, 6, 3, 0.3), sum, 1e-15);
  EXPECT_EQ(thinned_rate(40, 6, 3, 1), exact_rate(40, 6, 3));
  EXPECT_NEAR(thinned_rate(4000, 600, 5, 0.25), blocked_rate(4, 4000, 600, 5), 1e-12);
  EXPECT_NEAR(thinned_rate(4, 1000, 3, 0.5), 1, 1e-12);
  EXPECT_EQ(thinned_rate(40, 0, 3, 0.3), 0);
}

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

// Card 33: ceil(log2(|S|+1)) filters, since the word 0 is no word; constant weight takes few more.
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

// Card 33's figure.
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

TEST(bank, plans_keep_the_rate) {
  for (const std::uint64_t classes : {1U, 2U, 13U, 1000U}) {
    for (const std::uint64_t keys : {1U, 300U, 100'000U}) {
      const bank_size size = plan_bank(keys, 0.01, classes);
      EXPECT_LE(bank_rate(size, keys), 0.01);
      if (size.bits > 1) {
        EXPECT_GT(bank_rate({size.bits - 1, size.hashes, classes}, keys), 0.01);
      }
      for (const code_kind code : {code_kind::binary, code_kind::constant_weight}) {
        const coded_size coded = plan_coded(keys, 0.01, classes, code);
        EXPECT_LE(coded_rate(coded, keys), 0.01);
        EXPECT_LE(coded_error(coded, keys), 0.01);
      }
    }
  }
  EXPECT_EQ(plan_bank(1000, 0.01, 1).bits, plan_standard(1000, 0.01).bits);
  EXPECT_TRUE(throws_error(errc::invalid, "values", [] { (void)plan_bank(10, 0.1, 65'537); }));
}

// The pages' figures: bits a key of a million keys in 2, 16 and 256 classes at 1 %.
TEST(bank, bits_a_key) {
  const auto bank = [](std::uint64_t classes) {
    return real(plan_bank(1'000'000, 0.0099, classes).bits * classes) / 1e6;
  };
  const auto coded = [](std::uint64_t classes, code_kind code) {
    return real(plan_coded(1'000'000, 0.0099, classes, code).bits *
                bank_code(classes, code).width()) /
           1e6;
  };
  EXPECT_NEAR(bank(1), 9.6, 0.1);
  EXPECT_NEAR(bank(2), 11.0, 0.1);
  EXPECT_NEAR(bank(16), 15.4, 0.1);
  EXPECT_NEAR(bank(256), 21.1, 0.1);
  EXPECT_NEAR(coded(2, code_kind::binary), 11.0, 0.1);
  EXPECT_NEAR(coded(16, code_kind::binary), 31.2, 0.1);
  EXPECT_NEAR(coded(256, code_kind::binary), 62.7, 0.1);
  EXPECT_NEAR(coded(2, code_kind::constant_weight), 11.0, 0.1);
  EXPECT_NEAR(coded(16, code_kind::constant_weight), 40.2, 0.1);
  EXPECT_NEAR(coded(256, code_kind::constant_weight), 73.8, 0.1);
}

// Terms that add up to 1 + 2^-52.
TEST(coded_rate, of_full_filters_is_no_more_than_one) {
  EXPECT_LE(coded_rate({3, 1, 44'781, code_kind::constant_weight}, 100), 1);
  EXPECT_LE(coded_rate({3, 1, 44'781, code_kind::binary}, 100), 1);
}

}  // namespace
}  // namespace bloomery::math
