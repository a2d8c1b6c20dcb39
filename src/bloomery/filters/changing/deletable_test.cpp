#include "bloomery/filters/changing/deletable.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/deletable.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "rate.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// Another program of the same structure: sets of positions, and the region by a division.
class plain_deletable {
 public:
  explicit plain_deletable(const deletable_shape& s) : s_(s) {}
  void insert(const hash::positions& at) {
    for (const std::uint64_t i : at) {
      if (!ones_.insert(i).second) marked_.insert(region(i));
    }
  }
  bool erase(const hash::positions& at) {
    for (const std::uint64_t i : at) {
      if (!ones_.contains(i)) return false;
    }
    std::size_t gone = 0;
    for (const std::uint64_t i : at) {
      if (!marked_.contains(region(i))) gone += ones_.erase(i);
    }
    return gone != 0;
  }
  [[nodiscard]] bool contains(const hash::positions& at) const {
    return std::all_of(at.begin(), at.end(), [&](std::uint64_t i) { return ones_.contains(i); });
  }

 private:
  [[nodiscard]] std::uint64_t region(std::uint64_t i) const {
    return i * s_.regions / (s_.bits - s_.regions);
  }
  deletable_shape s_;
  std::set<std::uint64_t> ones_;
  std::set<std::uint64_t> marked_;
};

// Legal or not, every answer is that of the other program.
TEST(deletable, does_as_another_program_of_it) {
  for (const deletable_shape shape :
       {deletable_shape{16'000, 4, 500}, {3001, 3, 1500}, {2000, 9, 7}, {400, 5, 100}}) {
    deletable_filter filter(shape);
    plain_deletable oracle(shape);
    const auto pool = numbered_digests(1, 500);
    for (std::uint64_t step = 0; step < 4000; ++step) {
      const digest d = pool[hash::mix(step) % pool.size()];
      const auto at = filter.cells().locate(d);
      ASSERT_EQ(filter.may_contain(d), oracle.contains(at));
      if (hash::mix(~step) % 2 == 0) {
        filter.insert(d);
        oracle.insert(at);
      } else {
        ASSERT_EQ(filter.erase(d), oracle.erase(at));
      }
    }
  }
}

// A key that is removed is gone at once; a repeat is not a collision with itself but with its twin.
TEST(deletable, erase_tells_the_truth) {
  deletable_filter filter({1000, 6, 200});
  std::uint64_t gone = 0;
  const auto keys = numbered_digests(2, 60);
  filter.insert(keys);
  for (const digest d : keys) {
    const bool removable = filter.cells().removable(filter.cells().locate(d));
    EXPECT_EQ(filter.erase(d), removable);
    EXPECT_EQ(filter.may_contain(d), !removable);
    gone += std::uint64_t{removable};
  }
  EXPECT_GT(gone, 0U);
  EXPECT_LT(gone, 60U);
  EXPECT_EQ(filter.record().items, 60 - gone);

  deletable_filter crowded({40, 9, 10});  // 30 bits, nine hashes: some repeat
  crowded.insert(digest{1, 2});
  EXPECT_LT(crowded.cells().locate({1, 2}).size(), 9U);
  EXPECT_TRUE(crowded.erase(digest{1, 2}));
  EXPECT_EQ(crowded.fill(), 0);
  crowded.insert(digest{1, 2});
  crowded.insert(digest{1, 2});
  EXPECT_FALSE(crowded.erase(digest{1, 2})) << "two of it are in";
}

// Illegal: a false positive is made of other keys' bits, and takes them along.
TEST(deletable, erasing_false_positives_loses_keys) {
  deletable_filter filter({600, 2, 150});
  const auto keys = numbered_digests(3, 60);
  filter.insert(keys);
  const auto before = wire::save(filter);
  std::uint64_t claimed = 0;
  for (const digest d : numbered_digests(4, 2000)) {
    deletable_filter trial = filter.copy();
    const bool positive = filter.may_contain(d);
    const bool gone = trial.erase(d);
    EXPECT_TRUE(positive || !gone);
    EXPECT_EQ(wire::save(trial) == before, !gone);
    if (!gone) continue;
    ++claimed;
    std::uint64_t left = 0;
    for (const digest key : keys) left += std::uint64_t{trial.may_contain(key)};
    EXPECT_LT(left, keys.size());
  }
  EXPECT_GT(claimed, 0U);
}

TEST(deletable, merging_is_inserting_both) {
  expect_merging_to_add<deletable_filter>();
}

// m = 16000, n = 1000, r = 500. The .882 and .050 of the estimate of Rothenberg et al. 2010 hold
// for random regions, here those of strangers; of members fewer can be removed, as our law says.
// Means over 300 filters, since a filter's keys share its marks.
TEST(deletable, as_many_keys_can_be_removed_as_predicted) {
  for (const auto& [hashes, literature] : {std::pair{4U, 0.882}, {11U, 0.050}}) {
    const deletable_shape shape{16'000, hashes, 500};
    sample members;
    sample strangers;
    for (std::uint64_t i = 0; i < 300; ++i) {
      deletable_filter filter(shape);
      filter.insert(numbered_digests(100 + i, 1000));
      const auto share = [&](std::uint64_t first) {
        double removable = 0;
        for (const digest d : numbered_digests(100 + i, 1000, first)) {
          removable += filter.cells().removable(filter.cells().locate(d)) ? 1 : 0;
        }
        return removable / 1000;
      };
      members.add(share(0));
      strangers.add(share(1000));
    }
    const double estimate = math::deletability(shape.bits, 500, 1000, hashes);
    EXPECT_NEAR(estimate, literature, 5e-4);
    EXPECT_TRUE(plausible_mean(strangers, estimate));
    EXPECT_TRUE(plausible_mean(members, math::deletable_share(shape.bits, 500, 1000, hashes)));
    EXPECT_FALSE(plausible_mean(members, estimate));
  }
}

TEST(deletable, the_plan_lets_nine_keys_in_ten_go) {
  sample removed;
  for (std::uint64_t i = 0; i < 100; ++i) {
    auto filter = deletable_filter::for_keys(2000, 0.01);
    filter.insert(numbered_digests(1000 + i, 2000));
    double gone = 0;
    for (const digest d : numbered_digests(1000 + i, 200)) gone += filter.copy().erase(d) ? 1 : 0;
    removed.add(gone / 200);
  }
  const auto shape = deletable_filter::plan(2000, 0.01);
  EXPECT_TRUE(plausible_mean(removed,
                             math::deletable_share(shape.bits, shape.regions, 2000, shape.hashes)));
}

TEST(deletable, a_marked_region_without_bits_is_refused) {
  deletable_filter filter({1000, 3, 100});
  filter.insert(numbered_digests(5, 20));
  storage bytes = wire::copied(filter.payload().front());
  bytes.bytes_for_writing()[0] = std::byte{0xff};
  EXPECT_TRUE(throws_error(errc::corrupt, "is marked", [&] {
    deletable_filter::restore(filter.shape(), filter.record(), std::move(bytes));
  }));
}

TEST(deletable, half_of_the_bits_cannot_be_marks) {
  EXPECT_TRUE(throws_error(errc::invalid, "regions is 50; allowed: 1 to 49", [] {
    deletable_filter({100, 3, 50});
  }));
  EXPECT_NO_THROW(deletable_filter({100, 3, 49}));
}

}  // namespace
}  // namespace bloomery::testing
