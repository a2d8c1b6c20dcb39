#include "bloomery/apps/lab/result.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace bloomery::lab {

bool result::as_promised() const {
  return std::ranges::all_of(nevers_, [](const lab::never& each) { return each.times == 0; }) &&
         std::ranges::all_of(figures_, &figure::as_predicted);
}

figure count_of(std::string what, std::uint64_t hits, std::uint64_t trials, double probability) {
  return {.what = std::move(what),
          .in = unit::count,
          .measured = static_cast<double>(hits),
          .predicted = math::binomial_range(trials, probability, 1 - significance)};
}

figure share_of(std::string what, std::uint64_t hits, std::uint64_t trials, double probability) {
  figure made = count_of(std::move(what), hits, trials, probability);
  const auto of = static_cast<double>(std::max<std::uint64_t>(trials, 1));
  made.in = unit::share;
  made.measured /= of;
  made.predicted = math::interval{made.predicted->low / of, made.predicted->high / of};
  return made;
}

figure false_positives_of(std::string what, const apps::ledger& book, double rate) {
  return share_of(std::move(what), book.false_positives(), book.strangers(), rate);
}

figure mean_of(std::string what, unit in, std::span<const double> values, double predicted) {
  assert(values.size() > 1);
  const auto size = static_cast<double>(values.size());
  const double mean = std::reduce(values.begin(), values.end()) / size;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  // Values that are all alike, as those of rare events are, tell nothing of their spread. No share spreads
  // more than one that is all or nothing.
  const double spread =
      squares > 0 ? squares / (size - 1) : predicted * (in == unit::share ? 1 - predicted : 1);
  const double away =
      math::student_deviation(size - 1, 1 - significance) * std::sqrt(spread / size);
  return {.what = std::move(what),
          .in = in,
          .measured = mean,
          .predicted = math::interval{std::max(0.0, predicted - away), predicted + away}};
}

figure mean_at_most(std::string what, unit in, std::span<const double> values, double bound) {
  figure made = mean_of(std::move(what), in, values, bound);
  made.predicted->low = 0;
  return made;
}

figure exactly(std::string what, unit in, double measured, double predicted) {
  return {.what = std::move(what),
          .in = in,
          .measured = measured,
          .predicted = math::interval{predicted, predicted}};
}

figure told(std::string what, unit in, double measured) {
  return {.what = std::move(what), .in = in, .measured = measured};
}

}  // namespace bloomery::lab
