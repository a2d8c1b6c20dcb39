#include "bloomery/math/kinds/secure_index.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>

namespace bloomery::math {
namespace {

TEST(words, are_bounded_by_the_length) {
  EXPECT_EQ(most_words(0), 0U);
  EXPECT_EQ(most_words(std::numeric_limits<std::uint64_t>::max()), std::uint64_t{1} << 63);
  // The empty word, then as many of one byte as there are: no text of that length has more.
  std::set<std::string> words{""};
  std::uint64_t bytes = 1;
  for (int c = 0; c < 256; ++c) {
    EXPECT_EQ(most_words(bytes), words.size());
    EXPECT_EQ(most_words(bytes - 1), words.size() - 1);
    words.insert(std::string(1, static_cast<char>(c)));
    bytes += 2;
  }
}

}  // namespace
}  // namespace bloomery::math
