#include "bloomery/apps/overlay/known_peers.hpp"

#include "testing.hpp"

namespace bloomery::overlay {
namespace {

TEST(known_peers, are_never_sent_and_another_salt_finds_the_others) {
  std::vector<std::uint64_t> known;
  std::vector<std::uint64_t> all;
  for (std::uint64_t i = 0; i < 600; ++i) {
    all.push_back(i);
    if (i % 2 == 0) known.push_back(i);
  }
  std::set<std::uint64_t> found;
  for (const std::uint64_t salt : {1U, 2U, 3U}) {
    const auto sent = known_message(known, 260, salt);
    EXPECT_LT(sent.size(), 260 + 50);
    for (const std::uint64_t peer : open_new(new_message(all, open_known(sent), 4096))) {
      EXPECT_EQ(peer % 2, 1) << peer;
      found.insert(peer);
    }
  }
  EXPECT_GT(found.size(), 297);  // each is missed with 4 % each time
  EXPECT_EQ(open_new(new_message(all, open_known(known_message({}, 260, 1)), 10)).size(), 10);
}

TEST(known_peers, refuse_what_claims_everything_or_is_malformed) {
  using testing::throws_error;
  const std::vector<std::byte> ones(260, std::byte{0xff});
  EXPECT_TRUE(throws_error(errc::limit, "fill", [&] {
    (void)open_known(wire::write(known_peers{.salt = 1, .hashes = 7, .bits = ones}));
  }));
  EXPECT_TRUE(throws_error(errc::corrupt, "multiple of 8", [&] {
    (void)open_new(wire::write(new_peers{.peers = std::span(ones).first(9)}));
  }));
  auto damaged = known_message({}, 260, 1);
  damaged[40] ^= std::byte{1};
  EXPECT_TRUE(throws_error(errc::corrupt, "", [&] { (void)open_known(damaged); }));
}

}  // namespace
}  // namespace bloomery::overlay
