#include "bloomery/math/kinds/age_partitioned.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

void require_ring(const age_partitions& ring) {
  require_whole("hashes", ring.hashes, 1, max_hashes);
  require_whole("generations", ring.generations, 1, most_generations);
  require_whole("slice_bits", ring.slice_bits, 1, max_bits / ring.slices());
}

// What a stranger hits in each slice, youngest first. Slice j has the arrivals of the generation it
// was made for, j ago, and of the k - 1 after that, as far as they have been.
std::vector<double> hits_after(const age_partitions& ring, std::uint64_t arrivals) {
  std::vector<double> hits(ring.slices(), 0.0);
  if (arrivals == 0) return hits;
  const std::uint64_t now = (arrivals - 1) / ring.generation;
  const std::uint64_t in_this = arrivals - now * ring.generation;
  for (std::uint64_t j = 0; j < hits.size(); ++j) {
    const std::uint64_t closed = j >= ring.hashes ? j - ring.hashes + 1 : 0;  // generations ago
    if (closed > now) break;
    const std::uint64_t whole = std::min(j, now) - closed;  // but for the last
    const std::uint64_t last = closed == 0 ? in_this : ring.generation;
    hits[j] =
        hit_probability(real(ring.slice_bits), real(whole) * real(ring.generation) + real(last));
  }
  return hits;
}

// The same at the end of a generation once every slice has been round, from the logarithm of the
// share of a slice that one generation leaves zero.
std::vector<double> peak_hits(std::uint64_t k, std::uint64_t l, double log_avoid) {
  std::vector<double> hits(k + l, -std::expm1(real(k) * log_avoid));
  for (std::uint64_t j = 0; j + 1 < k; ++j) hits[j] = -std::expm1(real(j + 1) * log_avoid);
  return hits;
}

double log_avoid_of(const age_partitions& ring) {
  if (ring.slice_bits == 1) return -std::numeric_limits<double>::infinity();
  return real(ring.generation) * std::log1p(-1 / real(ring.slice_bits));
}

// Expected slices looked at, as age_partitioned_cost says.
double slices_tested(std::span<const double> hits, std::uint64_t k) {
  const std::uint64_t slices = hits.size();
  // The chance that a search arrives at slice `a` as its first, with the `known` from there all hit.
  std::vector<std::vector<double>> arrives(slices + 1, std::vector<double>(k, 0.0));
  arrives[0][0] = 1;
  double tests = 0;
  for (std::uint64_t a = 0; a + k <= slices; ++a) {
    for (std::uint64_t known = 0; known < k; ++known) {
      double still = arrives[a][known];
      if (still == 0) continue;
      for (std::uint64_t j = a + k; j-- > a + known;) {
        tests += still;
        arrives[j + 1][a + k - 1 - j] += still * (1 - hits[j]);
        still *= hits[j];
      }
    }
  }
  return tests;
}

}  // namespace

double run_probability(std::span<const double> events, std::uint64_t run) {
  // The first run ends at i if i - run fails (or does not exist), the run happens, and none was before.
  std::vector<double> none(events.size() + 1, 1.0);  // no run among the first i
  double product = 1;                                // of the last `run` at most since a zero
  double sum = 0;
  std::uint64_t length = 0;
  for (std::uint64_t i = 1; i <= events.size(); ++i) {
    length = events[i - 1] == 0 ? 0 : length + 1;
    if (length > run) product /= events[i - run - 1];
    product = length == 0 ? 1 : product * events[i - 1];
    if (length >= run) {
      sum += i == run ? product : product * (1 - events[i - run - 1]) * none[i - run - 1];
    }
    none[i] = std::max(0.0, 1 - sum);
  }
  return std::min(1.0, sum);
}

double age_partitioned_rate(const age_partitions& ring, std::uint64_t arrivals) {
  require_ring(ring);
  return run_probability(hits_after(ring, arrivals), ring.hashes);
}

double age_partitioned_peak(const age_partitions& ring) {
  return age_partitioned_rate(ring, ring.slices() * ring.generation);
}

