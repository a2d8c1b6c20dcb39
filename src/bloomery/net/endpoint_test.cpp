#include "bloomery/net/endpoint.hpp"

#include <gtest/gtest.h>

#include <map>

#include "testing.hpp"

namespace bloomery::net {
namespace {

using bloomery::testing::throws_error;

TEST(endpoint, is_parsed_and_printed_as_it_was) {
  const std::map<std::string, endpoint> known{{"localhost:80", {"localhost", 80}},
                                              {"192.0.2.7:0", {"192.0.2.7", 0}},
                                              {"[2001:db8::1]:65535", {"2001:db8::1", 65535}},
                                              {"[fe80::1%eth0]:1", {"fe80::1%eth0", 1}},
                                              {":7000", {"", 7000}}};
  for (const auto& [text, parts] : known) {
    EXPECT_EQ(parse_endpoint(text), parts) << text;
    EXPECT_EQ(parts.text(), text);
    EXPECT_TRUE(is_endpoint(text));
  }
}

TEST(endpoint, other_texts_are_none) {
  for (const char* text :
       {"", "host", "host:", "host:65536", "host:-1", "host:1x", "host: 1", "::1:80", "[::1]",
        "[::1:80", "[]:80", "[host]:80", "a b:80", "ssh host cat:1 x", "ho\nst:80", "host:0x10"}) {
    EXPECT_FALSE(is_endpoint(text)) << text;
    EXPECT_TRUE(throws_error(errc::invalid, "HOST:PORT", [&] { (void)parse_endpoint(text); }))
        << text;
  }
  EXPECT_FALSE(is_endpoint(std::string(256, 'a') + ":80"));
}

TEST(endpoint, resolves_numbers_without_asking_anybody) {
  const auto found = resolve({"127.0.0.1", 7000}, transport::stream, false);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().where(), (endpoint{"127.0.0.1", 7000}));
  const auto six = resolve({"::1", 9}, transport::datagram, false);
  EXPECT_EQ(six.front().where(), (endpoint{"::1", 9}));
  EXPECT_FALSE(six.front() == found.front());
  EXPECT_TRUE(throws_error(errc::io, "no.such.host.invalid", [] {
    (void)resolve({"no.such.host.invalid", 1}, transport::stream, false);
  }));
}

}  // namespace
}  // namespace bloomery::net
