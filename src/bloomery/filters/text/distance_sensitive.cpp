#include "bloomery/filters/text/distance_sensitive.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "bloomery/filters/erasure.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery {
namespace {

constexpr std::uint64_t digit_bits = 4;

std::string random_digits(std::mt19937_64& random, std::uint64_t digits) {
  std::string text;
  while (text.size() < digits) {
    const std::uint64_t bits = random();
    for (std::uint64_t shift = 64; shift > 0; shift -= digit_bits) {
      text += "0123456789abcdef"[bits >> (shift - digit_bits) & 15];
    }
  }
  text.resize(digits);
  return text;
}

// Of all the numbers there are, few are near a point of anybody's.
std::string random_point(std::mt19937_64& random, std::uint64_t dimension) {
  std::uniform_real_distribution<double> coordinate(-hash::max_coordinate, hash::max_coordinate);
  std::string text;
  for (std::uint64_t i = 0; i < dimension; ++i) {
    std::array<char, 32> digits{};
    auto* const end = std::to_chars(digits.begin(), digits.end(), coordinate(random)).ptr;
    text.append(digits.begin(), end).push_back(' ');
  }
  return text;
}

// Of one function.
double single_collision(const distance_sensitive_shape& s, double distance) {
  switch (static_cast<metric>(s.metric)) {
    case metric::hamming:
      return math::hamming_collision(distance);
    case metric::jaccard:
      return math::jaccard_collision(distance);
    case metric::euclidean:
      return math::euclidean_collision(distance, s.width);
  }
  return 0;
}

// What is independent of the size.
void check_metric(const distance_sensitive_shape& s) {
  const auto of = static_cast<metric>(s.metric);
  if (of != metric::euclidean && s.far > 1) {
    fail(errc::invalid, "far is " + format_value(s.far) + "; allowed: up to 1, a share");
  }
  if (!(s.near < s.far)) {
    fail(errc::invalid, "near is " + format_value(s.near) + "; allowed: below far, which is " +
                            format_value(s.far));
  }
  if (of == metric::hamming && s.dimension % 4 != 0) {
    fail(errc::invalid, "dimension is " + std::to_string(s.dimension) +
                            "; allowed: multiples of 4, the bits of a hexadecimal digit");
  }
}

}  // namespace

void distance_sensitive_shape::check() const {
  check_metric(*this);
  detail::require_total_bits(array_bits, arrays, "arrays");
  if (threshold > arrays) {
    fail(errc::invalid, "threshold is " + std::to_string(threshold) +
                            "; allowed: up to arrays, which is " + std::to_string(arrays));
  }
}

double distance_sensitive_shape::collision(double distance) const {
  return std::pow(single_collision(*this, distance), static_cast<double>(functions));
}

distance_sensitive_shape distance_sensitive_cells::plan_for(const shape& wanted, std::uint64_t keys,
                                                            double rate) {
  check_metric(wanted);
  constexpr double unrelated_bits = 0.5;
  if (static_cast<metric>(wanted.metric) == metric::hamming && wanted.far > unrelated_bits) {
    fail(errc::invalid, "far is " + format_value(wanted.far) +
                            "; allowed with the metric hamming: up to 0.5, as far as unrelated "
                            "bits are apart");
  }
  const math::distance_size size = math::plan_distance_sensitive(
      keys, rate, single_collision(wanted, wanted.near), single_collision(wanted, wanted.far));
  shape s = wanted;
  s.array_bits = size.array_bits;
  s.arrays = size.arrays;
  s.threshold = size.threshold;
  s.functions = size.functions;
  return s;
}

math::query_cost distance_sensitive_cells::query_cost(const shape& s, std::uint64_t /*keys*/) {
  const std::uint64_t lines = payload_bytes(s) / cache_line_bytes;
  const auto touched = static_cast<double>(std::min(s.arrays, lines));
  return {touched, touched};  // all arrays are counted
}

std::vector<std::uint64_t> distance_sensitive_cells::places(const hasher& hash,
                                                            std::string_view text) const {
  std::vector<std::uint64_t> at(shape_.arrays);
  const hash::lsh_family family{static_cast<metric>(shape_.metric),
                                shape_.dimension,
                                shape_.functions,
                                shape_.width,
                                hash.identity().tag,
                                hash.identity().id == hash_id::xxh3 ? nullptr : &hash};
  family.hash(text, at);
  for (std::uint64_t i = 0; i < at.size(); ++i) {
    at[i] = i * shape_.array_bits + hash::reduce(at[i], shape_.array_bits);
  }
  return at;
}

text_insertion distance_sensitive_cells::insert_text(const hasher& hash, std::string_view text) {
  bool fresh = false;
  for (const std::uint64_t i : places(hash, text)) fresh |= bits_.set(i);
  return {fresh, 1};
}

std::uint64_t distance_sensitive_cells::nearness(const hasher& hash, std::string_view text) const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(places(hash, text), [&](std::uint64_t i) { return bits_.test(i); }));
}

std::function<std::string()> distance_sensitive_cells::random_texts(const shape& s,
                                                                    std::uint64_t seed) {
  std::mt19937_64 random(seed);
  switch (static_cast<metric>(s.metric)) {
    case metric::hamming:
      if (s.dimension < enough_random_bits) return {};
      return [=]() mutable { return random_digits(random, s.dimension / digit_bits); };
    case metric::jaccard:
      return [=]() mutable {
        constexpr int words = 8;
        std::string text;
        for (int i = 0; i < words; ++i) {
          text += random_digits(random, enough_random_bits / digit_bits) + ' ';
        }
        return text;
      };
    case metric::euclidean:
      return [=]() mutable { return random_point(random, s.dimension); };
  }
  return {};
}

template struct erasure<distance_sensitive_filter>;

}  // namespace bloomery
