#include "bloomery/apps/security/index_search.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "bloomery/math/laws/estimate.hpp"
#include "bloomery/math/laws/occupancy.hpp"
#include "guarded.hpp"
#include "hostile.hpp"
#include "sample.hpp"
#include "secrets.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

std::vector<std::string_view> views(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

TEST(index_search, is_searched_by_trapdoors_alone) {
  const index_owner owner(fixed_index_secret(1));
  index_server server;
  const auto words = numbered_words("w", 60);
  for (std::uint64_t document = 0; document < 20; ++document) {
    server.add(owner.index(document, views(std::span(words).subspan(document, 40)), 50, 1e-6));
  }
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    std::vector<std::uint64_t> holders;
    for (std::uint64_t d = 0; d < 20; ++d) {
      if (d <= i && i < d + 40) holders.push_back(d);
    }
    EXPECT_EQ(server.search(owner.trapdoor(words[i], 20)), holders) << i;
  }
  const auto of_another = index_owner(fixed_index_secret(2)).trapdoor("w30", 20);
  EXPECT_TRUE(server.search(of_another).empty());
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint", [&] {
    const auto index = owner.index(0, std::array{std::string_view("w30")}, 50, 1e-6);
    (void)index.may_match(receive_trapdoor(of_another));
  }));
  EXPECT_TRUE(throws_error(errc::incompatible, "parts",
                           [&] { (void)server.search(owner.trapdoor("w30", 2)); }));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes", [&] { (void)owner.trapdoor("w", 65); }));
  EXPECT_TRUE(throws_error(errc::limit, "tokens", [&] {
    (void)owner.index(1, std::array<std::string_view, 3>{"a", "b", "c"}, 2, 0.01);
  }));
}

TEST(index_search, refuses_hostile_trapdoors) {
  const auto good = index_owner(fixed_index_secret(1)).trapdoor("w30", 20);
  const trapdoor received = receive_trapdoor(good);
  EXPECT_EQ(received.identity(), fixed_index_secret(1).identity());
  EXPECT_EQ(send(received), good);
  expect_hostile_message_refused(good, [&](byte_view bytes) {
    EXPECT_TRUE(std::ranges::equal(send(receive_trapdoor(bytes)), bytes));
  });
}

// Blinded for u and not v, the fill tells nothing of how many words there are, where a plain
// filter's does. 400 tokens; the number is estimated from the zeros at the level of significance.
TEST(index_search, hides_how_many_words_there_are) {
  const index_owner owner(fixed_index_secret(1));
  const auto words = numbered_words("w", 400);
  for (const std::uint64_t distinct : {0U, 5U, 200U, 400U}) {
    std::vector<std::string_view> text;
    for (std::size_t i = 0; distinct != 0 && i < 400; ++i) text.emplace_back(words[i % distinct]);
    const auto index = owner.index(distinct, text, 400, 0.01);
    EXPECT_EQ(index.record().items, 400U);
    const auto seen = math::estimate_keys(
        math::uniform_layout(index.shape().bits, index.shape().hashes),
        index.cells().bits().size() - index.cells().bits().count(), 1 - significance);
    EXPECT_LE(seen.low, 400) << distinct;
    EXPECT_GE(seen.high, 400) << distinct;
    for (const std::string_view word : text) {
      EXPECT_TRUE(index.may_contain_text(owner.secret(), word));
    }

    const auto open = plain_filter_of({index.shape().bits, index.shape().hashes},
                                      {words.begin(), words.begin() + static_cast<long>(distinct)});
    EXPECT_EQ(open.estimated_keys(1 - significance).high >= 400, distinct == 400);
  }
}

// 150 indexes of 30 words and 60 tokens, 200 strangers each: the rate is that of 60.
TEST(index_search, has_the_rate_of_its_tokens) {
  const index_owner owner(fixed_index_secret(3));
  const auto words = numbered_words("w", 230);
  sample rates;
  constexpr std::uint64_t documents = 150;
  for (std::uint64_t d = 0; d < documents; ++d) {
    const auto index = owner.index(d, views(std::span(words).first(30)), 60, 0.05);
    std::uint64_t hits = 0;
    for (std::size_t i = 30; i < words.size(); ++i) {
      hits += std::uint64_t{index.may_contain_text(owner.secret(), words[i])};
    }
    rates.add(static_cast<double>(hits) / 200);
  }
  const double predicted =
      secure_index_filter::predicted_rate(secure_index_filter::plan(60, 0.05), 30);
  EXPECT_TRUE(plausible_mean(rates, predicted));
}

// The same words in two documents set unrelated bits under one key, where two plain filters
// are seen to be of the same words; only the document's number differs.
TEST(index_search, withstands_the_correlation_attack) {
  const auto words = numbered_words("word ", 300);
  const auto plain = plain_filter_of({5000, 7}, words);
  EXPECT_FALSE(
      seem_unrelated(plain.cells().bits(), plain_filter_of({5000, 7}, words).cells().bits()));

  const index_owner owner(fixed_index_secret(1));
  const auto index = [&](std::uint64_t document, std::uint64_t tokens) {
    return owner.index(document, views(words), tokens, 0.01);
  };
  EXPECT_TRUE(seem_unrelated(index(1, 300).cells().bits(), index(2, 300).cells().bits()));
  EXPECT_TRUE(seem_unrelated(index(1, 600).cells().bits(), index(2, 600).cells().bits()))
      << "nor is the blinding";
  EXPECT_FALSE(seem_unrelated(index(1, 300).cells().bits(), index(1, 300).cells().bits()));
}

}  // namespace
}  // namespace bloomery::testing
