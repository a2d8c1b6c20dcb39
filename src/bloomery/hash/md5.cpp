#include "bloomery/hash/md5.hpp"

#include <algorithm>
#include <bit>

namespace bloomery::hash {
namespace {

// The first 32 bits of |sin(1)|, |sin(2)|, …
constexpr std::array<std::uint32_t, 64> sines{
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
constexpr std::array<std::array<int, 4>, 4> turns{
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};
constexpr std::array<std::size_t, 4> word_step{1, 5, 3, 7};
constexpr std::array<std::size_t, 4> word_start{0, 1, 5, 0};

constexpr std::uint32_t choose(std::size_t round, std::uint32_t b, std::uint32_t c,
                               std::uint32_t d) {
  switch (round) {
    case 0:
      return (b & c) | (~b & d);
    case 1:
      return (b & d) | (c & ~d);
    case 2:
      return b ^ c ^ d;
    default:
      return c ^ (b | ~d);
  }
}

}  // namespace

void md5::take(const std::byte* block) {
  std::array<std::uint32_t, 16> words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = core::load_le<std::uint32_t>(block + 4 * i);
  }
  auto [a, b, c, d] = state_;
  for (std::size_t i = 0; i < sines.size(); ++i) {
    const std::size_t round = i / 16;
    const std::size_t word = (word_start[round] + word_step[round] * i) % words.size();
    const std::uint32_t sum = a + choose(round, b, c, d) + words[word] + sines[i];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, turns[round][i % 4]);
  }
  state_[0] += a;
  state_[1] += b;
  state_[2] += c;
  state_[3] += d;
}

md5& md5::add(byte_view part) {
  while (!part.empty()) {
    const std::size_t held = bytes_ % block_bytes;
    const std::size_t more = std::min(block_bytes - held, part.size());
    std::copy_n(part.begin(), more, waiting_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes_ += more;
    part = part.subspan(more);
    if (bytes_ % block_bytes == 0) take(waiting_.data());
  }
  return *this;
}

std::array<std::byte, 16> md5::end() {
  std::array<std::byte, 8> length{};
  core::store_le<std::uint64_t>(length.data(), 8 * bytes_);
  constexpr std::array<std::byte, block_bytes> padding{std::byte{0x80}};
  const std::size_t held = bytes_ % block_bytes;
  const std::size_t padded = (held < 56 ? 56 : 120) - held;
  add(byte_view(padding).first(padded)).add(length);
  std::array<std::byte, 16> result{};
  for (std::size_t i = 0; i < state_.size(); ++i) core::store_le(&result[4 * i], state_[i]);
  return result;
}

}  // namespace bloomery::hash
