#include "bloomery/apps/exchange/sharing_proxy.hpp"

#include <gtest/gtest.h>

#include "bloomery/hash/key.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

constexpr peer owner{0};

// Keeps what is sent, by receiver.
class kept_mail final : public outbox {
 public:
  std::map<peer, std::vector<std::vector<std::byte>>> sent_to;

 private:
  void do_send(peer to, byte_view message) override {
    sent_to[to].emplace_back(message.begin(), message.end());
  }
  void do_wake(time /*at*/, std::uint64_t /*token*/) override {}
  void do_tell(const event& /*happened*/) override {}
};

std::string said(sharing_proxy& proxy, const std::string& line) {
  kept_mail out;
  proxy.receive({}, owner, bytes_of(line), out);
  std::string text;
  for (const auto& message : out.sent_to[owner]) text += text_of(message);
  return text;
}

TEST(sharing_proxy, neighbours_know_what_is_here_whenever_they_came) {
  sharing_proxy one({.documents = 100}, owner);
  sharing_proxy other({.documents = 100}, owner);
  kept_mail mail;
  (void)said(one, "+ http://a/\n");
  other.receive({}, peer{5}, one.join(peer{7}, "other"), mail);  // after the first update
  (void)other.join(peer{5}, "one");
  other.receive({}, peer{5}, one.join(peer{7}, "other"), mail);
  EXPECT_EQ(said(one, "? http://a/\r\n"), "http://a/\there\n");
  EXPECT_EQ(said(other, "? http://a/\n"), "http://a/\tone\n");
  EXPECT_EQ(said(other, "? http://b/\n"), "http://b/\n");

  kept_mail changes;
  one.receive({}, owner, bytes_of("- http://a/\n"), changes);
  one.receive({}, owner, bytes_of("+ http://b/\n"), changes);  // one of a hundred: enough to tell
  ASSERT_EQ(changes.sent_to[peer{7}].size(), 1);
  other.receive({}, peer{5}, changes.sent_to[peer{7}].front(), mail);
  EXPECT_EQ(said(other, "? http://a/\n"), "http://a/\n");
  EXPECT_EQ(said(other, "? http://b/\n"), "http://b/\tone\n");
  other.leave(peer{5});
  EXPECT_EQ(said(other, "? http://b/\n"), "http://b/\n");
}

TEST(sharing_proxy, lines_that_repeat_themselves_do_no_harm) {
  sharing_proxy proxy({.documents = 100}, owner);
  (void)said(proxy, "+ http://a/\n");
  (void)said(proxy, "+ http://a/\n");
  EXPECT_EQ(proxy.held(), 1);
  (void)said(proxy, "- http://b/\n");
  (void)said(proxy, "- http://a/\n");
  (void)said(proxy, "- http://a/\n");
  EXPECT_EQ(proxy.held(), 0);
  EXPECT_EQ(said(proxy, "? http://a/\n"), "http://a/\n");
  EXPECT_EQ(said(proxy, "\n"), "");
  for (const char* wrong : {"+\n", "x http://a/\n", "+http://a/\n", "? \n", "!!\n"}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, "+ URL", [&] { (void)said(proxy, wrong); }))
        << wrong;
  }
}

TEST(sharing_proxy, what_a_neighbour_gets_wrong_leaves_what_was_known) {
  sharing_proxy one({.documents = 100}, owner);
  sharing_proxy other({.documents = 100}, owner);
  kept_mail mail;
  (void)said(one, "+ http://a/\n");
  (void)other.join(peer{5}, "one");
  other.receive({}, peer{5}, one.join(peer{7}, "other"), mail);
  EXPECT_TRUE(testing::throws_error(
      errc::corrupt, "", [&] { other.receive({}, peer{5}, bytes_of("nonsense"), mail); }));
  EXPECT_EQ(said(other, "? http://a/\n"), "http://a/\tone\n");
}

// A few bytes can be a summary of any size, with almost all of it zeros.
TEST(sharing_proxy, a_summary_far_larger_than_ones_own_is_refused) {
  sharing_proxy huge({.documents = 10'000'000}, owner);
  sharing_proxy small({.documents = 100}, owner);
  kept_mail mail;
  (void)small.join(peer{5}, "huge");
  const std::vector<std::byte> bomb = huge.join(peer{7}, "small");
  EXPECT_LT(bomb.size(), 10'000);
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "1 MiB", [&] { small.receive({}, peer{5}, bomb, mail); }));
  EXPECT_EQ(said(small, "? http://a/\n"), "http://a/\n");
}

TEST(sharing_proxy, a_summary_of_megabytes_arrives_where_caches_are_as_large) {
  const summary_plan plan{.documents = 300'000, .load_factor = 64, .hashes = 64, .threshold = 1};
  sharing_proxy one(plan, owner);
  sharing_proxy other(plan, owner);
  for (int i = 0; i < 50'000; ++i) (void)said(one, "+ http://a/" + std::to_string(i) + "\n");
  (void)said(one, "!\n");
  kept_mail mail;
  (void)other.join(peer{5}, "one");
  const std::vector<std::byte> summary = one.join(peer{7}, "other");
  EXPECT_GT(summary.size(), 1 << 20);
  other.receive({}, peer{5}, summary, mail);
  EXPECT_EQ(said(other, "? http://a/49999\n"), "http://a/49999\tone\n");
}

}  // namespace
}  // namespace bloomery::apps
