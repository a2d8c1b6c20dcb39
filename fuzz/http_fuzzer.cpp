// Any bytes may come over a connection that should speak HTTP: they are refused with bloomery::error, or are
// messages within the limits that are the same in whatever pieces they come, and whose head is read again as written.
//
// The first byte says request or response, the second how long the pieces are.
#include <optional>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/net/http.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;

constexpr net::http_limits small{.line = 200, .headers = 8, .body = 1000};
// A line that is written has a carriage return and a blank behind the colon, which it may have come without.
constexpr net::http_limits rewritten{.line = small.line + 2, .headers = 8, .body = 1000};

struct outcome {
  std::size_t taken = 0;
  std::optional<net::http_message> message = {};
  bool refused = false;
};

outcome parse(net::http_parser::role of, std::string_view text, std::size_t piece,
              const net::http_limits& limits = small) {
  outcome found;
  try {
    net::http_parser parser(of, limits);
    while (found.taken < text.size() && !parser.complete()) {
      found.taken += parser.feed(text.substr(found.taken, piece));
    }
    if (!parser.complete()) parser.end();
    found.message = parser.take();
  } catch (const error& problem) {
    law(testing::is_senders_fault(problem), "messages are to blame");
    found.refused = true;
  }
  return found;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto of =
      data[0] % 2 == 0 ? net::http_parser::role::request : net::http_parser::role::response;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const outcome whole = parse(of, text, text.size() + 1);
  const outcome pieces = parse(of, text, std::size_t{data[1]} % 16 + 1);
  law(whole.refused == pieces.refused, "pieces do not matter");
  if (!whole.message) return 0;
  law(pieces.message && whole.taken == pieces.taken && whole.message->body == pieces.message->body,
      "pieces give the same message");
  law(whole.message->body.size() <= small.body && whole.message->headers.size() <= small.headers,
      "messages are within the limits");
  net::http_message head = *whole.message;
  std::erase_if(head.headers, [](const net::http_header& each) {
    return each.name.size() == 17 ||
           each.name.size() == 14;  // lengths of Transfer-Encoding, Content-Length
  });
  const outcome again = parse(of, net::head_of(head), 1000, rewritten);
  law(again.message && again.message->headers.size() == head.headers.size() &&
          again.message->target == head.target && again.message->status == head.status,
      "a head that was read is read again");
  return 0;
}
