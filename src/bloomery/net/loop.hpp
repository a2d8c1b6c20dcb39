// Drives a party outside of the laboratory: pipes, sockets, timers and signals, in one thread.
//
// Purpose:   the same party that runs in lab::world talks to real peers: over two pipes, to a program that a command
//            of the shell starts, over TCP either way, or by UDP datagrams. Streams carry messages with their
//            length in front (net/framing.hpp), datagrams carry one each.
// Cost:      poll(2) and one read or write for each peer that is ready; for each peer, the bytes of one message that is
//            arriving and those that wait to be sent.
// Guarantee: every read is limited: the size of a message, and of all that a peer says, the number of peers, the bytes
//            that wait for one, how long it may be silent, and how slow. While a peer does not read its answers, it
//            gets no more of them, and what it says waits. What a peer does wrong, and what the party throws at a
//            message of its, costs that peer only: `on_leave` is told, or, if there is none, `run` throws it.
//            Nothing of one peer delays another.
//
//     struct greeter {
//       void start(bloomery::apps::time, bloomery::apps::outbox&) {}
//       void receive(bloomery::apps::time, bloomery::apps::peer from, bloomery::byte_view message,
//                    bloomery::apps::outbox& out) {
//         heard = message.size();
//         if (heard == 2) out.send(from, message.first(1));
//       }
//       void tick(bloomery::apps::time, std::uint64_t, bloomery::apps::outbox&) {}
//       std::size_t heard = 0;
//     };
//     bloomery::net::loop loop(greeter{});
//     auto [mine, theirs] = bloomery::net::make_sockets();
//     loop.add_stream(std::move(mine), "a friend");
//     bloomery::net::loop friendly(greeter{});
//     friendly.send(friendly.add_stream(std::move(theirs), "me"), std::as_bytes(std::span("hi", 2)));
//     friendly.step(std::chrono::milliseconds(0));
//     loop.run([&] { return loop.get<greeter>().heard == 2; });
//     friendly.run([&] { return friendly.get<greeter>().heard == 1; });
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/party.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/net/descriptor.hpp"
#include "bloomery/net/endpoint.hpp"
#include "bloomery/net/framing.hpp"
#include "bloomery/net/signals.hpp"

namespace bloomery::net {

using apps::any_party, apps::outbox, apps::peer;

// What a newcomer meets where there is no room: it waits, or a peer that came by itself makes room for it, and is
// lost: of those that have never said anything, or of all, who was longest without saying a whole message; who still
// takes an answer, after all others.
enum class crowding : std::uint8_t { wait, drop_silent, drop_longest };

struct loop_limits {
  std::uint64_t message_bytes = std::uint64_t{1} << 20;  // of one that arrives
  std::uint64_t queued_bytes = std::uint64_t{64} << 20;  // that wait for one peer, or it is lost
  std::uint64_t unread_bytes = std::uint64_t{4} << 20;   // while more wait, it is not answered
  std::uint64_t said_bytes = 0;                          // by one peer in all; 0: any
  std::size_t peers = 256;                               // at a time
  crowding full = crowding::wait;
  // In which it takes and says nothing, or of a message less than 1 KiB a second; 0: any.
  std::chrono::milliseconds idle{60'000};
};

// Why a run ended: it was done, it was told to stop, or nothing could happen any more.
enum class ending { done, stopped, deserted };

class loop {
 public:
  explicit loop(any_party held, const loop_limits& limits = {});
  loop(const loop&) = delete;
  loop& operator=(const loop&) = delete;
  ~loop();

  // Peers are numbered from 0 as they come, but for those whose number is given, which must be free. The name
  // is for complaints.
  peer add_stream(descriptor socket, std::string name, splitter split = {},
                  std::optional<peer> as = {});
  peer add_stream(descriptor in, descriptor out, std::string name, splitter split = {},
                  std::optional<peer> as = {});
  peer add_child(const std::string& command, splitter split = {});
  peer connect(const endpoint& to, splitter split = {});  // within ten seconds, or errc::io
  // The same without waiting: what is sent to the peer goes once it has answered; if it does not within ten seconds,
  // it is gone, with the reason.
  peer dial(const endpoint& to, splitter split = {});
  // Where it really listens: port 0 becomes one that is free.
  endpoint listen(const endpoint& at, splitter split = {});
  endpoint bind_datagrams(const endpoint& at);
  peer add_datagram_peer(const endpoint& where);  // after `bind_datagrams`

  // Ends the connection once what waits is sent. The party hears no more of it.
  void close(peer who);
  // At once: what waits is lost. `on_leave` is told of neither.
  void drop(peer who);
  // From outside, as if the party did it.
  void send(peer to, byte_view message);

