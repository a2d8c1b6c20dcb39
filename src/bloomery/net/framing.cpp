#include "bloomery/net/framing.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::net {
namespace {

constexpr std::size_t one_read = std::size_t{64} << 10;

[[noreturn]] void fail_size(const std::string& stated, std::uint64_t most) {
  fail(errc::limit, "a message of " + stated + " arrives; allowed: at most " + format_size(most));
}

// A shell that greets whoever logs in, say: its letters would be the length of a message.
bool looks_like_text(byte_view start) {
  return std::ranges::all_of(start.first(frame_header_bytes), [](std::byte byte) {
    const auto c = std::to_integer<unsigned char>(byte);
    return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\r' || c == '\t';
  });
}

}  // namespace

void append_frame(std::vector<std::byte>& stream, byte_view message) {
  if (message.size() > std::numeric_limits<std::uint32_t>::max()) {
    fail(errc::limit, "a message of " + format_size(message.size()) +
                          " is too long to be sent; allowed: less than 4 GiB");
  }
  const std::size_t at = stream.size();
  stream.resize(at + frame_header_bytes);
  core::store_le(&stream[at], static_cast<std::uint32_t>(message.size()));
  stream.insert(stream.end(), message.begin(), message.end());
}

std::span<std::byte> frame_reader::room() {
  if (begin_ > 0) {
    std::copy(held_.begin() + static_cast<std::ptrdiff_t>(begin_),
              held_.begin() + static_cast<std::ptrdiff_t>(end_), held_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  // What was once long need not stay so.
  if (end_ < one_read && held_.size() > 16 * one_read) {
    held_.resize(one_read);
    held_.shrink_to_fit();
  }
  if (held_.size() < end_ + one_read) held_.resize(std::max(end_ + one_read, end_ + end_ / 2));
  return {held_.data() + end_, one_read};
}

void frame_reader::filled(std::size_t bytes) {
  assert(bytes <= held_.size() - end_);
  end_ += bytes;
}

std::optional<std::uint64_t> frame_reader::size_of_first() const {
  const byte_view start(held_.data() + begin_, end_ - begin_);
  if (split_) {
    const std::uint64_t size = start.empty() ? 0 : split_(start);
    if (size > max_bytes_) fail_size(format_size(size), max_bytes_);
    if (size > 0) return size;
    if (start.size() >= max_bytes_) fail_size("no stated length", max_bytes_);
    return {};
  }
  if (start.size() < frame_header_bytes) return {};
  const std::uint64_t size = core::load_le<std::uint32_t>(start.data());
  if (size > max_bytes_) {
    if (looks_like_text(start)) {
      fail(errc::corrupt, "text comes where there should be a message: " +
                              in_quotes(std::string_view(
                                  reinterpret_cast<const char*>(start.data()), start.size())));
    }
    fail_size(format_size(size), max_bytes_);
  }
  return frame_header_bytes + size;
}

std::optional<byte_view> frame_reader::next() {
  const std::optional<std::uint64_t> size = size_of_first();
  if (!size || *size > end_ - begin_) return {};
  const byte_view whole(held_.data() + begin_, static_cast<std::size_t>(*size));
  begin_ += whole.size();
  return split_ ? whole : whole.subspan(frame_header_bytes);
}

}  // namespace bloomery::net
