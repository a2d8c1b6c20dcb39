#include "bloomery/math/laws/semijoin.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bloomery/core/limits.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::math {

double all_rows_bytes(std::uint64_t rows, double row_bytes) {
  return static_cast<double>(rows) * row_bytes;
}

double semijoin_bytes(std::uint64_t keys, double key_bytes, std::uint64_t matches,
                      double row_bytes) {
  return static_cast<double>(keys) * key_bytes + all_rows_bytes(matches, row_bytes);
}

double bloomjoin_bytes(double filter_bytes, double rate, std::uint64_t matches, std::uint64_t rest,
                       double row_bytes) {
  return filter_bytes + all_rows_bytes(matches, row_bytes) + rate * all_rows_bytes(rest, row_bytes);
}

double even_key_bytes(double filter_bytes, double rate, std::uint64_t keys, std::uint64_t rest,
                      double row_bytes) {
  require_whole("keys", keys, 1, max_keys);
  return bloomjoin_bytes(filter_bytes, rate, 0, rest, row_bytes) / static_cast<double>(keys);
}

double best_join_rate(std::uint64_t keys, std::uint64_t rest, double row_bytes,
                      double bits_a_halving) {
  const double false_rows = all_rows_bytes(rest, row_bytes);
  const double per_filter = bits_a_halving * static_cast<double>(keys) / (8 * std::numbers::ln2);
  return false_rows <= per_filter ? 1 : per_filter / false_rows;
}

double join_filter_bytes(std::uint64_t keys, double rate, double bits_a_halving) {
  return static_cast<double>(keys) * bits_a_halving * std::log2(1 / rate) / 8;
}

estimate joined_rows(std::uint64_t rows, std::uint64_t passed, double squares, double rate,
                     double confidence) {
  require_share("rate", rate);
  require_share("confidence", confidence);
  require_whole("passed", passed, 0, rows);
  const auto let_through = static_cast<double>(passed);
  const double value = (let_through - rate * static_cast<double>(rows)) / (1 - rate);
  // Var(passed) <= rate (1 - rate) squares, as if every key were a stranger's.
  const double half = std::sqrt(rate * squares / ((1 - rate) * (1 - confidence)));
  return {std::clamp(value, 0.0, let_through), std::clamp(value - half, 0.0, let_through),
          std::clamp(value + half, 0.0, let_through), false};
}

}  // namespace bloomery::math
