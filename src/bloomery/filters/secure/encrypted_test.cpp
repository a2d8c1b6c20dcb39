#include "bloomery/filters/secure/encrypted.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "guarded.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using secure::content;
using secure::modulus_bytes;
using secure::number;

// Fixed, so that every run has the same bits.
cipher_key key_of(const std::string& holder) {
  secure::secret_bytes exponent = secure::exponents().hash("test key", holder).bytes(modulus_bytes);
  exponent.back() |= std::byte{1};
  return cipher_key::load(secure::enclosed(content::cipher_secret, exponent));
}

TEST(encrypted, keeps_every_word_and_its_key) {
  expect_guarded<encrypted_filter>({2000, 7}, key_of("owner"), key_of("other"),
                                   content::cipher_secret);
  EXPECT_NE(cipher_key::generate().identity(), cipher_key::generate().identity());
}

// Bellovin, Cheswick 2004: E_a E_b = E_b E_a, and decrypting with the inverse key gives the residue
// back.
TEST(encrypted, ciphers_commute) {
  const auto& p = secure::safe_prime();
  const cipher_key a = key_of("a");
  const cipher_key b = key_of("b");
  for (const char* word : {"", "zebra", "zebra "}) {
    const number x = secure::residue_of("bloomery encrypted filter", word);
    EXPECT_TRUE(secure::is_residue(x));
    const auto exponent = [](const cipher_key& key) {
      return number(secure::opened(content::cipher_secret, key.save(), 0, 1000));
    };
    EXPECT_TRUE(a.encrypt(word) == p.power(x, exponent(a)));
    const number ab = p.power(a.encrypt(word), exponent(b));
    EXPECT_TRUE(ab == p.power(b.encrypt(word), exponent(a)));
    EXPECT_TRUE(ab == p.power(x, a.times(b)));
    EXPECT_TRUE(p.power(ab, exponent(b.inverse())) == a.encrypt(word));
    EXPECT_TRUE(secure::is_residue(ab) && !(ab == x));
  }
}

// A query that the third party converted is the owner's own query, bit for bit.
TEST(encrypted, converted_queries_are_the_owners_own) {
  const set_owner owner(key_of("owner"));
  const set_asker asker(key_of("asker"));
  const cipher_key pad = key_of("pad");
  const query_converter made(asker.share(pad), owner.share(pad));
  const query_converter third = query_converter::load(made.save());
  const auto members = numbered_words("member ", 15);
  const auto filter = guarded_filter_of<encrypted_filter>({150, 7}, owner.key(), members);
  for (const auto& words : {members, numbered_words("stranger ", 15)}) {
    for (const std::string& word : words) {
      const converted_query query(third.convert(asker.ask(word)));
      EXPECT_TRUE(query.ciphertext() == owner.key().encrypt(word));
      EXPECT_EQ(filter.may_match(query), filter.may_contain_text(owner.key(), word));
    }
  }
  // Another pad at one end, another asker, or another owner's filter: nothing would ever match.
  EXPECT_TRUE(throws_error(errc::incompatible, "pad", [&] {
    (void)query_converter(asker.share(pad), owner.share(key_of("another pad")));
  }));
  EXPECT_TRUE(throws_error(errc::incompatible, "asker",
                           [&] { (void)third.convert(set_asker(key_of("another")).ask("x")); }));
  const auto others = guarded_filter_of<encrypted_filter>({150, 7}, key_of("another"), members);
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint", [&] {
    (void)others.may_match(converted_query(third.convert(asker.ask("x"))));
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "same key", [&] {
    (void)query_converter(set_asker(key_of("owner")).share(pad), owner.share(pad));
  }));
}

