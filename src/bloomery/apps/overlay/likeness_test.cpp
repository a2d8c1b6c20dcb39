#include "bloomery/apps/overlay/likeness.hpp"

#include "testing.hpp"

namespace bloomery::overlay {
namespace {

TEST(likeness, grows_with_every_word_that_is_there) {
  const std::vector<digest> words = testing::numbered_digests(78, 10);
  likeness_summary some(standard_filter(standard_shape{1 << 16, 5}));
  EXPECT_EQ(some.ask(words), 0);
  std::uint64_t before = 0;
  for (const digest word : words) {
    some.insert(word);
    EXPECT_GT(some.ask(words), before);
    before = some.ask(words);
  }
  EXPECT_EQ(before, 50);
}

TEST(likeness, survives_being_told) {
  const std::vector<digest> words = testing::numbered_digests(79, 3);
  likeness_summary one(standard_filter(standard_shape{1 << 12, 4}));
  likeness_summary two = one;
  one.insert(words[0]);
  two.insert(words[1]);
  const likeness_summary* behind[] = {&two};
  const auto stored = one.advertise(behind, 1).save();
  const std::array<byte_view, 1> views{stored.at(0)};
  const likeness_summary told = one.open(views, {});
  EXPECT_EQ(told.ask(std::span(words).first(2)), 8);
  EXPECT_LT(told.ask(words), 12);
  one.merge(two);
  EXPECT_EQ(one.ask(words), told.ask(words));
}

}  // namespace
}  // namespace bloomery::overlay
