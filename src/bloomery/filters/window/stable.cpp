#include "bloomery/filters/window/stable.hpp"

#include "bloomery/bits/array/sweep.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

void stable_shape::check() const {
  detail::require_total_bits(cell_bits(), cells, "cells");
  math::require_whole("decrements", decrements, 1, cells);
}

stable_cells::stable_cells(const shape& s, storage stored)
    : stable_cells(s, restored(s, std::move(stored))) {
  require_possible(
      [&](std::uint64_t, std::uint64_t value) { return time() != 0 && value <= shape_.highest; });
}

stable_shape stable_cells::plan(std::uint64_t keys, double rate) {
  const math::stable_size size = math::plan_stable(keys, rate);
  return {size.cells, size.hashes, size.highest, size.decrements, keys};
}

bool stable_cells::insert(digest d) {
  const bool fresh = !contains(d);
  tick();
  // Chance that depends on stream and time, and is the same each time a stream is read.
  const std::uint64_t first = hash::reduce(hash::mix(d.lo + time() * hash::golden), shape_.cells);
  bits::on_ring(shape_.cells, first, shape_.decrements,
                [&](std::uint64_t from, std::uint64_t to) { run_down(from, to); });
  each(d, [&](std::uint64_t i) { set(i, shape_.highest); });
  return fresh;
}

template struct erasure<stable_filter>;

}  // namespace bloomery
