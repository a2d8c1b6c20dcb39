// Measurements whose spread is not known beforehand: it is taken from the sample, and Student's law
// makes up for that.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "bloomery/math/numeric/special.hpp"
#include "testing.hpp"

namespace bloomery::testing {

// Independent values of one law.
class sample {
 public:
  void add(double value) {
    ++size_;
    const double away = value - mean_;
    mean_ += away / size();
    squares_ += away * (value - mean_);
  }
  [[nodiscard]] double size() const { return static_cast<double>(size_); }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double error_squared() const { return squares_ / (size() - 1) / size(); }

 private:
  std::uint64_t size_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of the distances from the mean
};

inline ::testing::AssertionResult plausible_distance(const std::string& what, double distance,
                                                     double error, double freedom) {
  const double p = distance == 0 ? 1 : math::student_two_sided(distance / error, freedom);
  if (p >= significance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << " ± " << error << ": p = " << p;
}

// Student's test that the values' law has this mean.
inline ::testing::AssertionResult plausible_mean(const sample& values, double predicted) {
  return plausible_distance(
      "mean " + std::to_string(values.mean()) + ", predicted " + std::to_string(predicted),
      values.mean() - predicted, std::sqrt(values.error_squared()), values.size() - 1);
}

// Welch's test that two laws have one mean.
inline ::testing::AssertionResult plausibly_one_mean(const sample& a, const sample& b) {
  const double of_a = a.error_squared();
  const double of_b = b.error_squared();
  const double freedom =
      (of_a + of_b) * (of_a + of_b) / (of_a * of_a / (a.size() - 1) + of_b * of_b / (b.size() - 1));
  return plausible_distance(
      "means " + std::to_string(a.mean()) + " and " + std::to_string(b.mean()), a.mean() - b.mean(),
      std::sqrt(of_a + of_b), std::max(1.0, freedom));
}

}  // namespace bloomery::testing
