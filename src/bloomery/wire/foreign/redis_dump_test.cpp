#include "bloomery/wire/foreign/redis_dump.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "bloomery/hash/key.hpp"
#include "testing.hpp"

namespace bloomery::foreign {
namespace {

using bytes_type = std::vector<std::byte>;
using testing::throws_error;

bytes_type bytes(std::initializer_list<unsigned> values) {
  bytes_type made;
  for (const unsigned value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}

bytes_type operator+(bytes_type a, const bytes_type& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bytes_type text(std::string_view of) {
  const byte_view view = bytes_of(of);
  return {view.begin(), view.end()};
}

// As a server signs it.
bytes_type signed_by(bytes_type value, std::uint16_t version = 10) {
  const std::size_t size = value.size();
  value.resize(size + 10);
  core::store_le<std::uint16_t>(value.data() + size, version);
  core::store_le<std::uint64_t>(value.data() + size + 2,
                                redis_crc64(byte_view(value).first(size + 2)));
  return value;
}

// A value of the type "AAAAAAAAA" in encoding 1: the characters are zeros, the encoding the last ten bits.
bytes_type of_module(const bytes_type& fields) {
  return bytes({7, 1}) + fields + bytes({0});
}

redis_dump read(const bytes_type& value) {
  return read_redis_dump(signed_by(value));
}

TEST(redis_dump, has_the_check_value_of_its_crc) {
  EXPECT_EQ(redis_crc64(bytes_of("123456789")), 0xe9c6d914c4b8d9ca);  // as Redis's own test has it
  EXPECT_EQ(redis_crc64({}), 0U);
}

TEST(redis_dump, reads_each_form_of_a_length_and_of_a_string) {
  const redis_dump whole =
      read(of_module(bytes({2, 5}) + bytes({2, 0x41, 2}) + bytes({2, 0x80, 0, 1, 0, 0}) +
                     bytes({2, 0x81, 1, 0, 0, 0, 0, 0, 0, 2})));
  EXPECT_EQ(whole.type, "AAAAAAAAA");
  EXPECT_EQ(whole.version, 1U);
  EXPECT_EQ(whole.fields,
            (std::vector<redis_field>{std::uint64_t{5}, std::uint64_t{258}, std::uint64_t{65536},
                                      (std::uint64_t{1} << 56) + 2}));
  const redis_dump texts =
      read(of_module(bytes({5, 2}) + text("ab") + bytes({5, 0xc0, 0xff}) +
                     bytes({5, 0xc1, 0x39, 0x30}) + bytes({5, 0xc2, 0, 0, 0, 0x80}) +
                     // "abc", then nine bytes of what was three before, by a run of 7 + 0 + 2
                     bytes({5, 0xc3, 7, 12, 2}) + text("abc") + bytes({0xe0, 0, 2})));
  EXPECT_EQ(texts.fields, (std::vector<redis_field>{text("ab"), text("-1"), text("12345"),
                                                    text("-2147483648"), text("abcabcabcabc")}));
}

TEST(redis_dump, is_saved_as_it_was_read_and_dated_back) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    redis_dump made{"CMSk-TYPE", random() % 1024, {}};
    for (std::uint64_t fields = random() % 6; fields > 0; --fields) {
      switch (random() % 5) {
        case 0:
          made.fields.emplace_back(random() >> random() % 64);
          break;
        case 1:
          made.fields.emplace_back(static_cast<std::int64_t>(random()));
          break;
        case 2:
          made.fields.emplace_back(static_cast<float>(random()) / 3);
          break;
        case 3:
          made.fields.emplace_back(static_cast<double>(random()) / 3);
          break;
        default:
          made.fields.emplace_back(redis_bytes(random() % 20000, std::byte{7}));
      }
    }
    const bytes_type payload = save(made, 12);
    EXPECT_EQ(rdb_version(payload), 12);
    const bytes_type earlier = dated_back(payload, 10);
    EXPECT_EQ(rdb_version(earlier), 10);
    EXPECT_EQ(rdb_version(dated_back(earlier, 11)), 10);  // never on
    for (const bytes_type& each : {payload, earlier}) {
      const redis_dump again = read_redis_dump(each);
      EXPECT_EQ(again.type, made.type);
      EXPECT_EQ(again.version, made.version);
      EXPECT_EQ(again.fields, made.fields);
    }
  }
}

TEST(redis_dump, every_byte_that_is_changed_or_missing_is_noticed) {
  const bytes_type payload = save({"MBbloom--", 4, {std::uint64_t{300}, text("bits")}}, 10);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    bytes_type changed = payload;
    changed[i] ^= std::byte{1};
    EXPECT_TRUE(throws_error(errc::corrupt, "is damaged", [&] { (void)read_redis_dump(changed); }))
        << i;
    changed.assign(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(throws_error(errc::corrupt, "is damaged", [&] { (void)read_redis_dump(changed); }))
        << i;
  }
}

TEST(redis_dump, refuses_what_is_signed_and_malformed) {
  const auto corrupt = [](const bytes_type& value) {
    return throws_error(errc::corrupt, "is damaged", [&] { (void)read(value); });
  };
  EXPECT_TRUE(corrupt(bytes({7})));                               // no type
  EXPECT_TRUE(corrupt(bytes({7, 1})));                            // no end
  EXPECT_TRUE(corrupt(bytes({7, 1, 0, 0})));                      // more behind it
  EXPECT_TRUE(corrupt(of_module(bytes({6, 1}))));                 // an unknown field
  EXPECT_TRUE(corrupt(of_module(bytes({2, 0x82, 1, 1, 1, 1}))));  // an unknown length
  EXPECT_TRUE(corrupt(of_module(bytes({2, 0xc0, 1}))));           // a coding for a number
  EXPECT_TRUE(corrupt(of_module(bytes({5, 0xc4, 1}))));           // an unknown coding
  EXPECT_TRUE(corrupt(of_module(bytes({5, 60}))));                // a string beyond the end
  EXPECT_TRUE(corrupt(of_module(bytes({5, 0x81, 255, 255, 255, 255, 255, 255, 255, 255}))));
  const auto packed = [&](unsigned length, const bytes_type& stored) {
    return of_module(bytes({5, 0xc3, static_cast<unsigned>(stored.size()), length}) + stored);
  };
  EXPECT_TRUE(corrupt(packed(3, bytes({2, 'a', 'b'}))));       // a run beyond its end
  EXPECT_TRUE(corrupt(packed(2, bytes({2, 'a', 'b', 'c'}))));  // a run beyond the room
  EXPECT_TRUE(corrupt(packed(4, bytes({0, 'a', 0x20, 1}))));   // a copy from before the start
  EXPECT_TRUE(corrupt(packed(3, bytes({0, 'a', 0x20, 0}))));   // and one beyond the room
  EXPECT_EQ(read(packed(4, bytes({0, 'a', 0x20, 0}))).fields.front(), redis_field(text("aaaa")));
  EXPECT_TRUE(corrupt(packed(5, bytes({0, 'a', 0x20, 0}))));  // shorter than stated
  EXPECT_TRUE(corrupt(packed(3, bytes({0, 'a', 0x20}))));     // cut in a copy
  EXPECT_TRUE(corrupt(of_module(bytes({5, 0xc3, 1, 0x81, 1, 0, 0, 0, 0, 0, 0, 0, 0}))));
  EXPECT_TRUE(throws_error(errc::unsupported, "its own types", [&] {
    (void)read(bytes({0, 1, 'x'}));
  }));  // a string
}

TEST(redis_dump, takes_no_more_than_it_may) {
  const bytes_type payload = save({"MBbloom--", 4, {redis_bytes(1000), redis_bytes(1000)}}, 10);
  EXPECT_EQ(read_redis_dump(payload, {.max_payload_bytes = 2000}).fields.size(), 2U);
  EXPECT_TRUE(throws_error(errc::limit, "which is the limit",
                           [&] { (void)read_redis_dump(payload, {.max_payload_bytes = 1999}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "nine letters", [] {
    (void)save({"short", 0, {}}, 10);
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "nine letters", [] {
    (void)save({"MBbloom--", 1024, {}}, 10);
  }));
}

}  // namespace
}  // namespace bloomery::foreign
