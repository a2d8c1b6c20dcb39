#include "bloomery/bits/table/peeled_table.hpp"

#include "bloomery/math/kinds/bloomier.hpp"
#include "parts.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;
using testing::throws_error;

constexpr peeled_layout layout{.slots = 200, .hashes = 3, .width = 17};

storage stored(const peeled_table& table) {
  return testing::owned(testing::bytes_of(table));
}

peeled_table built() {
  return peeled_table::build(layout, numbered_digests(1, 100),
                             [](std::uint64_t key, std::uint64_t) { return 1000 + key; });
}

// The choices told are slots of the key, and no two keys have the same.
TEST(peeled_table, gives_each_key_a_slot_of_its_own) {
  const auto keys = numbered_digests(1, 100);
  std::vector<std::uint64_t> choices(keys.size());
  const auto table = peeled_table::build(
      layout, keys, [&](std::uint64_t key, std::uint64_t at) { return choices[key] = at; });
  std::vector<bool> taken(layout.slots);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto at = table.locate(keys[i]);
    EXPECT_EQ(table.code(at), choices[i]);
    ASSERT_LT(choices[i], 3U);
    EXPECT_FALSE(taken[at.slots[choices[i]]]);
    taken[at.slots[choices[i]]] = true;
  }
}

TEST(peeled_table, is_restored_or_refused) {
  const auto table = built();
  const peeled_table again(layout, stored(table));
  const auto keys = numbered_digests(1, 100);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(again.code(again.locate(keys[i])), 1000 + i);
  const auto refused = [&](std::size_t byte, int value, const char* why) {
    EXPECT_TRUE(throws_error(errc::corrupt, why, [&] {
      storage bytes = stored(table);
      bytes.bytes_for_writing()[byte] = static_cast<std::byte>(value);
      (void)peeled_table(layout, std::move(bytes));
    }));
  };
  refused(0, 65, "of attempt 65");
  refused(0, 0, "no keys");
  refused(8, 1, "padding");
  refused(64 + 200 * 17 / 8, 1, "");
  EXPECT_TRUE(throws_error(errc::corrupt, "", [&] {
    (void)peeled_table({.slots = 300, .hashes = 3, .width = 17}, stored(table));
  }));
  EXPECT_TRUE(throws_error(errc::corrupt, "", [] { (void)peeled_table(layout, storage()); }));
  const peeled_table none(layout, storage::allocate(peeled_table::stored_bytes(layout)));
  EXPECT_TRUE(none.empty() && !again.empty());
}

}  // namespace
}  // namespace bloomery::bits
