#include "bloomery/filters/set/ribbon.hpp"

#include <cassert>

#include "bloomery/core/error.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/math/ribbon.hpp"

namespace bloomery {
namespace {

ribbon_layout valid_layout(const ribbon_shape& shape) {
  require_valid(shape);
  return shape.layout();
}

}  // namespace

void ribbon_shape::check() const {
  require_total_bits(fingerprint_bits + 1, keys, "keys");  // 1 for what rows take over the keys
}

ribbon_filter::ribbon_filter(const shape_type& shape, hash_identity hash, promise promised)
    : ribbon_filter(shape, {hash, promised, 0}, ribbon_table(valid_layout(shape))) {}

ribbon_filter ribbon_filter::build(const shape_type& shape, std::span<const digest> keys,
                                   hash_identity hash, promise promised, unsigned threads) {
  return {shape,
          {hash, promised, keys.size()},
          ribbon_table::of_fingerprints(valid_layout(shape), keys, threads)};
}

ribbon_shape ribbon_filter::plan(std::uint64_t keys, double rate) {
  return {keys, math::fingerprint_bits(keys, rate_to_plan(rate), math::ribbon_hash_bits)};
}

// More keys than rows cannot be held, as if every key were found.
double ribbon_filter::predicted_rate(const shape_type& shape, std::uint64_t keys) {
  if (keys > math::plan_ribbon(shape.keys).rows()) return 1;
  return math::fingerprint_rate(keys, shape.layout().width, math::ribbon_hash_bits);
}

math::query_cost ribbon_filter::query_cost(const shape_type& shape, std::uint64_t /*keys*/) {
  return math::ribbon_cost(math::plan_ribbon(shape.keys), shape.layout().width);
}

std::uint64_t ribbon_filter::may_contain(std::span<const digest> keys,
                                         std::span<bool> answers) const {
  assert(keys.size() == answers.size());
  const bool filled = !table_.empty();
  std::uint64_t hits = 0;
  std::size_t at = 0;
  table_.for_each(keys, [&](std::uint32_t value, std::uint32_t fingerprint) {
    const bool present = filled && value == fingerprint;
    answers[at++] = present;
    hits += std::uint64_t{present};
  });
  return hits;
}

std::uint64_t ribbon_filter::payload_bytes(const shape_type& shape) {
  return ribbon_table::stored_bytes(valid_layout(shape));
}

ribbon_filter ribbon_filter::restore(const shape_type& shape, const filter_record& record,
                                     storage stored) {
  ribbon_table table(valid_layout(shape), std::move(stored));
  if (table.empty() != (record.items == 0)) {
    fail(errc::corrupt, std::string("the table holds ") + (table.empty() ? "no keys" : "keys") +
                            ", and " + format_count(record.items) + " are on record");
  }
  return {shape, record, std::move(table)};
}

}  // namespace bloomery
