#include "bloomery/net/http_service.hpp"

#include <algorithm>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::net {
namespace {

// Of one peer, while it is answered.
constexpr std::size_t most_requests = 100;
constexpr std::uint64_t most_waiting = 64 << 10;  // bytes of them

constexpr std::size_t one_piece = 256 << 10;

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
    case 500:
      return "Internal Server Error";
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

http_answer http_service::answer_to(byte_view message, bool& ends, bool& with_body) const {
  const auto words = [](int status, std::string text) {
    return http_answer{.status = status,
                       .headers = {{"Content-Type", "text/plain"}},
                       .parts = {std::move(text) + "\n"}};
  };
  http_parser parser(http_parser::role::request);
  ends = true;
  with_body = true;
  try {
    if (parser.feed(text_of(message)) != message.size() || !parser.complete()) {
      fail(errc::corrupt, "no HTTP: this is not one request");
    }
  } catch (const error& problem) {
    return words(400, problem.what());
  }
  const http_message& request = parser.message();
  with_body = request.method != "HEAD";
  try {
    http_answer made = handle_(request);
    ends = !request.keeps_alive();
    return made;
  } catch (const error& problem) {
    if (failed_) failed_(request, problem);
    return words(500, "this cannot be answered now");
  }
}

void http_service::receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out) {
  if (std::ranges::find(finished_, from) != finished_.end()) return;
  const auto found = open_.find(from);
  if (found == open_.end()) {
    answer(now, from, message, out);
    return;
  }
  conversation& with = found->second;
  with.waiting += message.size();
  with.requests.emplace_back(text_of(message));
  if (with.requests.size() > most_requests || with.waiting > most_waiting) {
    fail(errc::limit, "more requests than " + std::to_string(most_requests) + ", or of more than " +
                          std::to_string(most_waiting) + " bytes, wait for the answer to another");
  }
}

void http_service::answer(apps::time now, apps::peer from, byte_view message, apps::outbox& out) {
  bool with_body = true;
  conversation& with = open_[from];
  http_answer made = answer_to(message, with.last, with_body);
  std::uint64_t length = made.pieces.length;
  for (const std::string& part : made.parts) length += part.size();
  http_message head;
  head.status = made.status;
  head.reason = reason_of(made.status);
  head.headers = std::move(made.headers);
  if (made.status != 304) head.headers.push_back({"Content-Length", std::to_string(length)});
  head.headers.push_back({"Connection", with.last ? "close" : "keep-alive"});
  std::string text = head_of(head);
  if (with_body) {
    for (std::string& part : made.parts) {
      if (made.paced) {
        with.parts.push_back(std::move(part));
      } else {
        text += part;
      }
    }
    with.pieces = std::move(made.pieces);
  }
  out.send(from, bytes_of(text));
  with.pausing = made.paced && !with.answered();
  go_on(now, from, out);
}

// After something was sent: waits for what brings the next, which is a pause, or that this was taken.
void http_service::go_on(apps::time now, apps::peer to, apps::outbox& out) {
  conversation& with = open_[to];
  const auto token = static_cast<std::uint64_t>(to);
  if (!with.answered()) {
    if (with.pausing) out.wake(now + pause_, token);
  } else if (with.last) {
    finished_.push_back(to);
    open_.erase(to);
  } else if (with.requests.empty()) {
    open_.erase(to);
  } else {
    out.wake(now, token);
  }
}

void http_service::tick(apps::time now, std::uint64_t token, apps::outbox& out) {
  const auto to = static_cast<apps::peer>(token);
  const auto found = open_.find(to);
  if (found == open_.end()) return;
  conversation& with = found->second;
  if (with.answered()) {
    const std::string next = std::move(with.requests.front());
    with.requests.pop_front();
    with.waiting -= next.size();
    answer(now, to, bytes_of(next), out);
  } else if (with.parts.empty()) {
    with.pausing = false;
    taken(now, to, out);
  } else {
    const std::string part = std::move(with.parts.front());
    with.parts.pop_front();
    out.send(to, bytes_of(part));
    go_on(now, to, out);
  }
}

void http_service::taken(apps::time now, apps::peer by, apps::outbox& out) {
  const auto found = open_.find(by);
  if (found == open_.end() || found->second.pausing || found->second.answered()) return;
  http_pieces& pieces = found->second.pieces;
  const std::string piece =
      pieces.next(static_cast<std::size_t>(std::min<std::uint64_t>(one_piece, pieces.length)));
  if (piece.empty() || piece.size() > pieces.length) {
    finished_.push_back(by);
    open_.erase(found);
    return;
  }
  pieces.length -= piece.size();
  out.send(by, bytes_of(piece));
  go_on(now, by, out);
}

std::vector<apps::peer> http_service::finished() {
  return std::exchange(finished_, {});
}

void http_service::forget(apps::peer who) {
  open_.erase(who);
}

}  // namespace bloomery::net
