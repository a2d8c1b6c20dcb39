#include "bloomery/apps/gate/watch_list.hpp"

#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::numbered_digests;
using testing::throws_error;

struct names {
  std::vector<digest> suspects = numbered_digests(1, 3000);
  std::vector<digest> cleared = numbered_digests(2, 1500);
  std::vector<digest> strangers = numbered_digests(3, 100'000);
};

template <class List>
void expect_listed_exact(const List& list, const names& all, standing cleared_as) {
  for (const digest name : all.suspects) EXPECT_EQ(list.of(name), standing::suspect);
  for (const digest name : all.cleared) {
    const standing told = list.of(name);
    EXPECT_TRUE(told == standing::cleared || told == cleared_as);
  }
}

TEST(watch_list, is_exact_on_listed_names_and_errs_on_others_at_its_rate) {
  const names all;
  for (const char* kind : {"bloomier", "fuse", "ribbon"}) {
    const watch_list list(all.suspects, all.cleared, 0.01, kind);
    expect_listed_exact(list, all, standing::cleared);
    std::uint64_t wrong = 0;
    for (const digest name : all.strangers) wrong += std::uint64_t{list.of(name) != standing::ok};
    EXPECT_TRUE(testing::plausible_count(wrong, all.strangers.size(), list.rate())) << kind;
    EXPECT_LE(list.rate(), 0.01);
  }
}

TEST(watch_list, refuses_a_name_in_both_lists_and_a_kind_that_is_no_map) {
  const names all;
  EXPECT_TRUE(throws_error(errc::invalid, "", [&] {
    watch_list(all.suspects, std::span(all.suspects).first(1), 0.01);
  }));
  EXPECT_TRUE(throws_error(errc::unsupported, "values",
                           [&] { watch_list(all.suspects, all.cleared, 0.01, "standard"); }));
}

// Cleared names that the filter does not accuse anyway need not be listed.
TEST(exception_list, lists_the_cleared_whom_its_filter_accuses) {
  const names all;
  const exception_list list(all.suspects, all.cleared, 0.1, "fuse");
  expect_listed_exact(list, all, standing::ok);
  EXPECT_TRUE(testing::plausible_count(
      list.exceptions(), all.cleared.size(),
      find_kind("fuse").predicted_rate(find_kind("fuse").plan(3000, 0.1), 3000)));
}

TEST(watch_list, of_nobody_suspects_few) {
  const watch_list list({}, {}, 0.01);
  std::uint64_t wrong = 0;
  const auto strangers = numbered_digests(4, 10'000);
  for (const digest name : strangers) wrong += std::uint64_t{list.of(name) != standing::ok};
  EXPECT_TRUE(testing::plausible_limit(wrong, strangers.size(), 0.01));
}

}  // namespace
}  // namespace bloomery::apps
