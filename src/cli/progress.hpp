// Progress on standard error, only when a person watches it: what is being done, and at the end what was.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace bloomery::cli {

// Whether a person watches.
bool is_watched();
// Since the program started.
double seconds_spent();

// Something that takes a while and cannot tell how long: "counting", "writing f".
class phase {
 public:
  explicit phase(const std::string& what);
  phase(const phase&) = delete;
  phase& operator=(const phase&) = delete;
  ~phase();  // wipes the line
};

// Reading keys.
class progress {
 public:
  progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();  // wipes the line

  void expect(std::uint64_t bytes) { total_ = bytes; }  // 0: unknown
  void advance(std::uint64_t bytes) { done_ += bytes; }
  void count(std::uint64_t keys);  // shows, at most a few times a second

 private:
  using clock = std::chrono::steady_clock;
  bool watched_;
  bool shown_ = false;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::uint64_t keys_ = 0;
  clock::time_point start_;
  clock::time_point last_;
};

}  // namespace bloomery::cli
