#include "bloomery/filters/secure/oblivious.hpp"

#include "guarded.hpp"
#include "secrets.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using secure::number;
using enum oblivious_protocol;

class oblivious : public ::testing::TestWithParam<oblivious_protocol> {
 protected:
  const oblivious_secret secret = fixed_oblivious_secret(GetParam());
  const oblivious_secret impostor = impostor_secret(GetParam());
};

TEST_P(oblivious, keeps_every_word_and_its_key) {
  expect_guarded<oblivious_filter>(shape_with(GetParam(), 2000, 7), secret, impostor);
}

// σ^e = H(x) with RSA; with the other protocol a proof shows it, of this x and this key alone.
TEST_P(oblivious, signatures_can_be_checked) {
  const oblivious_public& known = secret.known();
  const number x = known.hash("zebra");
  const number signature = secret.sign(x);
  if (GetParam() == rsa) {
    EXPECT_TRUE(known.ring().power(signature, number(secure::rsa_key::exponent)) == x);
    return;
  }
  const auto proof = secret.prove(x, signature);
  EXPECT_EQ(proof.size(), oblivious_secret::proof_bytes);
  EXPECT_TRUE(known.proves(x, signature, proof));
  EXPECT_FALSE(known.proves(known.hash("other"), signature, proof));
  EXPECT_FALSE(known.proves(x, impostor.sign(x), proof));
  EXPECT_FALSE(impostor.known().proves(x, signature, proof));
  EXPECT_FALSE(known.proves(x, signature, byte_view(proof).first(proof.size() - 1)));
}

TEST_P(oblivious, another_protocol_is_refused) {
  const oblivious_secret other = fixed_oblivious_secret(GetParam() == rsa ? oprf : rsa);
  oblivious_filter filter(shape_with(GetParam(), 60, 3));
  EXPECT_TRUE(
      throws_error(errc::incompatible, "protocol", [&] { filter.insert_text(other, "zebra"); }));
  filter.insert_text(secret, "zebra");
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { (void)filter.may_contain_text(other, "zebra"); }));
}

// Who knows all that is public, the key, H and H', finds members in a plain filter by trying, and
// here no more of them than of strangers: σ is missing. Two servers' filters of one set are unrelated.
TEST_P(oblivious, withstands_the_dictionary_attack) {
  const auto members = numbered_words("member ", 100);
  EXPECT_EQ(found_in_plain(plain_filter_of({700, 4}, members), members), 100U);
  const auto filter =
      guarded_filter_of<oblivious_filter>(shape_with(GetParam(), 700, 4), secret, members);
  const oblivious_public& known = secret.known();
  const auto guess = [&](auto signature_of) {
    return found_by_trying(filter.cells().bits(), members, [&](const std::string& word) {
      const oblivious_token token(oblivious_public::token(word, signature_of(word)), known);
      return oblivious_rule::positions_of(filter.shape(), token);
    });
  };
  const std::uint64_t raw = guess([&](const std::string& word) { return known.hash(word); });
  EXPECT_TRUE(plausible_count(raw, 100, filter.current_rate()));
  const std::uint64_t all =
      guess([&](const std::string& word) { return secret.sign(known.hash(word)); });
  EXPECT_EQ(all, 100U) << "the same attack with σ";

  const auto second =
      guarded_filter_of<oblivious_filter>(shape_with(GetParam(), 700, 4), impostor, members);
  EXPECT_TRUE(seem_unrelated(filter.cells().bits(), second.cells().bits()));
}

INSTANTIATE_TEST_SUITE_P(protocols, oblivious, ::testing::Values(rsa, oprf),
                         [](const auto& chosen) {
                           return std::string(
                               oblivious_protocol_names[static_cast<std::size_t>(chosen.param)]);
                         });

}  // namespace
}  // namespace bloomery::testing
