#include "bloomery/plugins/leveldb.hpp"

#include <leveldb/db.h>

#include <filesystem>

#include "testing.hpp"

namespace bloomery {
namespace {

using testing::throws_error;

class leveldb_plugin : public ::testing::Test {
 protected:
  static constexpr int keys = 5000;

  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("bloomery-leveldb-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::unique_ptr<leveldb::DB> open(const leveldb::FilterPolicy* policy) const {
    leveldb::Options options;
    options.create_if_missing = true;
    options.filter_policy = policy;
    leveldb::DB* opened = nullptr;
    const auto status = leveldb::DB::Open(options, folder_, &opened);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return std::unique_ptr<leveldb::DB>(opened);
  }
  static void fill(leveldb::DB& database) {
    for (int i = 0; i < keys; ++i) {
      EXPECT_TRUE(database.Put({}, std::to_string(i), "value " + std::to_string(i)).ok());
    }
    database.CompactRange(nullptr, nullptr);
  }
  static void expect_all(leveldb::DB& database) {
    std::string value;
    for (int i = 0; i < 2 * keys; ++i) {
      const auto status = database.Get({}, std::to_string(i), &value);
      ASSERT_EQ(status.ok(), i < keys) << i;
      if (status.ok()) {
        ASSERT_EQ(value, "value " + std::to_string(i));
      }
    }
  }

  std::filesystem::path folder_;
};

// Counts what it passes on: the filters are really asked, and stop most strangers.
class watched_policy : public leveldb_filter_policy {
 public:
  using leveldb_filter_policy::leveldb_filter_policy;
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    const bool may = leveldb_filter_policy::KeyMayMatch(key, filter);
    ++(may ? passed : stopped);
    return may;
  }
  mutable int passed = 0;
  mutable int stopped = 0;
};

TEST_F(leveldb_plugin, finds_every_key_and_stops_strangers) {
  for (const std::string_view kind : {"ribbon", "golomb", "standard", "cuckoo"}) {
    SCOPED_TRACE(kind);
    const watched_policy policy(kind, 0.01);
    {
      const auto database = open(&policy);
      fill(*database);
      expect_all(*database);
    }
    EXPECT_GE(policy.passed, keys);
    EXPECT_GT(policy.stopped, keys / 2);  // some strangers are beyond the last key of a block
    std::filesystem::remove_all(folder_);
  }
}

// LevelDB keeps the names of policies: what another one packed is left unread.
TEST_F(leveldb_plugin, tables_of_another_policy_are_read_without_filters) {
  const auto ribbon = leveldb_policy("ribbon", 0.01);
  fill(*open(ribbon.get()));
  for (const auto& [kind, rate] :
       {std::pair<std::string_view, double>{"standard", 0.01}, {"ribbon", 0.001}}) {
    const watched_policy other(kind, rate);
    EXPECT_STRNE(other.Name(), ribbon->Name());
    expect_all(*open(&other));
    EXPECT_EQ(other.stopped + other.passed, 0);
  }
  expect_all(*open(nullptr));
}

TEST(leveldb_policy, appends_and_lets_all_pass_what_is_no_filter) {
  const auto policy = leveldb_policy("ribbon", 0.01);
  EXPECT_STREQ(policy->Name(), "bloomery.1.ribbon.0.01");
  std::string out = "before";
  const std::vector<leveldb::Slice> keys{"ant", "bee"};
  policy->CreateFilter(keys.data(), 2, &out);
  ASSERT_TRUE(out.starts_with("before"));
  const leveldb::Slice filter(out.data() + 6, out.size() - 6);
  EXPECT_TRUE(policy->KeyMayMatch("ant", filter) && policy->KeyMayMatch("bee", filter));
  EXPECT_TRUE(policy->KeyMayMatch("ant", "") && policy->KeyMayMatch("ant", "damaged"));
  // LevelDB takes an empty filter for "no key is here".
  std::string of_nothing;
  policy->CreateFilter(nullptr, 0, &of_nothing);
  EXPECT_FALSE(of_nothing.empty());
  EXPECT_TRUE(policy->KeyMayMatch("ant", of_nothing));
}

TEST(leveldb_policy, refuses_kinds_that_miss_keys) {
  EXPECT_TRUE(throws_error(errc::unsupported, "may miss", [] { leveldb_policy("stable", 0.01); }));
  EXPECT_TRUE(throws_error(errc::invalid, "ribbon", [] { leveldb_policy("ribbons", 0.01); }));
}

}  // namespace
}  // namespace bloomery
