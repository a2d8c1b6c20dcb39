#include "bloomery/math/kinds/allotted.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/kinds/ribbon.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

double balls_of(const allotment& a, std::uint64_t keys) {
  return real(keys) * (a.listed == 0 ? real(a.hashes) : a.mean_hashes);
}

// By number of hashes.
using by_hashes = std::array<double, max_hashes + 1>;

// What a key that is not in the map meets: the mean of f over the numbers it may get.
template <class OfHashes>
double mean_of_unlisted(const allotment& a, OfHashes f) {
  if (a.listed == 0) return f(a.hashes);
  const double chance = std::exp2(-real(a.map_bits));
  double sum = (1 - chance * real(a.codes())) * f(a.hashes);
  for (std::uint64_t k = a.least_hashes; k <= a.most_hashes; ++k) sum += chance * f(k);
  return sum;
}

// Demands added up by the hashes allotted.
struct allotted_sums {
  std::array<std::uint64_t, max_hashes + 1> keys{};
  by_hashes queries{};
  by_hashes members{};

  allotted_sums(std::span<const demand> demands, std::span<const unsigned> allotted) {
    for (std::size_t i = 0; i < demands.size(); ++i) {
      ++keys[allotted[i]];
      queries[allotted[i]] += demands[i].queries;
      members[allotted[i]] += demands[i].members;
    }
  }
};

// What the keys in the map ask for, by the hashes given, and all others together.
struct summary {
  by_hashes queries{};
  by_hashes members{};
  std::uint64_t listed = 0;
  double other_queries = 0;
  double other_members = 0;
  double all_queries = 0;

  summary(const allotment& a, const allotted_sums& sums) {
    for (unsigned allotted = 0; allotted <= max_hashes; ++allotted) {
      const std::uint64_t k = a.given(allotted);
      const bool common = k == a.hashes;
      if (!common) listed += sums.keys[allotted];
      (common ? other_queries : queries[k]) += sums.queries[allotted];
      (common ? other_members : members[k]) += sums.members[allotted];
      all_queries += sums.queries[allotted];
    }
  }

  template <class OfHashes>
  [[nodiscard]] double rate(const allotment& a, OfHashes f) const {
    if (all_queries == 0) return mean_of_unlisted(a, f);
    double sum = other_queries == 0 ? 0 : other_queries * mean_of_unlisted(a, f);
    for (std::uint64_t k = 0; k <= max_hashes; ++k) {
      if (queries[k] != 0) sum += queries[k] * f(k);
    }
    return sum / all_queries;
  }

  // Of `keys` members; what the list lacks are others, and what it has too many is scaled down.
  [[nodiscard]] double balls(const allotment& a, std::uint64_t keys) const {
    double in_map = 0;
    double sum = 0;
    for (std::uint64_t k = 0; k <= max_hashes; ++k) {
      in_map += members[k];
      sum += members[k] * real(k);
    }
    const double others = std::max(other_members, real(keys) - in_map);
    sum += others * mean_of_unlisted(a, [](std::uint64_t k) { return real(k); });
    return sum * real(keys) / (in_map + others);
  }
};

// P(k probes find only ones), of m bits hit by `balls` balls.
double covered(std::uint64_t m, std::uint64_t k, std::uint64_t balls) {
  if (k == 0) return 1;
  coverage_chain chain(m, k);
  chain.advance(balls);
  return chain.covered();
}

class covered_after {
 public:
  covered_after(std::uint64_t m, double balls)
      : m_(m), balls_(static_cast<std::uint64_t>(std::llround(std::min(balls, 0x1p62)))) {
    known_.fill(-1);
  }
  double operator()(std::uint64_t k) {
    if (known_[k] < 0) known_[k] = covered(m_, k, balls_);
    return known_[k];
  }

 private:
  std::uint64_t m_;
  std::uint64_t balls_;
  by_hashes known_;
};

// With this many more hashes than the rate asks for, a key adds less than 1/256 of the rate.
constexpr std::uint64_t worthwhile = 8;
constexpr std::uint64_t most_map_bits = 24;

// What plans keep: the rate over the queries listed, and for strangers that are not listed its square
// root.
template <class OfHashes>
bool keeps(const allotment& a, const summary& sums, double rate, OfHashes f) {
  return sums.rate(a, f) <= rate && mean_of_unlisted(a, f) <= std::sqrt(rate);
}

// By asymptotic rates.
bool keeps_at(double fill, const allotment& a, const summary& sums, double rate) {
  by_hashes powers;
  powers[0] = 1;
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = powers[k - 1] * fill;
  return keeps(a, sums, rate, [&](std::uint64_t k) { return powers[k]; });
}

double greatest_fill(const allotment& a, const summary& sums, double rate) {
  return border(
             0, 1, [&](double fill) { return keeps_at(fill, a, sums, rate); }, 0, 32)
      .low;
}

// Takes the map that tells `least` hashes and more for the winner, if with it fewer bits will do.
void consider(allotment a, std::uint64_t least, const allotted_sums& sums, std::uint64_t keys,
              double rate, allotment& winner) {
  a.least_hashes = least;
  a.listed = 1;  // or more, as it will turn out
  const summary demanded(a, sums);
  if (demanded.listed == 0) return;
  a.listed = demanded.listed;
  a.map_bits = std::max<std::uint64_t>(1, std::bit_width(a.codes() - 1));
  for (; a.map_bits <= most_map_bits; ++a.map_bits) {
    a.bits = 0;
    const double room = total_bits(winner) - total_bits(a);
    if (room <= 1) return;
    const double balls = demanded.balls(a, keys);
    const auto fill_of = [&](double bits) { return -std::expm1(-balls / bits); };
    if (!keeps_at(fill_of(room), a, demanded, rate)) continue;
    const double bits = balls / -std::log1p(-greatest_fill(a, demanded, rate));
    a.bits = static_cast<std::uint64_t>(std::max(1.0, std::ceil(bits)));
    a.mean_hashes = balls / real(keys);
    if (total_bits(a) < total_bits(winner)) winner = a;
  }
}

}  // namespace

