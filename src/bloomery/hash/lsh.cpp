#include "bloomery/hash/lsh.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/core/distinct.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/hash/policies.hpp"

namespace bloomery::hash {
namespace {

constexpr std::string_view white = " \t\r\n\v\f";

[[noreturn]] void refuse(const std::string& expected) {
  fail(errc::invalid, "the text is not a point; expected: " + expected);
}

// Calls visit(token) for what lies between separators.
template <class Visit>
void each_token(std::string_view text, std::string_view separators, Visit visit) {
  for (std::size_t from = text.find_first_not_of(separators); from != std::string_view::npos;) {
    const std::size_t to = std::min(text.find_first_of(separators, from), text.size());
    visit(text.substr(from, to - from));
    from = text.find_first_not_of(separators, to);
  }
}

std::vector<bool> bits_of(std::string_view text, std::uint64_t dimension) {
  const auto not_hex = [&]() { refuse(std::to_string(dimension / 4) + " hexadecimal digits"); };
  if (text.size() != dimension / 4) not_hex();
  std::vector<bool> bits;
  for (const char& c : text) {
    unsigned digit = 0;
    if (std::from_chars(&c, &c + 1, digit, 16).ec != std::errc{}) not_hex();
    for (unsigned bit = 4; bit-- > 0;) bits.push_back((digit >> bit & 1) != 0);
  }
  return bits;
}

std::vector<std::uint64_t> words_of(std::string_view text, const hasher& hash) {
  std::vector<std::uint64_t> words;
  each_token(text, white, [&](std::string_view word) { words.push_back(hash(word).lo); });
  if (words.empty()) refuse("words, separated by white space");
  return core::distinct(std::move(words));
}

std::vector<double> numbers_of(std::string_view text, std::uint64_t dimension) {
  std::vector<double> numbers;
  const auto not_numbers = [&]() {
    refuse(std::to_string(dimension) +
           " numbers from -1e15 to 1e15, separated by commas or spaces");
  };
  each_token(text, " \t\r\n\v\f,", [&](std::string_view token) {
    double number = 0;
    const char* end = token.data() + token.size();
    const auto parsed = std::from_chars(token.data(), end, number);
    if (parsed.ec != std::errc{} || parsed.ptr != end || !(std::abs(number) <= max_coordinate)) {
      not_numbers();
    }
    numbers.push_back(number);
    if (numbers.size() > dimension) not_numbers();
  });
  if (numbers.size() != dimension) not_numbers();
  return numbers;
}

// In (0, 1].
double uniform(std::uint64_t random) {
  return (static_cast<double>(random >> 11) + 1) * 0x1p-53;
}

// The point's place along a random direction of independent Gaussians (Box, Muller 1958).
double projection(std::span<const double> point, std::uint64_t seed) {
  double sum = 0;
  for (std::size_t i = 0; i < point.size(); i += 2) {
    const double radius = std::sqrt(-2 * std::log(uniform(mix(seed + (i + 1) * golden))));
    const double angle = 2 * M_PI * uniform(mix(seed + (i + 2) * golden));
    sum += point[i] * radius * std::cos(angle);
    if (i + 1 < point.size()) sum += point[i + 1] * radius * std::sin(angle);
  }
  return sum;
}

// From which function `number` is drawn.
std::uint64_t drawn(const lsh_family& family, std::uint64_t number) {
  if (family.keyed == nullptr) return mix(mix(family.seed) + number * golden);
  return (*family.keyed)("bloomery lsh function " + std::to_string(number)).lo;
}

// Each value joins what the functions of its own say.
template <class Function>
void join(const lsh_family& family, std::span<std::uint64_t> values, Function function) {
  std::uint64_t number = 0;
  for (std::uint64_t& value : values) {
    value = 0;
    for (std::uint64_t j = 0; j < family.functions; ++j) {
      value = mix(value + golden + function(drawn(family, ++number)));
    }
  }
}

}  // namespace

void lsh_family::hash(std::string_view text, std::span<std::uint64_t> values) const {
  switch (of) {
    case metric::hamming: {
      assert(dimension > 0 && dimension % 4 == 0);
      const std::vector<bool> bits = bits_of(text, dimension);
      return join(*this, values, [&](std::uint64_t random) {
        return std::uint64_t{bits[reduce(random, dimension)]};
      });
    }
    case metric::jaccard: {
      const std::vector<std::uint64_t> words =
          words_of(text, keyed != nullptr ? *keyed : hasher(xxh3_hash(seed)));
      return join(*this, values, [&](std::uint64_t random) {
        std::uint64_t least = ~std::uint64_t{0};
        for (const std::uint64_t word : words) least = std::min(least, mix(word ^ random));
        return least;
      });
    }
    case metric::euclidean: {
      assert(dimension > 0 && width > 0);
      const std::vector<double> point = numbers_of(text, dimension);
      return join(*this, values, [&](std::uint64_t random) {
        const double shift = uniform(mix(random));
        const double bucket = std::floor(projection(point, random) / width + shift);
        return std::bit_cast<std::uint64_t>(bucket + 0.0);  // one zero, not two
      });
    }
  }
}

}  // namespace bloomery::hash
