#include "bloomery/apps/overlay/station.hpp"

#include <map>
#include <set>

#include "bloomery/apps/overlay/gnutella.hpp"
#include "bloomery/apps/overlay/gossip.hpp"
#include "bloomery/apps/overlay/node.hpp"
#include "bloomery/apps/overlay/summary.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/hash/policies.hpp"

namespace bloomery::overlay {
namespace {

using apps::outbox, apps::peer, apps::time;

constexpr std::uint64_t as_peer = station_number("peer");
constexpr std::uint64_t as_tree = station_number("tree");
constexpr std::uint64_t as_leaf = station_number("leaf");
constexpr std::uint64_t as_ultrapeer = station_number("ultrapeer");

peer numbered(std::uint64_t number) {
  return peer{static_cast<std::uint32_t>(number)};
}
// Nobody's number.
peer link_over(peer connection) {
  return numbered(most_number + 1 + static_cast<std::uint64_t>(connection));
}

constexpr std::uint64_t most_filter_bytes = (std::uint64_t{1} << 20) - 4096;  // of one in a message
constexpr std::uint64_t small_messages = 65536;  // all but those that carry filters or tables

std::vector<std::byte> digests_of(std::span<const std::string_view> words) {
  std::vector<digest> digests;
  for (const std::string_view word : words) digests.push_back(xxh3_hash{}(word));
  return packed_words(digests);
}

class peer_station final : public station {
 public:
  peer_station(const station_setup& setup, std::uint64_t peers, std::uint64_t first_version,
               const standard_shape& shape)
      : self_(setup.number),
        peers_(peers),
        shape_(shape),
        party_(setup.number - 1, peers, shape, setup.seed,
               {.beat = setup.beat, .first_version = first_version}) {
    for (const std::string& key : setup.keys) party_.insert(xxh3_hash{}(key));
    party_.publish();
  }

  [[nodiscard]] hello introduction() const override {
    return {.as = as_peer,
            .number = self_,
            .size = shape_.bits,
            .hashes = shape_.hashes,
            .peers = peers_};
  }
  [[nodiscard]] bool takes(std::uint64_t as, bool /*called*/) const override {
    return as == as_peer;
  }
  // The party's numbers begin at 0.
  [[nodiscard]] peer name_of(std::uint64_t number, peer /*connection*/) const override {
    return numbered(number - 1);
  }
  // Of each peer a filter, and the same as stored; its own once more.
  [[nodiscard]] std::uint64_t most_bytes(std::size_t /*links*/) const override {
    return 2 * peers_ * standard_filter::payload_bytes(shape_);
  }
  [[nodiscard]] std::uint64_t most_message() const override {
    constexpr std::uint64_t head = 256;
    return small_messages + peers_ * (standard_filter::payload_bytes(shape_) + head);
  }

  void link(time /*now*/, peer who, std::uint64_t /*as*/, bool /*called*/,
            outbox& /*out*/) override {
    linked_.insert(static_cast<std::uint64_t>(who));
  }
  void unlink(time /*now*/, peer who, outbox& /*out*/) override {
    linked_.erase(static_cast<std::uint64_t>(who));
    party_.remove_link(static_cast<std::uint64_t>(who));
  }
  void start(time now, outbox& out) override { party_.start(now, out); }
  void receive(time now, peer from, byte_view message, outbox& out) override {
    party_.receive(now, from, message, out);
  }
  void tick(time now, std::uint64_t token, outbox& out) override { party_.tick(now, token, out); }

  void ask(time now, std::uint64_t id, std::span<const std::string_view> words,
           outbox& out) override {
    const auto packed = digests_of(words);
    party_.receive(now, numbered(self_ - 1), wire::write(question{.id = id, .words = packed}), out);
    const std::set<std::uint64_t> waiting = party_.search_of(id).waiting;
    for (const std::uint64_t who : waiting) {
      if (!linked_.contains(who)) party_.remove_link(who);
    }
  }
  [[nodiscard]] discovery found(std::uint64_t id) const override {
    const peer_search& search = party_.search_of(id);
    discovery made{.over = search.waiting.empty(),
                   .asked = search.asked - search.lost,
                   .lost = search.lost,
                   .steps = std::uint64_t{search.asked > search.lost},
                   .holders = search.holders};
    for (std::uint64_t& each : made.holders) ++each;
    return made;
  }

