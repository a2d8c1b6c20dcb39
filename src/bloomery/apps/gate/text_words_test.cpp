#include "bloomery/apps/gate/text_words.hpp"

#include <clocale>
#include <cwctype>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

std::string joined(std::string_view text) {
  std::string all;
  for (const text_word& word : words_of(text)) {
    all.append(word.text).append(word.digits ? "# " : " ");
  }
  return all;
}

TEST(text_words, are_letters_and_digits_with_apostrophes_inside) {
  EXPECT_EQ(joined("The dogs' 'bone', isn't it?"), "The dogs bone isn't it ");
  EXPECT_EQ(joined("''a''b''"), "a b ");
  EXPECT_EQ(joined("well-known e.g. 3rd 0x1f 42"), "well known e g 3rd# 0x1f# 42# ");
  EXPECT_EQ(joined("it\u2019s \u2018so\u2019 caf\u00e9\u00a0cr\u00e8me 3\u00d74"),
            "it\u2019s so caf\u00e9 cr\u00e8me 3# 4# ");
  EXPECT_EQ(joined("\u0434\u043e\u043c \u4e2d\u3002\u4e2d \u2192"),
            "\u0434\u043e\u043c \u4e2d \u4e2d ");
}

TEST(text_words, know_nothing_of_what_is_not_utf_8) {
  EXPECT_EQ(joined(""), "");
  EXPECT_EQ(joined("a\xff"
                   "b\xc3"),
            "a b ");
  EXPECT_EQ(joined(std::string_view("a\0b", 3)), "a b ");
}

// Every character of two bytes, beside the C library's opinion where this claims to know it.
TEST(text_words, lower_case_is_the_c_librarys_and_keeps_the_length) {
  const std::string before = std::setlocale(LC_CTYPE, nullptr);
  ASSERT_NE(std::setlocale(LC_CTYPE, "C.UTF-8"), nullptr);
  for (unsigned number = 1; number < 0x800; ++number) {
    std::string text;
    if (number < 0x80) {
      text = static_cast<char>(number);
    } else {
      text = {static_cast<char>(0xc0U | number >> 6U), static_cast<char>(0x80U | (number & 0x3fU))};
    }
    const std::string small = in_lower_case(text);
    ASSERT_EQ(small.size(), text.size()) << number;
    const bool latin = number < 0x180 && number != 0x130;  // whose lower case takes one byte
    const bool greek = number >= 0x386 && number < 0x3ac;
    const bool cyrillic = number >= 0x400 && number < 0x460;
    if (!latin && !greek && !cyrillic) continue;
    const auto expected = static_cast<unsigned>(std::towlower(static_cast<std::wint_t>(number)));
    const auto low = static_cast<unsigned char>(small.back());
    const unsigned got = small.size() == 1
                             ? low
                             : (static_cast<unsigned char>(small[0]) & 0x1fU) << 6U | (low & 0x3fU);
    EXPECT_EQ(got, expected) << number;
  }
  std::setlocale(LC_CTYPE, before.c_str());
  EXPECT_EQ(in_lower_case("\xff\u20acA\xc3"), "\xff\u20aca\xc3");
}

}  // namespace
}  // namespace bloomery::apps
