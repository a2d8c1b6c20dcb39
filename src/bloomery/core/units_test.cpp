#include "bloomery/core/units.hpp"

#include <cmath>
#include <random>

#include "testing.hpp"

namespace bloomery {
namespace {

using testing::throws_error;

constexpr std::uint64_t most = ~std::uint64_t{0};

TEST(parse_count, reads_whole_numbers_and_suffixes_exactly) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("10M"), 10'000'000U);
  EXPECT_EQ(parse_count("7k"), 7'000U);
  EXPECT_EQ(parse_count("7K"), 7'000U);
  EXPECT_EQ(parse_count("3G"), 3'000'000'000U);
  EXPECT_EQ(parse_count("2T"), 2'000'000'000'000U);
  EXPECT_EQ(parse_count("000012"), 12U);
  EXPECT_EQ(parse_count("18446744073709551615"), most);
  EXPECT_EQ(parse_count("9007199254740993"), 9'007'199'254'740'993U) << "2^53 + 1, no double";
}

TEST(parse_count, takes_a_fraction_that_comes_out_whole) {
  EXPECT_EQ(parse_count("1.5M"), 1'500'000U);
  EXPECT_EQ(parse_count(".5k"), 500U);
  EXPECT_EQ(parse_count("1.k"), 1000U);
  EXPECT_EQ(parse_count("2.0"), 2U);
  EXPECT_EQ(parse_count("0.000000000001T"), 1U);
  EXPECT_EQ(parse_count("18446744.073709551615T"), most);
}

TEST(parse_count, takes_powers_of_ten_and_commas_between_thousands) {
  EXPECT_EQ(parse_count("1e6"), 1'000'000U);
  EXPECT_EQ(parse_count("1.5E3"), 1'500U);
  EXPECT_EQ(parse_count("0e0"), 0U);
  EXPECT_EQ(parse_count("1e3k"), 1'000'000U);
  EXPECT_EQ(parse_count("1e19"), 10'000'000'000'000'000'000U);
  EXPECT_EQ(parse_count("1,000,000"), 1'000'000U);
  EXPECT_EQ(parse_count("12,345.5k"), 12'345'500U);
  EXPECT_EQ(parse_count(format_count(most)), most);
  for (const char* text : {"2e19", "1e20", "1e999999999999", "1e9T"}) {
    EXPECT_TRUE(throws_error(errc::limit, "beyond 2^64", [&] { parse_count(text); })) << text;
  }
}

TEST(parse_count, refuses_what_is_not_a_count) {
  for (const char* text :
       {"",          " ",      ".",   "M",     ".M",    "1.5",    "1.0001k",  "0.0000000000001T",
        "-1",        "+1",     " 1",  "1 ",    "1 M",   "1e",     "0x10",     "1,00",
        "1..5k",     "1.5.5k", "10m", "10MB",  "10MiB", "1%",     "nan",      "inf",
        "12abc",     "1e-3",   "e6",  "1e6e6", ",000",  "1,0000", "1000,000", "1,,000",
        "1.000,000", "1,000,", ",",   "1e+6"}) {
    EXPECT_TRUE(throws_error(errc::invalid, "'" + std::string(text) + "' is not understood", [&] {
      parse_count(text);
    })) << text;
  }
  EXPECT_TRUE(throws_error(errc::invalid, "k, M, G or T", [] { parse_count("ten"); }));
  EXPECT_TRUE(throws_error(errc::invalid, "'1", [] { parse_count(std::string_view("1\0", 2)); }));
}

TEST(parse_count, refuses_what_does_not_fit) {
  EXPECT_TRUE(
      throws_error(errc::limit, "beyond 2^64", [] { parse_count("18446744073709551616"); }));
  EXPECT_TRUE(throws_error(errc::limit, "beyond", [] { parse_count(std::string(60, '9')); }));
  EXPECT_TRUE(throws_error(errc::limit, "'18446745T' is beyond", [] { parse_count("18446745T"); }));
  EXPECT_TRUE(throws_error(errc::limit, "beyond", [] { parse_count("18446744073709551615T"); }));
}

TEST(parse_size, reads_decimal_and_binary_units) {
  EXPECT_EQ(parse_size("12"), 12U);
  EXPECT_EQ(parse_size("12B"), 12U);
  EXPECT_EQ(parse_size("3kB"), 3'000U);
  EXPECT_EQ(parse_size("3MB"), 3'000'000U);
  EXPECT_EQ(parse_size("3GB"), 3'000'000'000U);
  EXPECT_EQ(parse_size("3TB"), 3'000'000'000'000U);
  EXPECT_EQ(parse_size("3KiB"), std::uint64_t{3} << 10);
  EXPECT_EQ(parse_size("64MiB"), std::uint64_t{64} << 20);
  EXPECT_EQ(parse_size("3GiB"), std::uint64_t{3} << 30);
  EXPECT_EQ(parse_size("3TiB"), std::uint64_t{3} << 40);
  EXPECT_EQ(parse_size("1.5KiB"), 1536U);
  EXPECT_EQ(parse_size("64M"), parse_size("64MiB")) << "as GNU programs take it";
  EXPECT_EQ(parse_size("3k"), parse_size("3K"));
  EXPECT_EQ(parse_size("3K"), 3072U);
  EXPECT_EQ(parse_size("1e6"), 1'000'000U);
}

TEST(parse_size, refuses_other_units_and_broken_bytes) {
  for (const char* text :
       {"", "MiB", "1m", "1ki", "1 MiB", "1mib", "1Mib", "0.3KiB", "-1B", "1%"}) {
    EXPECT_TRUE(throws_error(errc::invalid, "64MiB", [&] { parse_size(text); })) << text;
  }
  EXPECT_TRUE(throws_error(errc::limit, "beyond", [] { parse_size("16777216TiB"); }));
  EXPECT_EQ(parse_size("16777215TiB"), std::uint64_t{16777215} << 40);
}

TEST(parse_ratio, reads_numbers_and_percentages) {
  EXPECT_EQ(parse_ratio("0.01"), 0.01);
  EXPECT_EQ(parse_ratio("1%"), 0.01);
  EXPECT_EQ(parse_ratio("0.1%"), 0.001);
  EXPECT_EQ(parse_ratio("0.014%"), 0.00014);  // 0.014 / 100 is another number
  EXPECT_EQ(parse_ratio("1e-7%"), 1e-9);
  EXPECT_EQ(parse_ratio("1e-9"), 1e-9);
  EXPECT_EQ(parse_ratio("100%"), 1.0);
  EXPECT_EQ(parse_ratio("0"), 0.0);
}

TEST(parse_ratio, refuses_what_is_not_a_finite_number) {
  for (const char* text :
       {"", "%", "1%%", "% 1", "1 %", " 1", "1,5", "nan", "inf", "-inf", "1e999", "0x1p3", "one"}) {
    EXPECT_TRUE(throws_error(errc::invalid, "'" + std::string(text) + "' is not understood", [&] {
      parse_ratio(text);
    })) << text;
  }
}

TEST(format_count, groups_by_thousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(12'345'678), "12,345,678");
  EXPECT_EQ(format_count(most), "18,446,744,073,709,551,615");
}

TEST(format_size, picks_the_binary_unit) {
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(1023), "1023 B");
  EXPECT_EQ(format_size(1024), "1 KiB");
  EXPECT_EQ(format_size(std::uint64_t{3} << 19), "1.5 MiB");
  EXPECT_EQ(format_size(std::uint64_t{1} << 30), "1 GiB");
  EXPECT_EQ(format_size(std::uint64_t{32} << 40), "32 TiB");
  EXPECT_EQ(format_size(std::uint64_t{1} << 53), "8192 TiB");
}

TEST(format_ratio, is_a_percentage) {
  EXPECT_EQ(format_ratio(0.010345), "1.034 %");
  EXPECT_EQ(format_ratio(1e-9), "1e-07 %");
  EXPECT_EQ(format_ratio(1), "100 %");
}

TEST(format_real, keeps_the_asked_digits_and_seventeen_round_trip) {
  EXPECT_EQ(format_real(3.14159265), "3.142");
  EXPECT_EQ(format_real(3.14159265, 2), "3.1");
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    EXPECT_EQ(parse_ratio(format_real(value, 17)), value);
  }
}

TEST(parse_count, round_trips_every_formatted_number) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t value = random() >> (random() % 64);
    EXPECT_EQ(parse_count(std::to_string(value)), value);
    EXPECT_EQ(parse_size(std::to_string(value) + "B"), value);
  }
}

TEST(parse_duration, takes_units_and_needs_one) {
  EXPECT_EQ(parse_duration("250ms"), 250U);
  EXPECT_EQ(parse_duration("1.5s"), 1500U);
  EXPECT_EQ(parse_duration("15m"), 900'000U);
  EXPECT_EQ(parse_duration("2h"), 7'200'000U);
  EXPECT_EQ(parse_duration("1d"), 86'400'000U);
  for (const char* bad : {"15", "", "m", "1.00001s", "-1s", "1w", "1 h"}) {
    EXPECT_TRUE(throws_error(errc::invalid, "is not understood", [&] {
      (void)parse_duration(bad);
    })) << bad;
  }
}

TEST(short_count, parses_back) {
  EXPECT_EQ(short_count(10'000'000), "10M");
  EXPECT_EQ(short_count(1'500'000), "1.5M");
  EXPECT_EQ(short_count(1'050'000), "1.05M");
  EXPECT_EQ(short_count(1005), "1.005k");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(13'961'745), "13961745");
  EXPECT_EQ(short_count(0), "0");
  for (const std::uint64_t count : {0UL, 1UL, 999UL, 1000UL, 12'345'678UL, 7'000'000'000UL,
                                    3'000'000'000'000'000UL, 1UL << 48, 1'002'000UL, 45'010UL}) {
    EXPECT_EQ(parse_count(short_count(count)), count);
  }
}

}  // namespace
}  // namespace bloomery
