#include "bloomery/hash/probes.hpp"

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bloomery/hash/policies.hpp"
#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "testing.hpp"

namespace bloomery::hash {
namespace {

using testing::numbered_digest;
using testing::numbered_digests;
using testing::plausibly_uniform;

template <class Probes>
std::vector<std::uint64_t> positions(const Probes& probes, digest d) {
  std::vector<std::uint64_t> all;
  EXPECT_TRUE(probes.all(d, [&](std::uint64_t at) {
    all.push_back(at);
    return true;
  }));
  return all;
}

// Digests as they come: from the numbered streams, and from each policy on keys that look alike.
const std::vector<std::pair<std::string, std::vector<digest>>>& digest_sources() {
  static const auto sources = [] {
    constexpr std::uint64_t count = 50'000;
    std::vector<std::pair<std::string, std::vector<digest>>> all;
    all.emplace_back("numbered", numbered_digests(1, count));
    const std::string secret(keyed_hash::secret_bytes, 's');
    const xxh3_hash xxh3;
    const keyed_hash keyed(bytes_of(secret));
    const integer_hash integer;
    std::vector<digest> texts;
    std::vector<digest> secrets;
    std::vector<digest> integers;
    std::vector<digest> strided;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string key = std::to_string(i);
      texts.push_back(xxh3(key));
      secrets.push_back(keyed(key));
      integers.push_back(integer(i));
      strided.push_back(integer(i << 32));
    }
    all.emplace_back("xxh3", std::move(texts));
    all.emplace_back("keyed", std::move(secrets));
    all.emplace_back("integer", std::move(integers));
    all.emplace_back("strided integer", std::move(strided));
    return all;
  }();
  return sources;
}

// Probe i's cell, counted into bins of equal size, is uniform: the high part of the position, and
// with few cells or a multiple of the bins also the low part.
template <class Cell>
void expect_uniform_cells(const std::vector<digest>& digests, std::uint64_t count,
                          std::uint64_t cells, Cell cell) {
  const std::uint64_t bins = std::min<std::uint64_t>(cells, 1000);
  std::vector<std::vector<std::uint64_t>> high(count, std::vector<std::uint64_t>(bins, 0));
  std::vector<std::vector<std::uint64_t>> low = high;
  const bool whole = cells % bins == 0;
  for (const digest d : digests) {
    const auto at = cell(d);
    ASSERT_EQ(at.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_LT(at[i], cells);
      ++high[i][static_cast<std::size_t>(static_cast<core::uint128>(at[i]) * bins / cells)];
      ++low[i][at[i] % bins];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!whole && cells < bins << 20) continue;  // bins of unequal size
    EXPECT_TRUE(plausibly_uniform(high[i])) << "probe " << i;
    EXPECT_TRUE(plausibly_uniform(low[i])) << "probe " << i << ", low part";
  }
}

constexpr std::array<std::uint64_t, 6> sizes{1,    2,         16,
                                             1000, 1'024'000, (std::uint64_t{1} << 33) + 12345};

TEST(uniform_probes, every_probe_is_uniform_at_every_size) {
  for (const auto& [name, digests] : digest_sources()) {
    for (const std::uint64_t cells : sizes) {
      SCOPED_TRACE(name + ", cells " + std::to_string(cells));
      const uniform_probes probes{cells, 9};
      if (cells == 1) {
        EXPECT_EQ(positions(probes, digests[0]), std::vector<std::uint64_t>(9, 0));
        continue;
      }
      expect_uniform_cells(digests, 9, cells, [&](digest d) { return positions(probes, d); });
    }
  }
}

template <class Probes>
Probes walker(std::uint64_t cells, std::uint64_t count) {
  Probes probes{};
  probes.cells = cells;
  probes.count = count;
  return probes;
}

template <class Probes>
void expect_uniform_walks() {
  for (const auto& [name, digests] : digest_sources()) {
    for (const std::uint64_t cells : sizes) {
      SCOPED_TRACE(name + ", cells " + std::to_string(cells));
      const auto probes = walker<Probes>(cells, 7);
      if (cells == 1) {
        EXPECT_EQ(positions(probes, digests[0]), std::vector<std::uint64_t>(7, 0));
        continue;
      }
      expect_uniform_cells(digests, 7, cells, [&](digest d) { return positions(probes, d); });
    }
  }
}

TEST(double_probes, every_probe_is_uniform_at_every_size) {
  expect_uniform_walks<double_probes>();
}

TEST(enhanced_probes, every_probe_is_uniform_at_every_size) {
  expect_uniform_walks<enhanced_probes>();
}

template <class Probes>
void expect_uniform_slices() {
  for (const auto& [name, digests] : digest_sources()) {
    for (const std::uint64_t slice : sizes) {
      SCOPED_TRACE(name + ", slice " + std::to_string(slice));
      const Probes probes{slice, 9};
      EXPECT_EQ(probes.range(), 9 * slice);
      const auto in_slice = [&](digest d) {
        auto at = positions(probes, d);
        for (std::size_t i = 0; i < at.size(); ++i) {
          EXPECT_EQ(at[i] / slice, i);
          at[i] %= slice;
        }
        return at;
      };
      if (slice == 1) {
        (void)in_slice(digests[0]);
        continue;
      }
      expect_uniform_cells(digests, 9, slice, in_slice);
    }
  }
}

TEST(partitioned_probes, put_one_uniform_probe_in_each_slice) {
  expect_uniform_slices<partitioned_probes>();
}

TEST(digit_probes, put_one_uniform_probe_in_each_slice) {
  expect_uniform_slices<digit_probes>();
}

// Sixteen probes are two rounds through the eight lanes.
TEST(blocked_probes, stay_in_one_uniform_block_at_uniform_positions) {
  for (const auto& [name, digests] : digest_sources()) {
    for (const std::uint64_t blocks : sizes) {
      SCOPED_TRACE(name + ", blocks " + std::to_string(blocks));
      const blocked_probes probes{blocks, 16};
      EXPECT_EQ(probes.range(), 512 * blocks);
      expect_uniform_cells(digests, 16, 64, [&](digest d) {
        auto at = positions(probes, d);
        const std::uint64_t block = at[0] / 512;
        for (std::size_t i = 0; i < at.size(); ++i) {
          EXPECT_EQ(at[i] / 512, block);
          EXPECT_EQ(at[i] % 512 / 64, i % 8);
          at[i] %= 64;
        }
        return at;
      });
      if (blocks == 1) continue;
      expect_uniform_cells(digests, 1, blocks, [&](digest d) {
        return std::vector<std::uint64_t>{positions(probes, d)[0] / 512};
      });
    }
  }
}

// The lanes of an incomplete round are each subset of that size equally often.
TEST(blocked_probes, pick_every_choice_of_lanes_equally_often) {
  for (const std::uint64_t k : {1U, 3U, 4U, 7U, 8U, 9U, 12U, 15U}) {
    const std::uint64_t picked = k > 8 ? k - 8 : k;
    for (const auto& [name, digests] : digest_sources()) {
      SCOPED_TRACE(name + ", k " + std::to_string(k));
      std::map<std::uint64_t, std::uint64_t> seen;
      for (const digest d : digests) {
        const auto at = positions(blocked_probes{1, k}, d);
        std::uint64_t lanes = 0;
        for (std::size_t i = k - picked; i < k; ++i) lanes |= std::uint64_t{1} << at[i] / 64;
        EXPECT_EQ(std::popcount(lanes), static_cast<int>(picked));
        ++seen[lanes];
      }
      EXPECT_EQ(seen.size(), all_lane_subsets.count(static_cast<unsigned>(picked)));
      if (seen.size() == 1) continue;
      std::vector<std::uint64_t> counts;
      for (const auto& [lanes, count] : seen) counts.push_back(count);
      EXPECT_TRUE(plausibly_uniform(counts));
    }
  }
}

// Every pair of values below 16 that `sixteenths` draws from a digest, counted jointly.
template <class Sixteenths>
void expect_pairwise_independent(Sixteenths sixteenths) {
  for (const auto& [name, digests] : digest_sources()) {
    SCOPED_TRACE(name);
    const std::size_t count = sixteenths(digests[0]).size();
    std::vector<std::array<std::uint64_t, 256>> joint(count * count);
    for (const digest d : digests) {
      const std::vector<std::uint64_t> values = sixteenths(d);
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          ++joint[i * count + j].at(values[i] * 16 + values[j]);
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_TRUE(plausibly_uniform(joint[i * count + j])) << i << " with " << j;
      }
    }
  }
}

