#include "bloomery/filters/any_kind.hpp"

namespace bloomery {

any_filter any_kind::build(shape_view shape, digest_span keys, hash_identity hash, promise promised,
                           unsigned threads) const {
  if (can<builds>()) return as<builds>().build(shape, keys, hash, promised, threads);
  any_filter filter = create(shape, hash, promised);
  filter.as<inserts>().insert(keys);
  return filter;
}

shape_values any_kind::plan_around(shape_view shape, std::uint64_t keys, double rate) const {
  if (can<chooses>()) return as<chooses>().plan_around(shape, keys, rate);
  return {shape.begin(), shape.end()};
}

double any_kind::predicted_false_negatives(shape_view shape, std::uint64_t keys) const {
  if (can<loses>()) return as<loses>().predicted_false_negatives(shape, keys);
  return info.false_negatives ? 1 : 0;
}

std::string_view any_kind::output() const {
  if (can<maps>()) return "value";
  return counts() ? "frequency" : "boolean";
}

}  // namespace bloomery
