#include "bloomery/apps/lab/workload.hpp"

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/math/laws/zipf.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::lab {
namespace {

constexpr int draw_bits = 53;

}  // namespace

zipf::zipf(std::uint64_t keys, double exponent) {
  math::require_whole("keys", keys, 1, most_keys);
  for (const double share : math::zipf_cumulative(keys, exponent)) {
    up_to_.push_back(static_cast<std::uint64_t>(share * 0x1p53));
  }
  guide_.reserve(keys);
  std::uint32_t key = 0;
  for (std::uint64_t part = 0; part < keys; ++part) {
    // The least draw of this part: part / keys, rounded up.
    const auto least = static_cast<std::uint64_t>(
        ((static_cast<core::uint128>(part) << draw_bits) + keys - 1) / keys);
    while (up_to_[key] <= least) ++key;
    guide_.push_back(key);
  }
}

std::uint64_t zipf::operator()(random_stream& random) const {
  const std::uint64_t draw = random() >> (64 - draw_bits);
  const auto part =
      static_cast<std::uint64_t>(static_cast<core::uint128>(draw) * keys() >> draw_bits);
  std::uint64_t key = guide_[part];
  while (up_to_[key] <= draw) ++key;
  return key;
}

arrivals::arrivals(random_stream random, std::chrono::nanoseconds mean_gap, time start)
    : random_(random), mean_(static_cast<std::uint64_t>(mean_gap.count())), last_(start) {
  constexpr std::chrono::nanoseconds day = std::chrono::hours(24);
  math::require_whole("nanoseconds of the mean gap", mean_, 1,
                      static_cast<std::uint64_t>(day.count()));
}

time arrivals::next() {
  const random_stream::gap gap = random_.exponential();
  const core::uint128 length =
      static_cast<core::uint128>(gap.whole) * mean_ + hash::reduce(gap.fraction, mean_);
  if (length > static_cast<std::uint64_t>((time::max() - last_).count())) {
    fail(errc::limit, "arrivals beyond the end of time, after 292 years");
  }
  last_ += std::chrono::nanoseconds(static_cast<std::int64_t>(length));
  return last_;
}

}  // namespace bloomery::lab
