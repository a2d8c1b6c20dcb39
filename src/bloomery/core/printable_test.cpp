#include "bloomery/core/printable.hpp"

#include <random>

#include "testing.hpp"

namespace bloomery {
namespace {

using namespace std::string_literals;

TEST(printable, leaves_text_as_it_is) {
  for (const std::string text : {"", "zebra", "naïve – 漢字 🦓", "it's 100%", "a\\nb"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(printable, escapes_what_a_terminal_would_obey) {
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(printable("a\0b"s), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m")
      << "a C1 control, which some terminals take for an escape";
  EXPECT_EQ(printable("\u202egnp.exe"), "\\xe2\\x80\\xaegnp.exe") << "right to left";
}

TEST(printable, escapes_what_is_not_utf8) {
  for (const std::string text :
       {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
    EXPECT_EQ(printable(text).find_first_not_of("\\x0123456789abcdef"), std::string::npos) << text;
  }
}

TEST(printable, shortens_and_says_by_how_much) {
  const std::string text = std::string(5'000'000, 'a') + " is not a count";
  EXPECT_EQ(printable(text, 80),
            std::string(60, 'a') + "[... 4,999,935 bytes ...]" + "aaaaa is not a count");
  EXPECT_LT(printable(std::string(10'000, '\x1b')).size(), 400U);
  std::string signs;
  for (int i = 0; i < 1000; ++i) signs += "漢";
  EXPECT_EQ(printable(signs).find("\\x"), std::string::npos) << "no character is cut";
}

TEST(printable, again_changes_nothing) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 300, ' ');
    for (char& c : text) c = static_cast<char>(random());
    const std::string once = printable(text, 400);
    EXPECT_EQ(printable(once, once.size()), once);
    for (const char c : once) EXPECT_TRUE(c < 0 || (c >= ' ' && c != 0x7f));
  }
}

}  // namespace
}  // namespace bloomery
