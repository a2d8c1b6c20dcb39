#include "bloomery/apps/exchange/sharing_proxy.hpp"

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::apps {

sharing_proxy::sharing_proxy(const summary_plan& plan, peer owner)
    : plan_(plan), summary_(plan, hash_.identity()), owner_(owner) {
  (void)summary_.update();  // the empty one, for neighbours that come before anything else
}

void sharing_proxy::start(time /*now*/, outbox& /*out*/) {}

void sharing_proxy::tick(time /*now*/, std::uint64_t /*token*/, outbox& /*out*/) {}

std::vector<std::byte> sharing_proxy::join(peer who, std::string name) {
  neighbours_[who] = {std::move(name)};
  return summary_.whole();
}

void sharing_proxy::leave(peer who) {
  neighbours_.erase(who);
}

void sharing_proxy::receive(time /*now*/, peer from, byte_view message, outbox& out) {
  if (from != owner_) {
    neighbours_[from].summary.receive(message, hash_.identity(),
                                      {.max_bytes = plan_.most_message_bytes()},
                                      {.load = {.max_payload_bytes = plan_.most_bytes()}});
    return;
  }
  std::string_view line = text_of(message);
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (!line.empty()) obey(line, out);
}

void sharing_proxy::obey(std::string_view line, outbox& out) {
  if (line == "!") return tell(out);
  if (line.size() < 3 || line[1] != ' ' ||
      std::string_view("+-?").find(line[0]) == std::string_view::npos) {
    fail(errc::invalid, in_quotes(line) + " is not + URL, - URL, ? URL or !");
  }
  const std::string_view url = line.substr(2);
  const digest key = hash_(url);
  switch (line[0]) {
    case '+':
      if (urls_.insert(key).second) summary_.insert(key);
      break;
    case '-':
      if (urls_.erase(key) == 1) summary_.erase(key);
      break;
    default:
      answer(url, out);
      return;
  }
  if (summary_.due()) tell(out);
}

// The neighbours that may have it, after the URL; only the URL if none has.
void sharing_proxy::answer(std::string_view url, outbox& out) {
  std::string text(url);
  const digest key = hash_(url);
  if (urls_.contains(key)) text += "\there";
  for (const auto& [who, each] : neighbours_) {
    if (each.summary.may_hold(key)) text += "\t" + each.name;
  }
  text += "\n";
  out.send(owner_, bytes_of(text));
}

void sharing_proxy::tell(outbox& out) {
  const std::vector<std::byte> message = summary_.update();
  for (const auto& [who, each] : neighbours_) out.send(who, message);
}

}  // namespace bloomery::apps
