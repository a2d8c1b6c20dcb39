#include "bloomery/apps/lab/trace.hpp"

#include <gtest/gtest.h>

#include "testing.hpp"

namespace bloomery::lab {
namespace {

using namespace std::chrono_literals;
using testing::throws_error;

TEST(trace, reads_times_keys_and_sizes) {
  const auto requests = read_trace(
      "# a comment\n"
      "0 /index.html 1200\r\n"
      "\n"
      "  0.000000001\t/logo\n"
      "1.5 \xff\xfe 0\n"
      "1.5 last 18446744073709551615");
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[0].at, time{});
  EXPECT_EQ(requests[0].key, "/index.html");
  EXPECT_EQ(requests[0].size, 1200U);
  EXPECT_EQ(requests[1].at, time(1ns));
  EXPECT_EQ(requests[1].key, "/logo");
  EXPECT_FALSE(requests[1].size);
  EXPECT_EQ(requests[2].key, "\xff\xfe");
  EXPECT_EQ(requests[2].size, 0U);
  EXPECT_EQ(requests[3].at, time(1500ms));
  EXPECT_EQ(requests[3].size, ~std::uint64_t{0});
  EXPECT_TRUE(read_trace("").empty());
}

TEST(trace, refuses_lines_by_their_number) {
  const auto refused = [](std::string_view line, const std::string& why) {
    return throws_error(errc::invalid, "line 2: " + why,
                        [&] { (void)read_trace("0.5 fine\n" + std::string(line) + "\n"); });
  };
  EXPECT_TRUE(refused("1", "there is no key"));
  EXPECT_TRUE(refused("x key", "the time is 'x'"));
  EXPECT_TRUE(refused("-1 key", "the time is '-1'"));
  EXPECT_TRUE(refused("+1 key", "the time is '+1'"));
  EXPECT_TRUE(refused("1e3 key", "the time is '1e3'"));
  EXPECT_TRUE(refused("1. key", "the time is '1.'"));
  EXPECT_TRUE(refused(".5 key", "the time is '.5'"));
  EXPECT_TRUE(refused("1.1.1 key", "the time is"));
  EXPECT_TRUE(refused("1.0000000001 key", "the time is"));
  EXPECT_TRUE(refused("9223372036 key", "the time is"));
  EXPECT_TRUE(refused("99999999999999999999999 key", "the time is"));
  EXPECT_TRUE(refused("0.25 key", "the time is before"));
  EXPECT_TRUE(refused("1 key 1.5", "the size is '1.5'"));
  EXPECT_TRUE(refused("1 key -1", "the size is '-1'"));
  EXPECT_TRUE(refused("1 key 18446744073709551616", "the size is"));
  EXPECT_TRUE(refused("1 key 1 more", "'more' follows the size"));
  EXPECT_TRUE(refused(std::string("1\0 key", 7), "the time is '1\\x00'"));
}

TEST(trace, keeps_to_its_limits) {
  EXPECT_EQ(read_trace("0 a\n0 b\n", {.requests = 2}).size(), 2U);
  EXPECT_TRUE(throws_error(errc::limit, "line 3: more than 2 requests",
                           [] { (void)read_trace("0 a\n0 b\n0 c\n", {.requests = 2}); }));
  EXPECT_TRUE(throws_error(errc::limit, "line 1: a key of 4 bytes",
                           [] { (void)read_trace("0 abcd", {.key_bytes = 3}); }));
}

}  // namespace
}  // namespace bloomery::lab