query_cost age_partitioned_cost(const age_partitions& ring) {
  require_ring(ring);
  const auto hits = peak_hits(ring.hashes, ring.generations, log_avoid_of(ring));
  const double absent = slices_tested(hits, ring.hashes);
  double present = 0;
  for (std::uint64_t age = 0; age <= ring.generations; ++age) {
    auto with_key = hits;
    std::fill_n(with_key.begin() + static_cast<std::ptrdiff_t>(age), ring.hashes, 1.0);
    present += slices_tested(with_key, ring.hashes) / real(ring.generations + 1);
  }
  return {absent, std::max(absent, present)};
}

age_partitioned_size plan_age_partitions(std::uint64_t window, double rate) {
  require_plannable(window, rate);
  const auto generation_for = [&](std::uint64_t l) {
    return std::max<std::uint64_t>(1, (window - 1 + l - 1) / l);
  };
  // ln of what a generation leaves alone of a slice, at the rate: no slice size is in that.
  const auto keeps = [&](std::uint64_t k, std::uint64_t l, double log_avoid) {
    // The whole slices alone have a run of k at least so often.
    const double run = std::pow(-std::expm1(real(k) * log_avoid), real(k));
    const double whole = l + 1 >= k ? real(l + 1 - k) : 0;
    if (l + 1 >= k && run * (1 + whole * std::exp(real(k) * log_avoid) * (1 - rate)) > rate) {
      return false;
    }
    return run_probability(peak_hits(k, l, log_avoid), k) <= rate;
  };
  const auto bits_of = [&](std::uint64_t k, std::uint64_t l) {
    double low = -64;
    double high = -1e-9;
    for (int halving = 0; halving < 24; ++halving) {
      const double middle = -std::sqrt(low * high);
      (keeps(k, l, middle) ? high : low) = middle;
    }
    return real(k + l) * std::ceil(-real(generation_for(l)) / high);
  };
  // Whether as many bits do, by one trial.
  const auto do_within = [&](std::uint64_t k, std::uint64_t l, double bits) {
    const double slice = std::floor(bits / real(k + l));
    return slice >= 1 && keeps(k, l, -real(generation_for(l)) / slice);
  };
  const double halvings = -std::log2(rate);
  const auto fewest = static_cast<std::uint64_t>(std::max(1.0, halvings / 2));
  const auto most = static_cast<std::uint64_t>(std::min(real(max_hashes), halvings + 4));
  std::vector<std::uint64_t> choices;  // of l
  for (std::uint64_t l = 1; l <= most_generations; l += 1 + l / 8) choices.push_back(l);
  // Most are no better than a good one to begin with.
  double least = bits_of(std::clamp(static_cast<std::uint64_t>(halvings), fewest, most),
                         choices[choices.size() - 2]);
  for (std::uint64_t k = fewest; k <= most; ++k) {
    for (const std::uint64_t l : choices) {
      if (do_within(k, l, least)) least = std::min(least, bits_of(k, l));
    }
  }
  struct candidate {
    std::uint64_t hashes;
    std::uint64_t generations;
    double bits;
  };
  std::optional<candidate> best;
  for (std::uint64_t k = fewest; k <= most; ++k) {
    for (const std::uint64_t l : choices) {
      if (best && k + l > best->hashes + best->generations) break;
      if (!do_within(k, l, least * (1 + spare_memory))) continue;
      const candidate c{k, l, bits_of(k, l)};
      const auto order = [](const candidate& x) {
        return std::pair(x.hashes + x.generations, x.bits);
      };
      if (!best || order(c) < order(*best)) best = c;
    }
  }
  age_partitions ring{0, best->hashes, best->generations, generation_for(best->generations)};
  const auto bits = smallest(best->bits / real(ring.slices()), max_bits / ring.slices(),
                             [&](std::uint64_t slice) {
                               ring.slice_bits = slice;
                               return age_partitioned_peak(ring) <= rate;
                             });
  if (!bits) {
    fail(errc::limit, "no window of " + std::to_string(window) + " arrivals within " +
                          format_size(max_bits / 8) + " reaches a rate of " + format_ratio(rate));
  }
  ring.slice_bits = *bits;
  return {ring, age_partitioned_peak(ring)};
}

}  // namespace bloomery::math
