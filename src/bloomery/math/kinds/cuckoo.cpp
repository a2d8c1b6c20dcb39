#include "bloomery/math/kinds/cuckoo.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

constexpr std::uint64_t largest_bounded = 1024;  // buckets; the load of larger tables is no lower
// Of two entries, tables of 4096 buckets vary so much that 2 of 3000 failed below the load of large ones.
constexpr std::uint64_t smallest_large(std::uint64_t entries) {
  return entries == 2 ? 65'536 : 4096;
}
constexpr double below_threshold = 0.03;
constexpr double sparsest = 8;  // times the room needed, where no fingerprint is long enough

double prints(const cuckoo_size& size) {
  return std::exp2(real(size.fingerprint_bits)) - 1;
}

// ln of the chance, at most, that of n trials at least k, more than expected, succeed (Chernoff).
double log_tail(double n, double k, double p) {
  if (k > n) return -std::numeric_limits<double>::infinity();
  const double a = k / n;
  if (a <= p) return 0;
  return -(k * std::log(a / p) + (k < n ? (n - k) * std::log((1 - a) / (1 - p)) : 0));
}

// The Poisson law cut off at b, given more than that: x^j/j! summed over j > b, and its mean.
struct cut_poisson {
  double log_sum;
  double mean;
};
cut_poisson above(std::uint64_t b, double x) {
  constexpr double negligible = 1e-18;
  double weight = 1;  // of j, in units of x^(b+1)/(b+1)!
  double sum = 0;
  double moment = 0;
  for (std::uint64_t j = b + 1; weight > negligible * sum; ++j) {
    sum += weight;
    moment += weight * real(j);
    weight *= x / real(j + 1);
  }
  return {std::log(sum) + real(b + 1) * std::log(x) - std::lgamma(real(b + 2)), moment / sum};
}

// x for which that mean is 2b: buckets that hold b and are met by 2b of their keys' choices.
double critical_mean(std::uint64_t b) {
  const double most = 2 * real(b);
  return border(
             0, most, [&](double x) { return above(b, x).mean < most; }, 0, 50)
      .high;
}

// ln of the expected number of pairs of buckets that more keys share than they have entries.
double log_overrun_pairs(const cuckoo_size& size, double keys) {
  const double half = real(size.buckets) / 2;
  const double pairs = half * std::min(half, prints(size));
  return std::log(pairs) + log_tail(keys, 2 * real(size.entries) + 1, 1 / pairs);
}

void require_size(const cuckoo_size& size) {
  require_whole("buckets", size.buckets, 2, max_bits);
  require_whole("entries", size.entries, min_entries, max_entries);
  require_whole("fingerprint_bits", size.fingerprint_bits, 1, max_fingerprint_bits);
}

// The chance of failure at most, in tables that are not large: that some set of s buckets is where more
// keys belong than it has entries.
class failure_sum {
 public:
  failure_sum(const cuckoo_size& size, double keys, double x)
      : size_(size),
        buckets_(real(size.buckets)),
        entries_(real(size.entries)),
        keys_(keys),
        x_(x),
        log_sum_(above(size.entries, x).log_sum),
        log_all_(std::lgamma(buckets_ + 1)) {}

  [[nodiscard]] double value() const { return up_to(1); }

