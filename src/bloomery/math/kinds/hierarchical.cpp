#include "bloomery/math/kinds/hierarchical.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::math {
namespace {

double offsets_of(const hierarchy& h, std::uint64_t keys) {
  return real(hierarchy_offsets(h.block_bytes, std::min(keys, h.text_blocks)));
}

}  // namespace

std::uint64_t hierarchy_lookups(std::uint64_t first, std::uint64_t blocks, std::uint64_t levels) {
  std::uint64_t sum = 0;
  for (std::uint64_t level = 0; level < levels; ++level) {
    const std::uint64_t run = std::uint64_t{1} << level;
    const std::uint64_t begin = (first + run - 1) / run;
    sum += std::max((first + blocks) / run, begin) - begin;
  }
  return sum;
}

double candidate_rate(std::uint64_t bits, std::uint64_t entries, std::uint64_t hashes,
                      std::uint64_t lookups) {
  return std::pow(exact_rate(bits, entries, hashes), real(lookups));
}

double hierarchical_rate(const hierarchy& h, const standard_size& size, std::uint64_t keys) {
  if (keys == 0) return 0;
  const double one =
      exact_rate(size.bits, h.copies * hierarchy_entries(keys, h.levels), size.hashes);
  return at_least_once(one, offsets_of(h, keys));
}

query_cost hierarchical_cost(const hierarchy& h, const standard_size& size, std::uint64_t keys) {
  const query_cost one =
      uniform_cost(size.bits, h.copies * hierarchy_entries(keys, h.levels), size.hashes);
  const double offsets = offsets_of(h, keys);
  return {offsets * one.absent, (offsets - 1) / 2 * one.absent + one.present};
}

standard_size plan_hierarchical(const hierarchy& h, std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const std::uint64_t entries = h.copies * hierarchy_entries(keys, h.levels);
  if (entries > max_keys) {
    fail(errc::limit, std::to_string(keys) + " blocks make " + std::to_string(entries) +
                          " entries; allowed: up to " + std::to_string(max_keys));
  }
  constexpr double rounding = 1 - 1e-9;
  const double one = -std::expm1(std::log1p(-rate) / offsets_of(h, keys)) * rounding;
  standard_size size = plan_standard(entries, one);
  size.rate = hierarchical_rate(h, size, keys);
  return size;
}

}  // namespace bloomery::math
