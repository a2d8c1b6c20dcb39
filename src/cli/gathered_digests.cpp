#include "gathered_digests.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <utility>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/error.hpp"

namespace bloomery::cli {
namespace {

static_assert(sizeof(digest) == 16);

[[noreturn]] void failed(const char* what) {
  fail(errc::io,
       std::string(what) + " for lines that are more than --memory holds: " + std::strerror(errno));
}

std::shared_ptr<std::FILE> nameless_file() {
  std::FILE* const made = std::tmpfile();
  if (made == nullptr) failed("cannot make a temporary file");
  return {made, [](std::FILE* file) { std::fclose(file); }};
}

void write_to(std::FILE* file, std::span<const digest> some) {
  if (std::fwrite(some.data(), sizeof(digest), some.size(), file) != some.size()) {
    failed("cannot write the temporary file");
  }
}

void flush(std::FILE* file) {
  if (std::fflush(file) != 0) failed("cannot write the temporary file");
}

void read_from(std::FILE* file, std::uint64_t first, std::span<digest> into) {
  auto rest = std::as_writable_bytes(into);
  auto at = static_cast<off_t>(first * sizeof(digest));
  while (!rest.empty()) {
    const ssize_t got = ::pread(::fileno(file), rest.data(), rest.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) failed("cannot read the temporary file");
    rest = rest.subspan(static_cast<std::size_t>(got));
    at += got;
  }
}

class digests_in_a_file : public exchange::stored_digests {
 public:
  digests_in_a_file(std::shared_ptr<std::FILE> file, std::uint64_t size)
      : file_(std::move(file)), size_(size) {}
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  void read(std::uint64_t first, std::span<digest> into) const override {
    read_from(file_.get(), first, into);
  }

 private:
  std::shared_ptr<std::FILE> file_;
  std::uint64_t size_;
};

// Part of a file that is in order.
class sorted_run {
 public:
  sorted_run(std::FILE* file, std::uint64_t begin, std::uint64_t end, std::size_t at_once)
      : file_(file), begin_(begin), end_(end), at_once_(at_once) {}

  std::optional<digest> next() {
    if (used_ == held_.size()) {
      if (begin_ == end_) return std::nullopt;
      held_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(at_once_, end_ - begin_)));
      read_from(file_, begin_, held_);
      begin_ += held_.size();
      used_ = 0;
    }
    return held_[used_++];
  }

 private:
  std::FILE* file_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::size_t at_once_;
  std::vector<digest> held_;
  std::size_t used_ = 0;
};

void sort_out(std::vector<digest>& digests) {
  std::ranges::sort(digests, std::less<>());
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
}

}  // namespace

gathered_digests::gathered_digests(std::uint64_t memory)
    : room_(static_cast<std::size_t>(memory / sizeof(digest))) {
  constexpr std::size_t least = 4096;
  if (room_ < least) {
    fail(errc::invalid,
         "--memory is for fewer lines than it takes to sort more; allowed: 64 KiB "
         "and more");
  }
}

void gathered_digests::add(std::span<const digest> some) {
  while (!some.empty()) {
    if (held_.size() == room_) put_away();
    // Not twice as much at a time as is given in all.
    if (held_.size() == held_.capacity()) {
      constexpr std::size_t few = 4096;
      held_.reserve(std::min(room_, std::max(few, held_.size() * 2)));
    }
    const auto now = some.first(std::min(some.size(), held_.capacity() - held_.size()));
    held_.insert(held_.end(), now.begin(), now.end());
    some = some.subspan(now.size());
  }
}

void gathered_digests::put_away() {
  sort_out(held_);
  // Repeated lines take no room.
  if (held_.size() <= room_ / 2) return;
  if (!runs_) runs_ = nameless_file();
  write_to(runs_.get(), held_);
  run_ends_.push_back((run_ends_.empty() ? 0 : run_ends_.back()) + held_.size());
  held_.clear();
}

exchange::digest_set gathered_digests::set(std::uint64_t bytes) {
  if (run_ends_.empty()) return exchange::digest_set(std::move(held_), bytes);
  sort_out(held_);
  write_to(runs_.get(), held_);
  run_ends_.push_back(run_ends_.back() + held_.size());
  flush(runs_.get());
  held_ = {};
  std::vector<sorted_run> runs;
  const std::size_t at_once = std::clamp<std::size_t>(room_ / run_ends_.size(), 64, 1 << 14);
  std::uint64_t begin = 0;
  for (const std::uint64_t end : run_ends_) {
    runs.emplace_back(runs_.get(), std::exchange(begin, end), end, at_once);
  }
  using front = std::pair<digest, std::size_t>;
  const auto later = [](const front& a, const front& b) { return b.first < a.first; };
  std::priority_queue<front, std::vector<front>, decltype(later)> fronts(later);
  const auto draw = [&](std::size_t from) {
    if (const auto next = runs[from].next()) fronts.emplace(*next, from);
  };
  for (std::size_t i = 0; i < runs.size(); ++i) draw(i);
  auto merged = nameless_file();
  std::uint64_t size = 0;
  std::vector<digest> some;
  while (!fronts.empty()) {
    const auto [least, from] = fronts.top();
    fronts.pop();
    draw(from);
    if (!some.empty() && some.back() == least) continue;
    constexpr std::size_t many = 4096;
    if (some.size() == many) {
      write_to(merged.get(), std::span(some).first(many - 1));
      some.erase(some.begin(), some.end() - 1);
    }
    some.push_back(least);
    ++size;
  }
  write_to(merged.get(), some);
  flush(merged.get());
  runs_.reset();
  return exchange::digest_set(std::make_shared<digests_in_a_file>(std::move(merged), size), bytes);
}

}  // namespace bloomery::cli
