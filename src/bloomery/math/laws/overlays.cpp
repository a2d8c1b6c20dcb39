#include "bloomery/math/laws/overlays.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::math {

double ring_steps(std::uint64_t nodes) {
  require_whole("nodes", nodes, 1, std::uint64_t{1} << 32);
  if (!std::has_single_bit(nodes)) {
    fail(errc::invalid, "nodes is " + std::to_string(nodes) + "; allowed: powers of two");
  }
  // Behind the first of the nodes - 1 distances to another's key lie 0 to nodes - 2 places, which take as many
  // steps as they have ones; all numbers below the power have b·nodes/2, of which the last one has b.
  const auto b = static_cast<double>(std::countr_zero(nodes));
  return b / 2 + 1 - (b + 1) / static_cast<double>(nodes);
}

double ring_messages(std::uint64_t nodes) {
  return ring_steps(nodes) + 1 - 1 / static_cast<double>(nodes);
}

double last_hop_share(std::uint64_t links, std::uint64_t steps) {
  require_whole("links", links, 2, 1'000'000);
  require_whole("steps", steps, 1, 64);
  const auto branches = static_cast<double>(links - 1);
  double reached = 0;
  for (std::uint64_t i = 0; i < steps; ++i) reached += std::pow(branches, -static_cast<double>(i));
  return 1 / reached;
}

double push_rounds(std::uint64_t peers) {
  require_whole("peers", peers, 1, std::uint64_t{1} << 32);
  const auto n = static_cast<double>(peers);
  return std::log2(n) + std::log(n);
}

double claims_all(double rate, std::uint64_t missing) {
  return std::pow(rate, static_cast<double>(missing));
}

double all_arrive(double loss, std::uint64_t messages) {
  require_part("loss", loss);
  return std::pow(1 - loss, static_cast<double>(messages));
}

double led_at_most(std::span<const double> rates, std::span<const double> onward) {
  return std::min(1.0, std::inner_product(rates.begin(), rates.end(), onward.begin(), 0.0));
}

double none_arrives(double loss, std::uint64_t messages, std::uint64_t tries) {
  return std::pow(1 - all_arrive(loss, messages), static_cast<double>(tries));
}

double expected_claims(std::span<const double> rates) {
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace bloomery::math
