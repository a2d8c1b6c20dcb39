#include "bloomery/filters/window/variable_signature.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

void variable_signature_shape::check() const {
  math::require_whole("marks", marks, 1, hashes);
  math::require_whole("needed", needed, 1, marks);  // more would hide fresh keys
  math::require_whole("swept", swept, 0, bits);
}

variable_signature_shape variable_signature_cells::plan(std::uint64_t keys, double rate) {
  const math::signature_size size = math::plan_signatures(keys, rate);
  return {size.bits, size.hashes, size.marks, size.needed, size.swept, keys};
}

bool variable_signature_cells::insert(digest d) {
  tick();
  hand_.advance([&](std::uint64_t first, std::uint64_t last) { run_down(first, last); });
  const bool fresh = !contains(d);
  std::uint64_t left = shape_.marks;
  probes_.all(d, [&](std::uint64_t i) {
    set(i, 1);
    return --left != 0;
  });
  return fresh;
}

bool variable_signature_cells::erase(digest d) {
  if (!contains(d)) return false;
  each(d, [&](std::uint64_t i) { set(i, 0); });
  return true;
}

bool variable_signature_cells::contains(digest d) const {
  std::uint64_t may_miss = shape_.hashes - shape_.needed;
  return probes_.all(d, [&](std::uint64_t i) { return get(i) != 0 || may_miss-- != 0; });
}

template struct erasure<variable_signature_filter>;

}  // namespace bloomery
