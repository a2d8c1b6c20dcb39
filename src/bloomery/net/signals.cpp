#include "bloomery/net/signals.hpp"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "bloomery/core/error.hpp"

namespace bloomery::net {
namespace {

std::atomic<int> write_end_of_stop{-1};
static_assert(std::atomic<int>::is_always_lock_free);  // a handler may use no other

void note_stop(int) {
  const int before = errno;
  const char byte = 0;
  const ssize_t written = ::write(write_end_of_stop.load(), &byte, 1);
  (void)written;  // a full pipe is readable as well
  errno = before;
}

}  // namespace

stop_signals::stop_signals() : ends_(make_pipe()) {
  int none = -1;
  if (!write_end_of_stop.compare_exchange_strong(none, ends_.second.number())) {
    fail(errc::invalid, "this program already waits for SIGTERM and SIGINT elsewhere");
  }
  struct sigaction act {};
  act.sa_handler = note_stop;
  act.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&act.sa_mask);
  ::sigaction(SIGTERM, &act, &before_term_);
  ::sigaction(SIGINT, &act, &before_int_);
}

stop_signals::~stop_signals() {
  ::sigaction(SIGTERM, &before_term_, nullptr);
  ::sigaction(SIGINT, &before_int_, nullptr);
  write_end_of_stop.store(-1);
}

bool stop_signals::arrived() const {
  pollfd one{.fd = readable(), .events = POLLIN, .revents = 0};
  return ::poll(&one, 1, 0) > 0;
}

no_pipe_signal::no_pipe_signal() {
  sigset_t pipe{};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigset_t pending{};
  sigpending(&pending);
  was_pending_ = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe, &before_);
}

no_pipe_signal::~no_pipe_signal() {
  sigset_t pipe{};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  if (!was_pending_) {
    const timespec none{};
    while (::sigtimedwait(&pipe, nullptr, &none) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace bloomery::net
