#include "bloomery/filters/set/memory_optimised.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "bloomery/math/laws/false_positive.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Tarkoma §III-U: the only bit of a key is that of the hash that g picks, and g picks all alike.
TEST(memory_optimised, a_key_is_one_of_its_k_bits) {
  constexpr std::uint64_t k = 5;
  memory_optimised_filter filter({4001, k});
  std::set<std::uint64_t> ones;
  std::vector<std::uint64_t> picked(k);
  for (const digest d : numbered_digests(1, 5000)) {
    const hash::chosen_probe probe = memory_optimised_rule::probe(filter.shape());
    ++picked[probe.choice(d)];
    const std::uint64_t home = hash::uniform_probes{4001, k}.at(d, probe.choice(d));
    EXPECT_EQ(filter.insert(d), ones.insert(home).second);
  }
  EXPECT_EQ(filter.cells().bits().count(), ones.size());
  for (const std::uint64_t i : ones) EXPECT_TRUE(filter.cells().bits().test(i));
  EXPECT_TRUE(plausibly_uniform(picked));
}

// One bit a key at 8 bits a key: .1175, where a standard filter has .0216. Asking for any of the k
// bits would claim some k times as many strangers, asking for all of them would lose keys.
TEST(memory_optimised, asks_for_the_bit_it_set) {
  constexpr std::uint64_t n = 50'000;
  constexpr std::uint64_t k = 4;
  memory_optimised_filter filter({8 * n, k});
  filter.insert(numbered_digests(2, n));
  const double rate = memory_optimised_filter::predicted_rate(filter.shape(), n);
  EXPECT_NEAR(rate, 0.1175, 5e-5);
  EXPECT_NEAR(math::exact_rate(8 * n, n, 6), 0.0216, 5e-5);
  std::uint64_t hits = 0;
  std::uint64_t any = 0;
  std::uint64_t lost = 0;
  const hash::uniform_probes all{8 * n, k};
  const auto set = [&](std::uint64_t i) { return filter.cells().bits().test(i); };
  for (const digest d : numbered_digests(2, n, n)) {
    hits += std::uint64_t{filter.may_contain(d)};
    any += std::uint64_t{!all.all(d, [&](std::uint64_t i) { return !set(i); })};
  }
  for (const digest d : numbered_digests(2, n)) lost += std::uint64_t{!all.all(d, set)};
  EXPECT_TRUE(plausible_count(hits, n, filter.current_rate()));
  EXPECT_GT(any, 3 * hits);
  EXPECT_GT(lost, n / 2);
}

}  // namespace
}  // namespace bloomery::testing
