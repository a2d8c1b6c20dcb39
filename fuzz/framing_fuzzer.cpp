// Any bytes may come through a connection, cut anywhere: the messages that a reader takes out of them are those
// that they state one after another, up to the first that is longer than allowed, and it never holds
// much more than has arrived.
//
// The first two bytes are the limit, the third how long the pieces are; the rest is the stream.
#include <algorithm>
#include <optional>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/net/framing.hpp"
#include "fuzzing.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;
using messages = std::vector<std::vector<std::byte>>;

// Of a length that may as well be four letters of a text.
errc refusal_of(byte_view length) {
  const bool text = std::ranges::all_of(length, [](std::byte each) {
    const auto c = std::to_integer<unsigned>(each);
    return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c <= '~');
  });
  return text ? errc::corrupt : errc::limit;
}

// By itself, from the stream as a whole; and why it ends, if it does.
std::optional<errc> expected(byte_view stream, std::uint64_t most, messages& found) {
  while (stream.size() >= 4) {
    const std::uint64_t size = std::to_integer<std::uint64_t>(stream[0]) |
                               std::to_integer<std::uint64_t>(stream[1]) << 8 |
                               std::to_integer<std::uint64_t>(stream[2]) << 16 |
                               std::to_integer<std::uint64_t>(stream[3]) << 24;
    if (size > most) return refusal_of(stream.first(4));
    if (stream.size() - 4 < size) return {};
    const byte_view message = stream.subspan(4, size);
    found.emplace_back(message.begin(), message.end());
    stream = stream.subspan(4 + size);
  }
  return {};
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::uint64_t most = data[0] + 256U * data[1];
  const std::size_t piece = 1U + data[2];
  const byte_view stream = std::as_bytes(std::span(data, size).subspan(3));
  messages wanted;
  const std::optional<errc> refused = expected(stream, most, wanted);

  net::frame_reader reader({}, most);
  messages got;
  std::optional<errc> threw;
  try {
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      const byte_view now = stream.subspan(at, std::min(piece, stream.size() - at));
      const auto room = reader.room();
      law(room.size() >= now.size() && room.size() < (1U << 20), "room is bounded");
      std::copy(now.begin(), now.end(), room.begin());
      reader.filled(now.size());
      while (const std::optional<byte_view> message = reader.next()) {
        got.emplace_back(message->begin(), message->end());
      }
    }
  } catch (const error& problem) {
    threw = problem.code();
  }
  law(got == wanted, "the messages are those that the stream states");
  law(threw == refused, "a length beyond the limit is refused, and nothing else");

  std::vector<std::byte> again;
  for (const auto& each : got) net::append_frame(again, each);
  law(again.size() <= stream.size() && std::equal(again.begin(), again.end(), stream.begin()),
      "messages are written as the bytes that they were read from");
  if (!threw) law(reader.between() == (again.size() == stream.size()), "a rest is noticed");
  return 0;
}