TEST(encrypted, refuses_hostile_messages) {
  const set_owner owner(key_of("owner"));
  const set_asker asker(key_of("asker"));
  const cipher_key pad = key_of("pad");
  const auto asker_share = asker.share(pad);
  const auto owner_share = owner.share(pad);
  const query_converter third(asker_share, owner_share);
  const auto query = asker.ask("zebra");
  expect_hostile_refused(content::converted_query, third.convert(query),
                         [](byte_view bytes) { (void)converted_query(bytes); });
  expect_hostile_refused(content::conversion, third.save(),
                         [](byte_view bytes) { (void)query_converter::load(bytes); });
  expect_hostile_refused(content::asker_share, asker_share, [&](byte_view bytes) {
    try {
      (void)query_converter(bytes, owner_share);
    } catch (const error& problem) {  // the mark of a pad may be any
      if (problem.code() != errc::incompatible) throw;
    }
  });

  // Whatever is no residue would tell something of the exponent, and what is no exponent would
  // send all words to a few.
  const auto refused = [&](content what, const number& value, auto use) {
    const std::size_t marks = what == content::cipher_query ? sizeof(secure::key_mark) : 0;
    secure::secret_bytes body = value.bytes(modulus_bytes);
    body.resize(body.size() + marks);
    const auto bytes = secure::enclosed(what, body);
    return throws_error(errc::corrupt, "holds no", [&] { use(byte_view(bytes)); });
  };
  const auto convert = [&](byte_view bytes) { (void)third.convert(bytes); };
  const auto load = [](byte_view bytes) { (void)cipher_key::load(bytes); };
  const number& p = secure::safe_prime().value();
  const number& even = secure::exponents().value();
  EXPECT_TRUE(refused(content::cipher_query, number(0), convert));
  EXPECT_TRUE(refused(content::cipher_query, number(1), convert));
  EXPECT_TRUE(refused(content::cipher_query, even, convert)) << "-1 is no square";
  EXPECT_TRUE(refused(content::cipher_query, p, convert));
  const number x = secure::residue_of("any", "word");
  EXPECT_TRUE(refused(content::cipher_query, secure::safe_prime().product(x, even), convert));
  EXPECT_TRUE(refused(content::cipher_secret, number(1), load));
  EXPECT_TRUE(refused(content::cipher_secret, number(2), load));
  EXPECT_TRUE(refused(content::cipher_secret, even, load));
  EXPECT_TRUE(refused(content::cipher_secret, p, load));
}

TEST(encrypted, slices_fit_into_one_ciphertext) {
  EXPECT_EQ((encrypted_shape{1000, 31}.slice_bits()), 64U);
  EXPECT_EQ((encrypted_shape{1000, 50}.slice_bits()), 40U);
  EXPECT_NO_THROW(require_valid(encrypted_shape{std::uint64_t{1} << 30, 50}));
  EXPECT_TRUE(throws_error(errc::limit, "hashes is 50; allowed with 1073741825 bits: 1 to 49", [] {
    require_valid(encrypted_shape{(std::uint64_t{1} << 30) + 1, 50});
  }));
  EXPECT_LE(encrypted_filter::predicted_rate(encrypted_filter::plan(1'000'000, 1e-15), 1'000'000),
            1e-15);
}

// 64 slices of 60 ciphertexts at the width that 64 hashes leave, over 64 cells (chi-square); no two
// slices of a ciphertext are the same bits.
TEST(encrypted, positions_are_uniform) {
  const cipher_key key = key_of("owner");
  std::vector<std::uint64_t> counts(64);
  std::set<std::vector<std::uint64_t>> columns;
  std::vector<std::vector<std::uint64_t>> by_hash(64);
  for (const std::string& word : numbered_words("word ", 60)) {
    const positions at = encrypted_rule::positions_of({64, 64}, key, word);
    ASSERT_EQ(at.size(), 64U);
    for (std::size_t i = 0; i < 64; ++i) {
      ++counts[at[i]];
      by_hash[i].push_back(at[i]);
    }
  }
  EXPECT_TRUE(plausibly_uniform(counts));
  columns.insert(by_hash.begin(), by_hash.end());
  EXPECT_EQ(columns.size(), 64U);
}

// Members are found by trying in a plain filter, and under an attacker's key no more than strangers.
TEST(encrypted, withstands_the_dictionary_attack) {
  const auto members = numbered_words("member ", 100);
  EXPECT_EQ(found_in_plain(plain_filter_of({700, 4}, members), members), 100U);
  const cipher_key attacker = key_of("attacker");
  const auto filter = guarded_filter_of<encrypted_filter>({700, 4}, key_of("owner"), members);
  const auto tried = [&](const std::string& word) {
    return encrypted_rule::positions_of(filter.shape(), attacker, word);
  };
  EXPECT_TRUE(
      plausible_count(found_by_trying(filter.bits(), members, tried), 100, filter.current_rate()));

  // Two owners of the same words: seen in plain filters, hidden by their keys; one owner's are seen.
  EXPECT_FALSE(seem_unrelated(plain_filter_of({700, 4}, members).bits(),
                              plain_filter_of({700, 4}, members).bits()));
  const auto second = guarded_filter_of<encrypted_filter>({700, 4}, attacker, members);
  EXPECT_TRUE(seem_unrelated(filter.bits(), second.bits()));
  EXPECT_FALSE(seem_unrelated(filter.bits(), filter.copy().bits()));
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { (void)filter.estimated_overlap(second); }));
}

}  // namespace
}  // namespace bloomery::testing
