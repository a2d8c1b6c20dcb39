#include "bloomery/filters/map/ribbon.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/ribbon.hpp"
#include "bloomery/math/laws/map_values.hpp"

namespace bloomery {
namespace {

constexpr std::uint64_t wide_equations = 1;  // of row_choices: fewer bits in about the same time

}  // namespace

void ribbon_shape::check() const {
  require_slot_bits(fingerprint_bits, value_bits, bits::ribbon_table::max_width);
  // 1 for what rows take over the keys
  detail::require_total_bits(fingerprint_bits + value_bits + 1, keys, "keys");
}

template class retrieval_cells<ribbon_rule>;

ribbon_shape ribbon_rule::plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
  const unsigned bits = math::fingerprint_bits(keys, rate, math::ribbon_hash_bits);
  const unsigned value_bits = math::value_bits(values);
  require_slot_bits(bits, value_bits, bits::ribbon_table::max_width);
  return {keys, bits, value_bits, wide_equations};
}

// More keys than rows cannot be held, as if every key were found.
double ribbon_rule::predicted_rate(const shape& s, std::uint64_t keys) {
  if (keys > math::plan_ribbon(s.keys, s.band()).rows()) return 1;
  return math::fingerprint_rate(keys, s.layout().fingerprint_bits(), math::ribbon_hash_bits);
}

math::query_cost ribbon_rule::query_cost(const shape& s, std::uint64_t /*keys*/) {
  return math::ribbon_cost(math::plan_ribbon(s.keys, s.band()), s.layout().width);
}

void ribbon_rule::require_record(const table& t, const filter_record& record) {
  if (t.empty() != (record.items == 0)) {
    fail(errc::corrupt, std::string("the table holds ") + (t.empty() ? "no keys" : "keys") +
                            ", and " + format_count(record.items) + " are on record");
  }
}

template struct erasure<ribbon_filter>;

}  // namespace bloomery
