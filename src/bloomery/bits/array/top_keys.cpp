#include "bloomery/bits/array/top_keys.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/zeros.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t label_at = 25;
constexpr unsigned was_cut = 0x80;
constexpr unsigned label_size = 0x7f;

// The most bytes of `name` that fit and end with a whole UTF-8 character.
std::string_view fitting(std::string_view name) {
  if (name.size() <= top_keys::max_label) return name;
  std::uint64_t length = top_keys::max_label;
  const auto continues = [&](std::uint64_t i) {
    return (static_cast<unsigned char>(name[i]) & 0xc0U) == 0x80U;
  };
  while (length > top_keys::max_label - 3 && continues(length)) --length;
  return name.substr(0, continues(length) ? top_keys::max_label : length);
}

}  // namespace

top_keys::top_keys(std::uint64_t capacity)
    : stored_(storage::allocate(capacity * entry_bytes)), capacity_(capacity) {
  if (capacity == 0) floor_ = std::numeric_limits<std::uint64_t>::max();
}

top_keys::top_keys(std::uint64_t capacity, storage stored)
    : stored_(std::move(stored)), capacity_(capacity) {
  if (stored_.size() != capacity * entry_bytes) {
    fail(errc::corrupt, "a list of " + std::to_string(capacity) + " keys takes " +
                            std::to_string(capacity * entry_bytes) + " bytes, there are " +
                            std::to_string(stored_.size()));
  }
  while (size_ < capacity_ && count(size_) != 0) ++size_;
  check();
  if (size_ == capacity_) {
    floor_ = size_ == 0 ? std::numeric_limits<std::uint64_t>::max() : count(least());
  }
}

void top_keys::check() const {
  const auto clean = [&](const std::byte* from, const std::byte* to) {
    return core::all_zero({from, to});
  };
  for (std::uint64_t i = 0; i < size_; ++i) {
    const std::uint64_t length = mark(i) & label_size;
    const bool sound = mark(i) != was_cut && length <= max_label + 1;
    const std::byte* text = entry(i) + label_at;
    if (!sound || !clean(text + (length == 0 ? 0 : length - 1), text + max_label)) {
      fail(errc::corrupt, "a listed key has an impossible label");
    }
    if (i != 0 && !(key(i - 1) < key(i))) fail(errc::corrupt, "the listed keys are out of order");
  }
  const byte_view rest = stored_.bytes().subspan(size_ * entry_bytes);
  if (!clean(rest.data(), rest.data() + rest.size())) {
    fail(errc::corrupt, "bytes are set behind the listed keys");
  }
}

std::uint64_t top_keys::lower_bound(digest wanted) const {
  return math::largest_below(size_ + 1, [&](std::uint64_t n) { return key(n - 1) < wanted; });
}

std::uint64_t top_keys::find(digest wanted) const {
  const std::uint64_t i = lower_bound(wanted);
  return i < size_ && key(i) == wanted ? i : size_;
}

// Of equals the one with the greatest digest.
std::uint64_t top_keys::least() const {
  std::uint64_t best = 0;
  for (std::uint64_t i = 1; i < size_; ++i) {
    if (count(i) <= count(best)) best = i;
  }
  return best;
}

void top_keys::settle(digest wanted, std::uint64_t count_now) {
  std::uint64_t at = lower_bound(wanted);
  if (at == size_ || !(key(at) == wanted)) {
    std::uint64_t gap = size_;
    if (size_ == capacity_) {
      gap = least();
      floor_ = count(gap);
      if (count_now <= floor_) return;
      if (gap < at) --at;
    } else {
      ++size_;
    }
    if (gap < at) {
      std::memmove(entry(gap), entry(gap + 1), (at - gap) * entry_bytes);
    } else {
      std::memmove(entry(at + 1), entry(at), (gap - at) * entry_bytes);
    }
    std::memset(entry(at), 0, entry_bytes);
    core::store_le(entry(at), wanted.lo);
    core::store_le(entry(at) + 8, wanted.hi);
  }
  core::store_le(entry(at) + 16, count_now);
}

std::string top_keys::label(std::uint64_t i) const {
  if (!labelled(i)) return {};
  const std::uint64_t length = (mark(i) & label_size) - 1;
  std::string text(reinterpret_cast<const char*>(entry(i) + label_at), length);
  if ((mark(i) & was_cut) != 0) text += "…";
  return text;
}

void top_keys::label(std::uint64_t i, std::string_view name) {
  const std::string_view text = fitting(name);
  std::byte* to = entry(i) + label_at;
  std::memset(to, 0, max_label);
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  const unsigned cut = text.size() < name.size() ? was_cut : 0;
  entry(i)[24] = static_cast<std::byte>(cut | (text.size() + 1));
}

void top_keys::adopt_label(std::uint64_t i, const top_keys& other, std::uint64_t j) {
  if (!labelled(i)) std::memcpy(entry(i) + 24, other.entry(j) + 24, entry_bytes - 24);
}

void top_keys::clear() {
  std::ranges::fill(stored_.bytes_for_writing(), std::byte{});
  size_ = 0;
  floor_ = capacity_ == 0 ? std::numeric_limits<std::uint64_t>::max() : 0;
}

}  // namespace bloomery::bits
