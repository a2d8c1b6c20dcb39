// Work on several threads that is over when the call returns.
//
// Guarantee: work(part) is called once for each part, part 0 on the calling thread. The first
//            exception of any part is thrown once all have stopped.
//
//     std::atomic<int> sum = 0;
//     bloomery::on_threads(2, [&](unsigned part) { sum += static_cast<int>(part); });
//     assert(sum == 1);
//     bloomery::in_parallel(10, 3, [&](std::size_t, std::size_t n) { sum += static_cast<int>(n); });
//     assert(sum == 11);
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace bloomery {

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
  others.reserve(threads);
  unsigned started = 1;
  try {
    for (; started < threads; ++started) others.emplace_back(guarded, started);
  } catch (const std::system_error&) {  // no more threads to be had: do it alone
    for (unsigned part = started; part < threads; ++part) guarded(part);
  }
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

}  // namespace bloomery
