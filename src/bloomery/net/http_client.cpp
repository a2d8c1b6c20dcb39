#include "bloomery/net/http_client.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bloomery/net/descriptor.hpp"
#include "bloomery/net/endpoint.hpp"

namespace bloomery::net {
namespace {

class deadline {
 public:
  deadline(std::chrono::milliseconds patience, std::string name)
      : at_(std::chrono::steady_clock::now() + patience), name_(std::move(name)) {}

  // Until the descriptor is ready, or errc::io.
  void wait(int number, short events) const {
    pollfd asked{number, events, 0};
    const int ready = ::poll(&asked, 1, static_cast<int>(left().count()));
    if (ready < 0 && errno != EINTR) fail_system(name_);
    if (ready == 0) (void)left();
  }
  // Also of who keeps sending: errc::io if it is over.
  [[nodiscard]] std::chrono::milliseconds left() const {
    const auto rest =
        std::chrono::ceil<std::chrono::milliseconds>(at_ - std::chrono::steady_clock::now());
    if (rest.count() <= 0) fail(errc::io, name_ + ": no answer within the time allowed");
    return rest;
  }
  [[noreturn]] void fail_here() const { fail_system(name_); }

 private:
  std::chrono::steady_clock::time_point at_;
  std::string name_;
};

descriptor connected(const endpoint& to, const deadline& until) {
  int problem = 0;
  for (const address& each : resolve(to, transport::stream, false)) {
    descriptor made(::socket(each.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!made) until.fail_here();
    if (::connect(made.number(), each.get(), each.size) == 0) return made;
    problem = errno;
    if (problem == EINPROGRESS) {
      until.wait(made.number(), POLLOUT);
      socklen_t size = sizeof problem;
      if (::getsockopt(made.number(), SOL_SOCKET, SO_ERROR, &problem, &size) != 0) problem = errno;
      if (problem == 0) return made;
    }
  }
  errno = problem;
  until.fail_here();
}

}  // namespace

http_fetched http_get(const http_url& from, const std::string& target,
                      std::vector<http_header> headers, const http_limits& limits,
                      std::chrono::milliseconds patience) {
  const endpoint there{from.host, from.port};
  const deadline until(patience, there.text());
  const descriptor socket = connected(there, until);

  http_message request;
  request.method = "GET";
  request.target = target;
  request.headers = std::move(headers);
  request.headers.push_back({"Host", there.text()});
  request.headers.push_back({"Connection", "close"});
  const std::string sent = head_of(request);
  http_fetched done{.answer = {}, .bytes_sent = sent.size(), .bytes_received = 0};
  for (std::string_view rest = sent; !rest.empty();) {
    const ssize_t some = ::send(socket.number(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (some >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(some));
    } else if (errno == EAGAIN || errno == EINTR) {
      until.wait(socket.number(), POLLOUT);
    } else {
      until.fail_here();
    }
  }

  http_parser parser(http_parser::role::response, limits);
  std::array<char, 16384> room{};
  while (!parser.complete()) {
    (void)until.left();
    const ssize_t some = ::recv(socket.number(), room.data(), room.size(), 0);
    if (some == 0) {
      parser.end();
    } else if (some > 0) {
      done.bytes_received += static_cast<std::uint64_t>(some);
      (void)parser.feed({room.data(), static_cast<std::size_t>(some)});
      // Answers that only say that the real one follows.
      if (parser.complete() && parser.message().status < 200) {
        fail(errc::unsupported,
             there.text() + " says status " + std::to_string(parser.message().status) + " first");
      }
    } else if (errno == EAGAIN || errno == EINTR) {
      until.wait(socket.number(), POLLIN);
    } else {
      until.fail_here();
    }
  }
  done.answer = parser.take();
  return done;
}

}  // namespace bloomery::net
