#include "bloomery/net/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"

namespace bloomery::net {
namespace {

// The child's ends block, as programs expect of theirs.
void set_blocking(const descriptor& open) {
  const int flags = ::fcntl(open.number(), F_GETFL);
  if (flags < 0 || ::fcntl(open.number(), F_SETFL, flags & ~O_NONBLOCK) < 0) fail_system("a pipe");
}

}  // namespace

child::child(const std::string& command) {
  descriptor_pair input = make_pipe();
  descriptor_pair output = make_pipe();
  set_blocking(input.first);
  set_blocking(output.second);

  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.first.number(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.second.number(), STDOUT_FILENO);
  // What this program ignores or holds back is its own affair.
  posix_spawnattr_t attributes{};
  posix_spawnattr_init(&attributes);
  sigset_t none{};
  sigemptyset(&none);
  sigset_t usual{};
  sigemptyset(&usual);
  for (const int each : {SIGPIPE, SIGINT, SIGTERM}) sigaddset(&usual, each);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::array<std::string, 3> words{"sh", "-c", command};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  const int problem =
      ::posix_spawn(&process_, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (problem != 0) {
    process_ = -1;
    fail(errc::io, in_quotes(command) + " cannot be started: " + std::strerror(problem));
  }
  from_ = std::move(output.first);
  to_ = std::move(input.second);
}

child::child(child&& other) noexcept
    : process_(std::exchange(other.process_, -1)),
      status_(other.status_),
      from_(std::move(other.from_)),
      to_(std::move(other.to_)) {}

child::~child() {
  to_.close();
  from_.close();
  if (process_ >= 0) (void)wait();
}

// True once there is a status.
bool child::reap(bool now) {
  if (status_) return true;
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(process_, &status, now ? WNOHANG : 0);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  status_ = ended < 0 ? 0 : status;  // somebody else reaped it
  process_ = -1;
  return true;
}

std::string child::wait() {
  using clock = std::chrono::steady_clock;
  for (const int signal : {SIGTERM, SIGKILL}) {
    const auto last = clock::now() + grace;
    while (!reap(true) && clock::now() < last) ::poll(nullptr, 0, 5);
    if (status_) break;
    ::kill(process_, signal);
  }
  reap(false);
  if (WIFSIGNALED(*status_)) return "was ended by signal " + std::to_string(WTERMSIG(*status_));
  return "ended with status " + std::to_string(WEXITSTATUS(*status_));
}

}  // namespace bloomery::net
