#include "bloomery/math/laws/omissions.hpp"

#include <cmath>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::math {
namespace {

constexpr std::uint64_t second_order_from = std::uint64_t{1} << 16;  // bits

// The least h with h = (rate + h)^predecessors: all are lost, or hidden themselves. 1 if there is none below.
double hidden_share(double rate, double predecessors) {
  double share = 0;
  for (int step = 0; step < 1000; ++step) {
    const double next = std::pow(std::fmin(1.0, rate + share), predecessors);
    if (next <= share * (1 + 1e-12)) return next;
    share = next;
  }
  return 1;
}

}  // namespace

omissions search_omissions(std::uint64_t m, std::uint64_t k, std::uint64_t states,
                           std::uint64_t predecessors) {
  require_filter(m, k);
  require_whole("predecessors", predecessors, 1, states > 1 ? states : 1);
  omissions lost;
  double rate = 0;
  for (std::uint64_t met = 0; met < states; ++met) {
    rate = m < second_order_from ? exact_rate(m, met, k) : second_order_rate(m, met, k);
    lost.expected += rate;
  }
  lost.hidden = static_cast<double>(states) * hidden_share(rate, static_cast<double>(predecessors));
  return lost;
}

}  // namespace bloomery::math
