#include "bloomery/net/http.hpp"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "bloomery/apps/lab/world.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/net/descriptor.hpp"
#include "bloomery/net/http_client.hpp"
#include "bloomery/net/http_service.hpp"
#include "testing.hpp"

namespace bloomery::net {
namespace {

using testing::throws_error;
using role = http_parser::role;

http_message parsed(role of, const std::string& text, const http_limits& limits = {}) {
  http_parser parser(of, limits);
  EXPECT_EQ(parser.feed(text), text.size());
  if (!parser.complete()) parser.end();
  return parser.take();
}

TEST(http, a_request_is_the_same_in_whatever_pieces_it_comes) {
  const std::string text =
      "\r\nPOST http://a.example/x?y=1 HTTP/1.1\r\nHost: a.example\r\nCache-Control: no-cache, "
      "Only-If-Cached\r\nContent-Length: 5\r\n\r\nhello";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    http_parser parser(role::request);
    for (std::size_t at = 0; at < text.size(); at += piece) {
      EXPECT_EQ(parser.feed(std::string_view(text).substr(at, piece)),
                std::min(piece, text.size() - at));
    }
    ASSERT_TRUE(parser.complete());
    const http_message& found = parser.message();
    EXPECT_EQ(found.method, "POST");
    EXPECT_EQ(found.target, "http://a.example/x?y=1");
    EXPECT_EQ(found.find("HOST"), "a.example");
    EXPECT_TRUE(found.lists("cache-control", "only-if-cached"));
    EXPECT_FALSE(found.lists("cache-control", "only"));
    EXPECT_EQ(found.body, "hello");
    EXPECT_TRUE(found.keeps_alive());
  }
}

TEST(http, what_follows_a_message_is_left) {
  http_parser parser(role::request);
  const std::string one = "GET / HTTP/1.0\r\n\r\n";
  EXPECT_EQ(parser.feed(one + one), one.size());
  EXPECT_FALSE(parser.message().keeps_alive());
  EXPECT_EQ(http_request_bytes(bytes_of(one + one)), one.size());
  EXPECT_EQ(http_request_bytes(bytes_of(one.substr(0, one.size() - 1))), 0);
}

TEST(http, bodies_have_a_length_are_in_chunks_or_last_to_the_end) {
  const std::string head = "HTTP/1.1 200 OK\r\n";
  EXPECT_EQ(parsed(role::response, head + "Content-Length: 3\r\n\r\nabc").body, "abc");
  EXPECT_EQ(parsed(role::response, head + "\r\nabc").body, "abc");
  EXPECT_EQ(parsed(role::response, head + "Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n1\r\nc"
                                          "\r\n0\r\nTrailer: z\r\n\r\n")
                .body,
            "abc");
  EXPECT_EQ(parsed(role::response, "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n").body,
            "");
  http_parser cut(role::response);
  cut.feed(head + "Content-Length: 3\r\n\r\nab");
  EXPECT_TRUE(throws_error(errc::corrupt, "middle", [&] { cut.end(); }));
}

TEST(http, what_two_ends_might_take_differently_is_refused) {
  const std::string get = "GET / HTTP/1.1\r\n";
  const auto refuses = [](errc code, const std::string& text) {
    return throws_error(code, "", [&] { (void)parsed(role::request, text); });
  };
  for (const char* rest :
       {"Content-Length: 1\r\nContent-Length: 1\r\n\r\na", "Content-Length: +1\r\n\r\na",
        "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "No colon\r\n\r\n",
        " folded: 1\r\n\r\n", "Name : 1\r\n\r\n", "A: b\rc\r\n\r\n", "A: \x01\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nxyz\r\n",
        "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        "Content-Length: 18446744073709551616\r\n\r\n"}) {
    EXPECT_TRUE(refuses(errc::corrupt, get + rest)) << rest;
  }
  EXPECT_TRUE(refuses(errc::unsupported, get + "Transfer-Encoding: gzip, chunked\r\n\r\n"));
  EXPECT_TRUE(refuses(errc::unsupported, "GET / HTTP/2.0\r\n\r\n"));
  for (const char* line :
       {"GET", "GET /", "GET / x", "G@T / HTTP/1.1", "GET / y HTTP/1.1", "GET  / HTTP/1.1"}) {
    EXPECT_TRUE(refuses(errc::corrupt, std::string(line) + "\r\n\r\n")) << line;
  }
}

TEST(http, every_length_has_a_limit) {
  const http_limits small{.line = 40, .headers = 2, .body = 5};
  const std::string get = "GET / HTTP/1.1\r\n";
  const auto refuses = [&](const std::string& text) {
    return throws_error(errc::limit, "", [&] { (void)parsed(role::request, text, small); });
  };
  EXPECT_TRUE(refuses("GET /" + std::string(60, 'a')));
  EXPECT_TRUE(refuses(get + "A: 1\r\nB: 2\r\nC: 3\r\n\r\n"));
  EXPECT_TRUE(refuses(get + "Content-Length: 6\r\n\r\n"));
  EXPECT_TRUE(refuses(get + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\n"));
  EXPECT_TRUE(refuses(get + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"));
  EXPECT_TRUE(refuses(get + "Transfer-Encoding: chunked\r\n\r\n0\r\na\r\nb\r\nc\r\n"));
  const std::string extended =
      "1;" + std::string(20, 'x') + "\r\na\r\n";  // more beside a body than in it
  EXPECT_TRUE(refuses(get + "Transfer-Encoding: chunked\r\n\r\n" + extended + extended));
  EXPECT_TRUE(throws_error(errc::limit, "", [&] {
    (void)parsed(role::response, "HTTP/1.1 200 OK\r\n\r\nabcdef", small);
  }));
}

TEST(http, urls_dates_and_percents) {
  const http_url url = parse_http_url("http://proxy.example:3128/a?b");
  EXPECT_EQ(url.host, "proxy.example");
  EXPECT_EQ(url.port, 3128);
  EXPECT_EQ(url.path, "/a?b");
  EXPECT_EQ(parse_http_url("http://a").path, "/");
  EXPECT_EQ(parse_http_url("http://[::1]:80/").host, "::1");
  for (const char* wrong : {"", "http://", "ftp://a/", "http://a:0/", "http://a:b/", "http://u@a/",
                            "http://a b/", "http://:80/"}) {
    EXPECT_TRUE(throws_error(errc::invalid, "http://HOST", [&] { (void)parse_http_url(wrong); }))
        << wrong;
  }
  EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");  // RFC 9110, §5.6.7
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), 784111777);
  for (std::int64_t day = 0; day < 60'000; day += 7) {
    EXPECT_EQ(parse_http_date(http_date(86'400 * day + 3661)), 86'400 * day + 3661);
  }
  EXPECT_FALSE(parse_http_date("Sun, 31 Feb 1994 08:49:37 GMT"));
  EXPECT_FALSE(parse_http_date("yesterday"));
  const std::string odd("a b%/\xff?&\0", 9);
  EXPECT_EQ(percent_decoded(percent_encoded(odd)), odd);
  EXPECT_EQ(percent_encoded("a b"), "a%20b");
  EXPECT_TRUE(throws_error(errc::corrupt, "%", [] { (void)percent_decoded("%4"); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "%", [] { (void)percent_decoded("%zz"); }));
}

// A client that says what it is told to, and keeps what arrives, with its time.
struct browser {
  void start(apps::time /*now*/, apps::outbox& out) {
    for (const std::string& request : requests) out.send(apps::peer{0}, bytes_of(request));
  }
  void receive(apps::time now, apps::peer /*from*/, byte_view message, apps::outbox& /*out*/) {
    pieces.emplace_back(now, std::string(text_of(message)));
  }
  void tick(apps::time /*now*/, std::uint64_t /*token*/, apps::outbox& /*out*/) {}
  std::vector<std::string> requests;
  std::vector<std::pair<apps::time, std::string>> pieces = {};
};

TEST(http_service, answers_in_order_and_paces_what_asks_for_it) {
  using namespace std::chrono_literals;
  lab::world world(1);
  const apps::peer server = world.add(http_service(
      [](const http_message& request) {
        if (request.target == "/bad") fail(errc::invalid, "no such thing");
        return http_answer{.headers = {{"X", request.target}},
                           .parts = {"one", "two"},
                           .paced = request.target == "/slow"};
      },
      100ms));
  const apps::peer client =
      world.add(browser{{"GET /slow HTTP/1.1\r\n\r\n", "HEAD /next HTTP/1.1\r\n\r\n",
                         "GET /last HTTP/1.1\r\nConnection: close\r\n\r\n"}});
  const apps::peer other = world.add(browser{{"GET /bad HTTP/1.1\r\n\r\n"}});
  const apps::peer rude = world.add(browser{{"hello"}});
  world.connect_all({.delay = 1ms});
  world.run();
  std::string all;
  const auto& pieces = world.get<browser>(client).pieces;
  for (const auto& [at, text] : pieces) all += text;
  EXPECT_EQ(
      all,
      "HTTP/1.1 200 OK\r\nX: /slow\r\nContent-Length: 6\r\nConnection: keep-alive\r\n\r\nonetwo"
      "HTTP/1.1 200 OK\r\nX: /next\r\nContent-Length: 6\r\nConnection: keep-alive\r\n\r\n"
      "HTTP/1.1 200 OK\r\nX: /last\r\nContent-Length: 6\r\nConnection: close\r\n\r\nonetwo");
  ASSERT_EQ(pieces.size(), 5);
  EXPECT_EQ(pieces[1].first - pieces[0].first, 100ms);
  EXPECT_EQ(pieces[2].first - pieces[1].first, 100ms);
  EXPECT_EQ(pieces[1].second, "one");
  const std::string refused = world.get<browser>(other).pieces.at(0).second;
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 500 "));
  EXPECT_EQ(refused.find("no such thing"), std::string::npos) << "that is ours to know";
  EXPECT_TRUE(world.get<browser>(rude).pieces.at(0).second.starts_with("HTTP/1.1 400 Bad"));
  auto ended = world.get<http_service>(server).finished();
  std::ranges::sort(ended);
  EXPECT_EQ(ended, (std::vector{client, other, rude}));
  EXPECT_TRUE(world.get<http_service>(server).finished().empty());
}

// What a service sends, and when it asks to be woken.
class mail final : public apps::outbox {
 public:
  std::string sent;
  std::size_t wakes = 0;

 private:
  void do_send(apps::peer /*to*/, byte_view message) override { sent += text_of(message); }
  void do_wake(apps::time /*at*/, std::uint64_t /*token*/) override { ++wakes; }
  void do_tell(const apps::event& /*happened*/) override {}
};

constexpr apps::peer someone{3};

TEST(http_service, what_is_too_long_to_be_held_is_made_as_it_is_taken) {
  constexpr std::uint64_t length = 1'000'000;
  std::size_t made = 0;
  http_service service([&](const http_message& request) {
    if (request.target == "/short") return http_answer{.parts = {"short"}};
    return http_answer{.pieces = {.length = length, .next = [&](std::size_t most) {
                                    made += most;
                                    return std::string(most, 'x');
                                  }}};
  });
  mail out;
  service.receive({}, someone, bytes_of("GET /long HTTP/1.1\r\n\r\n"), out);
  service.receive({}, someone, bytes_of("GET /short HTTP/1.1\r\nConnection: close\r\n\r\n"), out);
  EXPECT_EQ(made, 0);
  EXPECT_TRUE(out.sent.ends_with("Content-Length: 1000000\r\nConnection: keep-alive\r\n\r\n"));
  const std::size_t head = out.sent.size();
  while (out.wakes == 0) {
    const std::size_t before = made;
    service.taken({}, someone, out);
    EXPECT_LE(made - before, 1 << 18);
    ASSERT_GT(made, before);
  }
  EXPECT_EQ(out.sent.size(), head + length);
  EXPECT_TRUE(service.finished().empty());
  service.tick({}, static_cast<std::uint64_t>(someone), out);
  EXPECT_TRUE(out.sent.ends_with("close\r\n\r\nshort"));
  EXPECT_EQ(service.finished(), std::vector{someone});
}

TEST(http_service, a_body_that_ends_too_early_ends_the_connection) {
  http_service service([](const http_message& /*request*/) {
    return http_answer{.pieces = {.length = 10, .next = [](std::size_t) { return ""; }}};
  });
  mail out;
  service.receive({}, someone, bytes_of("GET / HTTP/1.1\r\n\r\n"), out);
  EXPECT_TRUE(service.finished().empty());
  service.taken({}, someone, out);
  EXPECT_EQ(service.finished(), std::vector{someone});
}

TEST(http_service, who_asks_and_asks_while_it_is_answered_is_refused) {
  std::size_t asked = 0;
  http_service service([&](const http_message& /*request*/) {
    ++asked;
    return http_answer{.parts = {"one", "two"}, .paced = true};
  });
  const std::string request = "GET / HTTP/1.1\r\n\r\n";
  EXPECT_TRUE(throws_error(errc::limit, "wait for the answer", [&] {
    mail out;
    for (int i = 0; i < 1000; ++i) service.receive({}, someone, bytes_of(request), out);
  }));
  const std::string long_request = "GET /" + std::string(10'000, 'a') + " HTTP/1.1\r\n\r\n";
  EXPECT_TRUE(throws_error(errc::limit, "wait for the answer", [&] {
    mail out;
    for (int i = 0; i < 8; ++i) service.receive({}, apps::peer{4}, bytes_of(long_request), out);
  }));
  EXPECT_EQ(asked, 2) << "the others were not even looked at";
}

TEST(http_service, why_an_answer_failed_is_told_at_home) {
  http_service service(
      [](const http_message& /*request*/) -> http_answer { fail(errc::io, "/secret/place"); });
  std::string heard;
  service.on_failure([&](const http_message& request, const error& problem) {
    heard = request.target + problem.what();
  });
  mail out;
  service.receive({}, someone, bytes_of("GET /x HTTP/1.1\r\n\r\n"), out);
  EXPECT_EQ(heard, "/x/secret/place");
  EXPECT_EQ(out.sent.find("secret"), std::string::npos);
  // Who was told that the connection ends is not answered again.
  const std::size_t told = out.sent.size();
  service.receive({}, someone, bytes_of("GET /x HTTP/1.1\r\n\r\n"), out);
  EXPECT_EQ(out.sent.size(), told);
}

// A server that never stops: each byte is a chunk, and no chunk the last.
TEST(http_get, is_done_in_time_with_who_never_stops) {
  const descriptor door(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  ASSERT_EQ(::bind(door.number(), reinterpret_cast<sockaddr*>(&at), size), 0);
  ASSERT_EQ(::listen(door.number(), 1), 0);
  ASSERT_EQ(::getsockname(door.number(), reinterpret_cast<sockaddr*>(&at), &size), 0);
  std::thread liar([&] {
    const descriptor guest(::accept(door.number(), nullptr, nullptr));
    std::string said = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    while (::send(guest.number(), said.data(), said.size(), MSG_NOSIGNAL) > 0) {
      said.clear();
      for (int i = 0; i < 10'000; ++i) said += "1\r\na\r\n";
    }
  });
  EXPECT_TRUE(throws_error(errc::io, "within the time allowed", [&] {
    (void)http_get({"127.0.0.1", ntohs(at.sin_port), "/"}, "/", {}, {},
                   std::chrono::milliseconds(300));
  }));
  liar.join();
}

}  // namespace
}  // namespace bloomery::net
