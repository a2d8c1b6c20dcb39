#include "bloomery/apps/overlay/scoped_summary.hpp"

#include <cmath>

#include "bloomery/math/kinds/exponential_decay.hpp"
#include "testing.hpp"

namespace bloomery::overlay {
namespace {

const exponential_decay_shape scoped_shape{.bits = 1 << 14, .hashes = 32, .decay = 4};

TEST(scoped_summary, keeps_what_is_near_and_fades_beyond) {
  scoped_summary told(scoped_shape, 3);
  std::vector<digest> keys = testing::numbered_digests(77, 100);
  for (const digest key : keys) told.insert(key);
  const scoped_summary empty(scoped_shape, 3);
  for (std::uint64_t relays = 1; relays <= 4; ++relays) {
    const scoped_summary* behind[] = {&told};
    told = empty.advertise(behind, relays);
    std::uint64_t score = 0;
    for (const digest key : keys) {
      const std::uint64_t claim = told.ask({&key, 1});
      if (relays < 3) {
        EXPECT_EQ(claim, 32 + 3 - relays);
      }
      score += told.level(3).score(key);
    }
    if (relays == 3) {
      EXPECT_EQ(score, 3200);  // it has just left the scope, whole
    }
    if (relays == 4) {  // a relay in the open keeps each bit with a quarter
      EXPECT_TRUE(testing::plausible_value(static_cast<double>(score),
                                           100 * math::expected_score(32, 1, 4, 0),
                                           std::sqrt(3200 * 0.25 * 0.75)));
    }
  }
}

TEST(scoped_summary, opens_what_it_saved_and_nothing_else) {
  scoped_summary one(scoped_shape, 2);
  one.insert({1, 2});
  const stored_filters stored = one.save();
  std::vector<byte_view> views(stored.begin(), stored.end());
  const digest key{1, 2};
  EXPECT_EQ(one.open(views, {}).ask({&key, 1}), one.ask({&key, 1}));
  views.pop_back();
  EXPECT_TRUE(
      testing::throws_error(errc::corrupt, "allowed: 3", [&] { (void)one.open(views, {}); }));
  EXPECT_TRUE(
      testing::throws_error(errc::invalid, "scope", [] { scoped_summary(scoped_shape, 0); }));
}

}  // namespace
}  // namespace bloomery::overlay
