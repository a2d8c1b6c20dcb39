#include "bloomery/filters/frequency/space_code.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/space_code.hpp"

namespace bloomery {
namespace {

// The digest of one of a key's groups.
digest group_of(digest d, std::uint64_t group) {
  return {hash::mix(d.lo + group * hash::golden), d.hi};
}

}  // namespace

space_code_cells::space_code_cells(const shape& s) : shape_(s), numbers_(1 + s.resolutions) {
  for (std::uint64_t r = 0; r < s.resolutions; ++r) filters_.emplace_back(s.bits);
}

space_code_cells::space_code_cells(const shape& s, storage stored)
    : shape_(s),
      numbers_(1 + s.resolutions,
               stored.take_stored(bits::ledger::stored_bytes(1 + s.resolutions))) {
  if (numbers_.get(0) > max_items) fail(errc::corrupt, "more arrivals than can be");
  for (std::uint64_t r = 0; r < s.resolutions; ++r) {
    filters_.emplace_back(s.bits, stored.take_stored(bits::bit_array_bytes(s.bits)));
    if (filters_.back().count() != numbers_.get(1 + r)) {
      fail(errc::corrupt, "the number of ones on record is not that of the filter");
    }
  }
  if (stored.size() != 0) fail(errc::corrupt, "there are bytes behind the filters");
}

space_code_shape space_code_cells::plan(std::uint64_t keys, double rate) {
  shape s;
  const math::space_code_size size = math::plan_space_code(keys, rate, s.groups);
  if (size.bits > max_bits / 16) {
    fail(errc::limit, "bits is " + std::to_string(size.bits) + "; allowed: up to " +
                          std::to_string(max_bits / 16));
  }
  s.bits = size.bits;
  s.hashes = size.hashes;
  return s;
}

double space_code_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::space_code_rate(s.bits, keys, s.hashes, s.groups);
}

math::query_cost space_code_cells::query_cost(const shape& s, std::uint64_t keys) {
  const math::query_cost group = math::uniform_cost(s.bits, keys, s.hashes);
  const auto groups = static_cast<double>(s.groups);
  return {groups * group.absent, groups * group.present};
}

void space_code_cells::prefetch(place d) const {
  for (std::uint64_t g = 0; g < shape_.groups; ++g) {
    probes().all(group_of(d, g), [&](std::uint64_t i) {
      filters_[0].prefetch(i);
      return false;
    });
  }
}

bool space_code_cells::insert(place d) {
  const std::uint64_t arrival = numbers_.get(0);
  numbers_.add(0, 1);
  const bool fresh = !contains(d);
  std::uint64_t draw = hash::mix(d.hi ^ hash::mix(arrival));
  for (std::uint64_t r = 0; r < shape_.resolutions; ++r) {
    draw = hash::mix(draw + hash::golden);
    if (r != 0 && hash::reduce(draw, shape_.sampling) != 0) break;  // nor do the coarser ones
    draw = hash::mix(draw + hash::golden);
    hash::each_position(
        probes(), group_of(d, hash::reduce(draw, shape_.groups)),
        [&](std::uint64_t i) { numbers_.add(1 + r, std::uint64_t{filters_[r].set(i)}); });
  }
  return fresh;
}

std::uint64_t space_code_cells::full_groups(digest d, std::uint64_t resolution) const {
  std::uint64_t full = 0;
  for (std::uint64_t g = 0; g < shape_.groups; ++g) {
    full += std::uint64_t{probes().all(
        group_of(d, g), [&](std::uint64_t i) { return filters_[resolution].test(i); })};
  }
  return full;
}

bool space_code_cells::contains(place d) const {
  for (std::uint64_t g = 0; g < shape_.groups; ++g) {
    if (probes().all(group_of(d, g), [&](std::uint64_t i) { return filters_[0].test(i); })) {
      return true;
    }
  }
  return false;
}

double space_code_cells::noise(std::uint64_t resolution) const {
  const double fill =
      static_cast<double>(numbers_.get(1 + resolution)) / static_cast<double>(shape_.bits);
  return std::pow(fill, static_cast<double>(shape_.hashes));
}

std::uint64_t space_code_cells::best_resolution(digest d) const {
  std::uint64_t r = 0;
  while (r + 1 < shape_.resolutions && full_groups(d, r) == shape_.groups) ++r;
  return r;
}

double space_code_cells::scale(std::uint64_t resolution) const {
  return std::pow(static_cast<double>(shape_.sampling), static_cast<double>(resolution));
}

space_code_cells::mean_value space_code_cells::mean_value_of(digest d) const {
  const std::uint64_t best = best_resolution(d);
  const auto answer = [&](std::uint64_t r, std::uint64_t full) {
    return scale(r) * math::mean_value_count(shape_.groups, static_cast<double>(full), noise(r));
  };
  double least = 0;
  for (std::uint64_t r = 0; r < best; ++r) least = std::max(least, answer(r, shape_.groups));
  const std::uint64_t full = full_groups(d, best);
  const double sampled = answer(best, full);
  const bool too_few = sampled < least;
  return {best, full, std::max(sampled, least), least, too_few || full == shape_.groups};
}

std::uint64_t space_code_cells::count(place d) const {
  if (!contains(d)) return 0;
  return std::max<std::uint64_t>(1,
                                 static_cast<std::uint64_t>(std::llround(mean_value_of(d).value)));
}

std::uint64_t space_code_cells::likeliest_count(place d) const {
  if (!contains(d)) return 0;
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(estimate_count(d).likeliest)));
}

space_code_cells::estimate space_code_cells::estimate_count(digest d) const {
  const mean_value found = mean_value_of(d);
  const auto likeliest = static_cast<double>(
      math::likeliest_count(shape_.groups, found.full, noise(found.resolution)));
  return {found.value, std::max(found.least, scale(found.resolution) * likeliest), found.at_least};
}

template struct erasure<space_code_filter>;

}  // namespace bloomery
