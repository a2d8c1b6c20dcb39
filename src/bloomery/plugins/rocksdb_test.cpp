#include "bloomery/plugins/rocksdb.hpp"

#include <rocksdb/db.h>

#include <filesystem>

#include "testing.hpp"

namespace bloomery {
namespace {

using testing::throws_error;

class rocksdb_plugin : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("bloomery-rocksdb-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    rows_ = rocksdb_filter("ribbon", 0x1p-20, key_part::row, '/');
    pairs_ = rocksdb_filter("ribbon", 0x1p-20, key_part::row_and_column, '/');
    rocksdb::Options options;
    options.create_if_missing = true;
    options.disable_auto_compactions = true;
    options.table_properties_collector_factories = {rows_, pairs_};
    rocksdb::DB* opened = nullptr;
    const auto status = rocksdb::DB::Open(options, folder_, &opened);
    ASSERT_TRUE(status.ok()) << status.ToString();
    database_.reset(opened);
  }
  void TearDown() override {
    database_.reset();
    std::filesystem::remove_all(folder_);
  }

  void put(const std::string& key, const std::string& value) {
    ASSERT_TRUE(database_->Put({}, key, value).ok());
  }
  void flush() { ASSERT_TRUE(database_->Flush({}).ok()); }

  // What a scan of all that starts with `wanted` and a separator finds; `read_` is how many tables it read.
  std::map<std::string, std::string> scan(const rocksdb_filter_factory& filter,
                                          const std::string& wanted) {
    rocksdb::ReadOptions reading;
    read_ = 0;
    reading.table_filter = [&,
                            holds = filter.holds(wanted)](const rocksdb::TableProperties& table) {
      const bool may = holds(table);
      read_ += may ? 1 : 0;
      return may;
    };
    std::map<std::string, std::string> found;
    const std::unique_ptr<rocksdb::Iterator> at(database_->NewIterator(reading));
    for (at->Seek(wanted + "/"); at->Valid() && at->key().starts_with(wanted + "/"); at->Next()) {
      found[at->key().ToString()] = at->value().ToString();
    }
    return found;
  }

  std::filesystem::path folder_;
  std::shared_ptr<rocksdb_filter_factory> rows_;
  std::shared_ptr<rocksdb_filter_factory> pairs_;
  std::unique_ptr<rocksdb::DB> database_;
  int read_ = 0;
};

TEST_F(rocksdb_plugin, reads_only_the_tables_that_hold_the_row_or_the_pair) {
  put("ant/legs/1", "6");
  put("bee/legs/1", "6");
  flush();
  put("bee/sting/1", "yes");
  put("bee/legs/2", "six");
  flush();
  put("cow/legs/1", "4");
  flush();
  using cells = std::map<std::string, std::string>;
  EXPECT_EQ(scan(*rows_, "ant"), (cells{{"ant/legs/1", "6"}}));
  EXPECT_EQ(read_, 1);
  EXPECT_EQ(scan(*rows_, "bee").size(), 3U);
  EXPECT_EQ(read_, 2);
  EXPECT_EQ(scan(*pairs_, "bee/sting"), (cells{{"bee/sting/1", "yes"}}));
  EXPECT_EQ(read_, 1);
  EXPECT_EQ(scan(*pairs_, "bee/legs"), (cells{{"bee/legs/1", "6"}, {"bee/legs/2", "six"}}));
  EXPECT_EQ(read_, 2);
  EXPECT_TRUE(scan(*pairs_, "ant/sting").empty());
  EXPECT_EQ(read_, 0);
  EXPECT_TRUE(scan(*rows_, "dog").empty());
  EXPECT_EQ(read_, 0);
}

// A table that only deletes must be read, or what it deletes would be back.
TEST_F(rocksdb_plugin, what_was_deleted_stays_so) {
  for (const std::string row : {"ant", "bee", "cow"}) put(row + "/legs/1", "some");
  flush();
  ASSERT_TRUE(database_->Delete({}, "ant/legs/1").ok());
  flush();
  ASSERT_TRUE(database_->DeleteRange({}, database_->DefaultColumnFamily(), "b", "c").ok());
  flush();
  EXPECT_TRUE(scan(*rows_, "ant").empty());
  EXPECT_TRUE(scan(*pairs_, "ant/legs").empty());
  EXPECT_TRUE(scan(*rows_, "bee").empty());
  EXPECT_EQ(scan(*rows_, "cow").size(), 1U);
  ASSERT_TRUE(database_->CompactRange({}, nullptr, nullptr).ok());
  EXPECT_TRUE(scan(*rows_, "ant").empty());
  EXPECT_EQ(scan(*rows_, "cow").size(), 1U);
}

TEST_F(rocksdb_plugin, what_is_no_filter_lets_all_pass) {
  rocksdb::TableProperties table;
  EXPECT_TRUE(rows_->holds("ant")(table));
  table.user_collected_properties[rows_->Name()] = "damaged";
  EXPECT_TRUE(rows_->holds("ant")(table));
  table.user_collected_properties[rows_->Name()] =
      rows_->filters().pack(std::vector{rows_->filters().digest_of("bee")});
  EXPECT_FALSE(rows_->holds("ant")(table));
  EXPECT_TRUE(rows_->holds("bee")(table));
  table.num_range_deletions = 1;
  EXPECT_TRUE(rows_->holds("ant")(table));
}

// More tables than are kept open, and the same number in two sessions.
TEST_F(rocksdb_plugin, does_not_take_one_table_for_another) {
  const auto holds = rows_->holds("ant");
  for (std::uint64_t i = 1; i < 2 * rocksdb_filter_factory::most_open; ++i) {
    rocksdb::TableProperties table;
    table.db_session_id = i % 2 == 0 ? "one" : "two";
    table.orig_file_number = i / 2 + 1;
    const std::string row = i % 2 == 0 ? "ant" : "bee";
    table.user_collected_properties[rows_->Name()] =
        rows_->filters().pack(std::vector{rows_->filters().digest_of(row)});
    ASSERT_EQ(holds(table), row == "ant") << i;
    ASSERT_EQ(holds(table), row == "ant") << i;
  }
}

TEST(rocksdb_filter, takes_the_part_of_a_key) {
  static_assert(part_of("a/b/c", key_part::whole, '/') == "a/b/c");
  static_assert(part_of("a/b/c", key_part::row, '/') == "a");
  static_assert(part_of("a/b/c", key_part::row_and_column, '/') == "a/b");
  static_assert(part_of("a/b", key_part::row_and_column, '/') == "a/b");
  static_assert(part_of("a", key_part::row, '/') == "a" && part_of("", key_part::row, '/').empty());
  EXPECT_STREQ(rocksdb_filter("ribbon", 0.01)->Name(), "bloomery.1.ribbon.0.01");
  EXPECT_STREQ(rocksdb_filter("ribbon", 0.01, key_part::row, '/')->Name(),
               "bloomery.1.ribbon.0.01.row.47");
  EXPECT_TRUE(throws_error(errc::unsupported, "may miss", [] { rocksdb_filter("stable", 0.01); }));
}

}  // namespace
}  // namespace bloomery
