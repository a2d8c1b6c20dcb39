// A node that runs: a station of an overlay, its neighbours as they come and go, and visitors who ask.
//
// Purpose:   what stands between connections and a party. A connection is a neighbour's once it has said who it is
//            and fits; it may be a visitor's, who asks and is told what was found. Whoever drives this tells it of
//            connections that open and close, and ends those that it names in `finished`.
// Cost:      beside the station, a hundred bytes a connection and an open enquiry; limits on either.
// Guarantee: a neighbour costs itself only: one that is silent, sends what its station refuses too often, or is not
//            what it should be, is cut off, and questions that waited for it go on. A connection that has not said
//            what it is for in time is ended, and one that speaks out of turn at once. Nobody proves who he is.
//
//     namespace overlay = bloomery::overlay;
//     overlay::resident alone(overlay::make_tree({.number = 7}, {.bits = 1024, .hashes = 5}));
//     assert(alone.links() == 0 && alone.finished().empty());
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/apps/overlay/station.hpp"
#include "bloomery/apps/party.hpp"

namespace bloomery::overlay {

struct resident_setup {
  std::chrono::nanoseconds pulse =
      std::chrono::seconds(1);  // of signs of life, and of all that has its time
  std::chrono::nanoseconds silence = std::chrono::seconds(30);       // of a neighbour
  std::chrono::nanoseconds introduction = std::chrono::seconds(10);  // for one who comes
  std::chrono::nanoseconds gather =
      std::chrono::seconds(1);  // where nobody knows who may still answer
  std::size_t links = 64;
  std::size_t enquiries = 64;   // that are open
  std::uint64_t refusals = 16;  // of a neighbour's messages
  std::map<std::uint64_t, std::string> places =
      {};                  // of nodes, by number, for those who want to go there
  std::uint64_t seed = 0;  // of the numbers of questions: no other node's
};

class resident {
 public:
  explicit resident(std::unique_ptr<station> held, resident_setup setup = {});

  // A connection to where a node of this number is, or some node; it is to be sent the `greeting`.
  void called(apps::time now, apps::peer connection, std::optional<std::uint64_t> number);
  [[nodiscard]] std::vector<std::byte> greeting() const;
  // One that somebody else has opened.
  void opened(apps::time now, apps::peer connection);
  // Any that is no more.
  void closed(apps::time now, apps::peer connection, apps::outbox& out);
  // Connections that are to be ended, each once, and why: nothing if all was well.
  std::vector<std::pair<apps::peer, std::string>> finished() {
    return std::exchange(finished_, {});
  }

  void start(apps::time now, apps::outbox& out);
  void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out);
  void tick(apps::time now, std::uint64_t token, apps::outbox& out);

  [[nodiscard]] std::size_t links() const { return by_name_.size(); }
  [[nodiscard]] bool linked(apps::peer connection) const;
  [[nodiscard]] const station& held() const { return *held_; }

 private:
  class house_outbox;
  struct connection_state {
    bool called = false;
    std::optional<std::uint64_t> expected = {};
    apps::time heard = {};
    std::optional<apps::peer> name = {};  // of a neighbour, as the station knows it
    std::uint64_t number = 0;             // and as it says
    std::uint64_t refused = 0;
    bool visited = false;  // has asked something
  };
  struct open_enquiry {
    apps::peer visitor;
    std::uint64_t theirs;
    apps::time deadline;
    apps::time changed;
    std::size_t holders = 0;
  };

  void meet(apps::time now, apps::peer connection, byte_view message, apps::outbox& out);
  void visit(apps::time now, apps::peer connection, byte_view message, apps::outbox& out);
  void finish(apps::time now, apps::peer connection, const std::string& why, apps::outbox& out);
  void part(apps::time now, apps::peer connection, apps::outbox& out);
  void answer(apps::time now, apps::outbox& out);
  void pulse(apps::time now, apps::outbox& out);

  std::unique_ptr<station> held_;
  resident_setup setup_;
  std::map<apps::peer, connection_state> connections_;
  std::map<apps::peer, apps::peer> by_name_;  // connections of neighbours
  std::map<std::uint64_t, open_enquiry> open_;
  std::uint64_t next_question_;
  std::vector<std::pair<apps::peer, std::string>> finished_;
};

}  // namespace bloomery::overlay
