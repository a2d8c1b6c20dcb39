#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/any/stored.hpp"
#include "bloomery/filters/map/bank.hpp"
#include "bloomery/filters/routing/attenuated.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

const name_list two_names(std::vector<std::string>{"red", "green"});

bank_filter bank_of(std::uint64_t key, const name_list& names) {
  const std::array entries{keyed_value{{key, key}, 1}};
  bank_filter made = bank_filter::build(bank_filter::plan_map(100, 0.01, 2), entries);
  made.set_names(names);
  return made;
}

// An empty one with names, of any kind.
any_filter named(const any_kind& kind) {
  any_filter made = kind.for_keys(60, 0.01);
  made.set_names(two_names);
  return made;
}

TEST(names, go_with_the_filter_wherever_it_goes) {
  const bank_filter made = bank_of(1, two_names);
  EXPECT_EQ(made.copy().record().names, two_names);
  EXPECT_EQ(wire::load<bank_filter>(wire::save(made)).record().names, two_names);
  const any_filter any(made);
  EXPECT_EQ(any.record().names, two_names);
  EXPECT_EQ(any.copy().record().names, two_names);
  EXPECT_EQ(any.get_if<bank_filter>()->record().names, two_names);
  EXPECT_EQ(load(save(any)).record().names, two_names);
  EXPECT_EQ(load(compress(any)).record().names, two_names);
  EXPECT_EQ(save(any), wire::save(made));
}

TEST(names, are_kept_by_every_kind_that_folds_reduces_or_advertises) {
  for (const any_kind& kind : kinds()) {
    const any_filter made = named(kind);
    EXPECT_EQ(load(save(made)).record().names, two_names) << kind.info.name;
    if (const auto* foldable = made.can<folds>()) {
      EXPECT_EQ(foldable->folded(1).record().names, two_names) << kind.info.name;
    }
    if (const auto* reducible = made.can<reduces>()) {
      EXPECT_EQ(reducible->plain().record().names, two_names) << kind.info.name;
    }
    if (const auto* told = made.can<advertises>()) {
      EXPECT_EQ(told->advertisement({}, 1).record().names, two_names) << kind.info.name;
    }
  }
}

TEST(names, that_differ_refuse_a_union_and_change_nothing) {
  any_filter one = bank_of(1, two_names);
  const auto before = save(one);
  const any_filter swapped = bank_of(2, std::vector<std::string>{"green", "red"});
  EXPECT_TRUE(testing::throws_error(errc::incompatible, "different names",
                                    [&] { one.as<merges>().merge(swapped); }));
  EXPECT_EQ(save(one), before);
  one.as<merges>().merge(bank_of(2, two_names));
  std::array<mapped, 2> values{};
  EXPECT_EQ(one.as<maps>().values(std::array<digest, 2>{{{1, 1}, {2, 2}}}, values), 2U);
}

}  // namespace
}  // namespace bloomery
