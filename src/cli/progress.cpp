#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

constexpr std::chrono::milliseconds interval(200);
constexpr const char* wipe = "\r\x1b[K";

}  // namespace

progress::progress()
    : watched_(::isatty(STDERR_FILENO) == 1), start_(clock::now()), last_(start_) {}

progress::~progress() {
  if (shown_) fmt::print(stderr, "{}", wipe);
}

void progress::count(std::uint64_t keys) {
  keys_ += keys;
  if (!watched_) return;
  const auto now = clock::now();
  if (now - last_ < interval) return;
  last_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(keys_) / seconds);
  fmt::print(stderr, "{}{} keys, {}/s", wipe, format_count(keys_), format_count(rate));
  const std::uint64_t done = done_;
  if (total_ > done && done > 0) {
    const double part = static_cast<double>(done) / static_cast<double>(total_);
    fmt::print(stderr, ", {:.0f} %, {:.0f} s left", 100 * part, seconds / part - seconds);
  }
  std::fflush(stderr);
}

}  // namespace bloomery::cli