  // Whether it is at most that: mostly, bounds from sets of some sizes tell.
  [[nodiscard]] bool within(double most) const {
    constexpr double rounding = 1e-6;
    if (keys_ > entries_ * buckets_) return false;
    double below = std::exp(std::min(0.0, log_overrun_pairs(size_, keys_)));
    double above = below;
    std::vector<std::pair<double, double>> some;  // sizes and the logarithms of their terms
    for (double s = 3; s <= largest() && below <= most * (1 + rounding);) {
      some.emplace_back(s, log_of(s));
      below += std::exp(some.back().second);
      s += std::max(1.0, std::floor(std::min(s, largest() - s) / 4));
    }
    if (below > most * (1 + rounding)) return false;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const double until = i + 1 < some.size() ? some[i + 1].first : some[i].first + 1;
      above += (until - some[i].first) * std::exp(highest(some, i));
    }
    return above <= most * (1 - rounding) || up_to(most) <= most;
  }

 private:
  // The sum, or what it has come to when it is more than enough.
  [[nodiscard]] double up_to(double enough) const {
    if (keys_ > entries_ * buckets_) return 1;
    double sum = std::exp(std::min(0.0, log_overrun_pairs(size_, keys_)));
    const double nothing = std::log(enough) - 60;
    double s = 3;
    double log_sets = s <= largest() ? log_of(s) : nothing;
    while (s <= largest() && sum <= enough) {
      sum += std::exp(log_sets);
      // The logarithm is smooth: where sets of two sizes not far apart count for nothing, so do those between.
      const double far = std::min(largest(), s + std::floor(s / 8));
      const double log_far = log_sets < nothing && far > s + 1 ? log_of(far) : 0;
      const bool skip = log_far < nothing;
      s = skip ? far : s + 1;
      log_sets = skip ? log_far : log_of(s);
    }
    return std::min(sum, 1.0);
  }

  // Of the logarithms from `some` i to the next: it bends slowly, so that between two sizes it is no higher
  // than they are, or than where the lines through their neighbours meet.
  static double highest(const std::vector<std::pair<double, double>>& some, std::size_t i) {
    if (i + 1 >= some.size()) return some[i].second;
    const auto [a, at_a] = some[i];
    const auto [b, at_b] = some[i + 1];
    const double ends = std::max(at_a, at_b);
    if (b - a < 2) return ends;
    if (i == 0 || i + 2 >= some.size()) return std::numeric_limits<double>::infinity();
    const double before = (at_a - some[i - 1].second) / (a - some[i - 1].first);
    const double after = (some[i + 2].second - at_b) / (some[i + 2].first - b);
    if (before <= 0 || after >= 0) return ends;
    const double meet = (at_b - after * b - at_a + before * a) / (before - after);
    return std::max(ends, at_a + before * (std::clamp(meet, a, b) - a));
  }

  [[nodiscard]] double largest() const {
    return std::min(buckets_ - 1, std::floor((keys_ - 1) / entries_));
  }

  // ln of the expected number of such sets of s buckets.
  [[nodiscard]] double log_of(double s) const {
    const double log_sets = log_all_ - std::lgamma(s + 1) - std::lgamma(buckets_ - s + 1);
    const double inside = entries_ * s + 1;
    // Half of the buckets are even, half odd, and a key has one of each.
    const double p = std::floor(s * s / 4) * 4 / (buckets_ * buckets_);
    // All s met more than b times by 2·inside choices, each uniform: at most, for any x.
    const double log_met =
        s * log_sum_ + std::lgamma(2 * inside + 1) - 2 * inside * std::log(x_ * s);
    return log_sets + log_tail(keys_, inside, p) + std::min(0.0, log_met);
  }

  cuckoo_size size_;
  double buckets_;
  double entries_;
  double keys_;
  double x_;
  double log_sum_;
  double log_all_;
};

class capacity_rule {
 public:
  explicit capacity_rule(std::uint64_t entries)
      : x_(critical_mean(entries)), large_load_(cuckoo_threshold(entries) - below_threshold) {}

  [[nodiscard]] bool holds(const cuckoo_size& size, std::uint64_t keys) const {
    const double load = real(keys) / real(size.entries) / real(size.buckets);
    return log_overrun_pairs(size, real(keys)) <= std::log(planned_failure) &&
           ((size.buckets >= smallest_large(size.entries) && load <= large_load_) ||
            bounded(size, keys));
  }

 private:
  [[nodiscard]] bool bounded(const cuckoo_size& size, std::uint64_t keys) const {
    const std::uint64_t buckets = std::min(size.buckets, largest_bounded);
    const double share = std::ceil(real(keys) * real(buckets) / real(size.buckets));
    if (share > real(size.entries * buckets)) return false;
    const auto holds = [&] {
      return failure_sum({buckets, size.entries, size.fingerprint_bits}, share, x_)
          .within(planned_failure);
    };
    if (buckets < largest_bounded) return holds();
    // All large tables ask about this one, whose pairs are no more for a longer fingerprint.
    known& at = known_[std::min(size.fingerprint_bits, known_.size()) - 1];
    const auto asked = static_cast<std::uint64_t>(share);
    if (asked <= at.held.load(std::memory_order_relaxed)) return true;
    if (asked >= at.failed.load(std::memory_order_relaxed)) return false;
    const bool fits = holds();
    (fits ? at.held : at.failed).store(asked, std::memory_order_relaxed);
    return fits;
  }

