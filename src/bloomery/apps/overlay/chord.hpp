// A node of a ring in which every key has an owner: the distributed hash table that filters are compared with.
//
// Purpose:   Chord's way of finding, without its ways of joining and mending: nodes stand evenly on the ring,
//            each knows those 1, 2, 4, 8 … places on, and its owner keeps who holds a key. It is a rival, and
//            what searches that may fail fall back to.
// Cost:      12 bytes a finger, and a key that it owns 24; as many outcomes as `most_outcomes`, the oldest of which is
//            forgotten, and up to `most_keys`.
// Guarantee: a look-up ends at the key's owner, after at most log2 of the nodes steps and one.
// Citation:  Stoica, Morris, Karger, Kaashoek, Balakrishnan 2001; Broder–Mitzenmacher §5.1, §6.3.
//
//     const bloomery::overlay::ring ring(8);
//     assert(ring.owner({0, 0}) == 0 && ring.owner({1, 0}) == 1);
//     assert(ring.fingers(6) == (std::vector<std::uint64_t>{7, 0, 2}));
#pragma once

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "bloomery/apps/overlay/messages.hpp"
#include "bloomery/apps/party.hpp"
#include "bloomery/core/int128.hpp"

namespace bloomery::overlay {

// Nodes 0 to n - 1 at even places.
class ring {
 public:
  explicit ring(std::uint64_t nodes) : nodes_(nodes) {}
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

  // The first node at or after the key's place.
  [[nodiscard]] std::uint64_t owner(digest key) const {
    const core::uint128 place = static_cast<core::uint128>(key.lo) * nodes_;
    const auto before = static_cast<std::uint64_t>(place >> 64);
    return (before + std::uint64_t{static_cast<std::uint64_t>(place) != 0}) % nodes_;
  }
  [[nodiscard]] std::vector<std::uint64_t> fingers(std::uint64_t node) const {
    std::vector<std::uint64_t> known;
    for (std::uint64_t far = 1; far < nodes_; far *= 2) known.push_back((node + far) % nodes_);
    return known;
  }
  // Where a look-up goes next; none where it has arrived.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t node, std::uint64_t owner) const {
    const std::uint64_t away = (owner + nodes_ - node) % nodes_;
    if (away == 0) return {};
    if (away == 1) return owner;
    return (node + std::bit_floor(away - 1)) % nodes_;  // before the key: its owner may have left
  }

 private:
  std::uint64_t nodes_;
};

// A holder's word to the owner of a key.
struct ring_entry {
  static constexpr std::string_view name = "ring/entry";
  byte_view key;
  std::uint64_t holder = 0;
  std::uint64_t steps = 0;
  static constexpr std::tuple fields{
      wire::bytes_field("key", "16 bytes", &ring_entry::key, sizeof(digest), sizeof(digest)),
      whole_field("holder", "who has it", &ring_entry::holder, 0, any_number),
      whole_field("steps", "so far", &ring_entry::steps, 0, most_steps),
  };
};

// Somebody's question, on its way to the owner, who answers at once.
struct ring_question {
  static constexpr std::string_view name = "ring/question";
  std::uint64_t id = 0;
  std::uint64_t asker = 0;
  std::uint64_t steps = 0;
  byte_view key;
  static constexpr std::tuple fields{
      whole_field("id", "the asker's", &ring_question::id, 0, any_number),
      whole_field("asker", "who is told", &ring_question::asker, 0,
                  std::numeric_limits<std::uint32_t>::max()),
      whole_field("steps", "so far", &ring_question::steps, 0, most_steps),
      wire::bytes_field("key", "16 bytes", &ring_question::key, sizeof(digest), sizeof(digest)),
  };
};

inline constexpr std::uint64_t most_holders = 4096;             // that an owner keeps of a key
inline constexpr std::size_t most_keys = std::size_t{1} << 20;  // that a node owns
inline constexpr std::size_t most_outcomes = 4096;              // of what a node asked

struct ring_reply {
  static constexpr std::string_view name = "ring/reply";
  std::uint64_t id = 0;
  std::uint64_t steps = 0;
  std::vector<byte_view> holders;
  static constexpr std::tuple fields{
      whole_field("id", "the question's", &ring_reply::id, 0, any_number),
      whole_field("steps", "that it took", &ring_reply::steps, 0, most_steps),
      wire::bytes_list_field("holders", "8 bytes each", &ring_reply::holders, 0, most_holders,
                             sizeof(std::uint64_t), sizeof(std::uint64_t)),
  };
};

