#include "bloomery/apps/security/query_conversion.hpp"

#include <gtest/gtest.h>

#include <string>

#include "guarded.hpp"
#include "hostile.hpp"
#include "secrets.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

using secure::number;

// What the third party makes of a query is the owner's own, bit for bit.
TEST(query_conversion, converted_queries_are_the_owners_own) {
  const set_owner owner(fixed_cipher_key("owner"));
  const set_asker asker(fixed_cipher_key("asker"));
  const cipher_key pad = fixed_cipher_key("pad");
  const query_converter made(asker.share(pad), owner.share(pad));
  const query_converter third = query_converter::load(made.save());
  const auto members = numbered_words("member ", 15);
  const auto filter = guarded_filter_of<encrypted_filter>({150, 7}, owner.key(), members);
  for (const auto& words : {members, numbered_words("stranger ", 15)}) {
    for (const std::string& word : words) {
      const converted_query query = receive_converted(third.convert(asker.ask(word)));
      EXPECT_TRUE(query.ciphertext() == owner.key().encrypt(word));
      EXPECT_EQ(filter.may_match(query), filter.may_contain_text(owner.key(), word));
    }
  }
  // Another pad at one end, another asker, or another owner's filter: nothing would ever match.
  EXPECT_TRUE(throws_error(errc::incompatible, "pad", [&] {
    (void)query_converter(asker.share(pad), owner.share(fixed_cipher_key("another pad")));
  }));
  EXPECT_TRUE(throws_error(errc::incompatible, "asker", [&] {
    (void)third.convert(set_asker(fixed_cipher_key("another")).ask("x"));
  }));
  const auto others =
      guarded_filter_of<encrypted_filter>({150, 7}, fixed_cipher_key("another"), members);
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint", [&] {
    (void)others.may_match(receive_converted(third.convert(asker.ask("x"))));
  }));
  EXPECT_TRUE(throws_error(errc::invalid, "same key", [&] {
    (void)query_converter(set_asker(fixed_cipher_key("owner")).share(pad), owner.share(pad));
  }));
}

// Tarkoma §IV-F: queries are restricted to those allowed, by one who can read neither them nor the list.
TEST(query_conversion, only_permitted_words_are_converted) {
  const set_owner owner(fixed_cipher_key("owner"));
  const set_asker asker(fixed_cipher_key("asker"));
  const cipher_key pad = fixed_cipher_key("pad");
  const query_converter third(asker.share(pad), owner.share(pad));
  auto permitted = encrypted_filter::for_keys(10, 1e-9);
  for (const auto* word : {"zebra", "okapi"}) permitted.insert_text(owner.key(), word);
  for (const auto* word : {"zebra", "okapi"}) {
    EXPECT_EQ(third.convert(asker.ask(word), permitted), third.convert(asker.ask(word)));
  }
  EXPECT_TRUE(throws_error(errc::unsupported, "none of the words that the owner permits",
                           [&] { (void)third.convert(asker.ask("lion"), permitted); }));
  auto of_another = encrypted_filter::for_keys(10, 1e-9);
  of_another.insert_text(fixed_cipher_key("another"), "zebra");
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { (void)third.convert(asker.ask("zebra"), of_another); }));
}

TEST(query_conversion, refuses_hostile_messages) {
  const set_owner owner(fixed_cipher_key("owner"));
  const set_asker asker(fixed_cipher_key("asker"));
  const cipher_key pad = fixed_cipher_key("pad");
  const auto asker_share = asker.share(pad);
  const auto owner_share = owner.share(pad);
  const query_converter third(asker_share, owner_share);
  const auto query = asker.ask("zebra");
  expect_hostile_message_refused(query, [&](byte_view bytes) { (void)third.convert(bytes); });
  expect_hostile_message_refused(third.convert(query),
                                 [](byte_view bytes) { (void)receive_converted(bytes); });
  expect_hostile_message_refused(third.save(), [](byte_view bytes) {
    EXPECT_TRUE(std::ranges::equal(query_converter::load(bytes).save(), bytes));
  });
  expect_hostile_message_refused(
      asker_share, [&](byte_view bytes) { (void)query_converter(bytes, owner_share); });
  EXPECT_TRUE(throws_error(errc::incompatible,
                           "this is the message encrypted/owner-share, not encrypted/asker-share",
                           [&] { (void)query_converter(owner_share, asker_share); }));
  EXPECT_TRUE(
      throws_error(errc::incompatible, "encrypted/query", [&] { (void)receive_converted(query); }));
}

// Whatever is no residue would tell something of the exponent, and what is no exponent would send
// all words to a few.
TEST(query_conversion, refuses_impossible_numbers) {
  const query_converter third(set_asker(fixed_cipher_key("asker")).share(fixed_cipher_key("pad")),
                              set_owner(fixed_cipher_key("owner")).share(fixed_cipher_key("pad")));
  const auto no_residue = [&](const number& value) {
    const auto bytes = value.bytes();
    const auto query =
        wire::write(security::cipher_query{bytes, fixed_cipher_key("asker").identity().tag});
    return throws_error(errc::corrupt, "holds no", [&] { (void)third.convert(query); });
  };
  const auto no_exponent = [](const number& value) {
    const auto bytes = value.bytes();
    const auto stored = wire::write(security::conversion{bytes, 1, 2});
    return throws_error(errc::corrupt, "holds no", [&] { (void)query_converter::load(stored); });
  };
  const number& p = secure::safe_prime().value();
  const number& even = secure::exponents().value();
  EXPECT_TRUE(no_residue(number(0)) && no_residue(number(1)) && no_residue(p));
  EXPECT_TRUE(no_residue(even)) << "-1 is no square";
  const number x = secure::residue_of("any", "word");
  EXPECT_TRUE(no_residue(secure::safe_prime().product(x, even)));
  EXPECT_TRUE(no_exponent(number(1)) && no_exponent(number(2)));
  EXPECT_TRUE(no_exponent(even) && no_exponent(p));
}

}  // namespace
}  // namespace bloomery::testing
