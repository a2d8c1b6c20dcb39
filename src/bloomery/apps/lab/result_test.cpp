#include "bloomery/apps/lab/result.hpp"

#include <random>

#include "bloomery/apps/lab/request.hpp"
#include "testing.hpp"

namespace bloomery::lab {
namespace {

using testing::throws_error;

TEST(lab_result, is_as_promised_until_something_happens_or_a_figure_is_off) {
  result found;
  EXPECT_TRUE(found.as_promised());
  found.never("a thing", 0, 10);
  found.add(told("size", unit::bytes, 1e9));
  found.add(exactly("rows", unit::count, 1800, 1800));
  found.add(share_of("let through", 100, 10'000, 0.01));
  EXPECT_TRUE(found.as_promised());
  result happened = found;
  happened.never("another", 1, 10);
  EXPECT_FALSE(happened.as_promised());
  result off = found;
  off.add(share_of("let through", 200, 10'000, 0.01));
  EXPECT_FALSE(off.as_promised());
  found.add(exactly("rows", unit::count, 1801, 1800));
  EXPECT_FALSE(found.as_promised());
}

TEST(lab_result, takes_its_figures_from_the_ledger) {
  apps::ledger book;
  for (int i = 0; i < 1000; ++i) book.record(i < 30, i < 20);
  const figure share = false_positives_of("f", book, 0.01);
  EXPECT_DOUBLE_EQ(share.measured, 10.0 / 980);
  EXPECT_TRUE(share.as_predicted());
  EXPECT_FALSE(false_positives_of("f", book, 0.1).as_predicted());
  apps::ledger more = book;
  more += book;
  EXPECT_EQ(more.asked(), 2000);
  EXPECT_EQ(more.true_positives(), 40);
}

TEST(lab_result, judges_a_mean_by_the_spread_of_its_values) {
  std::mt19937_64 random(1);
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(static_cast<double>(random() % 1001));
  EXPECT_TRUE(mean_of("m", unit::real, values, 500).as_predicted());
  EXPECT_FALSE(mean_of("m", unit::real, values, 600).as_predicted());
}

TEST(lab_result, does_not_take_rare_events_that_did_not_happen_for_a_fault) {
  const std::vector<double> none(100, 0);
  EXPECT_TRUE(mean_of("m", unit::share, none, 1e-6).as_predicted());
  EXPECT_TRUE(mean_of("m", unit::count, none, 0.01).as_predicted());
  EXPECT_FALSE(mean_of("m", unit::share, none, 0.5).as_predicted());
  EXPECT_TRUE(mean_of("m", unit::count, none, 0).as_predicted());
}

TEST(lab_request, has_defaults_and_refuses_what_it_does_not_know) {
  constexpr std::array settings{setting{"ops", "1M", "how many"},
                                setting{"rate", "1%", "how often"},
                                setting{"file", "words", "what"}};
  host nothing;
  const request plain(settings, {}, 7, nothing);
  EXPECT_EQ(plain.count("ops"), 1'000'000);
  EXPECT_EQ(plain.ratio("rate"), 0.01);
  const request given(settings, {{"ops", "12"}, {"rate", "x"}}, 7, nothing);
  EXPECT_EQ(given.count("ops"), 12);
  EXPECT_TRUE(throws_error(errc::invalid, "the setting rate", [&] { (void)given.ratio("rate"); }));
  EXPECT_TRUE(throws_error(errc::unsupported, "files", [&] { (void)plain.lines("file"); }));
  EXPECT_TRUE(throws_error(errc::invalid, "did you mean 'ops'", [&] {
    request(settings, {{"op", "1"}}, 7, nothing);
  }));
}

TEST(lab_request, splits_lines_without_losing_any) {
  EXPECT_EQ(lines_of("a\n\nb"), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(lines_of("a\n"), std::vector<std::string>{"a"});
  EXPECT_TRUE(lines_of("").empty());
}

TEST(lab_request, numbers_digests_by_seed_and_stream) {
  EXPECT_EQ(numbered(1, 2, 3), numbered(1, 2, 3));
  EXPECT_NE(numbered(1, 2, 3), numbered(2, 2, 3));
  EXPECT_NE(numbered(1, 2, 3), numbered(1, 3, 3));
  EXPECT_NE(numbered(1, 2, 3), numbered(1, 2, 4));
}

}  // namespace
}  // namespace bloomery::lab
