#include "bloomery/filters/window/block_decaying.hpp"

#include "bloomery/filters/erasure.hpp"

namespace bloomery {

void block_decaying_shape::check() const {
  detail::require_total_bits(block_cells, blocks, "blocks");
  detail::require_total_bits(cell_bits(), cell_count(), "counters");
}

block_decaying_cells::block_decaying_cells(const shape& s, storage stored)
    : block_decaying_cells(s, restored(s, std::move(stored))) {
  require_possible(
      [&](std::uint64_t, std::uint64_t count) { return time() != 0 && count <= start_; });
}

block_decaying_shape block_decaying_cells::plan(std::uint64_t keys, double rate) {
  const math::block_decay size = math::plan_block_decaying(keys, rate);
  return {size.blocks, size.block_cells, size.hashes, keys};
}

bool block_decaying_cells::insert(digest d) {
  tick();
  hand_.advance([&](std::uint64_t first, std::uint64_t last) { run_down(first, last); });
  const bool fresh = !contains(d);
  each(d, [&](std::uint64_t i) { set(i, start_); });
  return fresh;
}

template struct erasure<block_decaying_filter>;

}  // namespace bloomery