 private:
  std::uint64_t self_;
  std::uint64_t peers_;
  standard_shape shape_;
  gossiper party_;
  std::set<std::uint64_t> linked_;
};

class tree_station final : public station {
 public:
  tree_station(const station_setup& setup, const standard_shape& shape)
      : self_(setup.number),
        shape_(shape),
        party_({.self = numbered(setup.number),
                .links = {},
                .beat = setup.beat,
                .beats = any_number,
                .seed = setup.seed},
               summary(standard_filter(shape))) {
    for (const std::string& key : setup.keys) party_.insert(xxh3_hash{}(key));
  }

  [[nodiscard]] hello introduction() const override {
    return {.as = as_tree, .number = self_, .size = shape_.bits, .hashes = shape_.hashes};
  }
  [[nodiscard]] bool takes(std::uint64_t as, bool /*called*/) const override {
    return as == as_tree;
  }
  [[nodiscard]] peer name_of(std::uint64_t /*number*/, peer connection) const override {
    return link_over(connection);
  }
  [[nodiscard]] std::uint64_t most_bytes(std::size_t links) const override {
    return (links + 1) * standard_filter::payload_bytes(shape_);
  }
  [[nodiscard]] std::uint64_t most_message() const override {
    return small_messages + standard_filter::payload_bytes(shape_);
  }

  void link(time now, peer who, std::uint64_t /*as*/, bool called, outbox& out) override {
    party_.add_link(now,
                    {.who = who,
                     .is = called ? toward::above : toward::below,
                     .link = static_cast<std::uint64_t>(who)},
                    out);
  }
  void unlink(time now, peer who, outbox& out) override { party_.remove_link(now, who, out); }
  void start(time now, outbox& out) override { party_.start(now, out); }
  void receive(time now, peer from, byte_view message, outbox& out) override {
    party_.receive(now, from, message, out);
  }
  void tick(time now, std::uint64_t token, outbox& out) override { party_.tick(now, token, out); }

  void ask(time now, std::uint64_t id, std::span<const std::string_view> words,
           outbox& out) override {
    const auto packed = digests_of(words);
    party_.receive(now, numbered(self_),
                   wire::write(question{
                       .id = id, .how = static_cast<std::uint64_t>(walk::best), .words = packed}),
                   out);
  }
  [[nodiscard]] discovery found(std::uint64_t id) const override {
    const outcome& came = party_.outcome_of(id);
    return {.over = came.over, .steps = came.steps, .holders = came.holders};
  }

 private:
  using summary = filter_summary<standard_filter>;
  std::uint64_t self_;
  standard_shape shape_;
  node<summary> party_;
};

class servent_station final : public station {
 public:
  servent_station(const station_setup& setup, bool leaf, std::uint64_t slots)
      : self_(setup.number),
        leaf_(leaf),
        slots_(slots),
        party_({.self = numbered(setup.number),
                .leaf = leaf,
                .links = {},
                .slots = slots,
                .delay = setup.beat}),
        chance_(setup.seed) {
    for (const std::string& key : setup.keys) party_.share(key);
    const qrp_limits taken;
    if (party_.own().fill() > taken.fill) {
      fail(errc::limit, "the words fill " + format_ratio(party_.own().fill()) + " of " +
                            std::to_string(slots) + " slots, and neighbours take up to " +
                            format_ratio(taken.fill) + ": give all nodes more slots");
    }
  }

  [[nodiscard]] hello introduction() const override {
    return {.as = leaf_ ? as_leaf : as_ultrapeer, .number = self_, .size = slots_, .hashes = 1};
  }
  [[nodiscard]] bool takes(std::uint64_t as, bool called) const override {
    return (as == as_ultrapeer && (called || !leaf_)) || (as == as_leaf && !leaf_ && !called);
  }
  [[nodiscard]] peer name_of(std::uint64_t /*number*/, peer connection) const override {
    return link_over(connection);
  }
  // A table, and the patch to it that is coming, a link; its own, and the one that goes to neighbours.
  [[nodiscard]] std::uint64_t most_bytes(std::size_t links) const override {
    return 2 * (links + 1) * slots_;
  }
  [[nodiscard]] std::uint64_t most_message() const override { return 2 * small_messages; }

