#include "bloomery/filters/map/fuse.hpp"

#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

// Four would save half a bit a key at 0.1 %, and cost look-ups 1.2 to 1.4 times the time (measured in
// batches, 1 M and 10 M keys).
constexpr unsigned planned_arity = 3;

}  // namespace

void fuse_shape::check() const {
  const std::uint64_t width = fingerprint_bits + value_bits;
  require_slot_bits(fingerprint_bits, value_bits, bits::fuse_table::max_width);
  detail::require_total_bits(width << segment_log2, segments + arity - 1, "segments");
}

template class retrieval_cells<fuse_rule>;

fuse_shape fuse_rule::plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
  const unsigned bits = math::fingerprint_bits(keys, rate);
  const unsigned value_bits = math::value_bits(values);
  require_slot_bits(bits, value_bits, bits::fuse_table::max_width);
  const math::fuse_size size = math::plan_fuse(keys, planned_arity);
  return {size.segments, size.segment_log2, size.arity, bits, value_bits};
}

// More keys than slots cannot be held, as if every key were found.
double fuse_rule::predicted_rate(const shape& s, std::uint64_t keys) {
  const bits::fuse_layout layout = s.layout();
  return keys > layout.slots() ? 1 : math::fingerprint_rate(keys, layout.fingerprint_bits());
}

math::query_cost fuse_rule::query_cost(const shape& s, std::uint64_t /*keys*/) {
  const bits::fuse_layout layout = s.layout();
  return math::fuse_cost({layout.segments, layout.segment_log2, layout.arity}, layout.width);
}

void fuse_rule::require_record(const table& t, const filter_record& record) {
  if (t.keys() > record.items || (t.keys() == 0) != (record.items == 0)) {
    fail(errc::corrupt, "the table holds " + format_count(t.keys()) + " keys of " +
                            format_count(record.items) + " on record");
  }
}

template struct erasure<fuse_filter>;

}  // namespace bloomery
