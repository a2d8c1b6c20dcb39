#include "bloomery/filters/secure/secure_index.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "bloomery/wire/filter_io.hpp"
#include "guarded.hpp"
#include "secrets.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

TEST(secure_index, keeps_every_word_and_its_secret) {
  static_assert(able<secure_index_filter, seals>);
  expect_guarded<secure_index_filter>({2000, 7, 100, 3}, fixed_index_secret(1),
                                      fixed_index_secret(2));
  EXPECT_NE(index_secret::generate().identity(), index_secret::generate().identity());
}

// A trapdoor is of one word, and its parts are of different keys.
TEST(secure_index, trapdoor_parts_are_all_different) {
  std::set<std::vector<std::byte>> parts;
  for (const char* word : {"", "a", "b"}) {
    const trapdoor made(fixed_index_secret(1), word, max_hashes);
    for (const secure::block& part : made.parts()) parts.insert({part.begin(), part.end()});
  }
  EXPECT_EQ(parts.size(), 3 * max_hashes);
}

TEST(secure_index, a_sealed_index_takes_no_more) {
  const index_secret secret = fixed_index_secret(1);
  secure_index_filter index({1000, 7, 3, 0});
  for (const char* word : {"a", "b", "b"}) index.insert_text(secret, word);
  const auto full = wire::save(index);
  EXPECT_TRUE(throws_error(errc::limit, "full", [&] { index.insert_text(secret, "c"); }));
  EXPECT_TRUE(throws_error(errc::invalid, "distinct", [&] { index.seal(secret, 4); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "fingerprint",
                           [&] { index.seal(fixed_index_secret(2), 2); }));
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
}

// Trying every word works against a plain filter. Here, without the key, members are no likelier than
// strangers; so it is with the trapdoors of another owner.
TEST(secure_index, withstands_the_dictionary_attack) {
  const auto members = numbered_words("member ", 500);
  const auto plain = plain_filter_of({5000, 7}, members);
  EXPECT_EQ(found_in_plain(plain, members), 500U);

  const index_secret attacker = fixed_index_secret(9);
  const auto index =
      guarded_filter_of<secure_index_filter>({5000, 7, 500, 1}, fixed_index_secret(1), members);
  const std::uint64_t found =
      found_by_trying(index.cells().bits(), members, [&](const std::string& word) {
        return secure_index_rule::positions_of(index.shape(), attacker, word);
      });
  EXPECT_TRUE(plausible_count(found, 500, index.current_rate()));
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
