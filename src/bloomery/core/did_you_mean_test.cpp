#include "bloomery/core/did_you_mean.hpp"

#include <array>

#include "testing.hpp"

namespace bloomery {
namespace {

constexpr std::array<std::string_view, 8> names{
    "add", "age", "blocked", "blocked-counting", "query", "cuckoo", "counter-braids", "compress"};

TEST(did_you_mean, finds_the_nearest_name) {
  for (const auto& [typed, meant] : {std::pair{"quer", "query"},
                                     {"qurey", "query"},
                                     {"queri", "query"},
                                     {"qquery", "query"},
                                     {"ad", "add"},
                                     {"blokced", "blocked"},
                                     {"cuko", "cuckoo"},
                                     {"counterbraids", "counter-braids"},
                                     {"compr", "compress"},
                                     {"blocked-coutning", "blocked-counting"}}) {
    EXPECT_EQ(did_you_mean(typed, names), "; did you mean '" + std::string(meant) + "'?") << typed;
  }
}

TEST(did_you_mean, is_silent_if_none_is_near) {
  for (const char* typed : {"", "x", "frobnicate", "zz", "standard"}) {
    EXPECT_EQ(did_you_mean(typed, names), "") << typed;
  }
  EXPECT_EQ(did_you_mean(std::string(1'000'000, 'a'), names), "");
  EXPECT_EQ(did_you_mean("query", {}), "");
}

}  // namespace
}  // namespace bloomery
