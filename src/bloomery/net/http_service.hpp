// Answers HTTP requests, as a party: net/loop.hpp drives it over sockets, tests without.
//
// Purpose:   a handler makes an answer of each request; the service keeps the order of answers on a connection,
//            states lengths, and can send an answer in parts with a pause between them, for receivers that mistake
//            what arrives together (Squid 5.7 loses bytes of cache digests otherwise: its bug 5510), or in pieces that
//            are made when the driver says that those before have been taken (`taken`).
// Cost:      of an answer in pieces one is held; any other until it is sent. Of each peer one answer at a time.
// Guarantee: a request that makes no sense is answered with 400, and one at which the handler throws with 500, which says
//            nothing of why: `on_failure` hears that. Both end the connection. A peer that asks while it is
//            being answered waits; what waits is limited (errc::limit, which costs the peer).
//
//     bloomery::net::http_service hello([](const bloomery::net::http_message& request) {
//       return bloomery::net::http_answer{.parts = {"hello, " + request.target}};
//     });
//     assert(hello.finished().empty());
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "bloomery/apps/party.hpp"
#include "bloomery/core/bytes.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/net/http.hpp"

namespace bloomery::net {

// The body of an answer that is too long to be held: so many bytes, the next of which `next` gives, at most as many as it
// is asked for. If it gives none too early, the connection ends there, which tells the peer.
struct http_pieces {
  std::uint64_t length = 0;
  std::function<std::string(std::size_t most)> next = {};
};

struct http_answer {
  int status = 200;
  std::vector<http_header> headers = {};
  std::vector<std::string> parts = {};  // of the body
  http_pieces pieces = {};              // behind the parts
  bool paced = false;                   // a pause before each part, and before the pieces
};

using http_handler = std::function<http_answer(const http_message& request)>;

// The bytes of the first request of a stream, or 0 if it is not all there: for net/framing.hpp.
std::uint64_t http_request_bytes(byte_view start, const http_limits& limits = {});

class http_service {
 public:
  explicit http_service(http_handler handle,
                        std::chrono::milliseconds pause = std::chrono::milliseconds(100))
      : handle_(std::move(handle)), pause_(pause) {}

  void start(apps::time /*now*/, apps::outbox& /*out*/) {}
  void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out);
  void tick(apps::time now, std::uint64_t token, apps::outbox& out);

  // What was sent to it before has been taken.
  void taken(apps::time now, apps::peer by, apps::outbox& out);
  // Hears of what the handler threw, and at which request.
  using failure_listener = std::function<void(const http_message& request, const error& problem)>;
  void on_failure(failure_listener listener) { failed_ = std::move(listener); }

  // The peers whose connection is to be ended, since they were told; each once.
  std::vector<apps::peer> finished();
  // Whether an answer to it is under way, or a request of its waits for one.
  [[nodiscard]] bool owes(apps::peer who) const { return open_.contains(who); }
  // A peer is gone, and its answers with it.
  void forget(apps::peer who);

 private:
  // With a peer that is being answered.
  struct conversation {
    std::deque<std::string> parts = {};  // of the answer, each after a pause
    http_pieces pieces = {};
    bool pausing = false;
    bool last = false;                      // on this connection
    std::deque<std::string> requests = {};  // that wait
    std::uint64_t waiting = 0;              // their bytes
    [[nodiscard]] bool answered() const { return parts.empty() && pieces.length == 0; }
  };
  http_answer answer_to(byte_view message, bool& ends, bool& with_body) const;
  void answer(apps::time now, apps::peer from, byte_view message, apps::outbox& out);
  void go_on(apps::time now, apps::peer to, apps::outbox& out);

  http_handler handle_;
  std::chrono::milliseconds pause_;
  std::map<apps::peer, conversation> open_;
  std::vector<apps::peer> finished_;
  failure_listener failed_ = {};
};

}  // namespace bloomery::net
