#include "bloomery/bits/code/rans.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "bloomery/bits/code/byte_scan.hpp"
#include "bloomery/core/simd.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using bytes = std::vector<std::byte>;
using testing::throws_error;

TEST(rans_normalised, sums_to_the_scale_and_forgets_no_weight) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 500; ++round) {
    byte_weights weights{};
    const std::size_t symbols = 1 + random() % weights.size();
    // From alike to a few giants among dwarfs.
    for (std::size_t s = 0; s < symbols; ++s) weights[s] = random() >> (random() % 64);
    if (round % 2 == 0) weights[0] = 0;
    weights[random() % weights.size()] = 1 + random() % 4;
    const rans::frequencies frequencies = rans::normalised(weights);
    ASSERT_EQ(std::accumulate(frequencies.begin(), frequencies.end(), 0U), rans::slots);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      ASSERT_EQ(frequencies[i] == 0, weights[i] == 0) << i;
    }
  }
}

TEST(rans_normalised, rounds_to_less_than_a_slot) {
  byte_weights weights{};
  for (std::size_t s = 0; s < weights.size(); ++s) weights[s] = 10000 + s * s;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const rans::frequencies frequencies = rans::normalised(weights);
  for (std::size_t s = 0; s < weights.size(); ++s) {
    const double exact = static_cast<double>(weights[s]) * rans::slots / total;
    EXPECT_LT(std::abs(frequencies[s] - exact), 1) << s;
  }
}

byte_weights geometric_weights(double ratio) {
  byte_weights weights{};
  double weight = 0x1p60;
  for (std::uint64_t& w : weights) {
    w = static_cast<std::uint64_t>(weight) + 1;
    weight *= ratio;
  }
  return weights;
}

bytes random_symbols(const byte_weights& weights, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::discrete_distribution<unsigned> symbol(weights.begin(), weights.end());
  bytes symbols(count);
  for (std::byte& s : symbols) s = static_cast<std::byte>(symbol(random));
  return symbols;
}

// Through every number of lanes and its remainders, with rare symbols and without. Every back end
// writes what the portable one does, and reads it.
void expect_round_trip(const byte_weights& weights, const bytes& symbols) {
  const byte_code code(weights);
  for (const rans::lanes lanes : {rans::lanes::one, rans::lanes::four, rans::lanes::all}) {
    bytes first;
    for (const core::backend which : core::all_backends) {
      if (!core::runnable(which)) continue;
      const core::forced_backend forced(which);
      bytes coded;
      code.encode(symbols, lanes, coded);
      if (which == core::backend::portable) first = coded;
      ASSERT_TRUE(coded == first) << name_of(which) << ' ' << symbols.size();
      bytes again(symbols.size());
      code.decode(coded, lanes, again);
      ASSERT_TRUE(again == symbols) << name_of(which) << ' ' << symbols.size();
    }
  }
}

TEST(byte_code, returns_what_was_encoded) {
  std::vector<std::size_t> counts{5000, 5031, 20'000};
  for (const std::size_t around : {40U, 1024U, 4096U}) {
    for (std::size_t i = 0; i < 40; ++i) counts.push_back(around - 20 + i);
  }
  for (const double ratio : {0.0, 0.2, 0.9, 0.97, 1.0}) {
    const byte_weights weights = geometric_weights(ratio);
    for (const std::size_t count : counts) {
      expect_round_trip(weights, random_symbols(weights, count, count));
    }
  }
  byte_weights lone{};
  lone[77] = 5;
  expect_round_trip(lone, bytes(9999, std::byte{77}));
  byte_weights one_rare = lone;
  one_rare[99] = 1;
  one_rare[77] = 5000;
  bytes mostly(9999, std::byte{77});
  mostly[4000] = mostly[9998] = std::byte{99};
  expect_round_trip(one_rare, mostly);
  expect_round_trip(one_rare, bytes(9999, std::byte{99}));
}

// Quotients by every sort of frequency, with remainders up to the edges.
TEST(byte_code, divides_exactly) {
  for (std::uint32_t frequency = 1; frequency < rans::slots; frequency += 1 + frequency / 9) {
    byte_weights weights{};
    weights[0] = frequency;
    weights[1] = rans::slots - frequency;
    expect_round_trip(weights, random_symbols(weights, 6000, frequency));
    byte_weights alike = weights;
    alike[0] = alike[1] = 1;  // rare ones by the thousand too
    expect_round_trip(weights, random_symbols(alike, 6000, frequency));
  }
}

TEST(byte_code, costs_what_it_says) {
  const byte_weights weights = geometric_weights(0.9);
  const byte_code code(weights);
  const bytes symbols = random_symbols(weights, 200'000, 3);
  bytes coded;
  code.encode(symbols, rans::lanes::one, coded);
  // A state of its own for the rare symbols, of 15 to 31 bits that are not needed, and their size.
  const double over = static_cast<double>(coded.size()) - code.cost(count_bytes(symbols)) / 8;
  EXPECT_GE(over, 4 + 2 * 2 - 1);
  EXPECT_LE(over, 4 + 2 * 4 + 0.0001 * static_cast<double>(coded.size()));
  double entropy = 0;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const std::uint64_t w : weights) {
    const double p = static_cast<double>(w) / total;
    entropy -= p * std::log2(p);
  }
  // Of the weights, to which each frequency is right within a slot or less.
  byte_weights expected{};
  for (std::size_t s = 0; s < weights.size(); ++s) expected[s] = weights[s] >> 20;
  const double all = std::accumulate(expected.begin(), expected.end(), 0.0);
  EXPECT_NEAR(code.cost(expected) / all / entropy, 1, 0.001);
}

TEST(byte_code, refuses_what_it_did_not_write) {
  std::mt19937_64 random(2);
  for (const std::size_t count : {30U, 3000U, 30000U}) {
    const byte_weights weights = geometric_weights(0.95);
    const byte_code code(weights);
    const bytes symbols = random_symbols(weights, count, 4);
    bytes coded;
    code.encode(symbols, rans::lanes::all, coded);
    for (const core::backend which : core::all_backends) {
      if (!core::runnable(which)) continue;
      const core::forced_backend forced(which);
      const auto refuses = [&](const bytes& bad, std::size_t size) {
        bytes again(size);
        return throws_error(errc::corrupt, "", [&] { code.decode(bad, rans::lanes::all, again); });
      };
      EXPECT_TRUE(refuses(coded, count - 1) && refuses(coded, count + 1));
      for (int round = 0; round < 60; ++round) {
        bytes cut = coded;
        cut.resize(random() % coded.size());
        EXPECT_TRUE(refuses(cut, count)) << cut.size();
        bytes bad = coded;
        bad[random() % bad.size()] ^= static_cast<std::byte>(1 + random() % 255);
        EXPECT_TRUE(refuses(bad, count));
      }
    }
  }
}

}  // namespace
}  // namespace bloomery::bits
