// What a verb is given to work on: the keys of the command line, then the lines of the files, or of
// standard input if there are neither.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/core/parallel.hpp"
#include "bloomery/hash/hasher.hpp"
#include "distinct_keys.hpp"
#include "lines.hpp"
#include "options.hpp"

namespace bloomery::cli {

class key_input {
 public:
  // A key of the command line is a line of its own, whatever bytes it holds.
  key_input(std::vector<std::string> keys, std::vector<std::string> files,
            const line_options& options)
      : keys_(std::move(keys)),
        files_(std::move(files)),
        format_(options.format()),
        threads_(options.thread_count()) {}

  // Calls work(block) on several threads, which returns a result, and commit(block, result) in input
  // order, one at a time.
  template <class Work, class Commit>
  void each_block(const Work& work, const Commit& commit) const;

  // Calls use(block, digests), in input order.
  template <class Use>
  void each(const hasher& hash, const Use& use) const {
    each_block([&](const line_block& block) { return hashed(block, hash); },
               [&](const line_block& block, const std::vector<digest>& digests) {
                 use(block, std::span(digests));
               });
  }

  // For lines KEY SEP VALUE, in input order.
  using pair_use = std::function<void(std::string_view key, digest d, std::string_view value)>;
  void each_pair(const hasher& hash, const pair_use& use) const;
  // The same for lines SOURCE SEP TEXT, on this thread alone.
  using sourced_use = std::function<void(std::string_view source, std::string_view text)>;
  void each_sourced_text(const sourced_use& use) const;

  // In input order, on this thread alone.
  using text_use = std::function<void(std::string_view text)>;
  void each_text(const text_use& use) const;
  // As above, but a text that is refused does not stop the others. False if there was one.
  [[nodiscard]] bool try_each_text(const text_use& use) const;

  // Of all keys, in input order.
  [[nodiscard]] std::vector<digest> digests(const hasher& hash) const;
  // Of the distinct ones, in memory that grows with their number.
  [[nodiscard]] distinct_keys distinct(const hasher& hash) const;
  // The same input, to be read more than once: what cannot be is copied to a temporary file.
  [[nodiscard]] key_input kept() const;

  // `-` is standard input.
  [[nodiscard]] std::vector<std::string> files_read() const;

  [[nodiscard]] unsigned threads() const { return threads_; }
  [[nodiscard]] char separator() const { return format_.separator; }

  static std::vector<digest> hashed(const line_block& block, const hasher& hash);

 private:
  [[nodiscard]] line_block block_of_keys() const;
  [[nodiscard]] key_input of_pairs() const;
  void report_skipped(std::uint64_t lines) const;

  std::vector<std::string> keys_;
  std::vector<std::string> files_;
  line_format format_;
  unsigned threads_;
  std::vector<std::shared_ptr<std::FILE>> copies_;  // of the files that are read twice
};

// Does `work`; if the text is refused, as too short or too much of it, says so on standard error. False
// if it was.
bool try_text(std::string_view text, const std::function<void()>& work);

template <class Work, class Commit>
void key_input::each_block(const Work& work, const Commit& commit) const {
  if (!keys_.empty()) {
    const line_block block = block_of_keys();
    auto result = work(block);
    commit(block, result);
    if (files_.empty()) return;
  }
  progress shown;
  std::uint64_t skipped = 0;
  line_source source(files_, format_, shown);
  core::in_order<line_block>(
      threads_, [&](line_block& block) { return source.next(block); },
      [&](line_block& block) {
        block.split(format_);
        return work(std::as_const(block));
      },
      [&](const line_block& block, auto& result) {
        commit(block, result);
        skipped += block.skipped;
        shown.count(block.keys.size());
      });
  report_skipped(skipped);
}

}  // namespace bloomery::cli
