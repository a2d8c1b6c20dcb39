#include "bloomery/core/utf8.hpp"

#include <gtest/gtest.h>

namespace bloomery::core {
namespace {

TEST(utf8, reads_the_first_and_the_last_character_of_each_length) {
  const auto number = [](std::string_view text) { return first_character(text).number; };
  EXPECT_EQ(number("a"), 'a');
  EXPECT_EQ(number("\u0080x"), 0x80);
  EXPECT_EQ(number("\u07ff"), 0x7ff);
  EXPECT_EQ(number("\u0800"), 0x800);
  EXPECT_EQ(number("\uffff"), 0xffff);
  EXPECT_EQ(number("\U00010000"), 0x10000);
  EXPECT_EQ(number("\U0010ffff"), 0x10ffff);
  EXPECT_EQ(first_character("\u20ac1").bytes, 3);
}

TEST(utf8, takes_nothing_else_for_a_character) {
  using namespace std::string_view_literals;
  for (const auto text :
       {"\x80"sv, "\xc3"sv, "\xc3("sv, "\xe2\x82"sv, "\xc0\x80"sv, "\xe0\x80\x80"sv,
        "\xed\xa0\x80"sv, "\xf0\x80\x80\x80"sv, "\xf4\x90\x80\x80"sv, "\xff"sv}) {
    EXPECT_EQ(first_character(text).bytes, 0) << text;
  }
}

}  // namespace
}  // namespace bloomery::core
