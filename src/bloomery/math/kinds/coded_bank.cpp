#include "bloomery/math/kinds/coded_bank.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <span>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"

namespace bloomery::math {
namespace {

constexpr unsigned widest_weighted = 19;  // C(19, 9) is more than max_classes

constexpr auto binomials = [] {
  std::array<std::array<std::uint64_t, widest_weighted + 1>, widest_weighted + 1> table{};
  for (std::size_t n = 0; n <= widest_weighted; ++n) {
    table[n][0] = 1;
    for (std::size_t k = 1; k <= n; ++k) table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
  }
  return table;
}();

// What is needed of a code, worked out once for all sizes that a plan tries.
struct loads_of_code {
  std::vector<double> shares;  // highest first
  unsigned weight;
};

loads_of_code loads_of(const bank_code& code) {
  loads_of_code loads{code.shares(), code.weight()};
  std::sort(loads.shares.begin(), loads.shares.end(), std::greater<>());
  return loads;
}

// Highest first. Filters of one share have one rate.
std::vector<double> filter_rates(const loads_of_code& loads, std::uint64_t m, std::uint64_t k,
                                 std::uint64_t keys) {
  std::vector<double> rates;
  for (std::size_t j = 0; j < loads.shares.size(); ++j) {
    const bool same = j > 0 && loads.shares[j] == loads.shares[j - 1];
    rates.push_back(same ? rates.back() : thinned_rate(m, keys, k, loads.shares[j]));
  }
  return rates;
}

double some_claims(std::span<const double> rates) {
  double log_none = 0;
  for (const double rate : rates) log_none += std::log1p(-std::min(rate, 1 - 1e-16));
  return 0 - std::expm1(log_none);  // not -0 of no keys
}

// P(at least `least` of independent filters claim).
double many_claim(std::span<const double> rates, unsigned least) {
  std::vector<double> so_many(least + 1, 0);  // the last: that many or more
  so_many[0] = 1;
  for (const double rate : rates) {
    so_many[least] += so_many[least - 1] * rate;
    for (unsigned i = least - 1; i > 0; --i) {
      so_many[i] = so_many[i] * (1 - rate) + so_many[i - 1] * rate;
    }
    so_many[0] *= 1 - rate;
  }
  return std::min(so_many[least], 1.0);  // the terms are rounded
}

double stranger_rate(std::span<const double> rates, unsigned weight) {
  return weight == 0 ? some_claims(rates) : many_claim(rates, weight);
}

// No word has more zeros than this leaves.
double member_error(std::span<const double> rates, unsigned weight) {
  return some_claims(rates.first(rates.size() - std::max(weight, 1U)));
}

// What classes of this many keys put into the filters.
struct uneven_code {
  std::vector<std::uint64_t> words;  // of the classes that have keys
  std::vector<std::uint64_t> keys;   // of each filter
  unsigned weight;
};

uneven_code uneven(const bank_code& code, std::span<const value_load> loads) {
  uneven_code result{{}, std::vector<std::uint64_t>(code.width(), 0), code.weight()};
  for (const auto& [value, keys] : loads) {
    if (keys == 0) continue;
    result.words.push_back(code.word(value));
    for (std::uint64_t rest = result.words.back(); rest != 0; rest &= rest - 1) {
      result.keys[static_cast<unsigned>(std::countr_zero(rest))] += keys;
    }
  }
  return result;
}

std::vector<double> filter_rates(const uneven_code& code, std::uint64_t m, std::uint64_t k) {
  std::vector<double> rates;
  for (const std::uint64_t keys : code.keys) rates.push_back(exact_rate(m, keys, k));
  return rates;
}

// Of the class that fares worst.
double member_error(std::span<const double> rates, std::span<const std::uint64_t> words) {
  double worst = 0;
  std::vector<double> others;
  for (const std::uint64_t word : words) {
    others.clear();
    for (std::size_t j = 0; j < rates.size(); ++j) {
      if ((word >> j & 1) == 0) others.push_back(rates[j]);
    }
    worst = std::max(worst, some_claims(others));
  }
  return worst;
}

}  // namespace

bank_code::bank_code(std::uint64_t classes, code_kind kind) : classes_(classes) {
  require_whole("classes", classes, 1, max_classes);
  if (kind == code_kind::binary) {
    width_ = static_cast<unsigned>(std::bit_width(classes));
    return;
  }
  while (binomials[width_][width_ / 2] < classes) ++width_;
  weight_ = std::max(1U, width_ / 2);
}

std::uint64_t bank_code::word(std::uint64_t value) const {
  if (weight_ == 0) return value + 1;
  std::uint64_t result = 0;
  unsigned bit = width_;
  for (unsigned left = weight_; left > 0; --left) {
    do --bit;
    while (binomials[bit][left] > value);
    value -= binomials[bit][left];
    result |= std::uint64_t{1} << bit;
  }
  return result;
}

std::optional<std::uint64_t> bank_code::value(std::uint64_t word) const {
  std::uint64_t result = word - 1;
  if (weight_ != 0) {
    if (std::popcount(word) != static_cast<int>(weight_)) return std::nullopt;
    result = 0;
    for (unsigned i = 1; word != 0; ++i, word &= word - 1) {
      result += binomials[static_cast<unsigned>(std::countr_zero(word))][i];
    }
  }
  return result < classes_ ? std::optional(result) : std::nullopt;
}

std::vector<double> bank_code::shares() const {
  std::vector<double> counts(width_, 0);
  std::uint64_t word_now = word(0);
  for (std::uint64_t i = 0; i < classes_; ++i) {
    for (std::uint64_t rest = word_now; rest != 0; rest &= rest - 1) {
      ++counts[static_cast<unsigned>(std::countr_zero(rest))];
    }
    // The next number with as many ones: the lowest run of ones moves its top up, the rest down.
    const std::uint64_t lowest = word_now & (~word_now + 1);
    const std::uint64_t ripple = word_now + lowest;
    word_now = weight_ == 0 ? word_now + 1
                            : ripple | ((word_now ^ ripple) >> 2) >> std::countr_zero(lowest);
  }
  for (double& count : counts) count /= real(classes_);
  return counts;
}

double coded_rate(const coded_size& size, std::uint64_t keys) {
  const loads_of_code loads = loads_of(bank_code(size.classes, size.code));
  return stranger_rate(filter_rates(loads, size.bits, size.hashes, keys), loads.weight);
}

double coded_error(const coded_size& size, std::uint64_t keys) {
  const loads_of_code loads = loads_of(bank_code(size.classes, size.code));
  return member_error(filter_rates(loads, size.bits, size.hashes, keys), loads.weight);
}

double correct_probability(double rate, std::uint64_t zeros) {
  return std::exp(real(zeros) * std::log1p(-rate));
}

query_cost coded_cost(const coded_size& size, std::uint64_t keys) {
  query_cost cost{0, 0};
  for (const double share : bank_code(size.classes, size.code).shares()) {
    const auto held = static_cast<std::uint64_t>(real(keys) * share);
    const query_cost one = uniform_cost(size.bits, held, size.hashes);
    cost.absent += one.absent;
    cost.present += share * one.present + (1 - share) * one.absent;
  }
  return cost;
}

coded_size plan_coded(std::uint64_t keys, double rate, std::uint64_t classes, code_kind code) {
  require_bank_plan(keys, rate, classes);
  const loads_of_code loads = loads_of(bank_code(classes, code));
  const std::uint64_t filters = loads.shares.size();
  const auto fullest = static_cast<std::uint64_t>(real(keys) * loads.shares.front());
  const standard_size size = smallest_filters(filters, fullest, rate_of_each(rate, filters),
                                              [&](std::uint64_t m, std::uint64_t k) {
                                                const auto rates = filter_rates(loads, m, k, keys);
                                                return stranger_rate(rates, loads.weight) <= rate &&
                                                       member_error(rates, loads.weight) <= rate;
                                              });
  return {size.bits, size.hashes, classes, code};
}

double coded_rate(const coded_size& size, std::span<const value_load> loads) {
  const uneven_code code = uneven(bank_code(size.classes, size.code), loads);
  return stranger_rate(filter_rates(code, size.bits, size.hashes), code.weight);
}

double coded_error(const coded_size& size, std::span<const value_load> loads) {
  const uneven_code code = uneven(bank_code(size.classes, size.code), loads);
  return member_error(filter_rates(code, size.bits, size.hashes), code.words);
}

coded_size plan_coded(std::span<const value_load> loads, double rate, std::uint64_t classes,
                      code_kind kind) {
  const uneven_code code = uneven(bank_code(classes, kind), loads);
  const std::uint64_t filters = code.keys.size();
  const std::uint64_t fullest = *std::max_element(code.keys.begin(), code.keys.end());
  require_bank_plan(fullest, rate, classes);
  const standard_size size = smallest_uneven_filters(
      filters, fullest, rate_of_each(rate, filters), [&](std::uint64_t m, std::uint64_t k) {
        const std::vector<double> rates = filter_rates(code, m, k);
        return stranger_rate(rates, code.weight) <= rate && member_error(rates, code.words) <= rate;
      });
  return {size.bits, size.hashes, classes, kind};
}

}  // namespace bloomery::math
