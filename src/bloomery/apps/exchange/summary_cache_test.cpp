#include "bloomery/apps/exchange/summary_cache.hpp"

#include <gtest/gtest.h>

#include <set>

#include "hostile.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::numbered_digest;
using testing::throws_error;

TEST(summary_cache, a_neighbour_has_the_bits_of_the_last_update_while_documents_come_and_go) {
  cache_summary mine({.documents = 500, .threshold = 0.02});
  neighbour_summary known;
  neighbour_summary late;
  std::set<std::uint64_t> held;
  std::uint64_t updates = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    if (held.size() == 500) {
      mine.erase(numbered_digest(1, *held.begin()));
      held.erase(held.begin());
    }
    mine.insert(numbered_digest(1, i));
    held.insert(i);
    if (!mine.due()) continue;
    known.receive(mine.update(), {});
    ++updates;
    ASSERT_EQ(wire::save(*known.held()), wire::save(mine.told()));
    for (const std::uint64_t document : held) {
      ASSERT_TRUE(known.may_hold(numbered_digest(1, document))) << document;
    }
    if (updates == 100) late.receive(mine.whole(), {});
    EXPECT_EQ(late.version(), updates < 100 ? 0 : 100);
  }
  EXPECT_EQ(updates, 500);
  EXPECT_EQ(known.version(), 500);
  // What left the cache has left the summary: all but the false positives.
  std::uint64_t claimed = 0;
  for (std::uint64_t i = 0; i < 4500; ++i) {
    claimed += std::uint64_t{known.may_hold(numbered_digest(1, i))};
  }
  EXPECT_TRUE(testing::plausible_count(claimed, 4500, known.held()->current_rate()));
  late.receive(mine.whole(), {});
  EXPECT_EQ(wire::save(*late.held()), wire::save(*known.held()));
}

TEST(summary_cache, changes_are_smaller_than_the_whole) {
  cache_summary mine({.documents = 10'000});
  for (std::uint64_t i = 0; i < 9900; ++i) mine.insert(numbered_digest(2, i));
  const std::size_t whole = mine.update().size();
  for (std::uint64_t i = 9900; i < 10'000; ++i) mine.insert(numbered_digest(2, i));
  ASSERT_TRUE(mine.due());
  EXPECT_LT(10 * mine.update().size(), whole);
}

TEST(summary_cache, changes_to_another_version_are_refused) {
  cache_summary mine({.documents = 10});
  neighbour_summary known;
  mine.insert({1, 2});
  const auto first = mine.update();
  mine.insert({3, 4});
  const auto second = mine.update();
  mine.insert({5, 6});
  const auto third = mine.update();
  EXPECT_TRUE(
      throws_error(errc::incompatible, "known here: 0", [&] { known.receive(second, {}); }));
  known.receive(first, {});
  EXPECT_TRUE(throws_error(errc::incompatible, "known here: 1", [&] { known.receive(third, {}); }));
  known.receive(second, {});
  known.receive(third, {});
  EXPECT_TRUE(known.may_hold({1, 2}) && known.may_hold({3, 4}) && known.may_hold({5, 6}));
}

TEST(summary_cache, hostile_summaries_are_refused) {
  cache_summary mine({.documents = 40});
  for (std::uint64_t i = 0; i < 20; ++i) mine.insert(numbered_digest(3, i));
  const auto whole = mine.update();
  testing::expect_hostile_message_refused(whole, [](byte_view bytes) {
    neighbour_summary known;
    known.receive(bytes, {});
  });
  mine.insert({1, 2});
  const auto changes = mine.update();
  testing::expect_hostile_message_refused(changes, [&](byte_view bytes) {
    neighbour_summary known;
    known.receive(whole, {});
    known.receive(bytes, {});
  });
  // One that claims everything, and one of another hash.
  cache_summary greedy({.documents = 10, .load_factor = 4, .hashes = 20});
  for (std::uint64_t i = 0; i < 100; ++i) greedy.insert(numbered_digest(4, i));
  neighbour_summary known;
  EXPECT_TRUE(throws_error(errc::limit, "fill", [&] { known.receive(greedy.update(), {}); }));
  EXPECT_EQ(known.version(), 0);
  const hash_identity other = xxh3_hash(7).identity();
  EXPECT_TRUE(throws_error(errc::incompatible, "", [&] { known.receive(whole, other); }));
}

TEST(summary_cache, refuses_plans_that_make_no_sense) {
  for (const summary_plan& plan :
       {summary_plan{.documents = 0}, summary_plan{.documents = 1, .load_factor = 0},
        summary_plan{.documents = 1, .hashes = 65},
        summary_plan{.documents = 1, .threshold = 1.5}}) {
    EXPECT_TRUE(throws_error(errc::invalid, "", [&] { cache_summary made(plan); }));
  }
}

}  // namespace
}  // namespace bloomery::apps
