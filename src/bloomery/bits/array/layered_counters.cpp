#include "bloomery/bits/array/layered_counters.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t longest = std::numeric_limits<std::uint32_t>::max();

std::uint64_t parts(std::uint64_t counters, std::uint64_t of) {
  return (counters + of - 1) / of;
}

void set_ones(std::uint64_t* words, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t at = first; at < last;) {
    const std::uint64_t end = std::min(last, at / 64 * 64 + 64);
    const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (end - at));
    words[at / 64] |= core::little_endian(ones << at % 64);
    at = end;
  }
}

}  // namespace

layered_counters::layered_counters(std::uint64_t counters)
    : lowest_(counters),
      strings_(parts(counters, string_counters)),
      ends_(parts(counters, segment_counters)) {}

layered_counters::layered_counters(std::uint64_t counters, storage stored)
    : lowest_(counters, [&] {
        const std::uint64_t bytes = bit_array_bytes(counters);
        if (stored.size() < bytes) {
          fail(errc::corrupt, "layer 0 takes " + std::to_string(bytes) + " bytes, there are " +
                                  std::to_string(stored.size()));
        }
        return stored.take_front(bytes);
      }()) {
  ends_.reserve(parts(counters, segment_counters));
  for (std::uint64_t first = 0; first < counters;) {
    const auto* words = reinterpret_cast<const std::uint64_t*>(stored.bytes().data());
    const std::uint64_t present = std::min(8 * stored.size(), longest);
    const std::uint64_t string_end = std::min(counters, first + string_counters);
    std::uint64_t end = 0;
    for (; first < string_end; first += segment_counters) {
      std::uint64_t width = lowest_.count(first, std::min(counters, first + segment_counters));
      while (width != 0) {
        end += count_leading_ones(words, end, present) / width * width;  // layers of ones alone
        if (width > present - end) fail(errc::corrupt, "a layer is cut short");
        const std::uint64_t ones = count_ones(words, end, end + width);
        end += width;
        width = ones;
      }
      ends_.push_back(static_cast<std::uint32_t>(end));
    }
    first = string_end;
    strings_.emplace_back(end, stored.take_front(bit_array_bytes(end)));
  }
  if (stored.size() != 0) {
    fail(errc::corrupt, std::to_string(stored.size()) + " bytes are left after the last layer");
  }
}

layered_counters::spot layered_counters::find(std::uint64_t i) const {
  const std::uint64_t segment = i / segment_counters;
  const std::uint64_t first = segment * segment_counters;
  const bit_string& bits = strings_[segment / segments_a_string];
  std::uint64_t start = start_of(segment);       // of the layer
  std::uint64_t rank = lowest_.count(first, i);  // of the counter in it
  if (!lowest_.test(i)) return {0, 0, 0, start + rank};
  std::uint64_t width = lowest_.count(first, std::min(size(), first + segment_counters));
  std::uint64_t height = 1;
  std::uint64_t last_one = 0;
  while (bits.test(start + rank)) {
    // Layers of ones alone are all alike: a tower of any height is passed in one step.
    const std::uint64_t alike = bits.ones_from(start) / width;
    if (alike != 0) {
      height += alike;
      start += alike * width;
      last_one = start - width + rank;
      continue;
    }
    ++height;
    last_one = start + rank;
    rank = bits.count(start, last_one);
    const std::uint64_t ones = bits.count(start, start + width);
    start += std::exchange(width, ones);
  }
  return {height, last_one, start + rank, start + width + bits.count(start, start + rank)};
}

void layered_counters::move_ends(std::uint64_t i, std::uint32_t by) {
  const std::uint64_t segment = i / segment_counters;
  const std::uint64_t last =
      std::min<std::uint64_t>(ends_.size(), (segment / segments_a_string + 1) * segments_a_string);
  for (std::uint64_t s = segment; s < last; ++s) ends_[s] += by;
}

void layered_counters::increment(std::uint64_t i) {
  const spot at = find(i);
  bit_string& bits = string_of(i);
  if (bits.size() == longest) {
    fail(errc::limit, "a string of counters has " + std::to_string(longest) + " bits already");
  }
  bits.insert_zero(at.above);  // first, since it may find no memory
  if (at.height == 0) {
    lowest_.set(i);
  } else {
    bits.flip(at.zero);
  }
  move_ends(i, 1);
}

