#include "bloomery/apps/meter/iceberg.hpp"

#include <random>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::numbered_digest;
using testing::throws_error;

struct stream {
  std::vector<digest> keys;
  std::vector<std::string> texts;
  std::vector<std::string_view> names;
  std::map<std::string, std::uint64_t> truth;

  stream(std::uint64_t length, std::uint64_t distinct, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < length; ++i) {
      // Much more often low than high.
      const std::uint64_t key = random() % (1 + random() % (1 + random() % distinct));
      keys.push_back(numbered_digest(1, key));
      texts.push_back("key " + std::to_string(key));
      ++truth[texts.back()];
    }
    names.assign(texts.begin(), texts.end());
  }
};

TEST(iceberg, finds_exactly_what_counting_everything_finds) {
  const stream input(40'000, 20'000, 1);
  for (const double share : {1.0, 0.2, 0.05, 0.01, 0.001, 0.0001}) {
    iceberg tip(share);
    tip.count(input.keys);
    tip.recount(input.keys, input.names);
    std::map<std::string, std::uint64_t> above;
    for (const auto& [key, count] : input.truth) {
      if (static_cast<double>(count) / 40'000 >= share) above[key] = count;
    }
    std::map<std::string, std::uint64_t> told;
    std::uint64_t before = ~std::uint64_t{0};
    for (const iceberg::tip& each : tip.found()) {
      told[each.key] = each.count;
      EXPECT_LE(each.count, before);
      before = each.count;
    }
    EXPECT_EQ(told, above) << share;
    EXPECT_GE(tip.candidates(), above.size());
  }
}

TEST(iceberg, counts_a_key_that_is_exactly_the_share) {
  for (const std::uint64_t total : {20U, 30U, 70U, 200U, 1000U}) {
    iceberg tip(0.1);
    std::vector<digest> keys;
    std::vector<std::string> texts;
    for (std::uint64_t i = 0; i < total; ++i) {
      const std::uint64_t key = i < total / 10 ? 0 : i;
      keys.push_back(numbered_digest(1, key));
      texts.push_back(std::to_string(key));
    }
    tip.count(keys);
    tip.recount(keys, std::vector<std::string_view>(texts.begin(), texts.end()));
    ASSERT_EQ(tip.threshold(), total / 10);
    ASSERT_EQ(tip.found().size(), 1U);
    EXPECT_EQ(tip.found().front().key, "0");
  }
}

TEST(iceberg, of_nothing_is_nothing_and_shares_are_checked) {
  iceberg tip(0.5);
  EXPECT_TRUE(tip.found().empty());
  for (const double share : {0.0, -0.1, 1.01}) {
    EXPECT_TRUE(throws_error(errc::invalid, "share", [&] { iceberg refused(share); }));
  }
}

}  // namespace
}  // namespace bloomery::apps
