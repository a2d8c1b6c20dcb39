#include "bloomery/net/descriptor.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "bloomery/core/error.hpp"

namespace bloomery::net {

void descriptor::close() {
  if (owned_ && number_ >= 0) ::close(number_);
  number_ = -1;
  owned_ = false;
}

void fail_system(std::string_view what) {
  fail(errc::io, std::string(what) + ": " + std::strerror(errno));
}

descriptor_pair make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) fail_system("a pipe");
  return {descriptor(ends[0]), descriptor(ends[1])};
}

descriptor_pair make_sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    fail_system("a pair of sockets");
  }
  return {descriptor(ends[0]), descriptor(ends[1])};
}

void set_nonblocking(const descriptor& open) {
  const int flags = ::fcntl(open.number(), F_GETFL);
  if (flags < 0 || ::fcntl(open.number(), F_SETFL, flags | O_NONBLOCK) < 0) {
    fail_system("a descriptor cannot be made non-blocking");
  }
}

}  // namespace bloomery::net
