#include "bloomery/math/kinds/banked.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/laws/coverage.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

void require_size(const banked_size& size) {
  require_whole("banks", size.banks, 1, max_banks);
  require_whole("hashes", size.hashes, 1, std::min(size.banks, max_hashes));
  require_whole("bank_bits", size.bank_bits, 1, max_bits / size.banks);
}

// How many of the ring's runs of k banks hold both of two banks so far apart; 0 for one and the same,
// of which a run takes one bit only.
std::uint64_t runs_over_both(const banked_size& size, std::uint64_t apart) {
  if (apart == 0) return 0;
  const std::uint64_t around = size.banks - apart;
  const std::uint64_t k = size.hashes;
  return (k > apart ? k - apart : 0) + (k > around ? k - around : 0);
}

// ln of P(a key misses two bits)/P(it misses one)². It hits both with w/(banks·bank_bits²), w being
// the runs over both.
double log_pair_ratio(const banked_size& size, std::uint64_t runs) {
  const double cells = real(size.bank_bits) * real(size.banks);
  const double x = real(size.hashes) / cells;
  const double excess =
      real(runs) * real(size.banks) - real(size.hashes) * real(size.hashes);  // times cells²
  return excess == 0 ? 0 : std::log1p(excess / (cells * cells) / ((1 - x) * (1 - x)));
}

constexpr std::uint64_t exact_hashes = 10;
constexpr double exact_above = 1e-9;  // below, what inclusion and exclusion cancel shows

// Σ over sets A of the query's bits of (-1)^|A|·P(a key misses A)^n. A key whose run covers a of A
// misses them with (1-1/bank_bits)^a.
double exact_banked_rate(const banked_size& size, std::uint64_t n) {
  const std::uint64_t k = size.hashes;
  std::vector<std::uint32_t> runs;  // which of the query's k banks a run covers
  for (std::uint64_t start = 0; start < size.banks; ++start) {
    std::uint32_t covered = 0;
    for (std::uint64_t i = 0; i < k; ++i) {
      const std::uint64_t bank = (start + i) % size.banks;
      if (bank < k) covered |= std::uint32_t{1} << bank;
    }
    if (covered != 0) runs.push_back(covered);
  }
  std::vector<double> hit(k + 1);  // by a: 1-(1-1/bank_bits)^a
  for (std::uint64_t a = 0; a <= k; ++a) hit[a] = hit_probability(real(size.bank_bits), real(a));
  double rate = 0;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << k; ++set) {
    double hits = 0;
    for (const std::uint32_t covered : runs) {
      hits += hit[static_cast<std::size_t>(std::popcount(set & covered))];
    }
    const double missed = std::exp(real(n) * std::log1p(-std::min(1.0, hits / real(size.banks))));
    rate += std::popcount(set) % 2 == 0 ? missed : -missed;
  }
  return rate;
}

}  // namespace

double banked_rate(const banked_size& size, std::uint64_t n) {
  require_size(size);
  if (n == 0) return 0;
  const std::uint64_t k = size.hashes;
  if (k <= exact_hashes && k < size.banks) {
    const double exact = exact_banked_rate(size, n);
    if (exact > exact_above) return std::min(exact, 1.0);
  }
  const double bits_each = real(size.bank_bits) * real(size.banks) / real(k);
  const double hit = hit_probability(bits_each, real(n));
  const double missed = 1 - hit;
  double log_rate = real(k) * std::log(hit);
  for (std::uint64_t apart = 1; apart < k && missed > 0; ++apart) {
    const double together = std::expm1(real(n) * log_pair_ratio(size, runs_over_both(size, apart)));
    log_rate += real(k - apart) * std::log1p(missed * missed / (hit * hit) * together);
  }
  return std::min(1.0, std::exp(log_rate));
}

double banked_instance_rate(std::span<const double> bank_fills, std::uint64_t k) {
  double sum = 0;
  for (std::size_t start = 0; start < bank_fills.size(); ++start) {
    double product = 1;
    for (std::uint64_t i = 0; i < k; ++i) product *= bank_fills[(start + i) % bank_fills.size()];
    sum += product;
  }
  return sum / real(bank_fills.size());
}

bit_layout banked_layout(const banked_size& size) {
  require_size(size);
  std::vector<double> bits_at(size.hashes + 1);  // by how many runs they share with a given bit
  for (std::uint64_t apart = 0; apart < size.banks; ++apart) {
    bits_at[runs_over_both(size, apart)] += real(size.bank_bits) - (apart == 0 ? 1 : 0);
  }
  const double cells = real(size.bank_bits) * real(size.banks);
  bit_layout layout{
      .bits = cells, .log_avoid = std::log1p(-real(size.hashes) / cells), .partners = {}};
  for (std::uint64_t runs = 0; runs < bits_at.size(); ++runs) {
    if (bits_at[runs] > 0) layout.partners.push_back({bits_at[runs], log_pair_ratio(size, runs)});
  }
  return layout;
}

query_cost banked_cost(const banked_size& size, std::uint64_t n) {
  const std::uint64_t bits = size.bank_bits * size.banks;
  return filled_cost(hit_probability(real(bits) / real(size.hashes), real(n)), bits, size.hashes);
}

banked_size plan_banked(std::uint64_t keys, double rate) {
  require_plannable(keys, rate);
  const auto textbook =
      static_cast<std::uint64_t>(std::clamp(std::round(-std::log2(rate)), 1.0, real(max_hashes)));
  constexpr std::uint64_t around =
      4;  // whole banks make the cost jagged, but not by more than that
  std::optional<banked_size> best;
  for (std::uint64_t k = textbook > around ? textbook - around : 1;
       k <= std::min(textbook + around, max_hashes); ++k) {
    const std::uint64_t banks = std::bit_ceil(k);
    const double per_hash = -std::log1p(-std::pow(rate, 1 / real(k)));
    const std::uint64_t most = best ? best->bank_bits * best->banks - 1 : max_bits;
    if (most < banks) continue;
    const auto bank_bits = smallest_within(real(k) * real(keys) / per_hash / real(banks),
                                           most / banks, rate, [&](std::uint64_t bits) {
                                             return banked_rate({bits, banks, k}, keys);
                                           });
    if (bank_bits) best = banked_size{*bank_bits, banks, k};
  }
  if (!best) refuse_rate(rate);
  return *best;
}

}  // namespace bloomery::math