// The high and the low four bits of each value below `range`, which is large.
std::vector<std::uint64_t> both_ends(const std::vector<std::uint64_t>& values,
                                     std::uint64_t range) {
  std::vector<std::uint64_t> ends;
  for (const std::uint64_t value : values) {
    ends.push_back(value * 16 / range);
    ends.push_back(value % 16);
  }
  return ends;
}

template <class Probes>
void expect_independent_probes(const Probes& probes) {
  expect_pairwise_independent(
      [&](digest d) { return both_ends(positions(probes, d), probes.range()); });
}

TEST(uniform_probes, are_pairwise_independent) {
  const uniform_probes few{16, 9};
  expect_pairwise_independent([&](digest d) { return positions(few, d); });
  expect_independent_probes(uniform_probes{1'048'576, 9});
}

// In a prime number of cells; in others (j - i)·h2 is not uniform, as the header says.
TEST(double_probes, are_pairwise_independent_in_a_prime_number_of_cells) {
  expect_independent_probes(walker<double_probes>(1'048'573, 7));
}

TEST(enhanced_probes, are_pairwise_independent_in_a_prime_number_of_cells) {
  expect_independent_probes(walker<enhanced_probes>(1'048'573, 7));
}

TEST(partitioned_probes, are_pairwise_independent) {
  const partitioned_probes probes{16, 9};
  expect_pairwise_independent([&](digest d) {
    auto at = positions(probes, d);
    for (auto& position : at) position %= 16;
    return at;
  });
}

