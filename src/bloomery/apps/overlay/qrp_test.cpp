#include "bloomery/apps/overlay/qrp.hpp"

#include <algorithm>

#include "testing.hpp"

namespace bloomery::overlay {
namespace {

std::vector<std::byte> bytes_of_hex(std::string_view hex) {
  std::vector<std::byte> bytes;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ') continue;
    digits.push_back(c);
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::byte>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return bytes;
}

// Published with the protocol.
// The words of the specification's appendix, and those of its transcripts.
TEST(qrp, hashes_as_the_protocol_says) {
  struct hashed {
    std::string_view word;
    unsigned bits;
    std::uint64_t slot;
  };
  for (const auto& [word, bits, slot] : std::initializer_list<hashed>{{"", 13, 0},
                                                                      {"eb", 13, 6791},
                                                                      {"ebc", 13, 7082},
                                                                      {"ebck", 13, 6698},
                                                                      {"ebckl", 13, 3179},
                                                                      {"ebcklm", 13, 3235},
                                                                      {"ebcklme", 13, 6438},
                                                                      {"ebcklmen", 13, 1062},
                                                                      {"ebcklmenq", 13, 3527},
                                                                      {"", 16, 0},
                                                                      {"n", 16, 65003},
                                                                      {"nd", 16, 54193},
                                                                      {"ndf", 16, 4953},
                                                                      {"ndfl", 16, 58201},
                                                                      {"ndfla", 16, 34830},
                                                                      {"ndflal", 16, 36910},
                                                                      {"ndflale", 16, 34586},
                                                                      {"ndflalem", 16, 37658},
                                                                      {"ndflaleme", 16, 45559},
                                                                      {"ol2j34lj", 10, 318},
                                                                      {"asdfas23", 10, 503},
                                                                      {"9um3o34fd", 10, 758},
                                                                      {"a234d", 10, 281},
                                                                      {"a3f", 10, 767},
                                                                      {"3nja9", 10, 581},
                                                                      {"3NJA9", 10, 581},
                                                                      {"3nJa9", 10, 581},
                                                                      {"2459345938032343", 10, 146},
                                                                      {"7777a88a8a8a8", 10, 342},
                                                                      {"asdfjklkj3k", 10, 861},
                                                                      {"adfk32l", 10, 1011},
                                                                      {"zzzzzzzzzzz", 10, 944},
                                                                      {"test", 3, 2},
                                                                      {"qrp", 3, 7}}) {
    EXPECT_EQ(qrp_hash(word, bits), slot) << word << " in " << bits;
  }
}

// The formula by another way: 64 bits, and words of four bytes.
TEST(qrp, hash_is_the_product_s_middle_bits_whatever_the_case) {
  for (const std::string word : {"a", "ab", "abc", "abcd", "abcde", "3nja9", "FAIL", "mPwdPt"}) {
    std::string small;
    for (const char c : word) small.push_back(static_cast<char>(std::tolower(c)));
    std::int32_t folded = 0;
    for (std::size_t at = 0; at < small.size(); at += 4) {
      std::uint32_t four = 0;
      for (std::size_t i = at; i < std::min(at + 4, small.size()); ++i) {
        four |= static_cast<std::uint32_t>(static_cast<unsigned char>(small[i])) << (8 * (i - at));
      }
      folded ^= static_cast<std::int32_t>(four);
    }
    const std::int64_t product = std::int64_t{folded} * 0x4F1BBCDC;
    for (unsigned bits = 1; bits <= 31; ++bits) {
      const auto expected = (static_cast<std::uint64_t>(product) & 0xFFFFFFFFU) >> (32 - bits);
      EXPECT_EQ(qrp_hash(word, bits), expected) << word << " " << bits;
      EXPECT_EQ(qrp_hash(small, bits), expected);
      if (bits > 1) {
        EXPECT_EQ(qrp_hash(word, bits) >> 1, qrp_hash(word, bits - 1));
      }
    }
  }
}

TEST(qrp, slots_of_words_are_even) {
  std::vector<std::uint64_t> counts(64);
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    std::string word;
    for (std::uint64_t rest = testing::numbered_digest(74, i).lo, j = 0; j < 6; ++j, rest /= 26) {
      word.push_back(static_cast<char>('a' + rest % 26));
    }
    ++counts[qrp_hash(word, 6)];
  }
  // Words of small letters do not fill all values of a byte, so that slots are only nearly even.
  EXPECT_GT(*std::ranges::min_element(counts), 50'000 / 64 / 2);
  EXPECT_LT(*std::ranges::max_element(counts), 50'000 / 64 * 2);
}

TEST(qrp, sends_the_word_test_byte_for_byte) {
  qrp_table table(8);
  table.add("test");
  const auto sent = table.messages(8);
  ASSERT_EQ(sent.size(), 2);
  EXPECT_EQ(sent[0], bytes_of_hex("00 08000000 07"));
  EXPECT_EQ(sent[1], bytes_of_hex("01 01 01 00 08 0000fa0000000000"));
  EXPECT_EQ(table.messages(4)[1], bytes_of_hex("01 01 01 00 04 00a00000"));
}

// Streams of zlib 1.2.13, whole and in two messages.
TEST(qrp, reads_the_word_test_compressed) {
  qrp_table table(8);
  table.add("test");
  for (const auto& patches : std::vector<std::vector<std::string_view>>{
           {"01 01 01 01 08 78da6360f8c500020005e400fb"},
           {"01 01 02 01 08 78da6360f8", "01 02 02 01 08 c500020005e400fb"},
           {"01 01 01 01 04 78da6358c0c0000001e400a1"}}) {
    qrp_reader reader;
    reader.take(bytes_of_hex("00 08000000 07"));
    for (const std::string_view each : patches) reader.take(bytes_of_hex(each));
    ASSERT_TRUE(reader.whole());
    EXPECT_EQ(reader.table(), table);
  }
}

TEST(qrp, reads_what_it_sends_in_any_pieces) {
  qrp_table table(1024);
  for (int i = 0; i < 100; ++i) table.add("word" + std::to_string(i));
  for (const unsigned bits : {4U, 8U}) {
    for (const std::size_t most : {7U, 100U, 4096U}) {
      qrp_reader reader;
      EXPECT_FALSE(reader.whole());
      for (const auto& message : table.messages(bits, most)) reader.take(message);
      ASSERT_TRUE(reader.whole());
      EXPECT_EQ(reader.table(), table);
    }
  }
  EXPECT_TRUE(testing::throws_error(errc::invalid, "255", [&] { (void)table.messages(8, 1); }));
}

TEST(qrp, never_misses_a_word_and_passes_others_by_its_fill) {
  qrp_table table(1 << 16);
  for (std::uint64_t i = 0; i < 3000; ++i) table.add("held" + std::to_string(i));
  std::uint64_t passed = 0;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::vector<std::string> held{"held" + std::to_string(i), "Held1"};
    EXPECT_TRUE(table.may_match(held));
    const std::vector<std::string> strange{"x" +
                                           std::to_string(testing::numbered_digest(75, i).lo)};
    passed += std::uint64_t{table.may_match(strange)};
  }
  EXPECT_GT(passed, 0);
  EXPECT_LT(passed, 300);  // the fill is 4 %, and this hash is none of the best
  EXPECT_FALSE(table.may_match({}));
  EXPECT_EQ(qrp_words("Blue Monday (12\").mp3"),
            (std::vector<std::string>{"blue", "monday", "12", "mp3"}));
}

TEST(qrp, refuses_what_no_sender_may_send) {
  const auto refused = [](std::vector<std::string_view> messages, errc code,
                          const std::string& part) {
    return testing::throws_error(code, part, [&] {
      qrp_reader reader({.slots = 16, .fill = 0.5});
      for (const std::string_view each : messages) reader.take(bytes_of_hex(each));
    });
  };
  EXPECT_TRUE(refused({""}, errc::corrupt, "empty"));
  EXPECT_TRUE(refused({"02"}, errc::corrupt, "neither"));
  EXPECT_TRUE(refused({"00 080000"}, errc::corrupt, "4 bytes"));
  EXPECT_TRUE(refused({"00 09000000 07"}, errc::corrupt, "9 slots"));
  EXPECT_TRUE(refused({"00 08000000 01"}, errc::corrupt, "infinity 1"));
  EXPECT_TRUE(refused({"00 00000080 07"}, errc::limit, "16"));
  const std::string_view reset = "00 08000000 07";
  EXPECT_TRUE(refused({"01 01 01 00 08 0000fa0000000000"}, errc::corrupt, "never reset"));
  EXPECT_TRUE(refused({reset, "01 01"}, errc::corrupt, "head"));
  EXPECT_TRUE(refused({reset, "01 01 01 01 08 00"}, errc::corrupt, "too early"));
  EXPECT_TRUE(
      refused({reset, "01 01 01 01 08 78da6360f8c500020005e400fc"}, errc::corrupt, "checksum"));
  EXPECT_TRUE(refused({reset, "01 01 01 01 04 78da6360f8c500020005e400fb"}, errc::limit, "4"));
  EXPECT_TRUE(refused({reset, "01 01 01 02 08 00"}, errc::corrupt, "compressor 2"));
  EXPECT_TRUE(refused({reset, "01 01 01 00 05 00"}, errc::corrupt, "5 bits"));
  EXPECT_TRUE(refused({reset, "01 02 02 00 08 00"}, errc::corrupt, "patch 2 of 2"));
  EXPECT_TRUE(refused({reset, "01 00 01 00 08 00"}, errc::corrupt, "patch 0"));
  EXPECT_TRUE(refused({reset, "01 01 01 00 08 0000fa00000000"}, errc::corrupt, "fewer"));
  EXPECT_TRUE(refused({reset, "01 01 01 00 08 0000fa000000000000"}, errc::corrupt, "more"));
  EXPECT_TRUE(refused({reset, "01 01 01 00 08 0000f90000000000"}, errc::corrupt, "distance of 0"));
  EXPECT_TRUE(refused({reset, "01 01 01 00 08 0000010000000000"}, errc::corrupt, "distance of 8"));
  EXPECT_TRUE(refused({reset, "01 01 01 00 08 fafafafafafafafa"}, errc::limit, "fill"));
}

TEST(qrp, keeps_its_table_when_a_patch_is_refused) {
  qrp_table table(8);
  table.add("test");
  qrp_reader reader;
  for (const auto& message : table.messages(8)) reader.take(message);
  EXPECT_TRUE(testing::throws_error(errc::corrupt, "distance", [&] {
    reader.take(bytes_of_hex("01 01 01 00 08 0000fa0000000000"));
  }));
  EXPECT_TRUE(reader.whole());
  EXPECT_EQ(reader.table(), table);
  reader.take(bytes_of_hex("01 01 01 00 08 0000060000000000"));  // taken back
  EXPECT_EQ(reader.table(), qrp_table(8));
}

}  // namespace
}  // namespace bloomery::overlay
