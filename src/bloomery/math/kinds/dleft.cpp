#include "bloomery/math/kinds/dleft.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/kinds/cuckoo.hpp"
#include "bloomery/math/numeric/binomial.hpp"
#include "bloomery/math/numeric/checks.hpp"
#include "bloomery/math/numeric/real.hpp"
#include "bloomery/math/numeric/search.hpp"

namespace bloomery::math {
namespace {

constexpr double sparsest = 2;  // times as many buckets as a full table has; else longer remainders

// Plans of counters look so many replacements of all keys ahead, after which so many counters, for each
// key, may be stuck.
constexpr double planned_replacements = 1e4;
constexpr double most_stuck = 5e-3;  // half of rate_reserve

// Fractions y(table, i) of a table's buckets with a load of at least i, 0 to most.
class load_flow {
 public:
  // All buckets as equal as they can be.
  load_flow(std::uint64_t tables, std::uint64_t most, double keys_per_bucket)
      : tables_(tables), row_(most + 2), now_(tables * row_, 0), slope_(now_), half_(now_) {
    for (std::uint64_t t = 0; t < tables_; ++t) {
      for (std::uint64_t i = 0; i + 1 < row_; ++i) {
        now_[t * row_ + i] = std::clamp(keys_per_bucket / real(tables_) + 1 - real(i), 0.0, 1.0);
      }
    }
  }

  // A step of `h` keys a bucket by the midpoint rule; each key removed is a `removal` part of one.
  // Returns the largest relative change per key.
  double advance(double h, double removal) {
    slopes(now_, removal);
    for (std::size_t i = 0; i < now_.size(); ++i) half_[i] = now_[i] + h / 2 * slope_[i];
    slopes(half_, removal);
    double fastest = 0;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      now_[i] += h * slope_[i];
      if (now_[i] > tiny) fastest = std::max(fastest, std::abs(slope_[i]) / now_[i]);
    }
    return fastest;
  }

  [[nodiscard]] std::vector<double> table(std::uint64_t t) const {
    const auto from = now_.begin() + static_cast<std::ptrdiff_t>(t * row_);
    return {from, from + static_cast<std::ptrdiff_t>(row_ - 1)};
  }

  [[nodiscard]] std::vector<double> means() const {
    std::vector<double> result(row_ - 1, 0);
    for (std::uint64_t t = 0; t < tables_; ++t) {
      for (std::uint64_t i = 0; i + 1 < row_; ++i) result[i] += now_[t * row_ + i] / real(tables_);
    }
    return result;
  }

 private:
  static constexpr double tiny = 1e-280;

  void slopes(const std::vector<double>& y, double removal) {
    double keys = 0;
    for (std::uint64_t t = 0; t < tables_; ++t) {
      for (std::uint64_t i = 1; i + 1 < row_; ++i) keys += y[t * row_ + i];
    }
    for (std::uint64_t t = 0; t < tables_; ++t) {
      for (std::uint64_t i = 1; i + 1 < row_; ++i) {
        const double* here = &y[t * row_ + i];
        // Load i-1 here, more than that to the left, no less to the right.
        double in = here[-1] - here[0];
        for (std::uint64_t other = 0; other < tables_; ++other) {
          if (other != t) in *= y[other * row_ + (other < t ? i : i - 1)];
        }
        const double out = removal > 0 ? removal * real(i) * (here[0] - here[1]) / keys : 0;
        slope_[t * row_ + i] = in - out;
      }
    }
  }

