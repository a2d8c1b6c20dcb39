#include "bloomery/apps/gate/near_list.hpp"

#include <set>

#include "testing.hpp"

namespace bloomery::apps {
namespace {

using text = std::vector<std::string>;  // of characters

std::string joined_characters(const text& characters) {
  std::string all;
  for (const std::string& each : characters) all += each;
  return all;
}

// All of up to `most` characters.
std::vector<text> texts_over(const text& alphabet, std::size_t most) {
  std::vector<text> all{{}};
  for (std::size_t from = 0; most > 0; --most) {
    const std::size_t end = all.size();
    for (; from < end; ++from) {
      for (const std::string& next : alphabet) {
        text longer = all[from];
        longer.push_back(next);
        all.push_back(std::move(longer));
      }
    }
  }
  return all;
}

// Levenshtein's, by the textbook's table.
std::size_t edit_distance(const text& a, const text& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

any_filter list_of(const std::vector<std::string>& words, double rate = 1e-12) {
  const hasher hash;
  std::vector<digest> keys{near_list::mark(hash)};
  for (const std::string& word : words) near_list::append_keys(word, hash, keys);
  return planned_set(std::move(keys), rate, "standard");  // planning takes longer than the test
}

void expect_edit_distance_of_one(const std::vector<text>& all) {
  for (const text& word : all) {
    const any_filter filter = list_of({joined_characters(word)});
    const near_list list(filter, hasher());
    for (const text& asked : all) {
      ASSERT_EQ(list.refuses(joined_characters(asked)), edit_distance(word, asked) <= 1)
          << joined_characters(word) << " and " << joined_characters(asked);
    }
  }
}

// Every pair of words; at this rate a false positive comes once in 10^7 runs.
TEST(near_list, refuses_exactly_what_is_within_one_edit) {
  expect_edit_distance_of_one(texts_over({"a", "b"}, 5));
}
TEST(near_list, edits_characters_and_not_bytes) {
  expect_edit_distance_of_one(texts_over({"a", "\u00e9", "\u20ac"}, 3));
}

TEST(near_list, asks_for_two_keys_a_character_and_two) {
  EXPECT_EQ(near_list::look_ups("dragon"), 14);
  EXPECT_EQ(near_list::look_ups("\u00e9t\u00e9"), 8);
  EXPECT_EQ(near_list::look_ups("aab"), 7);  // one a less leaves ab, whichever it is
  EXPECT_EQ(near_list::look_ups(""), 2);
  std::vector<digest> keys;
  near_list::append_keys("dragon", hasher(), keys);
  EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), 13);
}

TEST(near_list, is_told_from_a_filter_of_words_alone) {
  const any_filter plain = planned_set({hasher()("dragon")}, 1e-12);
  EXPECT_TRUE(
      testing::throws_error(errc::incompatible, "words list", [&] { near_list(plain, hasher()); }));
}

TEST(near_list, has_words_up_to_the_longest_and_passes_what_is_longer_still) {
  const std::string longest(near_list::longest_word, 'x');
  const any_filter filter = list_of({longest});
  const near_list list(filter, hasher());
  EXPECT_TRUE(list.refuses(longest + "y"));
  EXPECT_FALSE(list.refuses(longest + "yz"));
  EXPECT_FALSE(list.refuses(std::string(10'000'000, 'x')));
  EXPECT_EQ(near_list::look_ups(longest + "yz"), 0);
  EXPECT_TRUE(
      testing::throws_error(errc::limit, "256 characters", [&] { list_of({longest + "x"}); }));
  EXPECT_TRUE(testing::throws_error(errc::limit, "longer",
                                    [&] { list_of({std::string(10'000'000, '\xff')}); }));
}

TEST(near_list, is_still_one_after_a_union) {
  hasher hash;
  std::vector<digest> keys{near_list::mark(hash)};
  near_list::append_keys("dragon", hash, keys);
  any_filter one = find_kind("standard").for_keys(100, 1e-9);
  any_filter two = one.copy();
  one.as<inserts>().insert(keys);
  keys = {near_list::mark(hash)};
  near_list::append_keys("monkey", hash, keys);
  two.as<inserts>().insert(keys);
  one.as<merges>().merge(two);
  const near_list both(one, hash);
  EXPECT_TRUE(both.refuses("dragoon") && both.refuses("m0nkey"));
}

}  // namespace
}  // namespace bloomery::apps