  // Told of peers that come by themselves, and of those that go: with the reason, or none if they just
  // ended the connection between two messages.
  using join_listener = std::function<void(peer who, const std::string& name, outbox& out)>;
  using leave_listener = std::function<void(peer who, const error* reason, outbox& out)>;
  // Asked of who has ended to speak: whether there is still something to say to it. If not, or if nobody is asked, it
  // is gone.
  using owed_test = std::function<bool(peer who)>;
  void on_join(join_listener listener) { joined_ = std::move(listener); }
  void on_leave(leave_listener listener) { left_ = std::move(listener); }
  void on_end(owed_test owed) { owed_ = std::move(owed); }
  // Told when a stream has taken all that waited for it: the time to go on with what is too long to be held.
  using taken_listener = std::function<void(peer who, outbox& out)>;
  void on_taken(taken_listener listener) { taken_ = std::move(listener); }
  // Of every message that arrives, before the party is given it.
  using message_listener = std::function<void(peer from, byte_view message)>;
  void on_message(message_listener listener) { heard_ = std::move(listener); }
  void on_event(std::function<void(const apps::event&)> listener) {
    happened_ = std::move(listener);
  }

  // The signals end a run. They must live as long as the loop.
  void stop_on(const stop_signals& signals) { stop_on_ = &signals; }
  void stop() { stopped_ = true; }

  // Until `done`, which is asked after each event; then sends what waits.
  ending run(const std::function<bool()>& done = {});
  // Waits for at most that long, and does what there is to do. Whether there was anything.
  bool step(std::chrono::milliseconds at_most);
  // Whether anything waits to be sent or a timer runs.
  [[nodiscard]] bool pending() const;

  [[nodiscard]] apps::time now() const;
  [[nodiscard]] std::size_t peers() const { return links_.size(); }
  // In messages and bytes, without lengths in front.
  [[nodiscard]] const apps::traffic& sent() const { return sent_; }
  [[nodiscard]] const apps::traffic& received() const { return received_; }
  // As they went over the wire.
  [[nodiscard]] std::uint64_t stream_bytes_sent() const { return bytes_out_; }
  [[nodiscard]] std::uint64_t stream_bytes_received() const { return bytes_in_; }
  // Messages to peers that had gone, and datagrams that the system did not take or that were strangers' beyond
  // the limit.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::uint64_t told(std::string_view name) const;

  // The party, by its type; errc::invalid if it is of another.
  template <class P>
  [[nodiscard]] P& get() {
    P* const held = held_.get_if<P>();
    if (held == nullptr) fail(errc::invalid, "the loop's party is of another type");
    return *held;
  }

 private:
  class loop_outbox;
  struct link;
  struct door;
  struct datagram_socket;
  struct alarm {
    apps::time at;
    std::uint64_t number;
    std::uint64_t token;
  };
  static bool later(const alarm& a, const alarm& b);

  peer add(std::unique_ptr<link> made, std::optional<peer> as);
  [[nodiscard]] link* find(peer who);
  void call(const std::function<void(outbox&)>& act);
  void transmit(peer to, byte_view message);
  void part(link& with);
  void lose(link& from, const error* reason);
  bool guarded(link& of, const std::function<bool()>& act);
  [[nodiscard]] bool owes(const link& to) const;
  bool deliver(link& from);
  bool receive_some(link& from);
  bool send_some(link& to);
  void note_progress(link& of, std::size_t bytes) const;
  static const char* dial_next(link& to);
  void answered(link& to) const;
  bool accept_some(door& at);
  [[nodiscard]] link* who_makes_room() const;
  void make_room(const char* why);
  [[nodiscard]] bool accepts() const;
  bool receive_datagrams();
  bool ring();
  bool silence();
  [[nodiscard]] int patience(std::chrono::milliseconds at_most) const;
  void begin();
  void bury();
  void flush();

  any_party held_;
  loop_limits limits_;
  std::chrono::steady_clock::time_point began_;
  bool started_ = false;
  bool stopped_ = false;
  const stop_signals* stop_on_ = nullptr;
  std::uint32_t next_ = 0;
  std::map<std::uint32_t, std::unique_ptr<link>> links_;
  std::vector<std::unique_ptr<door>> doors_;
  apps::time doors_rest_{};  // until then, since the system has no room
  std::unique_ptr<datagram_socket> datagrams_;
  std::vector<alarm> alarms_;  // a heap
  std::uint64_t caused_ = 0;
  apps::traffic sent_;
  apps::traffic received_;
  std::uint64_t bytes_out_ = 0;
  std::uint64_t bytes_in_ = 0;
  std::uint64_t dropped_ = 0;
  std::map<std::string, std::uint64_t, std::less<>> told_;
  join_listener joined_;
  leave_listener left_;
  owed_test owed_;
  taken_listener taken_;
  message_listener heard_;
  std::function<void(const apps::event&)> happened_;
};

}  // namespace bloomery::net
