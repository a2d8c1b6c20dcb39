#include "bloomery/core/parallel.hpp"

#include <numeric>

#include "testing.hpp"

namespace bloomery::core {
namespace {

using bloomery::testing::throws_error;

TEST(on_threads, runs_every_part_once) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    std::vector<std::atomic<int>> calls(threads);
    on_threads(threads, [&](unsigned part) { ++calls[part]; });
    for (const auto& each : calls) EXPECT_EQ(each, 1);
  }
}

TEST(on_threads, throws_what_a_part_threw_once_all_have_stopped) {
  std::atomic<int> finished = 0;
  EXPECT_TRUE(throws_error(errc::limit, "part 2", [&] {
    on_threads(4, [&](unsigned part) {
      if (part == 2) fail(errc::limit, "part 2");
      ++finished;
    });
  }));
  EXPECT_EQ(finished, 3);
}

TEST(in_parallel, covers_every_item_once) {
  for (const std::size_t items : {0U, 1U, 7U, 100U}) {
    for (const unsigned parts : {1U, 3U, 8U}) {
      std::vector<std::atomic<int>> seen(items);
      in_parallel(items, parts, [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) ++seen[i];
      });
      for (const auto& each : seen) EXPECT_EQ(each, 1);
    }
  }
}

TEST(in_order, commits_all_in_the_order_taken) {
  constexpr int tasks = 1000;
  for (const unsigned threads : {1U, 2U, 8U}) {
    int next = 0;
    std::vector<int> committed;
    in_order<int>(
        threads, [&](int& task) { return (task = next++) < tasks; },
        [](int& task) {
          if (task % 7 == 0) std::this_thread::yield();  // so that later ones are done earlier
          return 2 * task;
        },
        [&](int task, int result) {
          EXPECT_EQ(result, 2 * task);
          committed.push_back(task);
        });
    std::vector<int> expected(tasks);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(committed, expected);
  }
}

TEST(in_order, throws_what_a_step_threw_and_commits_nothing_after_it) {
  constexpr int bad = 20;
  for (const unsigned threads : {1U, 2U, 8U}) {
    for (const int step : {0, 1, 2}) {
      int next = 0;
      int committed = 0;
      const auto fail_in = [&](int where, int task) {
        if (step == where && task == bad) fail(errc::limit, "task 20");
      };
      EXPECT_TRUE(throws_error(errc::limit, "task 20", [&] {
        in_order<int>(
            threads,
            [&](int& task) {
              task = next++;
              fail_in(0, task);
              return true;
            },
            [&](int& task) {
              fail_in(1, task);
              return task;
            },
            [&](int task, int /*result*/) {
              fail_in(2, task);
              ++committed;
            });
      }));
      EXPECT_LE(committed, bad);
    }
  }
}

}  // namespace
}  // namespace bloomery::core
