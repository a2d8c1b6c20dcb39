#include "bloomery/filters/routing/exponential_decay.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "bloomery/math/kinds/exponential_decay.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using fading = exponential_decay_filter;

fading sent(const fading& own, const fading& other, std::uint64_t link) {
  const std::vector<const fading*> others{&other};
  return fading::advertisement(own, others, link);
}

// Kumar, Xu, Zegura 2005: a key relayed j times by nodes of no other keys, and heard beside a
// neighbour's 150 keys, has k·(q+(1-q)·fill) bits on average, q = decay^-j. 400 keys on paths of
// their own; 32 bits each, all but distinct in 2^14, so that their sum is binomial.
TEST(exponential_decay, scores_fall_with_distance_as_predicted) {
  const exponential_decay_shape shape{1 << 14, 32, 2};
  fading neighbour(shape);
  neighbour.insert(numbered_digests(1, 150));
  const fading nobody(shape);
  constexpr std::uint64_t keys = 400;
  constexpr std::uint64_t hops = 5;
  std::array<std::uint64_t, hops> sums{};
  for (std::uint64_t i = 0; i < keys; ++i) {
    fading path(shape);
    const digest key = numbered_digest(2, i);
    path.insert(key);
    for (std::uint64_t j = 0; j < hops; ++j) {
      sums[j] += sent(neighbour, path, hops * i + j).score(key);
      path = sent(nobody, path, hops * i + j);
    }
  }
  for (std::uint64_t j = 0; j < hops; ++j) {
    const double mean = math::expected_score(32, j + 1, 2, neighbour.fill());
    EXPECT_TRUE(plausible_count(sums[j], 32 * keys, mean / 32)) << j;
    EXPECT_TRUE(j == 0 || sums[j] < sums[j - 1]);
  }
}

// The coins are fixed by link and bit, so that routes do not flicker: a filter that is sent again
// is the same, and with more keys it only gains bits.
TEST(exponential_decay, coins_do_not_flicker) {
  const exponential_decay_shape shape{5000, 16, 3};
  fading own(shape);
  own.insert(numbered_digests(3, 20));
  fading other(shape);
  other.insert(numbered_digests(4, 80));
  const fading first = sent(own, other, 42);
  EXPECT_EQ(wire::save(sent(own, other, 42)), wire::save(first));
  EXPECT_NE(wire::save(sent(own, other, 43)), wire::save(first));
  other.insert(numbered_digests(5, 30));
  fading both = sent(own, other, 42);
  EXPECT_GT(both.fill(), first.fill());
  const double fill = both.fill();
  both.merge(first);
  EXPECT_EQ(both.fill(), fill) << "nothing that was sent is gone";
  for (const digest d : numbered_digests(3, 20)) EXPECT_EQ(first.score(d), 16U);
  const fading nobody(shape);
  const fading once = sent(nobody, other, 42);
  EXPECT_EQ(wire::save(sent(nobody, once, 42)), wire::save(once))
      << "the same link, the same coins";
  EXPECT_EQ(sent(nobody, other, 1).record().items, other.record().items);
}

TEST(exponential_decay, a_decay_of_one_keeps_everything) {
  const exponential_decay_shape shape{5000, 16, 1};
  fading other(shape);
  other.insert(numbered_digests(4, 80));
  EXPECT_EQ(sent(fading(shape), other, 9).fill(), other.fill());
}

}  // namespace
}  // namespace bloomery::testing
