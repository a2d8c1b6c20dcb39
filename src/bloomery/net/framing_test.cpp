#include "bloomery/net/framing.hpp"

#include <gtest/gtest.h>

#include <random>

#include "testing.hpp"

namespace bloomery::net {
namespace {

using bloomery::testing::throws_error;
using bytes = std::vector<std::byte>;

void feed(frame_reader& reader, byte_view piece) {
  while (!piece.empty()) {
    const auto room = reader.room();
    const std::size_t now = std::min(room.size(), piece.size());
    std::copy_n(piece.begin(), now, room.begin());
    reader.filled(now);
    piece = piece.subspan(now);
  }
}

// However the stream is cut, the messages are those that were put in.
TEST(framing, messages_come_out_as_they_went_in) {
  std::mt19937_64 random(1);
  for (const std::size_t largest : {0U, 3U, 5'000U, 300'000U}) {
    std::vector<bytes> sent(40);
    bytes stream;
    for (bytes& each : sent) {
      each.resize(random() % (largest + 1));
      for (std::byte& b : each) b = static_cast<std::byte>(random());
      append_frame(stream, each);
    }
    frame_reader reader({}, largest);
    std::vector<bytes> got;
    byte_view rest = stream;
    while (!rest.empty()) {
      const std::size_t piece = std::min<std::size_t>(rest.size(), 1 + random() % 70'000);
      feed(reader, rest.first(piece));
      rest = rest.subspan(piece);
      while (const auto message = reader.next()) got.emplace_back(message->begin(), message->end());
    }
    EXPECT_EQ(got, sent) << largest;
    EXPECT_TRUE(reader.between());
  }
}

TEST(framing, a_length_beyond_the_limit_is_refused_at_once) {
  frame_reader reader({}, 1000);
  bytes start(frame_header_bytes);
  core::store_le<std::uint32_t>(start.data(), 1001);
  feed(reader, start);
  EXPECT_TRUE(throws_error(errc::limit, "at most 1000", [&] { (void)reader.next(); }));
}

// As of a shell that greets who logs in.
TEST(framing, text_is_named) {
  const std::string_view greeting = "Welcome to this host!\n";
  frame_reader reader({}, 1 << 20);
  feed(reader, std::as_bytes(std::span(greeting)));
  EXPECT_TRUE(throws_error(errc::corrupt, "text comes where there should be a message: 'Welcome",
                           [&] { (void)reader.next(); }));
  // A length that is within the limit is one, whatever its bytes look like.
  frame_reader patient({}, 0x7fff'ffffU);
  feed(patient, std::as_bytes(std::span(greeting)));
  EXPECT_FALSE(patient.next());
}

// Stated lengths cost nothing until bytes come: with the largest limit, a reader still holds one read.
TEST(framing, a_stated_length_is_not_allocated) {
  frame_reader reader({}, 0xffff'ffffU);
  bytes start(frame_header_bytes, std::byte{0xff});
  feed(reader, start);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.between());
  EXPECT_LT(reader.room().size(), 1U << 20);
}

// Lines, as somebody else's protocol has them.
TEST(framing, messages_that_tell_their_own_length) {
  const splitter line = [](byte_view start) -> std::uint64_t {
    const auto end = std::find(start.begin(), start.end(), std::byte{'\n'});
    return end == start.end() ? 0 : static_cast<std::uint64_t>(end - start.begin()) + 1;
  };
  const auto text = [](std::string_view of) { return std::as_bytes(std::span(of)); };
  frame_reader reader(line, 8);
  feed(reader, text("ab\ncd"));
  EXPECT_EQ(reader.next()->size(), 3U);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.between());
  feed(reader, text("\n\n"));
  EXPECT_EQ(reader.next()->size(), 3U);
  EXPECT_EQ(reader.next()->size(), 1U);
  EXPECT_TRUE(reader.between());
  feed(reader, text("1234567"));
  EXPECT_FALSE(reader.next());
  feed(reader, text("8"));
  EXPECT_TRUE(throws_error(errc::limit, "no stated length", [&] { (void)reader.next(); }));
}

}  // namespace
}  // namespace bloomery::net
