#include "redis/compat/sketch.hpp"

#include <algorithm>
#include <string>

#include "bloomery/hash/murmur.hpp"

namespace bloomery::redis {

using bloomery::hash::murmur_2;

sketch::sketch(std::uint64_t width, std::uint64_t depth, budget allowed)
    : width_(width), depth_(depth) {
  const core::uint128 counters = core::uint128{width} * depth;
  allowed.require(counters > UINT64_MAX ? counters : counters * sizeof(std::uint32_t));
  counters_ = block::zeroed(width * depth * sizeof(std::uint32_t));
}

std::uint64_t sketch::place(byte_view key, std::uint64_t row) const {
  return row * width_ + murmur_2(key, static_cast<std::uint32_t>(row)) % width_;
}

std::uint32_t sketch::at(std::uint64_t place) const {
  return core::load_le<std::uint32_t>(counters_.bytes().data() + place * sizeof(std::uint32_t));
}

void sketch::set(std::uint64_t place, std::uint32_t value) {
  core::store_le(counters_.writable().data() + place * sizeof(std::uint32_t), value);
}

std::uint32_t sketch::add(byte_view key, std::uint64_t times) {
  std::uint32_t least = most_count;
  for (std::uint64_t row = 0; row < depth_; ++row) {
    const std::uint64_t where = place(key, row);
    const std::uint32_t before = at(where);
    const std::uint32_t after =
        times > most_count - before ? most_count : before + static_cast<std::uint32_t>(times);
    set(where, after);
    least = std::min(least, after);
  }
  total_ += times;
  return least;
}

std::uint32_t sketch::count(byte_view key) const {
  std::uint32_t least = most_count;
  for (std::uint64_t row = 0; row < depth_; ++row) least = std::min(least, at(place(key, row)));
  return least;
}

bool sketch::become_sum(std::span<const part> parts) {
  // Of at most 2^31 weights below 2^63 and counts below 2^64: far from the ends of 128 bits.
  __extension__ using wide = __int128;
  const auto counter = [&](std::uint64_t i) {
    wide sum = 0;
    for (const part& each : parts) sum += wide{each.from->at(i)} * each.weight;
    return sum;
  };
  wide total = 0;
  for (const part& each : parts) total += wide{each.from->total_} * each.weight;
  const std::uint64_t size = width_ * depth_;
  bool fits = total >= 0 && total <= INT64_MAX;
  for (std::uint64_t i = 0; i < size && fits; ++i) {
    const wide sum = counter(i);
    fits = sum >= 0 && sum <= most_count;
  }
  if (!fits) return false;
  // It may be one of the parts: each counter is read before it is written, and none is read again.
  for (std::uint64_t i = 0; i < size; ++i) set(i, static_cast<std::uint32_t>(counter(i)));
  total_ = static_cast<std::uint64_t>(total);
  return true;
}

sketch sketch::load(reading& from, int) {
  sketch made;
  made.width_ = from.number();
  made.depth_ = from.number();
  made.total_ = from.number();
  made.counters_ = from.bytes();
  const core::uint128 counters = core::uint128{made.width_} * made.depth_;
  if (counters == 0 || counters > made.counters_.size() ||
      counters * sizeof(std::uint32_t) != core::uint128{made.counters_.size()}) {
    fail(errc::corrupt, std::to_string(made.depth_) + " rows of " + std::to_string(made.width_) +
                            " counters in " + std::to_string(made.counters_.size()) + " bytes");
  }
  return made;
}

void sketch::save(writing& to) const {
  to.number(width_);
  to.number(depth_);
  to.number(total_);
  to.bytes(counters_.bytes());
}

void sketch::rewrite(rewriting& to) {
  to.whole(type, type_name, encoding, this);
}

sketch sketch::copy() const {
  sketch made;
  made.counters_ = block::copy_of(counters_.bytes());
  made.width_ = width_;
  made.depth_ = depth_;
  made.total_ = total_;
  return made;
}

}  // namespace bloomery::redis
