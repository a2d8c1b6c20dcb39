#include "bloomery/apps/routing/forwarding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bloomery/filters/routing/attenuated.hpp"
#include "bloomery/filters/routing/exponential_decay.hpp"
#include "bloomery/math/kinds/exponential_decay.hpp"
#include "bloomery/math/numeric/special.hpp"
#include "checked_filter.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using decaying = checked_filter<exponential_decay_filter>;
using levelled = checked_filter<attenuated_filter>;

template <class Checked>
void insert_all(Checked& filter, std::span<const digest> keys) {
  for (const digest d : keys) filter.insert(d);
}

// A key that is behind one link or several is sent to one, and its hops there are never more than the
// truth. Three links of 200 keys at each of 3 distances, in levels of 3000 bits.
TEST(by_hops, sends_every_key_to_a_link_that_has_it_near) {
  std::vector<levelled> links;
  for (std::uint64_t link = 0; link < 3; ++link) {
    links.emplace_back(attenuated_filter({3000, 7, 3}));
    for (std::uint64_t i = 0; i < 600; ++i) {
      links.back().set_value(numbered_digest(1, 300 * link + i), i % 3);
    }
    links.back().check_all();
  }
  const by_hops route(std::vector{&links[0].filter(), &links[1].filter(), &links[2].filter()});
  for (std::uint64_t i = 0; i < 1200; ++i) {
    const digest key = numbered_digest(1, i);
    const direction to = route(key);
    ASSERT_EQ(to.told.size(), 3U);
    ASSERT_TRUE(to.link.has_value());
    for (std::size_t link = 0; link < 3; ++link) {
      const auto& told = to.told[link];
      EXPECT_TRUE(told || links[link].copies(key) == 0) << "a link does not know its own key";
      if (links[link].copies(key) != 0) {
        EXPECT_LE(*told, i % 3);
      }
      if (told) {
        EXPECT_GE(*told, *to.told[*to.link]);
      }
      if (told == to.told[*to.link]) {
        EXPECT_GE(link, *to.link) << "the first of equals";
      }
    }
  }
}

// Strangers are sent astray as often as any level of any link claims them: 20,000 of them.
TEST(by_hops, sends_strangers_astray_as_often_as_a_level_claims_them) {
  std::vector<levelled> links;
  double none = 1;
  for (std::uint64_t link = 0; link < 2; ++link) {
    links.emplace_back(attenuated_filter({4000, 4, 2}));
    for (std::uint64_t i = 0; i < 1500; ++i) {
      links.back().set_value(numbered_digest(2 + link, i), i % 2);
    }
    for (std::uint64_t level = 0; level < 2; ++level) {
      none *= 1 - std::pow(links.back().filter().cells().fill(level), 4);
    }
  }
  const by_hops route(std::vector{&links[0].filter(), &links[1].filter()});
  constexpr std::uint64_t asked = 20'000;
  std::uint64_t astray = 0;
  for (const digest d : numbered_digests(4, asked))
    astray += std::uint64_t{route(d).link.has_value()};
  EXPECT_TRUE(plausible_count(astray, asked, 1 - none));
  EXPECT_EQ(by_hops<attenuated_filter>({})({1, 2}).link, std::nullopt);
}

// The nearer of two copies wins; 20,000 strangers are sent astray as often as noise on either link
// reaches its floor.
TEST(by_score, forwards_to_the_nearest_and_not_into_noise) {
  const exponential_decay_shape shape{1 << 14, 32, 2};
  decaying far{exponential_decay_filter(shape)};
  decaying near{exponential_decay_filter(shape)};
  decaying noisy{exponential_decay_filter(shape)};
  insert_all(far, numbered_digests(6, 60));
  insert_all(near, numbered_digests(6, 60));
  insert_all(near, numbered_digests(7, 100));
  insert_all(noisy, numbered_digests(8, 400));
  const exponential_decay_filter* const behind[] = {&far.filter()};
  const auto relayed = exponential_decay_filter::advertisement(noisy.filter(), behind, 1);
  const std::vector<const exponential_decay_filter*> links{&relayed, &near.filter()};
  for (const digest d : numbered_digests(6, 60)) {
    const direction to = by_score(links)(d);
    EXPECT_EQ(to.link, 1U);
    EXPECT_EQ(to.told[1], 32U);
    EXPECT_EQ(to.told[0], relayed.score(d));
  }
  EXPECT_EQ(by_score<exponential_decay_filter>({})({1, 2}).link, std::nullopt);
  constexpr double chance = 0.01;
  constexpr std::uint64_t asked = 20'000;
  const by_score route(links, chance);
  double none = 1;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const std::uint64_t floor = math::noise_floor(32, links[i]->fill(), chance);
    EXPECT_EQ(route.floor(i), floor);
    EXPECT_GT(static_cast<double>(floor), 32 * links[i]->fill());
    none *= 1 - math::binomial_upper(floor, 32, links[i]->fill());
  }
  std::uint64_t astray = 0;
  for (const digest d : numbered_digests(9, asked))
    astray += std::uint64_t{route(d).link.has_value()};
  EXPECT_TRUE(plausible_count(astray, asked, 1 - none));
  EXPECT_TRUE(throws_error(errc::invalid, "chance", [&] { (void)by_score(links, 0); }));
}

}  // namespace
}  // namespace bloomery::testing
