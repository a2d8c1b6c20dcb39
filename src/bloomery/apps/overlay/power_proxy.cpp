#include "bloomery/apps/overlay/power_proxy.hpp"

#include <algorithm>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::apps {
namespace {

byte_view raw(std::string_view text) {
  return std::as_bytes(std::span(text));
}
std::string_view spelt(byte_view bytes) {
  // Bytes may be looked at as characters.
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void require_own(peer from, peer own) {
  if (from != own) fail(errc::incompatible, "a message of a proxy and its host came from another");
}

}  // namespace

bool power_proxy::may_have(std::string_view file) const {
  return !filter_ || filter_->may_contain(hash_(file));
}

void power_proxy::receive(time /*now*/, peer from, byte_view message, outbox& out) {
  namespace said = proxy_message;
  const std::string_view name = wire::message_name(message);
  if (name == said::shared::name) {
    require_own(from, host_);
    filter_ =
        wire::read<said::shared>(message).filter.open<best_of_n_filter>(hash_.identity(), limits_);
  } else if (name == said::served::name) {
    require_own(from, host_);
    const auto served = wire::read<said::served>(message);
    out.send(static_cast<peer>(served.peer),
             wire::write(said::delivered{served.file, served.has, served.content}));
  } else if (name == said::query::name) {
    const auto asked = wire::read<said::query>(message);
    const bool has = may_have(spelt(asked.file));
    out.send(from, wire::write(said::answer{asked.file, std::uint64_t{has}}));
  } else {
    const auto wanted = wire::read<said::fetch>(message);
    if (may_have(spelt(wanted.file))) {
      out.send(host_, wire::write(said::wake{wanted.file, static_cast<std::uint64_t>(from)}));
    } else {
      out.send(from, wire::write(said::delivered{.file = wanted.file}));
    }
  }
}

sleeping_host::sleeping_host(peer proxy, hasher hash, const sleep_plan& plan)
    : hash_(std::move(hash)), proxy_(proxy), plan_(plan) {}

void sleeping_host::share(std::string file, std::string content) {
  if (file.empty()) fail(errc::invalid, "a file to share has no name");
  if (file.size() > proxy_message::most_name_bytes ||
      content.size() > proxy_message::most_file_bytes) {
    fail(errc::limit, "a file to share has a name of " + format_size(file.size()) +
                          " and a content of " + format_size(content.size()) +
                          "; allowed: " + format_size(proxy_message::most_name_bytes) + " and " +
                          format_size(proxy_message::most_file_bytes));
  }
  files_.insert_or_assign(std::move(file), std::move(content));
  changed_ = true;
}

void sleeping_host::sleep(time /*now*/, outbox& out) {
  asleep_ = true;
  if (!changed_) return;
  std::vector<digest> keys;
  for (const auto& [file, content] : files_) keys.push_back(hash_(file));
  const best_of_n_shape shape{std::max<std::uint64_t>(1, keys.size()) * plan_.bits_a_file,
                              plan_.hashes, plan_.seeds};
  const std::vector<std::byte> stored =
      wire::save(best_of_n_filter::build(shape, keys, hash_.identity()));
  out.send(proxy_, wire::write(proxy_message::shared{wire::carried_filter(stored)}));
  changed_ = false;
}

void sleeping_host::receive(time now, peer from, byte_view message, outbox& out) {
  require_own(from, proxy_);
  const auto wanted = wire::read<proxy_message::wake>(message);
  wakes_ += std::uint64_t{asleep_};
  asleep_ = false;
  proxy_message::served answer{.file = wanted.file, .peer = wanted.peer};
  if (const auto found = files_.find(spelt(wanted.file)); found != files_.end()) {
    answer.has = 1;
    answer.content = raw(found->second);
  }
  out.send(proxy_, wire::write(answer));
  busy_until_ = now + plan_.linger;
  out.wake(busy_until_, 0);
}

void sleeping_host::tick(time now, std::uint64_t /*token*/, outbox& out) {
  if (now >= busy_until_) sleep(now, out);
}

}  // namespace bloomery::apps
