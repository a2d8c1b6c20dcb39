// A task on several threads at once.
//
// Guarantee: returns when all have; the first problem, by number, is thrown then.
//
//     std::array<int, 3> done{};
//     bloomery::run_all(3, [&](unsigned i) { done[i] = 1; });
//     assert(done[0] == 1 && done[1] == 1 && done[2] == 1);
#pragma once

#include <exception>
#include <thread>
#include <vector>

namespace bloomery {

// Calls task(0) to task(count - 1), on as many threads.
template <class Task>
void run_all(unsigned count, Task task) {
  std::vector<std::exception_ptr> problems(count);
  const auto guarded = [&](unsigned i) {
    try {
      task(i);
    } catch (...) {
      problems[i] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < count; ++i) others.emplace_back(guarded, i);
  guarded(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& problem : problems) {
    if (problem) std::rethrow_exception(problem);
  }
}

}  // namespace bloomery
