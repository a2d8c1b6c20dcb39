#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

constexpr std::chrono::milliseconds interval(200);
constexpr const char* wipe = "\r\x1b[K";
const std::chrono::steady_clock::time_point program_start = std::chrono::steady_clock::now();

}  // namespace

bool is_watched() {
  return ::isatty(STDERR_FILENO) == 1;
}

double seconds_spent() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - program_start).count();
}

phase::phase(const std::string& what) {
  if (!is_watched()) return;
  fmt::print(stderr, "{}{} …", wipe, printable(what));
  std::fflush(stderr);
}

phase::~phase() {
  if (is_watched()) fmt::print(stderr, "{}", wipe);
}

progress::progress() : watched_(is_watched()), start_(clock::now()), last_(start_) {}

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
  fmt::print(stderr, "{}reading: {} keys, {}/s", wipe, format_count(keys_), format_count(rate));
  const std::uint64_t done = done_;
  if (total_ > done && done > 0) {
    const double part = static_cast<double>(done) / static_cast<double>(total_);
    fmt::print(stderr, ", {:.0f} %, {:.0f} s left", 100 * part, seconds / part - seconds);
  }
  std::fflush(stderr);
}

}  // namespace bloomery::cli
