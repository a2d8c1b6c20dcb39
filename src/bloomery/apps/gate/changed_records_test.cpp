#include "bloomery/apps/gate/changed_records.hpp"

#include <map>

#include "bloomery/core/error.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::throws_error;

// A file that stops taking records, as a full disk does.
class failing_file : public records_in_memory {
 public:
  std::uint64_t room = 0;
  void write(std::uint64_t number, std::string value) override {
    if (room == 0) fail(errc::io, "no space left");
    --room;
    records_in_memory::write(number, std::move(value));
  }
};

// A map is the oracle; the filter is far too small, so that most answers are false positives.
TEST(changed_records, reads_what_was_written_last_however_full_the_filter) {
  std::mt19937_64 random(1);
  records_in_memory main;
  records_in_memory differential;
  std::map<std::uint64_t, std::string> oracle;
  for (std::uint64_t i = 0; i < 500; ++i) main.write(i, oracle[i] = "first " + std::to_string(i));
  changed_records records(main, differential, 10, 0.5);
  for (int step = 0; step < 20'000; ++step) {
    const std::uint64_t number = random() % 600;
    if (random() % 4 == 0) {
      records.update(number, oracle[number] = std::to_string(step));
    } else {
      const auto known = oracle.find(number);
      ASSERT_EQ(records.read(number),
                known == oracle.end() ? std::nullopt : std::optional(known->second));
    }
    if (random() % 5000 == 0) records.merge();
  }
  EXPECT_GT(records.book().false_positives(), 0U);
  EXPECT_EQ(records.book().missed(), 0U);
}

TEST(changed_records, merging_empties_differential_file_and_filter) {
  records_in_memory main;
  records_in_memory differential;
  changed_records records(main, differential, 100, 0.01);
  for (std::uint64_t i = 0; i < 100; ++i) records.update(i, "x");
  EXPECT_GT(records.current_rate(), 0);
  EXPECT_TRUE(main.all().empty());
  records.merge();
  EXPECT_EQ(records.current_rate(), 0);
  EXPECT_EQ(main.all().size(), 100U);
  EXPECT_TRUE(differential.all().empty());
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(records.read(i), "x");
  EXPECT_EQ(records.book().passed(), 0U);
}

TEST(changed_records, knows_what_an_earlier_run_left_in_the_differential_file) {
  records_in_memory main;
  records_in_memory differential;
  main.write(3, "old");
  differential.write(3, "new");
  EXPECT_EQ(changed_records(main, differential, 10, 0.01).read(3), "new");
}

TEST(changed_records, a_merge_that_fails_half_way_loses_nothing) {
  failing_file main;
  records_in_memory differential;
  changed_records records(main, differential, 10, 0.01);
  for (std::uint64_t i = 0; i < 10; ++i) records.update(i, "x");
  main.room = 4;
  EXPECT_TRUE(throws_error(errc::io, "no space", [&] { records.merge(); }));
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(records.read(i), "x");
  main.room = 100;
  records.merge();
  EXPECT_EQ(main.all().size(), 10U);
}

}  // namespace
}  // namespace bloomery::apps
