// The keys people have are not random: counters, strides, pointers, numbers shifted up. Under the
// fast integer hash every kind must answer strangers of the same structure as its bits predict.
#include <functional>
#include <memory>

#include "bloomery/any/registry.hpp"
#include "bloomery/hash/policies.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

struct structure {
  const char* name;
  std::function<std::uint64_t(std::uint64_t)> key;  // distinct for distinct arguments
};

std::vector<structure> structures() {
  return {
      {"sequential", [](std::uint64_t i) { return i; }},
      {"from the top down", [](std::uint64_t i) { return ~i; }},
      {"stride 2^12", [](std::uint64_t i) { return i << 12; }},
      {"stride 1000", [](std::uint64_t i) { return i * 1000; }},
      {"high bits only", [](std::uint64_t i) { return i << 43; }},
      {"pointers", [](std::uint64_t i) { return 0x7f3a'0000'0000 + 48 * i; }},
      {"two halves alike", [](std::uint64_t i) { return i << 32 | i; }},
      {"bits reversed",
       [](std::uint64_t i) {
         std::uint64_t reversed = 0;
         for (int bit = 0; bit < 64; ++bit) reversed |= (i >> bit & 1) << (63 - bit);
         return reversed;
       }},
      {"Gray code", [](std::uint64_t i) { return i ^ i >> 1; }},
  };
}

std::vector<digest> digests_of(const structure& keys, std::uint64_t first, std::uint64_t count) {
  const integer_hash hash;
  std::vector<digest> digests;
  digests.reserve(count);
  for (std::uint64_t i = first; i < first + count; ++i) digests.push_back(hash(keys.key(i)));
  return digests;
}

// 100,000 keys at 1 % and a million strangers, for every kind that knows its rate: from its bits, or
// else exactly. The fill, too, must be that of 100,000 random keys.
TEST(structured_keys, keep_the_rate_under_the_integer_hash) {
  constexpr std::uint64_t members = 100'000;
  constexpr std::uint64_t strangers = 1'000'000;
  std::vector<std::pair<kind_ref, shape_values>> planned;
  for (const any_kind& kind : kinds()) {
    if (!kind.takes_keys() || !kind.can<asks>()) continue;
    if (!kind.can<measures>() && kind.can<inserts>()) continue;
    planned.emplace_back(kind, kind.plan(members, 0.01));
  }
  const auto answers = std::make_unique<bool[]>(strangers);
  for (const structure& keys : structures()) {
    const auto inserted = digests_of(keys, 0, members);
    const auto asked = digests_of(keys, members, strangers);
    for (const auto& [planned_kind, shape] : planned) {
      const any_kind& kind = planned_kind;
      const any_filter filter =
          kind.build(shape, inserted, integer_hash{}.identity(), {members, 0.01}, 1);
      const std::uint64_t hits = filter.as<asks>().may_contain(asked, {answers.get(), strangers});
      const double rate = kind.can<measures>()
                              ? filter.as<tells_rate>().current_rate()
                              : filter.kind().predicted_rate(filter.shape(), members);
      EXPECT_TRUE(testing::plausible_count(hits, strangers, rate))
          << kind.info.name << ", " << keys.name;
      if (!kind.can<measures>()) continue;
      const auto estimated = filter.as<measures>().estimated_keys(1 - testing::significance);
      EXPECT_LE(estimated.low, members) << kind.info.name << ", " << keys.name;
      EXPECT_GE(estimated.high, members) << kind.info.name << ", " << keys.name;
    }
  }
}

}  // namespace
}  // namespace bloomery
