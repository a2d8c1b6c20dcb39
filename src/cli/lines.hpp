// Lines in, by the block, on several threads, with results in order.
//
// Reading takes turns; splitting, hashing and the filter run beside it. A block holds whole lines
// and whatever one read gave, so a slow pipe is answered line by line.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "progress.hpp"

namespace bloomery::cli {

struct line_format {
  char delimiter = '\n';
  std::uint64_t field = 0;  // 1-based column that is the key; 0: the whole line
  char separator = '\t';
};

struct line_block {
  std::uint64_t number = 0;
  std::string text;
  std::vector<std::string_view> lines;
  std::vector<std::string_view> keys;  // one per line that has the field
  std::vector<std::size_t> line_of_key;
  std::uint64_t skipped = 0;  // lines without the field

  void split(const line_format& format);
};

// Files one after another, or standard input if there are none (`-` also means it).
class line_source {
 public:
  line_source(std::vector<std::string> files, char delimiter, progress& shown);
  line_source(const line_source&) = delete;
  line_source& operator=(const line_source&) = delete;
  ~line_source();

  bool next(line_block& block);  // false at the end; one caller at a time

 private:
  bool open_next();
  [[nodiscard]] std::size_t read_some(std::string& into);
  void close();

  std::vector<std::string> files_;
  char delimiter_;
  progress* progress_;
  std::size_t next_file_ = 0;
  int file_ = -1;
  std::string file_name_;
  std::string carry_;  // the start of a line whose end has not been read
  std::uint64_t blocks_ = 0;
};

// Calls work(block) on `threads` threads, which returns a result; commit(block, result) follows in
// the order of the input, one at a time. The first exception stops everything and is rethrown.
template <class Work, class Commit>
void process_lines(line_source& source, unsigned threads, const line_format& format, Work work,
                   Commit commit) {
  std::mutex reading;
  std::mutex committing;
  std::condition_variable turn_changed;
  std::uint64_t turn = 0;
  std::exception_ptr problem;

  const auto stop = [&](const std::exception_ptr& cause) {
    const std::lock_guard lock(committing);
    if (!problem) problem = cause;
    turn_changed.notify_all();
  };
  const auto stopped = [&] {
    const std::lock_guard lock(committing);
    return problem != nullptr;
  };
  const auto worker = [&] {
    try {
      line_block block;
      while (!stopped()) {
        {
          const std::lock_guard lock(reading);
          if (!source.next(block)) return;
        }
        block.split(format);
        auto result = work(block);
        std::unique_lock lock(committing);
        turn_changed.wait(lock, [&] { return turn == block.number || problem; });
        if (problem) return;
        commit(block, result);
        ++turn;
        turn_changed.notify_all();
      }
    } catch (...) {
      stop(std::current_exception());
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(worker);
  worker();
  for (std::thread& other : others) other.join();
  if (problem) std::rethrow_exception(problem);
}

}  // namespace bloomery::cli