double bits_set(std::span<const demand> demands, std::span<const unsigned> hashes) {
  double sum = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) sum += demands[i].members * hashes[i];
  return sum;
}

double queried_rate(std::span<const demand> demands, std::span<const unsigned> hashes,
                    double fill) {
  double sum = 0;
  double all = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    sum += demands[i].queries * std::pow(fill, hashes[i]);
    all += demands[i].queries;
  }
  return all == 0 ? 0 : sum / all;
}

double merit(const demand& d) {
  if (d.queries == 0) return -std::numeric_limits<double>::infinity();
  return std::log2(d.queries) - std::log2(d.members);
}

std::vector<double> merits(std::span<const demand> demands) {
  std::vector<double> result(demands.size());
  std::transform(demands.begin(), demands.end(), result.begin(), merit);
  return result;
}

unsigned hashes_at(double merit, double offset) {
  const double wanted = std::floor(merit + offset);
  // Where nothing is weighed it may be no number.
  return wanted > 0 ? static_cast<unsigned>(std::min(wanted, real(max_hashes))) : 0;
}

std::vector<unsigned> hashes_by(std::span<const double> merit_of, double offset) {
  std::vector<unsigned> hashes(merit_of.size());
  std::transform(merit_of.begin(), merit_of.end(), hashes.begin(),
                 [&](double merit) { return hashes_at(merit, offset); });
  return hashes;
}

double greatest_offset(double budget, const std::function<double(double)>& set_at) {
  constexpr double reach = 4096;  // log2 of no double's ratio is farther from 0
  const auto within = [&](double offset) { return set_at(offset) <= budget; };
  return within(reach) ? reach : border(-reach, reach, within, 0x1p-40).low;
}

std::uint64_t allotment::given(unsigned allotted) const {
  const std::uint64_t k = std::min<std::uint64_t>(allotted, most_hashes);
  return listed != 0 && k >= least_hashes ? k : hashes;
}

double allotment::fill(std::uint64_t keys) const {
  return hit_probability(real(bits), balls_of(*this, keys));
}

double allotment::stranger_rate(std::uint64_t keys) const {
  covered_after cover(bits, balls_of(*this, keys));
  return mean_of_unlisted(*this, cover);
}

double allotment::instance_rate(double fill) const {
  return mean_of_unlisted(*this, [&](std::uint64_t k) { return std::pow(fill, real(k)); });
}

double allotment::listed_rate(std::uint64_t keys, std::span<const demand> demands,
                              std::span<const unsigned> allotted) const {
  return summary(*this, allotted_sums(demands, allotted))
      .rate(*this, covered_after(bits, balls_of(*this, keys)));
}

double total_bits(const allotment& a) {
  const double map = a.listed == 0 ? 0
                                   : ribbon_bits(plan_ribbon(a.listed, ribbon_narrow),
                                                 static_cast<unsigned>(a.map_bits)) +
                                         2 * cache_line_bits;
  return real(a.bits) + map;
}

allotment plan_allotment(std::uint64_t keys, double rate, std::span<const demand> demands,
                         const allot& rule) {
  const standard_size plain = plan_standard(keys, rate);
  allotment best{.bits = plain.bits, .hashes = plain.hashes};
  const bool asked =
      std::any_of(demands.begin(), demands.end(), [](const demand& d) { return d.queries > 0; });
  if (!asked) return best;

  // At half fill and without rounding the hashes are merit + log2(1/rate), if merits are those of
  // shares; around what they set in all lies the best budget.
  double all_queries = 0;
  double all_members = 0;
  for (const demand& d : demands) {
    all_queries += d.queries;
    all_members += d.members;
  }
  const double offset = std::log2(all_members / all_queries / rate) + 0.5;
  std::vector<unsigned> allotted = hashes_by(merits(demands), offset);
  const double middle = bits_set(demands, allotted);

  const double textbook = std::ceil(-std::log2(rate));
  const std::uint64_t cap = std::min(max_hashes, static_cast<std::uint64_t>(textbook) + worthwhile);
  const auto low = static_cast<std::uint64_t>(std::ceil(textbook / 2));  // √rate
  const auto high = static_cast<std::uint64_t>(textbook);
  allotment winner = best;
  for (const double part : {0.7, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1}) {
    allotment a;
    a.budget = middle * part;
    allotted = rule(demands, a.budget);
    const allotted_sums sums(demands, allotted);
    a.most_hashes =
        std::min<std::uint64_t>(cap, *std::max_element(allotted.begin(), allotted.end()));
    for (a.hashes = low; a.hashes <= high; ++a.hashes) {
      for (std::uint64_t least = 0; least <= a.most_hashes; ++least) {
        // Keys never asked for could do without hashes, at a place each in the map.
        const bool useful = least == 0 || (least > a.hashes && sums.keys[least] != 0);
        if (useful) consider(a, least, sums, keys, rate, winner);
      }
    }
  }
  if (winner.listed == 0) return best;
  const summary sums(winner, allotted_sums(demands, rule(demands, winner.budget)));
  const double balls = sums.balls(winner, keys);
  const auto bits = smallest(real(winner.bits), max_bits, [&](std::uint64_t m) {
    covered_after cover(m, balls);
    return keeps(winner, sums, rate, std::ref(cover));
  });
  winner.bits = bits.value_or(max_bits);
  return bits && total_bits(winner) < total_bits(best) ? winner : best;
}

}  // namespace bloomery::math
