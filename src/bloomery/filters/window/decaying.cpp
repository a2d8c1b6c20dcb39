#include "bloomery/filters/window/decaying.hpp"

#include "bloomery/filters/erasure.hpp"

namespace bloomery {

// A dead cell waits for the hand: it was alive when that last passed.
decaying_cells::decaying_cells(const shape& s, storage stored)
    : decaying_cells(s, restored(s, std::move(stored))) {
  require_possible([&](std::uint64_t cell, std::uint64_t stamp) {
    return age(stamp) < time() && age(stamp) < shape_.window + hand_.since(cell);
  });
}

decaying_shape decaying_cells::plan(std::uint64_t keys, double rate) {
  const math::standard_size size = math::plan_standard(keys, rate);
  return {size.bits, size.hashes, keys};
}

bool decaying_cells::insert(digest d) {
  tick();
  now_ = now_ == cycle_ ? 1 : now_ + 1;
  hand_.advance([&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      const std::uint64_t stamp = get(i);
      if (stamp != 0 && age(stamp) >= shape_.window) set(i, 0);
    }
  });
  const bool fresh = !contains(d);
  each(d, [&](std::uint64_t i) { set(i, now_); });
  return fresh;
}

bool decaying_cells::contains(digest d) const {
  return probes_.all(d, [&](std::uint64_t i) {
    const std::uint64_t stamp = get(i);
    return stamp != 0 && age(stamp) < shape_.window;
  });
}

template struct erasure<decaying_filter>;

}  // namespace bloomery