// From both halves, 9 digits each, and from mixes; then one digit a word.
TEST(digit_probes, are_pairwise_independent) {
  for (const std::uint64_t slice : {std::uint64_t{16}, std::uint64_t{1} << 30}) {
    const digit_probes probes{slice, 24};
    expect_pairwise_independent([&](digest d) {
      auto at = positions(probes, d);
      for (auto& position : at) position = position % slice / (slice / 16);
      return at;
    });
  }
}

// The block and all positions: values 0 and 1 are the block's, so their pairs say that block and
// positions share nothing.
TEST(blocked_probes, block_and_positions_are_pairwise_independent) {
  const blocked_probes probes{1 << 16, 10};
  expect_pairwise_independent([&](digest d) {
    auto at = positions(probes, d);
    auto values = both_ends({at[0] / 512}, probes.blocks);
    for (const std::uint64_t position : at) values.push_back(position % 64 / 4);
    return values;
  });
}

TEST(double_probes, follow_the_closed_form) {
  const auto expect_closed_form = [](const auto& probes, auto extra) {
    for (const digest d : numbered_digests(3, 50)) {
      const std::uint64_t m = probes.cells;
      const std::uint64_t h1 = reduce(d.lo, m);
      const std::uint64_t h2 = m == 1 ? 0 : 1 + reduce(d.hi, m - 1);
      const auto at = positions(probes, d);
      ASSERT_EQ(at.size(), probes.count);
      for (std::uint64_t i = 0; i < probes.count; ++i) {
        const core::uint128 sum = h1 + static_cast<core::uint128>(i) * h2 + extra(i);
        EXPECT_EQ(at[i], static_cast<std::uint64_t>(sum % m)) << "m=" << m << " i=" << i;
      }
    }
  };
  for (const std::uint64_t m :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{7}, std::uint64_t{10},
        std::uint64_t{64}, std::uint64_t{1000}, std::uint64_t{65537}, std::uint64_t{1} << 33,
        max_bits}) {
    expect_closed_form(walker<double_probes>(m, max_hashes), [](std::uint64_t) { return 0U; });
    expect_closed_form(walker<enhanced_probes>(m, max_hashes),
                       [](std::uint64_t i) { return (i * i * i - i) / 6; });
  }
}

TEST(double_probes, step_over_at_least_one_cell) {
  // The steps at both ends of their range, where 0 and m would repeat one cell forever.
  for (const std::uint64_t hi : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    const auto at = positions(walker<double_probes>(101, 64), {0, hi});
    EXPECT_EQ(std::set<std::uint64_t>(at.begin(), at.end()).size(), 64U);
  }
}

template <class Probes>
void expect_early_stop(const Probes& probes) {
  const digest d = numbered_digest(4, 1);
  const auto all = positions(probes, d);
  for (std::size_t stop = 0; stop < all.size(); ++stop) {
    std::vector<std::uint64_t> seen;
    EXPECT_FALSE(probes.all(d, [&](std::uint64_t at) {
      seen.push_back(at);
      return seen.size() <= stop;
    }));
    EXPECT_EQ(seen, std::vector<std::uint64_t>(
                        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(stop) + 1));
  }
}

TEST(probes, stop_at_the_first_refusal) {
  expect_early_stop(uniform_probes{1000, 9});
  expect_early_stop(partitioned_probes{1000, 9});
  expect_early_stop(digit_probes{1000, 24});
  expect_early_stop(blocked_probes{1000, 16});
  expect_early_stop(walker<double_probes>(1000, 9));
  expect_early_stop(walker<enhanced_probes>(1000, 9));
}

