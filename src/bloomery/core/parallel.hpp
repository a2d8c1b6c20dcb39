// Work on several threads that is over when the call returns.
//
// Guarantee: work(part) is called once for each part, part 0 on the calling thread, and so are those
//            for which no thread can be started. The first exception of any part is thrown once all
//            have stopped.
//
//     std::atomic<int> sum = 0;
//     bloomery::core::on_threads(2, [&](unsigned part) { sum += static_cast<int>(part); });
//     assert(sum == 1);
//     bloomery::core::in_parallel(10, 3,
//         [&](std::size_t, std::size_t n) { sum += static_cast<int>(n); });
//     assert(sum == 11);
//     int next = 0;
//     std::vector<int> squares;
//     bloomery::core::in_order<int>(
//         3, [&](int& task) { return (task = next++) < 4; }, [](int& task) { return task * task; },
//         [&](int, int square) { squares.push_back(square); });
//     assert((squares == std::vector<int>{0, 1, 4, 9}));
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace bloomery::core {

template <class Work>
void on_threads(unsigned threads, const Work& work) {
  std::mutex failing;
  std::exception_ptr problem;
  const auto guarded = [&](unsigned part) {
    try {
      work(part);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!problem) problem = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  unsigned started = 1;
  try {
    others.reserve(threads);
    for (; started < threads; ++started) others.emplace_back(guarded, started);
  } catch (const std::system_error&) {  // no more threads to be had: the other parts are done here
  } catch (const std::bad_alloc&) {     // nor memory for one
  }
  for (unsigned part = started; part < threads; ++part) guarded(part);
  guarded(0);
  for (std::thread& other : others) other.join();
  if (problem) std::rethrow_exception(problem);
}

// Calls work(first, count) for `parts` nearly equal pieces of 0..items-1; for 0 parts, one.
template <class Work>
void in_parallel(std::size_t items, unsigned parts, const Work& work) {
  parts = std::max(parts, 1U);
  const auto start = [&](std::size_t part) {
    return items / parts * part + std::min<std::size_t>(part, items % parts);
  };
  on_threads(parts, [&](unsigned part) { work(start(part), start(part + 1) - start(part)); });
}

// Until take(task) is false: work(task), which returns a result, on any of the threads, and then
// commit(task, result) in the order in which the tasks were taken. One take and one commit run at a
// time. After an exception nothing more is taken or committed.
template <class Task, class Take, class Work, class Commit>
void in_order(unsigned threads, const Take& take, const Work& work, const Commit& commit) {
  std::mutex taking;
  std::mutex committing;
  std::condition_variable turn_changed;
  std::uint64_t taken = 0;
  std::uint64_t turn = 0;
  std::atomic<bool> stopped{false};
  const auto go_on = [&] {
    Task task{};
    while (!stopped) {
      std::unique_lock reading(taking);
      if (stopped) return;
      try {
        if (!take(task)) return;
      } catch (...) {
        stopped = true;  // before another thread can take the next in its place
        throw;
      }
      const std::uint64_t number = taken++;
      reading.unlock();
      auto result = work(task);
      std::unique_lock lock(committing);
      turn_changed.wait(lock, [&] { return turn == number || stopped; });
      if (stopped) return;
      commit(task, result);
      ++turn;
      turn_changed.notify_all();
    }
  };
  on_threads(threads, [&](unsigned /*part*/) {
    try {
      go_on();
    } catch (...) {
      const std::lock_guard lock(committing);
      stopped = true;
      turn_changed.notify_all();
      throw;
    }
  });
}

}  // namespace bloomery::core