  std::uint64_t tables_;
  std::uint64_t row_;
  std::vector<double> now_;
  std::vector<double> slope_;
  std::vector<double> half_;
};

void fill(load_flow& flow, double keys_per_bucket) {
  const auto steps = static_cast<std::uint64_t>(std::ceil(keys_per_bucket * 10));
  for (std::uint64_t i = 0; i < steps; ++i) flow.advance(keys_per_bucket / real(steps), 0);
}

// Whether the share of buckets above `cells`, once keys come and go, is at most that. It rises with the load,
// and all remainders and many plans ask about the same tables: this thread keeps what it has worked out.
bool overfull_within(std::uint64_t tables, std::uint64_t cells, double keys_per_bucket,
                     double share) {
  constexpr std::size_t most_known = 256;  // for each of the few hundred sorts of tables
  thread_local std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<double, double>> all;
  std::map<double, double>& known = all[{tables, cells}];
  const auto next = known.lower_bound(keys_per_bucket);
  if (next != known.end() && (next->second <= share || next->first == keys_per_bucket)) {
    return next->second <= share;
  }
  if (next != known.begin() && std::prev(next)->second > share) return false;
  const double overfull =
      dleft_loads(tables, keys_per_bucket, cells + 1, history::churn)[cells + 1];
  if (known.size() == most_known) known.clear();
  known.emplace(keys_per_bucket, overfull);
  return overfull <= share;
}

void require_size(const dleft_size& size) {
  require_whole("tables", size.tables, 2, max_dleft_tables);
  require_whole("buckets", size.buckets, 1, max_bits);
  require_whole("cells", size.cells, 1, max_dleft_cells);
  require_whole("remainder_bits", size.remainder_bits, 1, max_remainder_bits);
}

// The fewest buckets that have room, more than size.buckets, which have not.
std::uint64_t buckets_with_room(dleft_size size, std::uint64_t keys) {
  std::uint64_t without = size.buckets;
  std::uint64_t with = without + without / 8 + 1;
  const auto fits = [&](std::uint64_t buckets) {
    size.buckets = buckets;
    return dleft_has_room(size, keys);
  };
  for (; !fits(with); with += with / 8 + 1) without = with;
  return smallest_in(without, with, fits, 10'000);
}

double bits_of(const dleft_size& size) {
  return real(size.tables * size.cells * (size.remainder_bits + size.counter_bits)) *
         real(size.buckets);
}

// The size with the fewest bits, with the tables and counter bits of `size`; no buckets if there is
// none.
dleft_size smallest(dleft_size size, std::uint64_t keys, double rate, cells_of_width cells) {
  dleft_size best = size;
  double least = real(max_bits);
  for (std::uint64_t bits = 1; bits <= max_remainder_bits; ++bits) {
    const std::uint64_t width = bits + size.counter_bits;
    if (real(keys) * real(width) >= least) break;
    size.remainder_bits = bits;
    size.cells = std::min({cells(width), max_dleft_cells, (keys + size.tables - 1) / size.tables});
    if (size.cells == 0) continue;
    size.buckets = 1;
    const auto buckets = dleft_buckets(size, keys, rate, least / bits_of(size));
    if (!buckets) continue;
    size.buckets = *buckets;
    if (bits_of(size) >= least) continue;
    best = size;
    least = bits_of(size);
  }
  return best;
}

}  // namespace

std::vector<double> dleft_loads(std::uint64_t tables, double keys_per_bucket, std::uint64_t most,
                                history past) {
  require_whole("tables", tables, 2, max_dleft_tables);
  const bool churned = past == history::churn && keys_per_bucket > 0;
  load_flow flow(tables, most + 1, churned ? keys_per_bucket : 0);
  if (churned) {
    constexpr double step = 0.25;
    constexpr double settled = 1e-5;
    constexpr int most_steps = 100'000;
    for (int i = 0; i < most_steps && flow.advance(step, 1) > settled; ++i) {
    }
  } else {
    fill(flow, keys_per_bucket);
  }
  auto result = flow.means();
  result.resize(most + 1);
  return result;
}

std::vector<std::vector<double>> dleft_table_loads(std::uint64_t tables, double keys_per_bucket,
                                                   std::uint64_t most) {
  load_flow flow(tables, most + 1, 0);
  // Beyond twice what fits, all are full.
  fill(flow, std::min(keys_per_bucket, 2 * real(tables * most)));
  std::vector<std::vector<double>> result;
  for (std::uint64_t t = 0; t < tables; ++t) result.push_back(flow.table(t));
  return result;
}

double dleft_rate(const dleft_size& size, std::uint64_t keys) {
  require_size(size);
  const double hashes = real(size.buckets) * (std::exp2(real(size.remainder_bits)) - 1);
  return hashes > 1 ? -std::expm1(real(keys) * std::log1p(-1 / hashes)) : keys > 0 ? 1 : 0;
}

bool dleft_has_room(const dleft_size& size, std::uint64_t keys) {
  if (size.buckets == 1) return keys <= size.tables * size.cells;
  if (keys > size.tables * size.cells * size.buckets) return false;
  return overfull_within(size.tables, size.cells, real(keys) / real(size.buckets),
                         planned_failure / (real(size.tables) * real(size.buckets)));
}

std::uint64_t dleft_capacity(const dleft_size& size) {
  require_size(size);
  // To the key, or a plan would have room for one less than it says.
  return largest_below(size.tables * size.cells * size.buckets + 1,
                       [&](std::uint64_t keys) { return dleft_has_room(size, keys); });
}

std::optional<std::uint64_t> dleft_buckets(dleft_size size, std::uint64_t keys, double rate,
                                           double most) {
  const double per_key = -std::expm1(std::log1p(-rate) / real(keys));
  const double for_rate = std::ceil(1 / ((std::exp2(real(size.remainder_bits)) - 1) * per_key));
  const double full = std::ceil(real(keys) / real(size.tables * size.cells));
  if (for_rate > sparsest * full || std::max(for_rate, full) > most) return std::nullopt;
  constexpr double close = 4;  // to a full table, where one trial spares a search
  size.buckets = static_cast<std::uint64_t>(most);
  if (most < close * full && !dleft_has_room(size, keys)) return std::nullopt;
  size.buckets = static_cast<std::uint64_t>(full);
  if (!dleft_has_room(size, keys)) size.buckets = buckets_with_room(size, keys);
  size.buckets = std::max(size.buckets, static_cast<std::uint64_t>(for_rate));
  while (dleft_rate(size, keys) > rate) ++size.buckets;  // rounding
  return size.buckets;
}

double dleft_sticking(std::uint64_t keys, double rate, std::uint64_t counter_bits) {
  const double per_key = -std::expm1(std::log1p(-rate) / real(keys));
  const std::uint64_t most = (std::uint64_t{1} << counter_bits) - 1;
  return at_least_of(real(keys - 1), most - 1, per_key);
}

std::uint64_t dleft_counter_bits(std::uint64_t keys, double rate) {
  require_whole("keys", keys, 1, max_keys);
  require_share("rate", rate);
  std::uint64_t bits = least_counter_bits;
  while (bits < most_counter_bits &&
         dleft_sticking(keys, rate, bits) * planned_replacements > most_stuck) {
    ++bits;
  }
  return bits;
}

double dleft_conflicts(const dleft_size& size, std::uint64_t keys, std::uint64_t states) {
  require_size(size);
  if (keys == 0) return 0;
  const double hashes = real(size.buckets) * (std::exp2(real(size.remainder_bits)) - 1);
  return -std::expm1(real(keys - 1) * std::log1p(-(1 - 1 / real(states)) / hashes));
}

void refuse_dleft(std::uint64_t keys, double rate) {
  fail(errc::limit, "no d-left table of at most " + std::to_string(max_remainder_bits) +
                        "-bit remainders and " + std::to_string(max_bits) + " bits keeps " +
                        std::to_string(keys) + " keys at the rate " + format_real(rate));
}

dleft_size plan_dleft(std::uint64_t keys, double rate, cells_of_width cells,
                      std::uint64_t counter_bits) {
  require_whole("keys", keys, 1, max_keys);
  require_share("rate", rate);
  const auto of_tables = [&](std::uint64_t tables) {
    return smallest({tables, 0, 0, 0, counter_bits}, keys, rate, cells);
  };
  return plan_tables(keys, rate, of_tables, bits_of);
}

}  // namespace bloomery::math
