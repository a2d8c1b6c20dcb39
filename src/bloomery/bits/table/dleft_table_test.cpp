#include "bloomery/bits/table/dleft_table.hpp"

#include <map>

#include "testing.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;

// Tags of a few hundred keys in narrow and wide buckets and in pairs, against a map; then all of them
// given anew, a third given up.
TEST(dleft_table, keeps_and_renews_tags) {
  for (const dleft_table::layout& size : {dleft_table::layout{4, 40, 3, 12, 6},
                                          {4, 40, 7, 12, 6},
                                          {4, 40, 8, 12, 4},
                                          {3, 40, 8, 9, 4}}) {
    dleft_table table(size);
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> oracle;
    const auto keys = numbered_digests(size.cells, 300);
    for (const digest d : keys) {
      const auto at = table.locate(d);
      const std::uint64_t tag = 1 + hash::mix(d.lo) % 14;
      table.search([&](const auto& by) {
        table.insert(by, at, tag, [&](std::uint64_t cell) { table.set_tag(cell, tag); });
      });
      oracle[{at.buckets[0], at.remainder}] = tag;
    }
    const auto check = [&] {
      std::uint64_t held = 0;
      table.each_tag([&](std::uint64_t) { ++held; });
      EXPECT_EQ(held, oracle.size());
      for (const digest d : numbered_digests(size.cells, 600)) {
        const auto at = table.locate(d);
        const auto known = oracle.find({at.buckets[0], at.remainder});
        ASSERT_EQ(table.search([&](const auto& by) { return table.contains(by, at); }),
                  known != oracle.end());
        if (known != oracle.end()) {
          ASSERT_EQ(table.tag(table.find(at)), known->second);
        }
      }
      EXPECT_NO_THROW(dleft_table(size, storage::view(table.bytes()))) << "no gaps";
    };
    check();
    table.renew([](std::uint64_t tag) { return tag % 3 == 0 ? 0 : tag + 1; });
    std::erase_if(oracle, [](const auto& entry) { return entry.second % 3 == 0; });
    for (auto& entry : oracle) ++entry.second;
    check();
  }
}

// A remainder is moved to each other cell in turn that it may lie in, and copied: it may not be there
// twice. No other copy of it is refused.
TEST(dleft_table, refuses_two_cells_for_one_key) {
  for (const unsigned cells : {3U, 8U}) {
    const dleft_table::layout size{4, 5, cells, 12, 4};
    const auto at = dleft_table(size).locate({std::uint64_t{3} << 61, ~std::uint64_t{0} / 7});
    std::uint64_t refused = 0;
    const std::uint64_t buckets = size.tables * size.buckets;
    for (std::uint64_t own = 0; own < size.tables; ++own) {
      for (std::uint64_t other = 0; other < buckets; ++other) {
        bucket_table raw(buckets, cells, 16);
        const std::uint64_t copy = raw.cell(other, 0);
        raw.set(at.buckets[own], at.remainder << 4 | 1);
        raw.set(raw.get(copy) == 0 ? copy : copy + 16, at.remainder << 4 | 2);
        const auto restore = [&] { (void)dleft_table(size, storage::view(raw.bytes())); };
        const bool its_own =
            std::find(at.buckets.begin(), at.buckets.begin() + 4, copy) != at.buckets.begin() + 4;
        if (its_own) {
          EXPECT_TRUE(
              testing::throws_error(errc::corrupt, "the same bucket and remainder", restore));
          ++refused;
        } else {
          EXPECT_NO_THROW(restore()) << own << ", " << other;
        }
      }
    }
    EXPECT_EQ(refused, 16U);
  }
}

}  // namespace
}  // namespace bloomery::bits
