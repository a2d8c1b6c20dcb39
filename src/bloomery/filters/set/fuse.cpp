#include "bloomery/filters/set/fuse.hpp"

#include <algorithm>
#include <cassert>

#include "bloomery/core/error.hpp"
#include "bloomery/filters/shape_checks.hpp"

namespace bloomery {
namespace {

// Four would save half a bit a key at 0.1 %, and cost look-ups 1.2 to 1.4 times the time (measured in
// batches, 1 M and 10 M keys).
constexpr unsigned planned_arity = 3;

fuse_layout valid_layout(const fuse_shape& shape) {
  require_valid(shape);
  return shape.layout();
}

math::fuse_size size_of(const fuse_shape& shape) {
  const fuse_layout layout = shape.layout();
  return {layout.segments, layout.segment_log2, layout.arity};
}

}  // namespace

void fuse_shape::check() const {
  require_total_bits(fingerprint_bits << segment_log2, segments + arity - 1, "segments");
}

fuse_filter::fuse_filter(const shape_type& shape, hash_identity hash, promise promised)
    : fuse_filter(shape, {hash, promised, 0}, fuse_table(valid_layout(shape))) {}

fuse_filter fuse_filter::build(const shape_type& shape, std::span<const digest> keys,
                               hash_identity hash, promise promised, unsigned threads) {
  return {shape,
          {hash, promised, keys.size()},
          fuse_table::of_fingerprints(valid_layout(shape), keys, threads)};
}

fuse_shape fuse_filter::plan(std::uint64_t keys, double rate) {
  const unsigned bits = math::fingerprint_bits(keys, rate_to_plan(rate));
  const math::fuse_size size = math::plan_fuse(keys, planned_arity);
  return {size.segments, size.segment_log2, size.arity, bits};
}

// More keys than slots cannot be held, as if every key were found.
double fuse_filter::predicted_rate(const shape_type& shape, std::uint64_t keys) {
  const fuse_layout layout = shape.layout();
  return keys > layout.slots() ? 1 : math::fingerprint_rate(keys, layout.width);
}

math::query_cost fuse_filter::query_cost(const shape_type& shape, std::uint64_t /*keys*/) {
  return math::fuse_cost(size_of(shape), shape.layout().width);
}

std::uint64_t fuse_filter::may_contain(std::span<const digest> keys,
                                       std::span<bool> answers) const {
  assert(keys.size() == answers.size());
  if (table_.keys() != 0) return table_.matches(keys, answers);
  std::ranges::fill(answers, false);
  return 0;
}

std::uint64_t fuse_filter::payload_bytes(const shape_type& shape) {
  return fuse_table::stored_bytes(valid_layout(shape));
}

fuse_filter fuse_filter::restore(const shape_type& shape, const filter_record& record,
                                 storage stored) {
  fuse_table table(valid_layout(shape), std::move(stored));
  if (table.keys() > record.items || (table.keys() == 0) != (record.items == 0)) {
    fail(errc::corrupt, "the table holds " + format_count(table.keys()) + " keys of " +
                            format_count(record.items) + " on record");
  }
  return {shape, record, std::move(table)};
}

}  // namespace bloomery