  void link(time now, peer who, std::uint64_t as, bool /*called*/, outbox& out) override {
    party_.add_link(now, {.who = who, .leaf = as == as_leaf}, out);
  }
  void unlink(time now, peer who, outbox& out) override { party_.remove_link(now, who, out); }
  void start(time now, outbox& out) override { party_.start(now, out); }
  void receive(time now, peer from, byte_view message, outbox& out) override {
    party_.receive(now, from, message, out);
  }
  void tick(time now, std::uint64_t token, outbox& out) override { party_.tick(now, token, out); }

  void ask(time now, std::uint64_t id, std::span<const std::string_view> words,
           outbox& out) override {
    std::string text;
    for (const std::string_view word : words) (text += text.empty() ? "" : " ") += word;
    const auto payload = query_payload(text);
    const std::uint64_t before = out.sent().messages;
    party_.receive(
        now, numbered(self_),
        write_gnutella({.id = identity_of(id), .kind = gnutella_query, .payload = payload}), out);
    asked_[id] = {out.sent().messages - before, party_.has(qrp_words(text))};
    if (asked_.size() > most_asked) asked_.erase(asked_.begin());
  }
  [[nodiscard]] discovery found(std::uint64_t id) const override {
    discovery made{.open = true, .holders = party_.answers(identity_of(id))};
    const auto at = asked_.find(id);
    if (at == asked_.end()) return made;
    made.asked = at->second.asked;
    if (at->second.own) made.holders.push_back(self_);
    return made;
  }

 private:
  static constexpr std::size_t most_asked = 4096;
  struct asked_before {
    std::uint64_t asked;
    bool own;  // this node has a file with all words
  };
  // The rest is the same for all that this node asks.
  [[nodiscard]] gnutella_message::identity identity_of(std::uint64_t id) const {
    gnutella_message::identity made{};
    apps::random_stream rest = chance_;
    core::store_le(made.data(), id);
    core::store_le(made.data() + sizeof id, std::uint64_t{rest()});
    return made;
  }

  std::uint64_t self_;
  bool leaf_;
  std::uint64_t slots_;
  gnutella_node party_;
  apps::random_stream chance_;
  std::map<std::uint64_t, asked_before> asked_;
};

}  // namespace

standard_shape shape_for(std::uint64_t own, std::uint64_t keys, double rate) {
  if (own > keys) {
    fail(errc::invalid, "this node holds " + format_count(own) + " keys, and filters are for " +
                            format_count(keys) + ": give all nodes more keys");
  }
  const standard_shape shape = standard_filter::plan(keys, rate);
  if (standard_filter::payload_bytes(shape) > most_filter_bytes) {
    fail(errc::limit, "a filter takes " + format_size(standard_filter::payload_bytes(shape)) +
                          ", and a message carries at most " + format_size(most_filter_bytes));
  }
  return shape;
}

std::unique_ptr<station> make_peer(const station_setup& setup, std::uint64_t peers,
                                   std::uint64_t first_version, const standard_shape& shape) {
  auto made = std::make_unique<peer_station>(setup, peers, first_version, shape);
  if (made->most_message() > gossiper::limits.max_bytes) {
    fail(errc::limit, "the filters of all peers take " + format_size(made->most_message()) +
                          ", and a message carries at most " +
                          format_size(gossiper::limits.max_bytes));
  }
  return made;
}
std::unique_ptr<station> make_tree(const station_setup& setup, const standard_shape& shape) {
  return std::make_unique<tree_station>(setup, shape);
}
std::unique_ptr<station> make_servent(const station_setup& setup, bool leaf, std::uint64_t slots) {
  return std::make_unique<servent_station>(setup, leaf, slots);
}

}  // namespace bloomery::overlay
