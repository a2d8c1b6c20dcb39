#include "bloomery/bits/code/entropy_coder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <random>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/laws/compression.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using bytes = std::vector<std::byte>;

constexpr std::size_t head_bytes = 16;
constexpr std::size_t mebibyte = std::size_t{1} << 20;

// Independent bits, each 1 with probability p.
bytes random_bits(std::size_t size, double p, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const double rare = std::min(p, 1 - p);
  const double log_miss = std::log1p(-rare);
  const auto gap = [&] {
    const double u = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
    return static_cast<std::uint64_t>(std::min(std::log(u) / log_miss, 0x1p60));
  };
  bytes raw(size, p > 0.5 ? std::byte{0xff} : std::byte{0});
  for (std::uint64_t at = gap(); at < 8 * size; at += 1 + gap()) {
    raw[at / 8] ^= std::byte{1} << (at % 8);
  }
  return raw;
}

double share_of_ones(byte_view raw) {
  std::uint64_t ones = 0;
  for (const std::byte b : raw) {
    ones += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(b)));
  }
  return static_cast<double>(ones) / (8 * static_cast<double>(raw.size()));
}

bytes decoded(byte_view coded, std::size_t size, unsigned threads = 1) {
  bytes raw(size);
  entropy_decode(coded, raw, threads);
  return raw;
}

// Returns it if it comes back.
bytes encoded(const bytes& raw) {
  bytes coded = entropy_encode(raw);
  EXPECT_EQ(decoded_bytes(coded), raw.size());
  EXPECT_TRUE(decoded(coded, raw.size()) == raw);
  return coded;
}

