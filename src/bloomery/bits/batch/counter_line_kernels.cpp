#include "bloomery/bits/batch/counter_line_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/vectors.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::bits {
namespace {

// The choices of lanes by how many, in the order of hash::all_lane_subsets.
class lane_choices {
 public:
  constexpr lane_choices() {
    for (unsigned size = 1; size <= hash::lane_count; ++size) {
      for (unsigned i = 0; i < hash::all_lane_subsets.count(size); ++i) {
        const std::uint64_t subset = hash::all_lane_subsets.of_size(size)[i];
        of_size_[size][i] = {hash::lane_ranks(subset), ~subset};
      }
    }
  }
  [[nodiscard]] const lane_choice* like(const hash::lane_cells& pattern) const {
    unsigned size = 1;
    while (hash::all_lane_subsets.of_size(size) != pattern.subsets()) ++size;
    return of_size_[size].data();
  }

 private:
  std::array<std::array<lane_choice, hash::lane_subsets::most>, hash::lane_count + 1> of_size_{};
};
constexpr lane_choices all_lane_choices;

}  // namespace

counter_lines::counter_lines(const hash::lane_cells& of, std::uint64_t* at, std::uint64_t count,
                             unsigned bits)
    : pattern(of), words(at), blocks(count), width(bits), choices(all_lane_choices.like(of)) {
  assert(!of.two_rounds());
}

}  // namespace bloomery::bits

#define BLOOMERY_KERNELS "bloomery/bits/batch/counter_line_kernels.inl"
#include "bloomery/core/each_backend.inl"

namespace bloomery::bits {

const counter_line_kernels& counter_line_kernels_now() {
  return BLOOMERY_BY(core::chosen_backend(), all_counter_line_kernels);
}

}  // namespace bloomery::bits
