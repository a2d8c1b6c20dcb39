// One side in the race of filters: a name and how to run one repeat of it.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "workload.hpp"

namespace bloomery::bench {

struct pass {
  double insert_ns = 0;  // of all keys together, as the next two
  double hit_ns = 0;
  double miss_ns = 0;
  double build_ns = 0;         // in bulk, on one thread and on two; 0 if that was not asked for
  double build_two_ns = 0;     // by the clock on the wall
  std::uint64_t found = 0;     // of the hits
  std::uint64_t mistaken = 0;  // of the misses: false positives
  std::uint64_t bytes = 0;     // the structure's memory
};

struct contestant {
  std::string name;
  bool rival = false;
  bool batch = false;
  bool finds_all = true;    // every key it was given
  bool only_reads = false;  // not a filter: the memory's own pace
  std::function<pass(const workload&)> run;
};

// By default the thread's own processor time: what else the machine runs does not count.
template <class Body>
double time_ns(Body body, clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  const auto now = [&] {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  body();
  return now() - start;
}

// insert(keys) takes a whole vector of keys; count(keys) says how many it finds.
template <class Insert, class Count>
pass time_all(const workload& work, Insert insert, Count count) {
  pass result;
  result.insert_ns = time_ns([&] { insert(work.keys); });
  result.hit_ns = time_ns([&] { result.found = count(work.hits); });
  result.miss_ns = time_ns([&] { result.mistaken = count(work.misses); });
  return result;
}

// The same, from operations on one key.
template <class Insert, class Find>
pass time_each(const workload& work, Insert insert, Find find) {
  using key_vector = std::vector<std::uint64_t>;
  return time_all(
      work,
      [&](const key_vector& keys) {
        for (const std::uint64_t key : keys) insert(key);
      },
      [&](const key_vector& keys) {
        std::uint64_t positives = 0;
        for (const std::uint64_t key : keys) positives += std::uint64_t{find(key)};
        return positives;
      });
}

}  // namespace bloomery::bench
