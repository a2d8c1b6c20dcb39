#include "bloomery/apps/gate/annotations.hpp"

#include <gtest/gtest.h>

#include "hostile.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::throws_error;

std::string page(std::uint64_t i) {
  return "http://example.org/" + std::to_string(i);
}

annotated_pages::notes notes_of(std::uint64_t first, std::uint64_t last) {
  annotated_pages::notes made;
  for (std::uint64_t i = first; i < last; ++i) made[page(i)] = "note " + std::to_string(i);
  return made;
}

TEST(annotations, a_reader_asks_for_every_annotated_page_and_few_others) {
  annotated_pages server(notes_of(0, 2000), 0.01);
  annotation_gate reader;
  EXPECT_TRUE(reader.may_be_annotated(page(9999)));  // all, before anything is known
  reader.take_whole(server.whole());
  for (std::uint64_t i = 0; i < 2000; ++i) {
    ASSERT_TRUE(reader.may_be_annotated(page(i)));
    ASSERT_EQ(*server.find(page(i)), "note " + std::to_string(i));
  }
  std::uint64_t asked = 0;
  for (std::uint64_t i = 10'000; i < 60'000; ++i)
    asked += std::uint64_t{reader.may_be_annotated(page(i))};
  EXPECT_TRUE(testing::plausible_count(asked, 50'000, reader.current_rate()));
  EXPECT_LT(reader.current_rate(), 0.01);
}

TEST(annotations, a_delta_from_a_kept_version_gives_the_same_filter_in_fewer_bytes) {
  annotated_pages server(notes_of(0, 3000), 0.01, 3);
  annotation_gate reader;
  reader.take_whole(server.whole());
  for (std::uint64_t day = 1; day <= 5; ++day) {
    server.replace(notes_of(10 * day, 3000 + 20 * day));  // some go, more come
    const auto delta = server.changes_since(reader.version());
    ASSERT_TRUE(delta);
    EXPECT_LT(3 * delta->size(), server.whole().size());
    reader.take_changes(*delta);
    EXPECT_EQ(reader.version(), server.version());
    EXPECT_EQ(reader.save(), wire::save(server.filter()));
  }
  annotation_gate again;
  again.take_whole(reader.save());
  EXPECT_EQ(again.version(), server.version());
}

TEST(annotations, versions_that_are_gone_and_filters_that_grew_are_sent_whole) {
  annotated_pages server(notes_of(0, 100), 0.01, 2);
  const std::string first = server.version();
  server.replace(notes_of(0, 101));
  EXPECT_TRUE(server.changes_since(first));
  server.replace(notes_of(0, 101));  // the same again is no new version
  EXPECT_TRUE(server.changes_since(first));
  const std::string second = server.version();
  server.replace(notes_of(0, 102));
  EXPECT_FALSE(server.changes_since(first));
  EXPECT_TRUE(server.changes_since(second));
  EXPECT_FALSE(server.changes_since("0123456789abcdef"));
  const std::string third = server.version();
  server.replace(notes_of(0, 5000));
  EXPECT_FALSE(server.changes_since(third));
}

TEST(annotations, what_is_downloaded_is_hostile) {
  annotated_pages server(notes_of(0, 30), 0.05);
  annotation_gate reader;
  reader.take_whole(server.whole());
  const std::string version = reader.version();
  const auto whole = server.whole();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(testing::is_refused([&] { reader.take_whole(byte_view(whole).first(size)); }));
  }
  standard_filter full(standard_filter::plan(10, 0.1), hasher().identity(), {});
  for (const digest d : testing::numbered_digests(1, 1000)) full.insert(d);
  EXPECT_TRUE(throws_error(errc::limit, "fill", [&] { reader.take_whole(wire::save(full)); }));
  const standard_filter other(standard_filter::plan(10, 0.1), xxh3_hash(3).identity(), {});
  EXPECT_TRUE(throws_error(errc::incompatible, "", [&] { reader.take_whole(wire::save(other)); }));
  annotated_pages elsewhere(notes_of(100, 130), 0.05);
  const std::string theirs = elsewhere.version();
  elsewhere.replace(notes_of(100, 131));
  const auto delta = elsewhere.changes_since(theirs);
  EXPECT_TRUE(throws_error(errc::incompatible, "", [&] { reader.take_changes(*delta); }));
  EXPECT_EQ(reader.version(), version);  // unharmed
  annotation_gate empty;
  EXPECT_TRUE(throws_error(errc::incompatible, "no filter", [&] { empty.take_changes(*delta); }));
}

}  // namespace
}  // namespace bloomery::apps
