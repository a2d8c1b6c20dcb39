// Parties on ns-3: the driver of apps::party by another's simulator.
//
// Purpose:   the same parties that run in lab::world and net::loop run on the nodes of ns-3, over point-to-point links,
//            and walk about as its mobility models say. ns-3 itself is a module behind world_abi.h; this
//            needs none of its headers.
// Cost:      some microseconds a packet of 1,500 bytes. There is one such world at a time in a process.
// Guarantee: seed, parties and calls determine everything. Nothing is lost: a link has a delay and a rate, and of a loss or
//            a limit to its queue errc::unsupported is thrown. What a party throws ends the run and is
//            thrown by it; so does errc::limit, if a world is never quiet or holds too much.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/apps/lab/walk.hpp"
#include "bloomery/apps/lab/world.hpp"
#include "bloomery/apps/party.hpp"
#include "bloomery/core/error.hpp"
#include "ns3/world_abi.h"

namespace bloomery::ns3 {

using apps::any_party, apps::event, apps::outbox, apps::peer, apps::time, apps::traffic;

class world {
 public:
  // errc::invalid while there is another. The table of functions must live on.
  world(const bloomery_ns3_api& by, std::uint64_t seed, const lab::world_limits& limits = {});
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world();

  // As in lab::world.
  peer add(any_party held, time start = {});
  void connect(peer a, peer b, const lab::link_spec& spec);
  void wake(peer who, time when, std::uint64_t token);
  // From then on the party is somewhere, and moves.
  void walk(peer who, const bloomery_ns3_walk& how);
  [[nodiscard]] lab::point position(peer who) const;

  void run();  // until no event is left; errc::invalid if a party walks, since that never ends
  void run_until(time then);

  [[nodiscard]] time now() const;
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const traffic& sent() const { return sent_; }
  [[nodiscard]] const traffic& delivered() const { return delivered_; }
  [[nodiscard]] std::uint64_t told(std::string_view name) const;
  void on_event(std::function<void(time, peer, const event&)> listener);
  void on_message(std::function<void(peer from, peer to, byte_view message)> listener);

  // A party by its type; errc::invalid if it is of another.
  template <class P>
  [[nodiscard]] P& get(peer who) {
    P* held = node_of(who).held.template get_if<P>();
    if (held == nullptr) fail(errc::invalid, "that party is of another type");
    return *held;
  }

 private:
  class node_outbox;
  struct node {
    world* owner;
    peer self;
    any_party held;
  };
  [[nodiscard]] node& node_of(peer who) const;
  void transmit(peer from, peer to, byte_view message);
  int guarded(node& of, const std::function<void(outbox&)>& act);
  void end_run(const std::function<void()>& running);

  const bloomery_ns3_api& by_;
  lab::world_limits limits_;
  bloomery_ns3_world* inner_;
  std::vector<std::unique_ptr<node>> nodes_;  // which ns-3 points to
  bool walks_ = false;
  std::uint64_t events_ = 0;     // in this run
  std::uint64_t under_way_ = 0;  // bytes
  std::exception_ptr thrown_;
  traffic sent_;
  traffic delivered_;
  std::map<std::string_view, std::uint64_t> told_;
  std::function<void(time, peer, const event&)> listener_;
  std::function<void(peer, peer, byte_view)> message_listener_;
};

// Where walkers are, second by second, in the square of the plan.
std::vector<std::vector<lab::point>> walks(const bloomery_ns3_api& by, const lab::walk_plan& plan,
                                           std::uint64_t seed);

}  // namespace bloomery::ns3
