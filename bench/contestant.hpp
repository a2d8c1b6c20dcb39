// One side in the race of filters: a name, what it can do, and how to make one.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>

#include "harness.hpp"

namespace bloomery::bench {

// What is timed: an operation, on keys one by one or in batches.
struct step {
  operation what;
  bool batch = false;
  friend bool operator<(const step& one, const step& other) {
    return std::tie(one.what, one.batch) < std::tie(other.what, other.batch);
  }
};

// A filter, empty or filled. It is asked only for what its contestant can do, so that what it cannot do need
// not be written.
template <class Key>
class structure {
 public:
  using key_span = std::span<const Key>;
  structure() = default;
  structure(const structure&) = delete;
  structure& operator=(const structure&) = delete;
  virtual ~structure() = default;

  // Before each timed call, with its keys: what a user would have at hand.
  virtual void prepare(key_span /*keys*/) {}
  virtual void insert(key_span /*keys*/, bool /*batch*/) {}
  virtual std::uint64_t find(key_span keys, bool batch) = 0;  // how many it may contain
  // Each key waits for the answer before it; `zero` is 0.
  virtual std::uint64_t find_dependent(key_span /*keys*/, std::uint64_t /*zero*/) { return 0; }
  virtual std::uint64_t remove(key_span /*keys*/, bool /*batch*/) { return 0; }
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
};

template <class Key>
using made_structure = std::unique_ptr<structure<Key>>;

template <class Key>
struct contestant {
  std::string name;
  std::string hash;
  bool rival = false;
  bool finds_all = true;    // every key it was given
  bool only_reads = false;  // not a filter: the memory's own pace
  std::set<step> can;
  // Empty, for the keys of the run, in memory that has been touched. Null without memory for it.
  std::function<made_structure<Key>()> make;
  // Null if that cannot be.
  std::function<made_structure<Key>(std::span<const Key> keys, unsigned threads)> build;
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

}  // namespace bloomery::bench