  // Of tables of largest_bounded buckets: keys that they hold, and that they do not. Another thread may know
  // better, and then its answer is worked out once more.
  struct known {
    std::atomic<std::uint64_t> held{0};
    std::atomic<std::uint64_t> failed{std::numeric_limits<std::uint64_t>::max()};
  };

  double x_;
  double large_load_;
  mutable std::array<known, std::bit_width(largest_bounded / 2)> known_{};  // by fingerprint bits
};

const capacity_rule& rule_for(std::uint64_t entries) {
  static const auto rules = []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<capacity_rule, sizeof...(i)>{capacity_rule(min_entries + i)...};
  }
  (std::make_index_sequence<max_entries - min_entries + 1>());
  return rules[entries - min_entries];
}

}  // namespace

double cuckoo_rate(const cuckoo_size& size, std::uint64_t keys) {
  require_size(size);
  if (keys == 0) return 0;  // also where a single one is met for sure
  return -std::expm1(real(keys) * std::log1p(-2 / (real(size.buckets) * prints(size))));
}

double cuckoo_threshold(std::uint64_t entries) {
  require_whole("entries", entries, min_entries, max_entries);
  const double x = critical_mean(entries);
  return std::exp(x + std::log(x) - above(entries - 1, x).log_sum) / (2 * real(entries));
}

double cuckoo_failure_bound(const cuckoo_size& size, std::uint64_t keys) {
  require_size(size);
  return failure_sum(size, real(keys), critical_mean(size.entries)).value();
}

std::uint64_t cuckoo_capacity(const cuckoo_size& size) {
  require_size(size);
  const capacity_rule& rule = rule_for(size.entries);
  return largest_below(size.entries * size.buckets + 1,
                       [&](std::uint64_t keys) { return rule.holds(size, keys); });
}

cuckoo_size plan_cuckoo(std::uint64_t keys, double rate, const cuckoo_form& form) {
  require_whole("keys", keys, 1, max_keys);
  require_share("rate", rate);
  const double per_key = -std::expm1(std::log1p(-rate) / real(keys));
  cuckoo_size best{0, 1, max_bits};
  double least = real(max_bits);
  for (std::uint64_t entries = form.least_entries; entries <= form.most_entries; ++entries) {
    const capacity_rule& rule = rule_for(entries);
    for (std::uint64_t bits = form.least_fingerprint;
         bits <= max_fingerprint_bits && form.bits(entries, bits) <= form.most_bits; ++bits) {
      cuckoo_size size{0, entries, bits};
      const double for_rate = std::ceil(1 / (per_key * prints(size)));
      const auto cost = [&](double half) { return 2 * half * real(form.bits(entries, bits)); };
      const double for_room = std::ceil(real(keys) / real(2 * entries));
      if (for_rate > sparsest * for_room || !(cost(std::max(for_rate, for_room)) < least)) continue;
      const auto fits = [&](std::uint64_t half) {
        size.buckets = 2 * half;
        return cuckoo_rate(size, keys) <= rate && rule.holds(size, keys);
      };
      // Most shapes cannot keep the keys in less than the best so far, and one question shows it.
      const double cheaper = std::ceil(least / cost(1)) - 1;
      if (best.buckets != 0 && !fits(static_cast<std::uint64_t>(cheaper))) continue;
      auto half = static_cast<std::uint64_t>(std::max(for_rate, for_room));
      std::uint64_t step = 1;
      while (!fits(half) && cost(real(half)) < least) {
        half += step;
        step *= 2;
      }
      // The last step may have gone too far by up to its own length.
      for (std::uint64_t back = step / 2; back > 0; back /= 2) {
        if (half > back && fits(half - back)) half -= back;
      }
      size.buckets = 2 * half;
      if (!fits(half) || !(cost(real(half)) < least)) continue;
      best = size;
      least = cost(real(half));
    }
  }
  if (best.buckets == 0) {
    fail(errc::limit, "no cuckoo table of at most " + std::to_string(max_fingerprint_bits) +
                          "-bit fingerprints and " + std::to_string(max_bits) + " bits keeps " +
                          std::to_string(keys) + " keys at the rate " + format_real(rate));
  }
  return best;
}

}  // namespace bloomery::math
