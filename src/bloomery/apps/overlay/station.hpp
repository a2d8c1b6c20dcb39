// What a node is to its neighbours: a party of an overlay whose links come and go, and which can be asked.
//
// Purpose:   one face of the parties of P1, R1 and P5, so that one driver runs any of them. The parties are those of the
//            laboratory; a station only says whom it takes for a neighbour, and reads off what came of a question.
// Cost:      that of the party; `most_bytes` says what all its tables take at most.
// Guarantee: an answer names a holder only if the holder said so, and a node itself by its real keys.
//
//     namespace overlay = bloomery::overlay;
//     const std::vector<std::string> songs{"blue monday"};
//     const auto made = overlay::make_tree({.number = 7, .keys = songs}, {.bits = 1024, .hashes = 5});
//     assert(made->introduction().number == 7 && made->takes(overlay::station_number("tree"), true));
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/overlay/visits.hpp"
#include "bloomery/apps/party.hpp"
#include "bloomery/filters/set/standard.hpp"

namespace bloomery::overlay {

// What came of a question so far.
struct discovery {
  bool over = false;  // nobody who was asked can still answer
  bool open = false;  // nobody can know when that is so
  std::uint64_t asked = not_counted;
  std::uint64_t lost = 0;
  std::uint64_t steps = not_counted;
  std::vector<std::uint64_t> holders;
};

class station {
 public:
  station() = default;
  station(const station&) = delete;
  station& operator=(const station&) = delete;
  virtual ~station() = default;

  [[nodiscard]] virtual hello introduction() const = 0;
  // Whether such a one may be a neighbour, if this node called it or was called.
  [[nodiscard]] virtual bool takes(std::uint64_t as, bool called) const = 0;
  // By which the party is to know the neighbour of this number, which comes by that connection.
  [[nodiscard]] virtual apps::peer name_of(std::uint64_t number, apps::peer connection) const = 0;
  [[nodiscard]] virtual std::uint64_t most_bytes(std::size_t links) const = 0;
  [[nodiscard]] virtual std::uint64_t most_message() const = 0;  // that a neighbour may send

  virtual void link(apps::time now, apps::peer who, std::uint64_t as, bool called,
                    apps::outbox& out) = 0;
  virtual void unlink(apps::time now, apps::peer who, apps::outbox& out) = 0;
  virtual void start(apps::time now, apps::outbox& out) = 0;
  virtual void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out) = 0;
  virtual void tick(apps::time now, std::uint64_t token, apps::outbox& out) = 0;

  // The id is this node's own, and no other question's.
  virtual void ask(apps::time now, std::uint64_t id, std::span<const std::string_view> words,
                   apps::outbox& out) = 0;
  [[nodiscard]] virtual discovery found(std::uint64_t id) const = 0;
};

inline constexpr std::uint64_t most_servent_slots = std::uint64_t{1} << 17;

struct station_setup {
  std::uint64_t number = 0;
  std::span<const std::string> keys =
      {};  // of Gnutella: the names of files, whose words are asked for
  std::chrono::nanoseconds beat = std::chrono::seconds(1);
  std::uint64_t seed = 0;
};

// Of filters for so many keys at that rate; errc::invalid if a node that holds `own` of them holds more, errc::limit
// if no message carries one.
standard_shape shape_for(std::uint64_t own, std::uint64_t keys, double rate);

// One of so many peers, numbered from 1, each of which has a filter of every other's keys (P1). The version is of its filter: as of
// gossip_setup. errc::limit if no message carries the filters of all.
std::unique_ptr<station> make_peer(const station_setup& setup, std::uint64_t peers,
                                   std::uint64_t first_version, const standard_shape& shape);
// A node of a tree: whoever it calls is above it, whoever calls it below (R1).
std::unique_ptr<station> make_tree(const station_setup& setup, const standard_shape& shape);
// A leaf, which calls ultrapeers, or one of these (P5).
std::unique_ptr<station> make_servent(const station_setup& setup, bool leaf, std::uint64_t slots);

}  // namespace bloomery::overlay