bool layered_counters::decrement(std::uint64_t i) {
  const spot at = find(i);
  if (at.height == 0) return false;
  string_of(i).remove(at.zero);
  if (at.height == 1) {
    lowest_.clear(i);
  } else {
    string_of(i).flip(at.last_one);
  }
  move_ends(i, static_cast<std::uint32_t>(-1));
  return true;
}

void layered_counters::add_heights(std::uint64_t string, std::span<std::uint64_t> heights) const {
  const bit_string& bits = strings_[string];
  std::vector<std::uint64_t> up;  // the counters that reach the layer
  for (std::uint64_t first = 0; first < heights.size(); first += segment_counters) {
    const std::uint64_t end = std::min<std::uint64_t>(heights.size(), first + segment_counters);
    up.clear();
    for (std::uint64_t i = first; i < end; ++i) {
      if (lowest_.test(string * string_counters + i)) up.push_back(i);
    }
    for (const std::uint64_t i : up) ++heights[i];
    std::uint64_t at = start_of(string * segments_a_string + first / segment_counters);
    while (!up.empty()) {
      const std::uint64_t alike = bits.ones_from(at) / up.size();
      at += alike * up.size();
      std::size_t kept = 0;
      for (const std::uint64_t i : up) {
        heights[i] += alike;
        if (!bits.test(at++)) continue;
        ++heights[i];
        up[kept++] = i;
      }
      up.resize(kept);
    }
  }
}

void layered_counters::set_heights(std::uint64_t string, std::span<const std::uint64_t> heights) {
  std::uint64_t total = 0;
  for (const std::uint64_t height : heights) {
    if (height > longest - total) {
      fail(errc::limit,
           "a string of counters would have more than " + std::to_string(longest) + " bits");
    }
    total += height;
  }
  storage stored = storage::allocate(bit_array_bytes(total));
  auto* words = reinterpret_cast<std::uint64_t*>(stored.bytes_for_writing().data());
  std::vector<std::uint64_t> up;
  std::uint64_t at = 0;
  for (std::uint64_t first = 0; first < heights.size(); first += segment_counters) {
    const std::uint64_t end = std::min<std::uint64_t>(heights.size(), first + segment_counters);
    up.clear();
    for (std::uint64_t i = first; i < end; ++i) {
      if (heights[i] == 0) continue;
      lowest_.set(string * string_counters + i);
      up.push_back(i);
    }
    for (std::uint64_t layer = 1; !up.empty(); ++layer) {
      std::uint64_t least = longest;
      for (const std::uint64_t i : up) least = std::min(least, heights[i]);
      const std::uint64_t alike = (least - layer) * up.size();
      set_ones(words, at, at + alike);
      at += alike;
      layer = least;
      std::size_t kept = 0;
      for (const std::uint64_t i : up) {
        if (heights[i] > least) {
          set_ones(words, at, at + 1);
          up[kept++] = i;
        }
        ++at;
      }
      up.resize(kept);
    }
    ends_[string * segments_a_string + first / segment_counters] = static_cast<std::uint32_t>(at);
  }
  strings_[string] = bit_string(total, std::move(stored));
}

layered_counters layered_counters::sum(const layered_counters& other) const {
  assert(size() == other.size());
  layered_counters result(size());
  for (std::uint64_t s = 0; s < strings_.size(); ++s) {
    std::vector<std::uint64_t> heights(std::min(string_counters, size() - s * string_counters), 0);
    add_heights(s, heights);
    other.add_heights(s, heights);
    result.set_heights(s, heights);
  }
  return result;
}

std::uint64_t layered_counters::expected_bytes(std::uint64_t counters, double load) {
  const auto of_string = [&](std::uint64_t some) {
    return bit_array_bytes(static_cast<std::uint64_t>(std::ceil(static_cast<double>(some) * load)));
  };
  return bit_array_bytes(counters) + counters / string_counters * of_string(string_counters) +
         of_string(counters % string_counters);
}

}  // namespace bloomery::bits
