#include "bloomery/filters/window/double_buffered.hpp"

#include "bloomery/filters/erasure.hpp"

namespace bloomery {

double_buffered_cells::double_buffered_cells(const shape& s, storage stored)
    : double_buffered_cells(s, restored(s, std::move(stored))) {
  require_possible([&](std::uint64_t, std::uint64_t pair) { return pair != inactive(); });
  if (in_other_ >= half_ || ((in_other_ != 0 || swaps() != 0) && in_active_ < half_)) {
    fail(errc::corrupt, "the bitmaps have " + std::to_string(in_active_) + " and " +
                            std::to_string(in_other_) + " bits set, which no history leaves");
  }
}

double_buffered_cells::double_buffered_cells(const shape& s, array cells)
    : aging_cells(s, std::move(cells)), half_(math::half_full(s.bits)) {
  for (std::uint64_t i = 0; i < s.bits; ++i) {
    const std::uint64_t pair = get(i);
    in_active_ += std::uint64_t{(pair & active()) != 0};
    in_other_ += std::uint64_t{(pair & inactive()) != 0};
  }
}

double_buffered_shape double_buffered_cells::plan(std::uint64_t keys, double rate) {
  const math::buffer_size size = math::plan_buffers(keys, rate);
  return {size.bits, size.hashes};
}

bool double_buffered_cells::insert(digest d) {
  const std::uint64_t wanted = in_active_ < half_ ? active() : active() | inactive();
  bool fresh_key = false;
  each(d, [&](std::uint64_t i) {
    const std::uint64_t missing = wanted & ~get(i);
    if (missing == 0) return;
    set(i, get(i) | missing);
    in_active_ += std::uint64_t{(missing & active()) != 0};
    in_other_ += std::uint64_t{(missing & inactive()) != 0};
    fresh_key |= (missing & active()) != 0;
  });
  if (in_other_ >= half_) swap();
  return fresh_key;
}

void double_buffered_cells::swap() {
  cells_.cells.keep(inactive());
  tick();
  in_active_ = in_other_;
  in_other_ = 0;
}

template struct erasure<double_buffered_filter>;

}  // namespace bloomery
