#include "testing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "bloomery/any/secure_kinds.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/numeric/special.hpp"

namespace bloomery::testing {
namespace {

// All kinds there are, also those of bloomery::secure.
const bool secure_kinds_registered = (register_secure_kinds(), true);

::testing::AssertionResult verdict(double p_value, const std::string& what) {
  if (p_value >= significance) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << what << ": p = " << p_value << " < " << significance;
}

}  // namespace

std::uint64_t full_factor() {
  constexpr std::uint64_t longer = 25;
  return std::getenv("BLOOMERY_FULL") != nullptr ? longer : 1;
}

digest numbered_digest(std::uint64_t stream, std::uint64_t i) {
  // The low halves of one stream are distinct (mix is a bijection); the stream number keeps streams
  // apart by way of the high half.
  const std::uint64_t lo = hash::mix(i + hash::mix(stream));
  return {lo, hash::mix(hash::mix(lo ^ hash::golden) + stream)};
}

std::vector<digest> numbered_digests(std::uint64_t stream, std::uint64_t count,
                                     std::uint64_t first) {
  std::vector<digest> digests;
  digests.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) digests.push_back(numbered_digest(stream, first + i));
  return digests;
}

::testing::AssertionResult plausible_count(std::uint64_t hits, std::uint64_t trials, double p) {
  return verdict(math::binomial_two_sided(hits, trials, p),
                 std::to_string(hits) + " of " + std::to_string(trials) + ", expected " +
                     std::to_string(p * static_cast<double>(trials)));
}

::testing::AssertionResult plausible_limit(std::uint64_t hits, std::uint64_t trials, double p) {
  return verdict(math::binomial_upper(hits, trials, p),
                 std::to_string(hits) + " of " + std::to_string(trials) + ", expected at most " +
                     std::to_string(p * static_cast<double>(trials)));
}

::testing::AssertionResult plausible_counts(std::span<const std::uint64_t> counts,
                                            std::span<const double> probabilities) {
  const double total =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
  double chi_square = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    const double difference = static_cast<double>(counts[i]) - expected;
    chi_square += difference * difference / expected;
  }
  const double freedom = static_cast<double>(counts.size()) - 1;
  const double upper = math::chi_square_upper(chi_square, freedom);
  // Counts that are too even are as suspect, except in a few cells, where they may well be equal.
  constexpr double enough_freedom = 8;
  const double lower = freedom < enough_freedom ? 1 : 1 - upper;
  return verdict(2 * std::min(upper, lower), "chi-square " + std::to_string(chi_square) + " at " +
                                                 std::to_string(freedom) + " degrees of freedom");
}

::testing::AssertionResult plausibly_uniform(std::span<const std::uint64_t> counts) {
  const std::vector<double> equal(counts.size(), 1 / static_cast<double>(counts.size()));
  return plausible_counts(counts, equal);
}

::testing::AssertionResult plausible_value(double value, double mean, double deviation) {
  const double z = std::abs(value - mean) / deviation;
  return verdict(std::erfc(z / std::sqrt(2.0)), std::to_string(value) + ", expected " +
                                                    std::to_string(mean) + " ± " +
                                                    std::to_string(deviation));
}

std::string test_name(std::string_view kind) {
  std::string name(kind);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace bloomery::testing
