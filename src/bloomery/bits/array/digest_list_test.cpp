#include "bloomery/bits/array/digest_list.hpp"

#include <map>

#include "parts.hpp"

namespace bloomery::bits {
namespace {

using testing::numbered_digests;
using testing::throws_error;

storage stored(const digest_list& list) {
  return testing::owned(testing::bytes_of(list));
}

TEST(digest_list, finds_what_a_map_holds) {
  for (std::uint64_t n = 0; n < 20; ++n) {
    std::map<digest, std::uint64_t> oracle;
    for (const digest d : numbered_digests(1, n)) oracle[d] = d.hi % 128;
    digest_list list(20, 7);
    for (const auto& [key, value] : oracle) list.add(key, value);
    const digest_list again(20, 7, stored(list));
    EXPECT_EQ(again.size(), n);
    EXPECT_EQ(stored(list).size(), digest_list::stored_bytes(20, 7));
    for (const auto& [key, value] : oracle) EXPECT_EQ(again.find(key), value);
    for (const digest d : numbered_digests(2, 50)) EXPECT_FALSE(again.find(d));
  }
}

TEST(digest_list, refuses_what_add_does_not_make) {
  digest_list list(5, 7);
  list.add({1, 2}, 3);
  list.add({1, 3}, 4);
  const auto refused = [&](std::size_t at, int value, const char* why) {
    EXPECT_TRUE(throws_error(errc::corrupt, why, [&] {
      storage bytes = stored(list);
      bytes.bytes_for_writing()[at] = static_cast<std::byte>(value);
      (void)digest_list(5, 7, std::move(bytes));
    }));
  };
  refused(0, 6, "6 listed keys, and room for 5");
  refused(0, 1, "out of order");
  refused(0, 3, "out of order");
  refused(64 + 8, 3, "out of order");
  refused(64 + 40, 1, "out of order");
  refused(64 + 80, 1, "");
  EXPECT_TRUE(throws_error(errc::corrupt, "", [&] { (void)digest_list(9, 7, stored(list)); }));
}

}  // namespace
}  // namespace bloomery::bits
