// Messages in a stream of bytes: where one ends and the next begins.
//
// Purpose:   a stream carries messages with their length in front, as four little-endian bytes, or messages
//            that tell their own length, such as those of somebody else's protocol.
// Cost:      four bytes a message. Memory follows the bytes that have arrived, never a length that was only
//            stated: a message of 1 MB is held once, and at most one read beyond it.
// Guarantee: a message beyond the limit is refused (errc::limit) as soon as its length is known; a stream that
//            tells no length within the limit likewise.
//
//     std::vector<std::byte> stream;
//     bloomery::net::append_frame(stream, std::as_bytes(std::span("ab", 2)));
//     bloomery::net::frame_reader reader({}, 1000);
//     const auto room = reader.room();
//     std::copy(stream.begin(), stream.end(), room.begin());
//     reader.filled(stream.size());
//     assert(reader.next()->size() == 2 && !reader.next() && reader.between());
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/core/bytes.hpp"

namespace bloomery::net {

inline constexpr std::size_t frame_header_bytes = 4;

// How long the first message is, given the bytes so far: all of it, header included, or 0 if that is not to be seen
// yet. It is asked again whenever there is more, and may refuse what it sees by throwing. None: the length is in
// front, and is not part of the message.
using splitter = std::function<std::uint64_t(byte_view start)>;

void append_frame(std::vector<std::byte>& stream, byte_view message);

class frame_reader {
 public:
  frame_reader(splitter split, std::uint64_t max_bytes)
      : split_(std::move(split)), max_bytes_(max_bytes) {}

  // Where the next bytes may be put, never empty, and how many came. What `next` gave is then gone.
  std::span<std::byte> room();
  void filled(std::size_t bytes);

  // The next whole message, to be looked at until the next call.
  std::optional<byte_view> next();

  // Whether no message has begun and not ended.
  [[nodiscard]] bool between() const { return begin_ == end_; }
  // Bytes that have arrived and that `next` has not given.
  [[nodiscard]] std::size_t held() const { return end_ - begin_; }

 private:
  std::optional<std::uint64_t> size_of_first() const;

  splitter split_;
  std::uint64_t max_bytes_;
  std::vector<std::byte> held_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace bloomery::net
