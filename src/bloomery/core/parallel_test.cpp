#include "bloomery/core/parallel.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdlib>
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

#ifndef BLOOMERY_SANITIZED  // which needs the memory itself
void take_all_memory_there_is() {
  constexpr std::size_t largest = std::size_t{1} << 20;
  constexpr std::size_t large = 4096;
  constexpr std::size_t step = 16;  // of what malloc gives
  for (std::size_t size = largest; size > 0; size = size > large ? size / 2 : size - step) {
    for (const void* volatile taken = &size; taken != nullptr;) taken = std::malloc(size);
  }
}

// In a child process: first without room for a thread's stack, then without any memory.
TEST(on_threads_DeathTest, does_without_threads_that_cannot_be_started) {
  for (const bool memory : {true, false}) {
    const auto work_alone = [&] {
      const rlimit none{0, 0};
      if (::setrlimit(RLIMIT_AS, &none) != 0) std::_Exit(3);
      if (!memory) take_all_memory_there_is();
      std::array<std::atomic<int>, 4> calls{};
      try {
        on_threads(calls.size(), [&](unsigned part) { ++calls[part]; });
      } catch (...) {
        std::_Exit(2);
      }
      std::_Exit(std::ranges::all_of(calls, [](const auto& each) { return each == 1; }) ? 0 : 1);
    };
    EXPECT_EXIT(work_alone(), ::testing::ExitedWithCode(0), "") << memory;
  }
}
#endif

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
