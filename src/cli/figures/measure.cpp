#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bloomery/hash/policies.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "figures/figure.hpp"

namespace bloomery::cli {
namespace {

constexpr std::size_t batch = 4096;

// Fixed seeds: the same figures, drawn again, are the same files.
constexpr std::uint64_t member_seed = 1;
constexpr std::uint64_t stranger_seed = 2;

// Calls use(digests) for `count` random digests of one stream, a batch at a time.
template <class Use>
void for_random_digests(std::uint64_t seed, std::uint64_t first, std::uint64_t count, Use use) {
  const integer_hash hash(seed);
  std::array<digest, batch> digests;
  for (std::uint64_t done = 0; done < count; done += batch) {
    const std::size_t size = std::min<std::uint64_t>(batch, count - done);
    for (std::size_t i = 0; i < size; ++i) digests[i] = hash(first + done + i);
    use(std::span<const digest>(digests.data(), size));
  }
}

std::vector<digest> members(std::uint64_t keys) {
  std::vector<digest> result;
  result.reserve(keys);
  for_random_digests(member_seed, 0, keys, [&](std::span<const digest> digests) {
    result.insert(result.end(), digests.begin(), digests.end());
  });
  return result;
}

}  // namespace

any_filter filled(const any_kind& kind, std::span<const field_value> shape, std::uint64_t keys) {
  return kind.build(shape, members(keys), {}, {}, 1);
}

double uncertain_counts(const any_filter& filter, std::uint64_t keys) {
  return static_cast<double>(filter.as<decodes>().decode(members(keys)).uncertain) /
         static_cast<double>(keys);
}

probed probe_strangers(const any_filter& filter, std::uint64_t asked) {
  std::array<bool, batch> answers{};
  probed result{asked, 0};
  for_random_digests(stranger_seed, 0, asked, [&](std::span<const digest> digests) {
    result.hits += filter.as<asks>().may_contain(digests, std::span(answers).first(digests.size()));
  });
  return result;
}

chart_point probed::at(double x, double unit) const {
  const math::interval rate = math::binomial_interval(hits, asked, measured_confidence);
  return {x, static_cast<double>(hits) / static_cast<double>(asked) / unit, rate.low / unit,
          rate.high / unit};
}

chart_point mean_over_filters(double x, const any_kind& kind, std::span<const field_value> shape,
                              std::uint64_t keys, std::uint64_t filters,
                              double (*of)(const any_filter&)) {
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < filters; ++i) {
    any_filter filter = kind.create(shape, {}, {});
    for_random_digests(member_seed, i * keys, keys, [&](std::span<const digest> digests) {
      filter.as<inserts>().insert(digests);
    });
    const double value = of(filter);
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(filters);
  const double mean = sum / count;
  const double deviation = std::sqrt(std::max(0.0, squares / count - mean * mean) / count);
  const double spread = math::normal_quantile(0.5 + measured_confidence / 2) * deviation;
  return {x, mean, std::max(0.0, mean - spread), mean + spread};
}

chart_point mean_instance_rate(double x, const any_kind& kind, std::span<const field_value> shape,
                               std::uint64_t keys, std::uint64_t filters) {
  return mean_over_filters(x, kind, shape, keys, filters, [](const any_filter& filter) {
    return filter.as<tells_rate>().current_rate();
  });
}

}  // namespace bloomery::cli