class ring_node {
 public:
  ring_node(ring all, std::uint64_t self) : ring_(all), self_(self) {}

  struct found {
    std::uint64_t steps = 0;
    std::vector<std::uint64_t> holders;
  };
  [[nodiscard]] const found* outcome_of(std::uint64_t id) const {
    const auto at = outcomes_.find(id);
    return at == outcomes_.end() || !at->second ? nullptr : &*at->second;
  }
  [[nodiscard]] std::uint64_t bytes() const {
    constexpr std::uint64_t finger_bytes = 12;  // its place, and where it is
    std::uint64_t sum = ring_.fingers(self_).size() * finger_bytes;
    for (const auto& [key, holders] : entries_) {
      sum += sizeof(digest) + holders.size() * sizeof(std::uint64_t);
    }
    return sum;
  }

  void start(apps::time /*now*/, apps::outbox& /*out*/) {}
  void tick(apps::time /*now*/, std::uint64_t /*token*/, apps::outbox& /*out*/) {}

  void receive(apps::time /*now*/, apps::peer /*from*/, byte_view message, apps::outbox& out) {
    try {
      const std::string_view name = wire::message_name(message);
      if (name == ring_entry::name) {
        keep(wire::read<ring_entry>(message), out);
      } else if (name == ring_question::name) {
        pass(wire::read<ring_question>(message), out);
      } else {
        learn(wire::read<ring_reply>(message));
      }
    } catch (const error& problem) {
      if (problem.code() == errc::invalid) throw;  // ours
      out.tell({"refused"});
    }
  }

 private:
  static apps::peer peer_of(std::uint64_t node) {
    return apps::peer{static_cast<std::uint32_t>(node)};
  }

  void keep(ring_entry told, apps::outbox& out) {
    if (told.steps >= ring_.nodes()) return out.tell({"refused"});  // no way is as long
    const digest key = words_of(told.key).at(0);
    if (const auto next = ring_.next(self_, ring_.owner(key))) {
      ++told.steps;
      out.send(peer_of(*next), wire::write(told));
      return;
    }
    if (entries_.size() >= most_keys && !entries_.contains(key)) return out.tell({"refused"});
    auto& holders = entries_[key];
    const bool known = std::ranges::find(holders, told.holder) != holders.end();
    if (!known && holders.size() < most_holders) holders.push_back(told.holder);
  }

  void pass(ring_question asked, apps::outbox& out) {
    if (asked.steps >= ring_.nodes() || asked.asker >= ring_.nodes()) return out.tell({"refused"});
    const digest key = words_of(asked.key).at(0);
    if (asked.asker == self_ && asked.steps == 0) begin(asked.id);
    if (const auto next = ring_.next(self_, ring_.owner(key))) {
      ++asked.steps;
      out.send(peer_of(*next), wire::write(asked));
      return;
    }
    const auto at = entries_.find(key);
    const std::vector<std::uint64_t> none;
    const auto& holders = at == entries_.end() ? none : at->second;
    if (asked.asker == self_) {
      const auto begun = outcomes_.find(asked.id);
      if (begun != outcomes_.end()) begun->second = found{asked.steps, holders};
      return;
    }
    ring_reply told{.id = asked.id, .steps = asked.steps, .holders = {}};
    std::vector<std::array<std::byte, sizeof(std::uint64_t)>> numbers(holders.size());
    for (std::size_t i = 0; i < holders.size(); ++i) core::store_le(numbers[i].data(), holders[i]);
    for (const auto& number : numbers) told.holders.emplace_back(number);
    out.send(peer_of(asked.asker), wire::write(told));
  }

  void begin(std::uint64_t id) {
    if (!outcomes_.try_emplace(id).second) return;
    order_.push_back(id);
    if (order_.size() <= most_outcomes) return;
    outcomes_.erase(order_.front());
    order_.pop_front();
  }

  // What was not asked, or has been answered, is not believed.
  void learn(const ring_reply& told) {
    const auto begun = outcomes_.find(told.id);
    if (begun == outcomes_.end() || begun->second) return;
    found& came = begun->second.emplace(found{.steps = told.steps, .holders = {}});
    for (const byte_view holder : told.holders) {
      came.holders.push_back(core::load_le<std::uint64_t>(holder.data()));
    }
  }

  ring ring_;
  std::uint64_t self_;
  std::map<digest, std::vector<std::uint64_t>> entries_;
  std::map<std::uint64_t, std::optional<found>> outcomes_;  // of what was asked here
  std::deque<std::uint64_t> order_;
};

}  // namespace bloomery::overlay
