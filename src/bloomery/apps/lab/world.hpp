// The laboratory: parties, links between them and virtual time, the same at every run.
//
// Purpose:   runs any number of parties in one thread and shows what they exchanged. Time jumps from event
//            to event; of events at one time the one that was caused first comes first.
// Cost:      10^6 messages among 10^4 parties take about a second; a binary heap of 40 bytes an event
//            that is due, and the bytes of the messages under way.
// Guarantee: seed, parties and calls determine everything. What a link loses depends on the seed and the
//            link's two ends only: more parties and links do not change it. A world that is never quiet,
//            or holds too much, ends in errc::limit. What a party throws ends the run.
//
//     struct pinger {
//       void start(bloomery::apps::time, bloomery::apps::outbox& out) {
//         if (begins) out.send(bloomery::apps::peer{1}, std::as_bytes(std::span("ping")));
//       }
//       void receive(bloomery::apps::time now, bloomery::apps::peer from, bloomery::byte_view message,
//                    bloomery::apps::outbox& out) {
//         heard = now;
//         if (!begins) out.send(from, message);
//       }
//       void tick(bloomery::apps::time, std::uint64_t, bloomery::apps::outbox&) {}
//       bool begins = false;
//       bloomery::apps::time heard{};
//     };
//     bloomery::lab::world world(1);
//     const bloomery::apps::peer one = world.add(pinger{true});
//     world.connect(one, world.add(pinger{}), {.delay = std::chrono::milliseconds(5)});
//     world.run();
//     assert(world.get<pinger>(one).heard == bloomery::apps::time(std::chrono::milliseconds(10)));
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/apps/lab/graph.hpp"
#include "bloomery/apps/lab/link.hpp"
#include "bloomery/apps/lab/transcript.hpp"
#include "bloomery/apps/party.hpp"

namespace bloomery::lab {

struct world_limits {
  std::uint64_t events = 100'000'000;                    // in one run
  std::uint64_t pending_bytes = std::uint64_t{1} << 30;  // of messages under way
};

class world {
 public:
  explicit world(std::uint64_t seed, const world_limits& limits = {});

  // Parties are numbered from 0 as they come; one is started at its time, or now if that is past.
  peer add(any_party held, time start = {});
  // Links: both ways, one way, along the edges of a graph whose vertices are the first parties, or, lazily,
  // wherever there is none. errc::invalid for a link to oneself, a second one, or a stranger.
  void connect(peer a, peer b, const link_spec& spec);
  void connect_one_way(peer from, peer to, const link_spec& spec);
  void connect(const graph& edges, const link_spec& spec);
  void connect_all(const link_spec& spec);
  // From outside: a tick, and a message that the party receives as from itself.
  void wake(peer who, time at, std::uint64_t token);
  void post(peer to, time at, byte_view message);
  // From outside, now: what is done to a party with its outbox, such as telling it that a link is gone. Nothing
  // where the party is.
  void act(peer who, const std::function<void(time now, outbox& out)>& done);
  // From now on every link loses this share of its messages.
  void lose(double share);
  // Nothing reaches this party any more; `unheard` counts what would have.
  void leave(peer who);

  void run();                 // until no event is left
  void run_until(time then);  // through all events up to then; the clock stands there afterwards

  [[nodiscard]] time now() const { return now_; }
  [[nodiscard]] bool quiet() const { return due_.empty(); }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t unheard() const { return unheard_; }
  [[nodiscard]] const traffic& sent() const { return sent_; }  // by all
  [[nodiscard]] const traffic& sent_by(peer who) const { return node_of(who).sent; }
  [[nodiscard]] const traffic& delivered() const { return delivered_; }
  [[nodiscard]] link_counts counts(peer from, peer to) const;  // zeros if nothing was sent lazily
  [[nodiscard]] const transcript& heard() const { return heard_; }

  // The sums of what parties told, by name; and whoever wants to hear each.
  [[nodiscard]] std::uint64_t told(std::string_view name) const;
  void on_event(std::function<void(time, peer, const event&)> listener);
  // Of every message that arrives, before its receiver is given it.
  void on_message(std::function<void(peer from, peer to, byte_view message)> listener);

  // A party by its type; errc::invalid if it is of another.
  template <class P>
  [[nodiscard]] P& get(peer who) {
    P* held = node_of(who).held.template get_if<P>();
    if (held == nullptr) fail_type(who);
    return *held;
  }

 private:
  class node_outbox;
  enum class what : std::uint8_t { start, message, tick };
  struct occurrence {  // ordered by time, then number
    time at;
    std::uint64_t number;
    what is;
    peer from;
    peer to;
    std::uint64_t detail;  // the place of the message, or the token
  };
  static bool later(const occurrence& a, const occurrence& b);
  struct node {
    any_party held;
    traffic sent;
    bool gone = false;
  };

  void schedule(time at, what is, peer from, peer to, std::uint64_t detail);
  std::uint64_t keep(byte_view message);
  void transmit(peer from, peer to, byte_view message);
  void happen(const occurrence& next);
  void run_while_due(time last);
  link& link_of(peer from, peer to);
  [[nodiscard]] const node& node_of(peer who) const;
  [[nodiscard]] node& node_of(peer who);
  [[noreturn]] static void fail_type(peer who);

  std::uint64_t seed_;
  world_limits limits_;
  time now_{};
  std::uint64_t caused_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t unheard_ = 0;
  std::uint64_t pending_bytes_ = 0;
  traffic sent_;
  traffic delivered_;
  std::vector<node> nodes_;
  std::vector<occurrence> due_;  // a heap
  std::vector<std::vector<std::byte>> messages_;
  std::vector<std::uint64_t> free_places_;
  std::vector<std::byte> arriving_;
  std::map<std::uint64_t, link> links_;  // by both ends
  std::optional<link_spec> elsewhere_;
  transcript heard_;
  std::map<std::string_view, std::uint64_t> told_;
  std::function<void(time, peer, const event&)> listener_;
  std::function<void(peer, peer, byte_view)> message_listener_;
};

}  // namespace bloomery::lab
