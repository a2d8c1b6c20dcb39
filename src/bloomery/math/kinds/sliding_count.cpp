#include "bloomery/math/kinds/sliding_count.hpp"

#include <algorithm>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/kinds/count_min.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

// As many panes as planned, or one for each arrival of a window that is shorter.
sliding_count_size panes_for(std::uint64_t window) {
  const std::uint64_t others = std::max<std::uint64_t>(1, window - 1);
  const std::uint64_t panes = std::min(planned_panes, others);
  return {0, 0, panes, (others + panes - 1) / panes};
}

}  // namespace

std::uint64_t arrivals_kept(const sliding_count_size& size, std::uint64_t arrivals) {
  if (arrivals == 0) return 0;
  const std::uint64_t begun = (arrivals - 1) / size.pane;
  return arrivals - (begun - std::min(begun, size.panes)) * size.pane;
}

double sliding_count_rate(const sliding_count_size& size, std::uint64_t arrivals) {
  return partitioned_rate(size.width, arrivals_kept(size, arrivals), size.depth);
}

sliding_count_size plan_sliding_count(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  sliding_count_size size = panes_for(keys);
  const partitioned_size rows = plan_partitioned((size.panes + 1) * size.pane, rate);
  size.width = rows.slice_bits;
  size.depth = rows.hashes;
  return size;
}

sliding_count_size sliding_count_for(double epsilon, double delta, std::uint64_t window) {
  require_whole("window", window, 1, max_keys);
  sliding_count_size size = panes_for(window);
  const double kept = real(size.panes + 1) / real(size.panes);
  const count_min_size rows = count_min_for(epsilon / kept, delta);
  size.width = rows.width;
  size.depth = rows.depth;
  return size;
}

}  // namespace bloomery::math
