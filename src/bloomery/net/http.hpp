// HTTP/1.1, as much of it as talking to a proxy takes: messages out of bytes, and bytes of messages.
//
// Purpose:   a parser without sockets, fed with what came, in whatever pieces; for requests and responses, with
//            bodies by length, in chunks, or up to the end of the connection.
// Cost:      each byte is looked at once; memory is that of the message, within the limits.
// Guarantee: lines, headers and bodies beyond the limits are errc::limit; what is no HTTP, or states its length
//            twice or in two ways, is errc::corrupt: what one end takes for two messages no other takes for one.
//            Transfer codings but chunks, and other versions than 1.x, are errc::unsupported.
// Citation:  RFC 9110, RFC 9112.
//
//     bloomery::net::http_parser parser(bloomery::net::http_parser::role::request);
//     const std::string_view came = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET";
//     assert(parser.feed(came) == came.size() - 3 && parser.complete());
//     assert(parser.message().method == "GET" && parser.message().find("host") == "a");
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::net {

struct http_limits {
  std::uint64_t line =
      16 << 10;  // bytes of the first line, of a header, of all extensions of chunks
  std::uint64_t headers = 100;
  std::uint64_t body = std::uint64_t{1} << 30;
};

struct http_header {
  std::string name;
  std::string value;
};

struct http_message {
  std::string method;  // of a request
  std::string target;
  int status = 0;  // of a response
  std::string reason;
  int minor_version = 1;
  std::vector<http_header> headers;
  std::string body;

  // The value of a header; names are alike in any case. None if it is not there, the first if it is twice.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const;
  // Whether one of the words of a header that is a list, such as Cache-Control, is this one.
  [[nodiscard]] bool lists(std::string_view name, std::string_view word) const;
  // Whether another message may follow on the connection.
  [[nodiscard]] bool keeps_alive() const;
};

class http_parser {
 public:
  enum class role : std::uint8_t { request, response };

  explicit http_parser(role of, const http_limits& limits = {}) : role_(of), limits_(limits) {}

  // Takes what came; answers how much of it belongs to this message, which is less only if it is complete.
  std::size_t feed(std::string_view bytes);
  // The connection has ended: completes a body without a length; errc::corrupt if something is missing.
  void end();

  [[nodiscard]] bool complete() const { return step_ == step::done; }
  [[nodiscard]] bool begun() const { return step_ != step::first_line || !line_.empty(); }
  [[nodiscard]] const http_message& message() const { return message_; }
  [[nodiscard]] http_message take() { return std::move(message_); }

 private:
  enum class step : std::uint8_t {
    first_line,
    header,
    body,
    to_the_end,
    chunk_length,
    chunk,
    chunk_end,
    trailer,
    done
  };
  std::size_t feed_line(std::string_view bytes);
  std::size_t feed_body(std::string_view bytes);
  void on_line(std::string_view line);
  void first_line(std::string_view line);
  void version(std::string_view text);
  void add_header(std::string_view line);
  void headers_end();
  void chunk_length(std::string_view line);

  role role_;
  http_limits limits_;
  step step_ = step::first_line;
  std::string line_;
  std::uint64_t left_ = 0;        // of the body, or the chunk
  std::uint64_t extensions_ = 0;  // bytes of those of chunks
  http_message message_;
};

// The first line and the headers of a message, and the empty line.
std::string head_of(const http_message& message);

// "http://host:port/path" in parts; a path that is missing is "/", a port 80. errc::invalid if it is none.
struct http_url {
  std::string host;
  std::uint16_t port = 80;
  std::string path;
};
http_url parse_http_url(std::string_view text);

// "Sun, 06 Nov 1994 08:49:37 GMT", of seconds since 1970; and back, if it is such a date.
std::string http_date(std::int64_t seconds);
std::optional<std::int64_t> parse_http_date(std::string_view text);

// "%2F" for what may not stand in a query; and back, errc::corrupt if it is no such text.
std::string percent_encoded(std::string_view text);
std::string percent_decoded(std::string_view text);

}  // namespace bloomery::net