TEST(probes, are_found_by_number) {
  for (std::uint64_t key = 0; key < 50; ++key) {
    const digest d = numbered_digest(77, key);
    const uniform_probes uniform{1000, 9};
    const partitioned_probes partitioned{1000, 9};
    std::uint64_t i = 0;
    uniform.all(d, [&](std::uint64_t at) { return at == uniform.at(d, i++); });
    EXPECT_EQ(i, 9U);
    i = 0;
    partitioned.all(d, [&](std::uint64_t at) { return at == partitioned.at(d, i++); });
    EXPECT_EQ(i, 9U);
  }
}

TEST(probes, fold_with_their_range) {
  for (const std::uint64_t factor : {2U, 3U, 10U}) {
    for (const std::uint64_t smaller :
         {std::uint64_t{1}, std::uint64_t{100}, std::uint64_t{1} << 36}) {
      for (const digest d : numbered_digests(5, 50)) {
        const auto uniform = positions(uniform_probes{smaller * factor, 9}, d);
        const auto uniform_folded = positions(uniform_probes{smaller, 9}, d);
        const auto sliced = positions(partitioned_probes{smaller * factor, 9}, d);
        const auto sliced_folded = positions(partitioned_probes{smaller, 9}, d);
        const auto blocked = positions(blocked_probes{smaller * factor, 9}, d);
        const auto blocked_folded = positions(blocked_probes{smaller, 9}, d);
        for (std::size_t i = 0; i < 9; ++i) {
          EXPECT_EQ(uniform[i] / factor, uniform_folded[i]);
          EXPECT_EQ(sliced[i] / factor, sliced_folded[i]);
          EXPECT_EQ(blocked[i] / 512 / factor, blocked_folded[i] / 512);
          EXPECT_EQ(blocked[i] % 512, blocked_folded[i] % 512);
        }
      }
    }
  }
}

// Golden: these positions are in stored files.
TEST(probes, are_golden) {
  const digest d{0x0123456789abcdef, 0x13579bdf02468ace};
  EXPECT_EQ(positions(uniform_probes{1'000'000, 4}, d),
            (std::vector<std::uint64_t>{698247, 188189, 749857, 735355}));
  EXPECT_EQ(positions(partitioned_probes{1000, 4}, d),
            (std::vector<std::uint64_t>{698, 1188, 2749, 3735}));
  EXPECT_EQ(positions(blocked_probes{1000, 9}, d),
            (std::vector<std::uint64_t>{2062, 2155, 2216, 2257, 2306, 2428, 2493, 2534, 2099}));
}

// n = 5000, 8 bits a key, k = 6: 60 filters, 5000 queries each. The rate of a filter varies with
// its fill, so the deviation has that part too.
template <class Probes>
void expect_exact_rate(const Probes& probes, std::uint64_t stream) {
  constexpr std::uint64_t keys = 5000;
  constexpr std::uint64_t filters = 60;
  constexpr std::uint64_t queries = 5000;
  const std::uint64_t m = probes.range();
  std::uint64_t hits = 0;
  for (std::uint64_t filter = 0; filter < filters; ++filter) {
    std::vector<bool> bits(m, false);
    const std::uint64_t first = filter * (keys + queries);
    for (const digest d : numbered_digests(stream, keys, first)) {
      for (const std::uint64_t at : positions(probes, d)) bits[at] = true;
    }
    for (const digest d : numbered_digests(stream, queries, first + keys)) {
      hits += probes.all(d, [&](std::uint64_t at) -> bool { return bits[at]; });
    }
  }
  const double rate = math::exact_rate(m, keys, probes.count);
  const auto cells = static_cast<double>(m);
  const auto layout = math::uniform_layout(m, probes.count);
  const double fill = 1 - layout.expected_zeros(keys) / cells;
  const double fill_variance = layout.covariance(keys, keys, keys) / (cells * cells);
  const double slope = static_cast<double>(probes.count) * rate / fill;
  const double variance =
      rate * (1 - rate) / (filters * queries) + slope * slope * fill_variance / filters;
  EXPECT_TRUE(testing::plausible_value(static_cast<double>(hits) / (filters * queries), rate,
                                       std::sqrt(variance)));
}

TEST(probes, reach_the_exact_rate) {
  expect_exact_rate(uniform_probes{40'000, 6}, 6);
  expect_exact_rate(walker<double_probes>(40'000, 6), 7);
  expect_exact_rate(walker<double_probes>(39'989, 6), 8);
  expect_exact_rate(walker<enhanced_probes>(40'000, 6), 9);
  expect_exact_rate(walker<enhanced_probes>(39'989, 6), 10);
}

}  // namespace
}  // namespace bloomery::hash
