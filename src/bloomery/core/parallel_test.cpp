#include "bloomery/core/parallel.hpp"

#include <atomic>

#include "testing.hpp"

namespace bloomery {
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

}  // namespace
}  // namespace bloomery
