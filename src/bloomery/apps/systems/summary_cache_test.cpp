#include "bloomery/apps/exchange/summary_cache.hpp"

#include <gtest/gtest.h>

#include "lab_testing.hpp"

namespace bloomery::systems {
namespace {

using testing::as_promised;
using testing::run_experiment;

const lab::figure& figure_called(const lab::result& found, std::string_view what) {
  const auto each = std::ranges::find(found.figures(), what, &lab::figure::what);
  EXPECT_NE(each, found.figures().end()) << what;
  return *each;
}

TEST(summary_cache_system, needs_far_fewer_messages_than_icp) {
  const lab::result found = run_experiment("C1", {});
  EXPECT_TRUE(as_promised(found));
  EXPECT_EQ(found.nevers().size(), 5);
  EXPECT_GT(figure_called(found, "messages of ICP for one of ours").measured, 25);
  const lab::figure& update = figure_called(found, "bytes of an update");
  EXPECT_LT(update.measured, update.rivals.at(0).value);
}

TEST(summary_cache_system, summaries_that_are_never_sent_save_messages_and_lose_hits) {
  const lab::result found =
      run_experiment("C1", {{"requests", "20k"}, {"cache", "1k"}, {"threshold", "100%"}});
  EXPECT_FALSE(found.as_promised());  // the hit ratio
  const lab::figure& hits = figure_called(found, "hit ratio");
  EXPECT_LT(hits.measured, hits.rivals.at(0).value - 0.01);
}

TEST(summary_cache_system, fewer_proxies_are_not_judged) {
  const lab::result found = run_experiment("C1", {{"requests", "5k"}, {"proxies", "2"}});
  EXPECT_EQ(found.nevers().size(), 2);
  EXPECT_EQ(found.notes().size(), 1);
  EXPECT_TRUE(as_promised(found));
}

TEST(summary_cache_system, caches_of_one_page_change_nothing_of_the_papers_example) {
  for (const char* hashes : {"1", "10"}) {
    const lab::result found = run_experiment(
        "C1", {{"proxies", "2"}, {"requests", "1k"}, {"cache", "1"}, {"hashes", hashes}});
    EXPECT_TRUE(as_promised(found)) << hashes;
  }
}

TEST(summary_cache_system, a_hundred_summaries_of_the_papers_size_err_as_it_says) {
  const lab::result found = run_experiment("C1", {{"requests", "1k"}, {"cache", "1k"}});
  const lab::figure& hundred =
      figure_called(found, "strangers that one of a hundred full summaries claims");
  EXPECT_TRUE(hundred.as_predicted());
  EXPECT_LE(hundred.predicted->low, 0.047);
  EXPECT_GE(hundred.predicted->high, 0.047);
  EXPECT_LT(hundred.predicted->high - hundred.predicted->low, 0.02);
}

TEST(summary_cache_system, refuses_settings_that_make_no_sense) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"proxies", "1"},
                                                                      {"documents", "0"},
                                                                      {"requests", "0"},
                                                                      {"cache", "0"},
                                                                      {"load", "0"},
                                                                      {"hashes", "65"}}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, "", [setting = name, given = value] {
      run_experiment("C1", {{setting, given}});
    }));
  }
}

}  // namespace
}  // namespace bloomery::systems
