#include "skeleton.hpp"

#include <cassert>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {
namespace {

std::uint64_t valid_bits(const skeleton_shape& shape) {
  require_valid(shape);
  return shape.bits;
}

}  // namespace

skeleton_filter::skeleton_filter(const shape_type& shape, hash_identity hash, promise promised)
    : skeleton_filter(shape, {hash, promised, 0}, bit_array(valid_bits(shape))) {}

skeleton_filter::skeleton_filter(const shape_type& shape, const filter_record& record,
                                 bit_array bits)
    : shape_(shape), record_(record), bits_(std::move(bits)) {}

// The smallest shape whose own predicted rate keeps the promise, with the reserve that every plan
// has. The rate falls as bits grow.
skeleton_shape skeleton_filter::plan(std::uint64_t keys, double rate) {
  if (keys < 1 || keys > max_keys || !(rate > 0 && rate < 1)) {
    fail(errc::invalid, "no plan for " + format_count(keys) + " keys at a rate of " +
                            format_real(rate) + "; allowed: 1 to " + format_count(max_keys) +
                            " keys, a rate above 0 and below 1");
  }
  const double reserved = rate_to_plan(rate);
  std::uint64_t too_few = 0;
  std::uint64_t enough = max_bits;
  if (predicted_rate({enough}, keys) > reserved) {
    fail(errc::limit, "no skeleton filter within " + format_size(max_bits / 8) +
                          " reaches a rate of " + format_ratio(rate));
  }
  while (enough - too_few > 1) {
    const std::uint64_t middle = too_few + (enough - too_few) / 2;
    (predicted_rate({middle}, keys) > reserved ? too_few : enough) = middle;
  }
  return {enough};
}

double skeleton_filter::predicted_rate(const shape_type& shape, std::uint64_t keys) {
  return math::exact_rate(shape.bits, keys, 1);
}

bool skeleton_filter::insert(digest d) {
  bits_.require_writable();
  ++record_.items;
  return bits_.set(position(d));
}

std::uint64_t skeleton_filter::insert(std::span<const digest> keys) {
  std::uint64_t fresh = 0;
  for (const digest d : keys) fresh += std::uint64_t{insert(d)};
  return fresh;
}

std::uint64_t skeleton_filter::may_contain(std::span<const digest> keys,
                                           std::span<bool> answers) const {
  assert(keys.size() == answers.size());
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    answers[i] = may_contain(keys[i]);
    hits += std::uint64_t{answers[i]};
  }
  return hits;
}

void skeleton_filter::merge(const skeleton_filter& other) {
  require_same_shape(shape_, other.shape_);
  require_same_hash(record_.hash, other.record_.hash);
  bits_.merge(other.bits_);
  record_ = united(record_, other.record_);
}

skeleton_filter skeleton_filter::copy() const {
  return {shape_, record_, bits_.copy()};
}

std::uint64_t skeleton_filter::payload_bytes(const shape_type& shape) {
  return bit_array_bytes(valid_bits(shape));
}

// bit_array checks the length and the padding; a structure with more to its cells checks that here.
skeleton_filter skeleton_filter::restore(const shape_type& shape, const filter_record& record,
                                         storage stored) {
  return {shape, record, bit_array(valid_bits(shape), std::move(stored))};
}

}  // namespace bloomery
