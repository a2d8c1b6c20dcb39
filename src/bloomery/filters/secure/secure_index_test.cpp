#include "bloomery/filters/secure/secure_index.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "bloomery/math/laws/false_positive.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "guarded.hpp"
#include "sample.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using secure::content;

// Fixed, so that every run has the same bits.
index_secret secret_number(unsigned i) {
  const secure::message master(32, static_cast<std::byte>(i));
  return index_secret::load(secure::enclosed(content::index_secret, master));
}

std::vector<std::string_view> views(std::span<const std::string> words) {
  return {words.begin(), words.end()};
}

TEST(secure_index, keeps_every_word_and_its_secret) {
  static_assert(sealable<secure_index_filter>);
  expect_guarded<secure_index_filter>({2000, 7, 100, 3}, secret_number(1), secret_number(2),
                                      content::index_secret);
  EXPECT_NE(index_secret::generate().identity(), index_secret::generate().identity());
}

TEST(secure_index, is_searched_by_trapdoors_alone) {
  const index_owner owner(secret_number(1));
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
  const auto of_another = index_owner(secret_number(2)).trapdoor("w30", 20);
  EXPECT_TRUE(server.search(of_another).empty());
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint", [&] {
    const auto index = owner.index(0, std::array{std::string_view("w30")}, 50, 1e-6);
    (void)index.may_match(trapdoor(of_another));
  }));
  EXPECT_TRUE(throws_error(errc::incompatible, "parts",
                           [&] { (void)server.search(owner.trapdoor("w30", 2)); }));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes", [&] { (void)owner.trapdoor("w", 65); }));
  expect_hostile_refused(content::trapdoor, owner.trapdoor("w30", 20),
                         [](byte_view received) { (void)trapdoor(received); });
}

// A trapdoor is of one word, and its parts are of different keys.
TEST(secure_index, trapdoor_parts_are_all_different) {
  std::set<std::vector<std::byte>> parts;
  for (const char* word : {"", "a", "b"}) {
    const trapdoor made(secret_number(1), word, max_hashes);
    for (const secure::block& part : made.parts()) parts.insert({part.begin(), part.end()});
  }
  EXPECT_EQ(parts.size(), 3 * max_hashes);
}

TEST(secure_index, a_sealed_index_takes_no_more) {
  const index_secret secret = secret_number(1);
  secure_index_filter index({1000, 7, 3, 0});
  for (const char* word : {"a", "b", "b"}) index.insert_text(secret, word);
  const auto full = wire::save(index);
  EXPECT_TRUE(throws_error(errc::limit, "full", [&] { index.insert_text(secret, "c"); }));
  EXPECT_TRUE(throws_error(errc::invalid, "distinct", [&] { index.seal(secret, 4); }));
  EXPECT_TRUE(
      throws_error(errc::incompatible, "fingerprint", [&] { index.seal(secret_number(2), 2); }));
  EXPECT_EQ(wire::save(index), full);
  index.seal(secret, 2);
  EXPECT_TRUE(index.sealed() && wire::load<secure_index_filter>(wire::save(index)).sealed());
  EXPECT_TRUE(throws_error(errc::limit, "sealed", [&] { index.seal(secret, 2); }));
  EXPECT_TRUE(throws_error(errc::limit, "sealed", [&] { index.insert_text(secret, "c"); }));
  // A seal says that the record counts all tokens.
  filter_record record = index.record();
  --record.items;
  storage payload = wire::copied(wire::open_envelope(wire::save(index)).payload);
  EXPECT_TRUE(throws_error(errc::corrupt, "seal", [&] {
    (void)secure_index_filter::restore(index.shape(), record, std::move(payload));
  }));
  EXPECT_TRUE(throws_error(errc::limit, "tokens", [&] {
    (void)index_owner(secret_number(1))
        .index(1, std::array<std::string_view, 3>{"a", "b", "c"}, 2, 0.01);
  }));
}

// Goh 2003: blinded for u and not v, the fill tells nothing of how many words there are, where a
// plain filter's does. 400 tokens; the number is estimated from the zeros at the level of
// significance.
TEST(secure_index, hides_how_many_words_there_are) {
  const index_owner owner(secret_number(1));
  const auto words = numbered_words("w", 400);
  for (const std::uint64_t distinct : {0U, 5U, 200U, 400U}) {
    std::vector<std::string_view> text;
    for (std::size_t i = 0; distinct != 0 && i < 400; ++i) text.emplace_back(words[i % distinct]);
    const auto index = owner.index(distinct, text, 400, 0.01);
    EXPECT_EQ(index.record().items, 400U);
    const auto seen =
        math::estimate_keys(math::uniform_layout(index.shape().bits, index.shape().hashes),
                            index.bits().size() - index.bits().count(), 1 - significance);
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
TEST(secure_index, has_the_rate_of_its_tokens) {
  const index_owner owner(secret_number(3));
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

// Trying every word works against a plain filter. Here, without the key, members are no likelier than
// strangers; so it is with the trapdoors of another owner.
TEST(secure_index, withstands_the_dictionary_attack) {
  const auto members = numbered_words("member ", 500);
  const auto plain = plain_filter_of({5000, 7}, members);
  EXPECT_EQ(found_in_plain(plain, members), 500U);

  const index_secret attacker = secret_number(9);
  const auto index =
      guarded_filter_of<secure_index_filter>({5000, 7, 500, 1}, secret_number(1), members);
  const std::uint64_t found = found_by_trying(index.bits(), members, [&](const std::string& word) {
    return secure_index_rule::positions_of(index.shape(), attacker, word);
  });
  EXPECT_TRUE(plausible_count(found, 500, index.current_rate()));
}

// Goh 2003: the same words in two documents set unrelated bits under one key, where two plain
// filters are seen to be of the same words; only the document's number differs.
TEST(secure_index, withstands_the_correlation_attack) {
  const auto words = numbered_words("word ", 300);
  const auto plain = plain_filter_of({5000, 7}, words);
  EXPECT_FALSE(seem_unrelated(plain.bits(), plain_filter_of({5000, 7}, words).bits()));

  const index_owner owner(secret_number(1));
  const auto index = [&](std::uint64_t document, std::uint64_t tokens) {
    return owner.index(document, views(words), tokens, 0.01);
  };
  EXPECT_TRUE(seem_unrelated(index(1, 300).bits(), index(2, 300).bits()));
  EXPECT_TRUE(seem_unrelated(index(1, 600).bits(), index(2, 600).bits())) << "nor is the blinding";
  EXPECT_FALSE(seem_unrelated(index(1, 300).bits(), index(1, 300).bits()));
}

// Or a file of a hundred bytes could ask for a seal that takes years.
TEST(secure_index, has_no_more_words_than_bits) {
  EXPECT_TRUE(throws_error(errc::invalid, "tokens is 65; allowed: 1 to bits, 64", [] {
    (void)secure_index_filter({64, 7, 65, 1});
  }));
  EXPECT_NO_THROW((void)secure_index_filter({64, 7, 64, 1}));
}

}  // namespace
}  // namespace bloomery::testing
