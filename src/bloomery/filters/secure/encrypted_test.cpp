#include "bloomery/filters/secure/encrypted.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "guarded.hpp"
#include "secrets.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using secure::number;

TEST(encrypted, keeps_every_word_and_its_key) {
  expect_guarded<encrypted_filter>({2000, 7}, fixed_cipher_key("owner"), fixed_cipher_key("other"));
  EXPECT_NE(cipher_key::generate().identity(), cipher_key::generate().identity());
}

// Bellovin, Cheswick 2004: E_a E_b = E_b E_a, and decrypting with the inverse key gives the residue
// back.
TEST(encrypted, ciphers_commute) {
  const auto& p = secure::safe_prime();
  const cipher_key a = fixed_cipher_key("a");
  const cipher_key b = fixed_cipher_key("b");
  for (const char* word : {"", "zebra", "zebra "}) {
    const number x = secure::residue_of("bloomery encrypted filter", word);
    EXPECT_TRUE(secure::is_residue(x));
    const auto exponent = [](const cipher_key& key) {
      return number(secure::opened(secure::secret_sort::cipher_key, key.save(), 0, 1000));
    };
    EXPECT_TRUE(a.encrypt(word) == p.power(x, exponent(a)));
    const number ab = p.power(a.encrypt(word), exponent(b));
    EXPECT_TRUE(ab == p.power(b.encrypt(word), exponent(a)));
    EXPECT_TRUE(ab == p.power(x, a.times(b)));
    EXPECT_TRUE(p.power(ab, exponent(b.inverse())) == a.encrypt(word));
    EXPECT_TRUE(secure::is_residue(ab) && !(ab == x));
  }
}

// What is no exponent would send all words to a few; what is no residue tells something of it.
TEST(encrypted, refuses_impossible_numbers) {
  const auto refused = [&](const number& value) {
    const auto stored = secure::enclosed(secure::secret_sort::cipher_key, value.bytes());
    return throws_error(errc::corrupt, "holds no", [&] { (void)cipher_key::load(stored); });
  };
  const number& p = secure::safe_prime().value();
  const number& even = secure::exponents().value();
  EXPECT_TRUE(refused(number(1)));
  EXPECT_TRUE(refused(number(2)));
  EXPECT_TRUE(refused(even));
  EXPECT_TRUE(refused(p));
  EXPECT_TRUE(throws_error(errc::corrupt, "no quadratic residue",
                           [&] { (void)converted_query(even.copy(), hash_identity{}); }));
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
  const cipher_key key = fixed_cipher_key("owner");
  std::vector<std::uint64_t> counts(64);
  std::set<std::vector<std::uint64_t>> columns;
  std::vector<std::vector<std::uint64_t>> by_hash(64);
  for (const std::string& word : numbered_words("word ", 60)) {
    const hash::positions at = encrypted_rule::positions_of({64, 64}, key, word);
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
  const cipher_key attacker = fixed_cipher_key("attacker");
  const auto filter =
      guarded_filter_of<encrypted_filter>({700, 4}, fixed_cipher_key("owner"), members);
  const auto tried = [&](const std::string& word) {
    return encrypted_rule::positions_of(filter.shape(), attacker, word);
  };
  EXPECT_TRUE(plausible_count(found_by_trying(filter.cells().bits(), members, tried), 100,
                              filter.current_rate()));

  // Two owners of the same words: seen in plain filters, hidden by their keys; one owner's are seen.
  EXPECT_FALSE(seem_unrelated(plain_filter_of({700, 4}, members).cells().bits(),
                              plain_filter_of({700, 4}, members).cells().bits()));
  const auto second = guarded_filter_of<encrypted_filter>({700, 4}, attacker, members);
  EXPECT_TRUE(seem_unrelated(filter.cells().bits(), second.cells().bits()));
  EXPECT_FALSE(seem_unrelated(filter.cells().bits(), filter.copy().cells().bits()));
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { (void)filter.estimated_overlap(second); }));
}

}  // namespace
}  // namespace bloomery::testing
