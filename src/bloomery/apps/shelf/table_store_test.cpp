#include "bloomery/apps/shelf/table_store.hpp"

#include "testing.hpp"

namespace bloomery::apps {
namespace {

// A map is the oracle. Half of the rows are rewritten, some in every table; the rate is high, so that tables
// are read in vain.
TEST(table_store, answers_as_a_map_does) {
  for (const std::string_view kind : {"ribbon", "standard", "golomb"}) {
    std::mt19937_64 random(1);
    table_store store(kind, 0.3);
    std::map<std::pair<std::string, std::string>, std::string> oracle;
    for (int table = 0; table < 8; ++table) {
      std::vector<table_cell> cells;
      for (int i = 0; i < 200; ++i) {
        const std::string row = "r" + std::to_string(random() % 400);
        const std::string column = "c" + std::to_string(random() % 3);
        const std::string value = std::to_string(table) + "." + std::to_string(i);
        cells.push_back({row, column, value});
        oracle[{row, column}] = value;
      }
      store.write(cells);
    }
    for (int r = 0; r < 500; ++r) {
      const std::string row = "r" + std::to_string(r);
      std::map<std::string, std::string> columns;
      for (int c = 0; c < 4; ++c) {
        const std::string column = "c" + std::to_string(c);
        const auto known = oracle.find({row, column});
        const auto found = store.read(row, column);
        ASSERT_EQ(found.has_value(), known != oracle.end()) << row << column;
        if (!found) continue;
        ASSERT_EQ(*found, known->second);
        columns[column] = *found;
      }
      ASSERT_EQ(store.scan(row), columns) << row;
    }
    EXPECT_GT(store.book().false_positives(), 0U);
    EXPECT_EQ(store.book().missed(), 0U);
  }
}

// Row "a" with column "bc" is not row "ab" with column "c".
TEST(table_store, tells_rows_from_columns) {
  table_store store("ribbon", 0x1p-30);
  store.write({{"a", "bc", "1"}});
  EXPECT_FALSE(store.read("ab", "c"));
  EXPECT_EQ(store.book().passed(), 0U);
  EXPECT_EQ(store.read("a", "bc"), "1");
  EXPECT_TRUE(store.scan("ab").empty());
}

TEST(table_store, an_empty_store_and_an_empty_table_have_nothing) {
  table_store store("ribbon", 0.01);
  EXPECT_FALSE(store.read("a", "b"));
  store.write({});
  EXPECT_FALSE(store.read("a", "b"));
  EXPECT_TRUE(store.scan("a").empty());
  EXPECT_EQ(store.tables(), 1U);
}

}  // namespace
}  // namespace bloomery::apps
