#include "bloomery/net/http_service.hpp"

#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::net {
namespace {

std::string_view reason_of(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 226:
      return "IM Used";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 504:
      return "Gateway Timeout";
    default:
      return "Answered";
  }
}

}  // namespace

std::uint64_t http_request_bytes(byte_view start, const http_limits& limits) {
  http_parser parser(http_parser::role::request, limits);
  const std::size_t taken = parser.feed(text_of(start));
  return parser.complete() ? taken : 0;
}

void http_service::receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out) {
  http_answer answer;
  bool ends = true;
  bool with_body = true;
  try {
    http_parser parser(http_parser::role::request);
    if (parser.feed(text_of(message)) != message.size() || !parser.complete()) {
      fail(errc::corrupt, "no HTTP: this is not one request");
    }
    const http_message& request = parser.message();
    ends = !request.keeps_alive();
    with_body = request.method != "HEAD";
    answer = handle_(request);
  } catch (const error& problem) {
    ends = true;
    answer = {.status = 400,
              .headers = {{"Content-Type", "text/plain"}},
              .parts = {std::string(problem.what()) + "\n"}};
  }
  std::uint64_t length = 0;
  for (const std::string& part : answer.parts) length += part.size();
  http_message head;
  head.status = answer.status;
  head.reason = reason_of(answer.status);
  head.headers = std::move(answer.headers);
  if (answer.status != 304) head.headers.push_back({"Content-Length", std::to_string(length)});
  head.headers.push_back({"Connection", ends ? "close" : "keep-alive"});
  std::deque<piece>& queue = waiting_[from];
  const bool idle = queue.empty();
  queue.push_back({.bytes = head_of(head), .after_pause = false, .last = false});
  for (std::string& part : answer.parts) {
    if (!with_body) break;
    if (answer.paced) {
      queue.push_back({.bytes = std::move(part), .after_pause = true, .last = false});
    } else {
      queue.back().bytes += part;
    }
  }
  queue.back().last = ends;
  if (idle) send_ready(now, from, out);
}

void http_service::send_ready(apps::time now, apps::peer to, apps::outbox& out) {
  std::deque<piece>& queue = waiting_[to];
  while (!queue.empty()) {
    const piece next = std::move(queue.front());
    queue.pop_front();
    out.send(to, bytes_of(next.bytes));
    if (next.last) {
      finished_.push_back(to);
      break;
    }
    if (!queue.empty() && queue.front().after_pause) {
      out.wake(now + pause_, static_cast<std::uint64_t>(to));
      return;
    }
  }
  waiting_.erase(to);
}

void http_service::tick(apps::time now, std::uint64_t token, apps::outbox& out) {
  const auto to = static_cast<apps::peer>(token);
  if (waiting_.contains(to)) send_ready(now, to, out);
}

std::vector<apps::peer> http_service::finished() {
  return std::exchange(finished_, {});
}

void http_service::forget(apps::peer who) {
  waiting_.erase(who);
}

}  // namespace bloomery::net
