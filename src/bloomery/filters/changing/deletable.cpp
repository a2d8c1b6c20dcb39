#include "bloomery/filters/changing/deletable.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/deletable.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

void deletable_shape::check() const {
  math::require_whole("regions", regions, 1, (bits - 1) / 2);
}

deletable_cells::deletable_cells(const shape& s, bits::bit_array bits)
    : probes_{s.bits - s.regions, s.hashes},
      regions_(s.regions),
      regions_per_cell_(
          static_cast<std::uint64_t>((core::uint128{s.regions} << 64) / probes_.cells) + 1),
      bits_(std::move(bits)) {}

deletable_cells::deletable_cells(const shape& s, storage stored)
    : deletable_cells(s, bits::bit_array(s.bits, std::move(stored))) {
  // Where keys have collided, at least the bit they share is set, forever.
  bits::bit_array occupied(regions_);
  for (std::uint64_t i = 0; i < probes_.cells; ++i) {
    if (bits_.test(regions_ + i)) occupied.set(region_of(i));
  }
  for (std::uint64_t region = 0; region < regions_; ++region) {
    if (bits_.test(region) && !occupied.test(region)) {
      fail(errc::corrupt, "region " + std::to_string(region) + " is marked, but has no bit set");
    }
  }
}

deletable_shape deletable_cells::plan(std::uint64_t keys, double rate) {
  const math::deletable_size size = math::plan_deletable(keys, rate);
  return {size.bits, size.hashes, size.regions};
}

double deletable_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.bits - s.regions, keys, s.hashes);
}

// Also of a key that is claimed already: its bits are then shared, and must be marked.
bool deletable_cells::insert(const place& at) {
  bool fresh = false;
  for (const std::uint64_t i : at) {
    const bool was_clear = bits_.set(regions_ + i);
    if (!was_clear) bits_.set(region_of(i));
    fresh |= was_clear;
  }
  return fresh;
}

bool deletable_cells::erase(const place& at) {
  if (!contains(at)) return false;
  bool gone = false;
  for (const std::uint64_t i : at) {
    if (!bits_.test(region_of(i))) gone |= bits_.clear(regions_ + i);
  }
  return gone;
}

void deletable_cells::merge(const deletable_cells& other) {
  for (std::uint64_t i = 0; i < probes_.cells; ++i) {
    if (bits_.test(regions_ + i) && other.bits_.test(regions_ + i)) bits_.set(region_of(i));
  }
  bits_.merge(other.bits_);
}

double deletable_cells::current_rate() const {
  return math::instance_rate(fill(), probes_.count);
}

math::overlap deletable_cells::estimated_overlap(const deletable_cells& other,
                                                 double confidence) const {
  bits::bit_array both = bits_;
  both.merge(other.bits_);
  return math::estimate_overlap(math::uniform_layout(probes_.cells, probes_.count), zeros(),
                                other.zeros(), probes_.cells - both.count(regions_, both.size()),
                                confidence);
}

template struct erasure<deletable_filter>;

}  // namespace bloomery
