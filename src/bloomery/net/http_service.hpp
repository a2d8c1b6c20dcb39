// Answers HTTP requests, as a party: net/loop.hpp drives it over sockets, tests without.
//
// Purpose:   a handler makes an answer of each request; the service keeps the order of answers on a connection,
//            states lengths, and can send an answer in parts with a pause between them, for receivers that mistake
//            what arrives together (Squid 5.7 loses bytes of cache digests otherwise: its bug 5510).
// Cost:      an answer is held until it is sent.
// Guarantee: a request that makes no sense, or that the handler refuses by an error, is answered with 400 and ends the
//            connection. A peer that asks while it is being answered waits.
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
#include "bloomery/net/http.hpp"

namespace bloomery::net {

struct http_answer {
  int status = 200;
  std::vector<http_header> headers = {};
  std::vector<std::string> parts = {};  // of the body
  bool paced = false;                   // a pause before each part
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

  // The peers whose connection is to be ended, since they were told; each once.
  std::vector<apps::peer> finished();
  // A peer is gone, and its answers with it.
  void forget(apps::peer who);

 private:
  struct piece {
    std::string bytes;
    bool after_pause = false;
    bool last = false;  // on this connection
  };
  void send_ready(apps::time now, apps::peer to, apps::outbox& out);

  http_handler handle_;
  std::chrono::milliseconds pause_;
  std::map<apps::peer, std::deque<piece>> waiting_;
  std::vector<apps::peer> finished_;
};

}  // namespace bloomery::net
