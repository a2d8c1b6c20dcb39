// A proxy that answers for a host that sleeps, and the host.
//
// Purpose:   peers ask a host all the time whether it has a file, and seldom fetch one. Before the host falls asleep
//            it gives its proxy, a network card that stays awake, a filter of the files that it shares: the emptiest
//            of those under N seeds. The proxy answers queries by it, and wakes the host only for downloads.
// Cost:      at the proxy the filter, and a look-up a message; a wake for each download of a file that the filter
//            claims. A file travels in one message, so that it is as long as one may be.
// Guarantee: no file that the host had when it fell asleep is denied, and no query wakes it. A download of what it
//            does not have wakes it in vain at the rate of the filter. Without a filter the proxy wakes the host for
//            everything. Only the proxy's own host may give it a filter (errc::incompatible), of which hash, fill
//            and rate are checked.
// Citation:  Jimeno, Christensen, Roginsky 2007; Tarkoma §IV-F.
//
//     using bloomery::apps::peer;
//     bloomery::apps::sleeping_host sleeper(peer{1}, {}, {});
//     sleeper.share("song", "la la");
//     bloomery::lab::world world(1);
//     const peer host = world.add(std::move(sleeper));
//     const peer proxy = world.add(bloomery::apps::power_proxy(host, {}));
//     world.connect(host, proxy, {});
//     world.run();
//     auto& card = world.get<bloomery::apps::power_proxy>(proxy);
//     assert(card.may_have("song") && !card.may_have("noise"));
//     assert(world.get<bloomery::apps::sleeping_host>(host).asleep());
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "bloomery/apps/party.hpp"
#include "bloomery/filters/set/best_of_n.hpp"
#include "bloomery/hash/hasher.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::apps {

namespace proxy_message {

inline constexpr std::uint64_t most_name_bytes = 4096;
inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 19;

template <class Message>
constexpr auto file_field() {
  return wire::bytes_field("file", "its name", &Message::file, 1, most_name_bytes);
}
template <class Message>
constexpr auto peer_field() {
  return whole_field("peer", "who wants the file", &Message::peer, 0,
                     std::numeric_limits<std::uint32_t>::max());
}
template <class Message>
constexpr auto has_field() {
  return whole_field("has", "whether the file is there", &Message::has, 0, 1);
}
template <class Message>
constexpr auto content_field() {
  return wire::bytes_field("content", "of the file", &Message::content, 0, most_file_bytes);
}

// From a host to its proxy, before it sleeps.
struct shared {
  static constexpr std::string_view name = "proxy/shared";
  wire::carried_filter filter;
  static constexpr std::tuple fields{
      wire::filter_field("filter", "of the names of files", &shared::filter, 1 << 19)};
};
// From a peer: is this file there, and may I have it?
struct query {
  static constexpr std::string_view name = "proxy/query";
  byte_view file;
  static constexpr std::tuple fields{file_field<query>()};
};
struct fetch {
  static constexpr std::string_view name = "proxy/fetch";
  byte_view file;
  static constexpr std::tuple fields{file_field<fetch>()};
};
// To a peer.
struct answer {
  static constexpr std::string_view name = "proxy/answer";
  byte_view file;
  std::uint64_t has = 0;
  static constexpr std::tuple fields{file_field<answer>(), has_field<answer>()};
};
struct delivered {
  static constexpr std::string_view name = "proxy/delivered";
  byte_view file;
  std::uint64_t has = 0;
  byte_view content = {};
  static constexpr std::tuple fields{file_field<delivered>(), has_field<delivered>(),
                                     content_field<delivered>()};
};
// Between proxy and host: what the host is woken for, and what it then sends.
struct wake {
  static constexpr std::string_view name = "proxy/wake";
  byte_view file;
  std::uint64_t peer = 0;
  static constexpr std::tuple fields{file_field<wake>(), peer_field<wake>()};
};
struct served {
  static constexpr std::string_view name = "proxy/served";
  byte_view file;
  std::uint64_t peer = 0;
  std::uint64_t has = 0;
  byte_view content = {};
  static constexpr std::tuple fields{file_field<served>(), peer_field<served>(),
                                     has_field<served>(), content_field<served>()};
};

}  // namespace proxy_message

class power_proxy {
 public:
  power_proxy(peer host, hasher hash, wire::filter_limits limits = {})
      : hash_(std::move(hash)), host_(host), limits_(limits) {}

  void start(time /*now*/, outbox& /*out*/) {}
  void receive(time now, peer from, byte_view message, outbox& out);
  void tick(time /*now*/, std::uint64_t /*token*/, outbox& /*out*/) {}

  // What it answers to a peer.
  [[nodiscard]] bool may_have(std::string_view file) const;

 private:
  hasher hash_;
  peer host_;
  wire::filter_limits limits_;
  std::optional<best_of_n_filter> filter_;
};

// How its filter is made, and how long it stays awake after the last download.
struct sleep_plan {
  std::uint64_t bits_a_file = 10;
  std::uint64_t hashes = 7;
  std::uint64_t seeds = 16;
  std::chrono::nanoseconds linger = std::chrono::seconds(30);
};

class sleeping_host {
 public:
  sleeping_host(peer proxy, hasher hash, const sleep_plan& plan);

  // One more file, while the host is used by somebody: peers find it from when the host next falls asleep, by itself
  // or by a tick. errc::limit if its name or content is longer than a message may be.
  void share(std::string file, std::string content);

  void start(time now, outbox& out) { sleep(now, out); }
  void receive(time now, peer from, byte_view message, outbox& out);
  void tick(time now, std::uint64_t token, outbox& out);

  [[nodiscard]] bool asleep() const { return asleep_; }
  [[nodiscard]] std::uint64_t wakes() const { return wakes_; }

 private:
  void sleep(time now, outbox& out);

  hasher hash_;
  peer proxy_;
  sleep_plan plan_;
  std::map<std::string, std::string, std::less<>> files_;
  bool changed_ = true;  // since the proxy was told
  bool asleep_ = false;
  time busy_until_{};
  std::uint64_t wakes_ = 0;
};

}  // namespace bloomery::apps
