#include "secret_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::cli {
namespace {

constexpr std::size_t longest_word = 64 << 10;

struct descriptor {
  explicit descriptor(const std::string& path)
      : number(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (number < 0) fail(errc::io, path + ": " + std::strerror(errno));
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (number != STDIN_FILENO) ::close(number);
  }
  int number;
};

// Nothing is shown while it lives, if standard input is a terminal.
class unseen {
 public:
  unseen() : terminal_(::tcgetattr(STDIN_FILENO, &usual_) == 0) {
    if (!terminal_) return;
    termios silent = usual_;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  unseen(const unseen&) = delete;
  unseen& operator=(const unseen&) = delete;
  ~unseen() {
    if (!terminal_) return;
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &usual_);
    fmt::print(stderr, "\n");
  }
  [[nodiscard]] bool terminal() const { return terminal_; }

 private:
  termios usual_{};
  bool terminal_;
};

std::size_t read_some(int file, const std::string& path, std::byte* into, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(file, into, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail(errc::io, path + ": " + std::strerror(errno));
  }
}

}  // namespace

secure::secret_bytes read_secret(const std::string& path, std::uint64_t most) {
  constexpr std::size_t piece = 1 << 12;
  const descriptor file(path);
  secure::secret_bytes bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + piece);
    const std::size_t got = read_some(file.number, path, bytes.data() + before, piece);
    bytes.resize(before + got);
    if (got == 0) return bytes;
    if (bytes.size() > most) fail(errc::limit, path + ": more than " + format_size(most));
  }
}

secure::secret_bytes read_secret_line(const std::string& prompt) {
  const unseen quiet;
  if (quiet.terminal()) {
    fmt::print(stderr, "{}", prompt);
    std::fflush(stderr);
  }
  secure::secret_bytes line;
  line.reserve(longest_word);
  std::byte next{};
  bool any = false;
  while (read_some(STDIN_FILENO, "standard input", &next, 1) == 1) {
    any = true;
    if (next == std::byte{'\n'}) break;
    if (line.size() == longest_word) {
      fail(errc::limit, "the line is longer than " + format_size(longest_word));
    }
    line.push_back(next);
  }
  if (!any) fail(errc::invalid, "standard input holds no line");
  return line;
}

}  // namespace bloomery::cli
