#include "bloomery/math/kinds/window.hpp"

#include <algorithm>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/math/kinds/age_partitioned.hpp"
#include "bloomery/math/kinds/decay.hpp"
#include "bloomery/math/kinds/forgetting.hpp"
#include "bloomery/math/laws/plan.hpp"

namespace bloomery::math {
namespace {

double real(std::uint64_t value) {
  return static_cast<double>(value);
}

double lines(double bits) {
  return bits / real(cache_line_bits);
}

window_choice age_partitioned_choice(std::uint64_t window, double rate) {
  const age_partitioned_size size = plan_age_partitions(window, rate);
  const double cleared = lines(real(size.slice_bits)) / real(size.generation);
  return {"age-partitioned",
          real(size.slices() * size.slice_bits),
          size.rate,
          0,
          age_partitioned_cost(size),
          real(size.hashes) + cleared};
}

window_choice decaying_choice(std::uint64_t window, double rate) {
  const standard_size size = plan_standard(window, rate);
  const std::uint64_t width = stamp_bits(window);
  const query_cost query = uniform_cost(size.bits, window, size.hashes, width);
  const double swept = lines(real(cells_swept(size.bits, window) * width));
  return {"decaying", real(size.bits * width), size.rate, 0, query, query.present + swept};
}

window_choice block_decaying_choice(std::uint64_t window, double rate) {
  const block_decay size = plan_block_decaying(window, rate);
  const std::uint64_t width = size.counter_bits();
  const query_cost query = uniform_cost(size.cells(), window, size.hashes, width);
  return {"block-decaying",
          real(size.cells() * width),
          block_decaying_rate(size, max_items),
          0,
          query,
          query.present + lines(real(size.block_cells * width))};
}

window_choice time_decaying_choice(std::uint64_t window, double rate) {
  constexpr double width = 32;
  constexpr double apart = 64;  // half-lives between scalings
  const auto half_lives = real(planned_half_lives);
  const time_decay size = plan_time_decaying(window, rate, half_lives);
  const query_cost query = uniform_cost(size.cells, window, size.hashes, 32);
  const double bits = real(size.cells) * width;
  const double scaled = lines(bits) / (apart * real(window) / half_lives);
  return {"time-decaying",
          bits,
          time_decaying_rate(size, real(window), half_lives, true),
          0,
          query,
          query.present + scaled};
}

window_choice stable_choice(std::uint64_t window, double rate) {
  const stable_size size = plan_stable(window, rate);
  const std::uint64_t width = size.highest == 1 ? 1 : size.highest == 3 ? 2 : 4;
  const query_cost query = filled_cost(stable_limit(size), size.cells * width, size.hashes);
  return {"stable",
          real(size.cells * width),
          stable_rate(size, max_items),
          stable_misses(size, window),
          query,
          query.present + lines(real(size.decrements * width))};
}

window_choice double_buffered_choice(std::uint64_t window, double rate) {
  const buffer_size size = plan_buffers(window, rate);
  const query_cost query = uniform_cost(size.bits, 2 * window, size.hashes, 2);
  const double cleared = lines(real(2 * size.bits)) / real(buffered_window(size));
  return {"double-buffered",      real(2 * size.bits), buffered_peak(size), 0, query,
          query.present + cleared};
}

window_choice signature_choice(std::uint64_t window, double rate) {
  const signature_size size = plan_signatures(window, rate);
  return {"variable-signature",
          real(size.bits),
          signature_rate(size, max_items),
          signature_misses(size, window),
          signature_cost(size, max_items),
          real(size.marks) + lines(real(size.swept))};
}

}  // namespace

std::vector<window_choice> compare_windows(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  std::vector<window_choice> choices;
  for (const auto choice :
       {age_partitioned_choice, block_decaying_choice, double_buffered_choice, stable_choice,
        signature_choice, decaying_choice, time_decaying_choice}) {
    try {
      choices.push_back(choice(window, rate));
    } catch (const error& problem) {
      if (problem.code() != errc::limit) throw;
    }
  }
  std::ranges::stable_sort(choices, {}, &window_choice::bits);
  return choices;
}

}  // namespace bloomery::math