// The promise: .1 % over the entropy of the bits that are there, and 100 bytes.
TEST(entropy_coder, comes_within_a_thousandth_of_the_entropy) {
  std::uint64_t seed = 1;
  for (const double p : {1e-6, 1e-5, 1e-4,   1e-3, 0.0059, 0.01, 0.02,  0.031,  0.0315, 0.0339,
                         0.04, 0.05, 0.0606, 0.07, 0.08,   0.1,  0.125, 0.1331, 0.17,   0.2,
                         0.25, 0.3,  0.4,    0.45, 0.49,   0.5,  0.6,   0.9,    0.98,   0.9999}) {
    // The smallest sizes show the constant, the larger ones the share.
    for (const std::size_t size : {std::size_t{64}, std::size_t{6400}, std::size_t{700'032}}) {
      const bytes raw = random_bits(size, p, ++seed);
      const double entropy = math::entropy(share_of_ones(raw)) * static_cast<double>(size);
      EXPECT_LE(static_cast<double>(encoded(raw).size()), entropy * 1.001 + 100)
          << p << ' ' << size;
    }
  }
}

TEST(entropy_coder, keeps_its_promise_over_many_blocks) {
  for (const double p : {1e-5, 0.001, 0.02, 0.2}) {
    const bytes raw = random_bits(5 * mebibyte / 2, p, 7);
    const double entropy = math::entropy(share_of_ones(raw)) * static_cast<double>(raw.size());
    const bytes coded = encoded(raw);
    EXPECT_LE(static_cast<double>(coded.size()), entropy * 1.001 + 100) << p;
    EXPECT_TRUE(entropy_encode(raw, 3) == coded) << "threads change nothing";
    EXPECT_TRUE(decoded(coded, raw.size(), 3) == raw);
  }
}

TEST(entropy_coder, takes_any_bytes) {
  EXPECT_TRUE(entropy_encode({}).empty());
  EXPECT_EQ(decoded_bytes({}), 0);
  EXPECT_NO_THROW(decoded({}, 0));
  for (std::size_t size = 1; size < 40; ++size) {
    for (const double p : {0.0, 0.01, 0.3, 0.5, 1.0}) encoded(random_bits(size, p, size));
  }
  // A bit at either end, and far apart: the gap has many symbols.
  bytes sparse(4 * mebibyte + 3);
  sparse.back() = std::byte{0x80};
  EXPECT_LT(encoded(sparse).size(), 40);
  sparse.front() = std::byte{1};
  EXPECT_LT(encoded(sparse).size(), 40);
  EXPECT_EQ(encoded(bytes(3 * mebibyte)).size(), head_bytes) << "an empty filter costs nothing";
  EXPECT_EQ(encoded(bytes(3 * mebibyte, std::byte{0xff})).size(), head_bytes);
  bytes halves(4 * mebibyte);
  std::fill(halves.begin() + 2 * mebibyte, halves.end(), std::byte{0xff});
  EXPECT_EQ(encoded(halves).size(), 2 * head_bytes);
}

// Counters of four bits, most of them 0 or 1: their bits are not alike, their bytes show it.
TEST(entropy_coder, finds_uneven_bytes) {
  std::mt19937_64 random(5);
  std::poisson_distribution<unsigned> load(0.7);
  bytes raw(mebibyte / 2);
  for (std::byte& b : raw) b = static_cast<std::byte>(load(random) | load(random) << 4);
  // Entropy of a counter in bits.
  double entropy = 0;
  double p = std::exp(-0.7);
  for (int k = 0; k < 15; p *= 0.7 / ++k) entropy -= p * std::log2(p);
  const double expected = entropy * static_cast<double>(2 * raw.size()) / 8;
  EXPECT_NEAR(static_cast<double>(encoded(raw).size()) / expected, 1, 0.005);
  EXPECT_LT(expected, 0.8 * math::entropy(share_of_ones(raw)) * static_cast<double>(raw.size()));
}

// Sparse bits in clusters of a few: gaps of uneven frequencies.
TEST(entropy_coder, finds_uneven_gaps) {
  bytes raw = random_bits(mebibyte / 2, 0.002, 6);
  for (std::size_t i = raw.size() - 1; i != 0; --i) raw[i] |= raw[i - 1];
  const double independent = math::entropy(share_of_ones(raw)) * static_cast<double>(raw.size());
  const bytes coded = encoded(raw);
  EXPECT_EQ(std::to_integer<int>(coded[0]), 2) << "gaps";
  EXPECT_EQ(std::to_integer<int>(coded[1]), 1) << "measured";
  EXPECT_LT(static_cast<double>(coded.size()), 0.9 * independent);
}

// The format: if this changes, stored files can no longer be read.
TEST(entropy_coder, writes_the_same_for_ever) {
  const auto fingerprint = [](const bytes& coded) {
    std::uint64_t folded = coded.size();
    for (const std::byte b : coded) folded = hash::mix(folded ^ std::to_integer<std::uint64_t>(b));
    return folded;
  };
  // The and of `rounds` random bytes: bits of probability 2^-rounds.
  const auto bits = [](int rounds) {
    std::mt19937_64 random(11);
    bytes raw(65536);
    for (std::byte& b : raw) {
      b = std::byte{0xff};
      for (int i = 0; i < rounds; ++i) b &= static_cast<std::byte>(random());
    }
    return raw;
  };
  bytes counters = bits(1);
  for (std::byte& b : counters) b &= std::byte{0x33};
  EXPECT_EQ(fingerprint(encoded(bits(1))), 12006151855441142549U);
  EXPECT_EQ(fingerprint(encoded(bits(2))), 4816960294472758514U);
  EXPECT_EQ(fingerprint(encoded(bits(4))), 15455252299808227948U);
  EXPECT_EQ(fingerprint(encoded(bits(6))), 28489322457472922U);
  EXPECT_EQ(fingerprint(encoded(bits(12))), 6404712979488349171U);
  EXPECT_EQ(fingerprint(encoded(counters)), 15425290502607602778U);
}

TEST(entropy_coder, refuses_what_it_did_not_write) {
  std::mt19937_64 random(9);
  for (const double p : {0.001, 0.1, 0.5}) {
    const bytes raw = random_bits(4096, p, 3);
    const bytes coded = encoded(raw);
    const auto decodes_to = [&](const bytes& bad) -> std::optional<bytes> {
      try {
        return decoded(bad, raw.size());
      } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::corrupt);
        return std::nullopt;
      }
    };
    for (std::size_t size = 0; size < coded.size(); ++size) {
      const bytes cut(coded.begin(), coded.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_EQ(decodes_to(cut), std::nullopt) << p << ' ' << size;
    }
    bytes longer = coded;
    longer.push_back(std::byte{0});
    EXPECT_EQ(decodes_to(longer), std::nullopt);
    // Damage is found or, where a byte is kept as it is, at least harmless.
    for (int round = 0; round < 3000; ++round) {
      bytes bad = coded;
      bad[random() % bad.size()] ^= static_cast<std::byte>(1 + random() % 255);
      if (round % 3 == 0) bad[random() % head_bytes] = static_cast<std::byte>(random());
      const std::optional<bytes> got = decodes_to(bad);
      EXPECT_TRUE(!got || p == 0.5 || *got != raw || bad == coded);
    }
  }
}

TEST(decoded_bytes, believes_no_head_beyond_its_bytes) {
  const bytes coded = encoded(random_bits(4096, 0.01, 1));
  const auto with = [&](std::size_t at, std::uint32_t value) {
    bytes bad = coded;
    core::store_le(bad.data() + at, value);
    return bad;
  };
  const auto refused = [](const bytes& bad, std::string reason) {
    return testing::throws_error(errc::corrupt, reason, [&] { (void)decoded_bytes(bad); });
  };
  EXPECT_TRUE(refused(with(0, 4), "no known form"));
  EXPECT_TRUE(refused(with(0, 0x202), "no known form"));
  EXPECT_TRUE(refused(with(0, 0x10002), "no known form"));
  EXPECT_TRUE(refused(with(4, 0), "impossible counts"));
  EXPECT_TRUE(refused(with(8, 4096 * 8 + 1), "impossible counts"));
  EXPECT_TRUE(refused(with(12, 0xffffffff), "is cut"));
  EXPECT_EQ(decoded_bytes(with(4, 0xffffffff)), 0xffffffff) << "the caller's to refuse";
  EXPECT_TRUE(testing::throws_error(errc::corrupt, "hold more than they should",
                                    [&] { decoded(with(4, 8192), 4096); }));
  EXPECT_TRUE(testing::throws_error(errc::corrupt, "hold less than they should",
                                    [&] { decoded(with(4, 2048), 4096); }));
}

// Other weights than were written change every symbol, unless they round to the same frequencies.
TEST(entropy_coder, refuses_wrong_tables) {
  std::mt19937_64 random(4);
  bytes raw(8192);
  for (std::byte& b : raw) b = static_cast<std::byte>(random() % 3 == 0 ? 200 : 7);
  const bytes coded = encoded(raw);
  ASSERT_EQ(std::to_integer<int>(coded[1]), 1) << "measured";
  int refused = 0;
  for (std::size_t at = head_bytes; at < head_bytes + 12; ++at) {
    for (unsigned change = 1; change < 256; ++change) {
      bytes bad = coded;
      bad[at] ^= static_cast<std::byte>(change);
      try {
        ASSERT_TRUE(decoded(bad, raw.size()) == raw) << at << ' ' << change;
      } catch (const error& problem) {
        EXPECT_EQ(problem.code(), errc::corrupt);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 11 * 255);
  bytes none = coded;
  const auto zeros = {std::byte{0}, std::byte{255}};
  std::ranges::copy(zeros, none.begin() + head_bytes);
  EXPECT_TRUE(testing::throws_error(errc::corrupt, "a table of weights has only zeros",
                                    [&] { decoded(none, raw.size()); }));
}

// A filter of independent bits in part, and of something else in the rest, within one block: it is
// coded whole, whatever a sample of it shows.
TEST(entropy_coder, samples_what_it_codes_whole) {
  bytes raw = random_bits(mebibyte, 0.2, 8);
  for (std::size_t at = 1024; at < raw.size(); at += 8192) {
    std::fill_n(raw.begin() + static_cast<std::ptrdiff_t>(at), 7168, std::byte{0x55});
  }
  EXPECT_LT(encoded(raw).size(), raw.size());
}

}  // namespace
}  // namespace bloomery::bits
