#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

any_filter bank_of(std::uint64_t key, const std::vector<std::string>& names) {
  const kind_entry& kind = find_kind("bank");
  const std::array entries{keyed_value{{key, key}, 1}};
  any_filter made = kind.build_map(kind.plan_map(100, 0.01, 2), entries, {}, {}, 1);
  made.set_names(names);
  return made;
}

TEST(names, go_with_the_filter_wherever_it_goes) {
  const std::vector<std::string> names{"red", "green"};
  const any_filter made = bank_of(1, names);
  EXPECT_EQ(made.copy().names(), names);
  EXPECT_EQ(load(save(made)).names(), names);
  EXPECT_EQ(load(compress(made)).names(), names);
}

TEST(names, that_differ_refuse_a_union_and_change_nothing) {
  any_filter one = bank_of(1, {"red", "green"});
  const auto before = save(one);
  const any_filter swapped = bank_of(2, {"green", "red"});
  EXPECT_TRUE(
      testing::throws_error(errc::incompatible, "named apart", [&] { one.merge(swapped); }));
  EXPECT_EQ(save(one), before);
  one.merge(bank_of(2, {"red", "green"}));
  std::array<mapped, 2> values{};
  EXPECT_EQ(one.values(std::array<digest, 2>{{{1, 1}, {2, 2}}}, values), 2U);
}

}  // namespace
}  // namespace bloomery
