// Any bytes may come to a node of an overlay, as any number of messages: parties refuse them without throwing and
// send what may be sent; readers of query routing refuse them with bloomery::error and keep the table they had.
//
// The first byte says to whom they come. Then messages: a length of two bytes, whose highest bit makes stated
// length and checksum right, and the message.
#include <vector>

#include "bloomery/apps/overlay/chord.hpp"
#include "bloomery/apps/overlay/gnutella.hpp"
#include "bloomery/apps/overlay/gossip.hpp"
#include "bloomery/apps/overlay/known_peers.hpp"
#include "bloomery/apps/overlay/likeness.hpp"
#include "bloomery/apps/overlay/node.hpp"
#include "bloomery/apps/overlay/power_proxy.hpp"
#include "bloomery/apps/overlay/resident.hpp"
#include "bloomery/apps/overlay/scoped_summary.hpp"
#include "bloomery/filters/routing/attenuated.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "fuzzing.hpp"
#include "resealed.hpp"

namespace {

using namespace bloomery;
using fuzzing::law;
using plain = overlay::filter_summary<standard_filter>;
using message_list = std::vector<std::vector<std::byte>>;

class quiet_outbox : public apps::outbox {
  void do_send(apps::peer, byte_view) override {}
  void do_wake(apps::time, std::uint64_t) override {}
  void do_tell(const apps::event&) override {}
};

// From two neighbours in turn, and from oneself.
template <apps::party Party>
void hear_all(Party party, const message_list& messages) {
  quiet_outbox out;
  party.start({}, out);
  std::uint32_t from = 0;
  for (const auto& message : messages) {
    party.receive({}, apps::peer{from++ % 3}, message, out);
    party.tick({}, 0, out);
  }
}

// A proxy and its host throw what they refuse.
template <apps::party Party>
void hear_or_refuse(Party party, const message_list& messages) {
  quiet_outbox out;
  party.start({}, out);
  std::uint32_t from = 0;
  for (const auto& message : messages) {
    try {
      party.receive({}, apps::peer{from++ % 2}, message, out);
    } catch (const error& problem) {
      law(testing::is_senders_fault(problem), "messages are to blame");
    }
    party.tick({}, 0, out);
  }
}

apps::sleeping_host some_host() {
  apps::sleeping_host host(apps::peer{1}, {}, {.seeds = 2});
  host.share("song", "la la la");
  return host;
}

// A node that runs: what comes on connections that are called, opened and closed, from neighbours and visitors.
void hear_all(std::unique_ptr<overlay::station> held, const message_list& messages) {
  quiet_outbox out;
  const auto second = [](std::int64_t n) { return apps::time(std::chrono::seconds(n)); };
  overlay::resident node(std::move(held), {.links = 3, .enquiries = 2, .refusals = 4});
  node.start({}, out);
  std::int64_t now = 0;
  std::uint32_t from = 0;
  for (const auto& message : messages) {
    const apps::peer who{from++ % 5};
    if (from <= 2) node.called(second(now), who, from);
    if (from > 2 && from <= 5) node.opened(second(now), who);
    node.receive(second(now), who, message, out);
    node.tick(second(now), from % 2, out);
    for (const auto& [gone, why] : node.finished()) {
      law(!node.linked(gone), "who is cut off is no neighbour");
      node.opened(second(now), gone);
    }
    law(node.links() <= 3, "there are no more neighbours than there may be");
    if (from % 7 == 0) node.closed(second(now), who, out);
    now += from % 3;
  }
}

void read_findings(const message_list& messages) {
  for (const auto& message : messages) {
    try {
      const auto told = wire::read<overlay::findings>(message);
      law(told.holders.size() == 8 * told.places.size(), "each holder has a place");
    } catch (const error& problem) {
      law(testing::is_senders_fault(problem), "messages are to blame");
    }
  }
}

void read_tables(const message_list& messages) {
  const overlay::qrp_limits limits{.slots = 4096};
  overlay::qrp_reader reader(limits);
  for (const auto& message : messages) {
    const auto before = reader.whole() ? reader.table() : overlay::qrp_table(2);
    const bool was_whole = reader.whole();
    try {
      reader.take(message);
      if (reader.whole()) {
        law(reader.table().fill() <= limits.fill, "no table is fuller than it may be");
        law(reader.table().slots() <= limits.slots, "no table is larger than it may be");
      }
    } catch (const error& problem) {
      law(testing::is_senders_fault(problem), "messages are to blame");
      law(!was_whole || reader.table() == before, "what is refused changes nothing");
    }
  }
}

void read_peers(const message_list& messages) {
  for (const auto& message : messages) {
    try {
      const auto known = overlay::open_known(message);
      (void)known.knows(1);
      law(known.rate() <= 0.5, "a filter of use spares something");
    } catch (const error& problem) {
      law(testing::is_senders_fault(problem), "messages are to blame");
    }
    try {
      (void)overlay::open_new(message);
    } catch (const error& problem) {
      law(testing::is_senders_fault(problem), "messages are to blame");
    }
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto rest = std::span(data, size).subspan(1);
  message_list messages;
  while (rest.size() > 2) {
    const unsigned head = rest[0] | unsigned{rest[1]} << 8U;
    rest = rest.subspan(2);
    const auto some = std::as_bytes(rest.first(std::min<std::size_t>(head & 0x7FFFU, rest.size())));
    rest = rest.subspan(some.size());
    messages.emplace_back(some.begin(), some.end());
    if ((head & 0x8000U) != 0) messages.back() = testing::resealed_message(messages.back());
  }
  const standard_shape shape{256, 3};
  const std::vector<std::string> keys{"word", "another one"};
  const overlay::station_setup own{.number = 2, .keys = keys};
  // Between a neighbour that it hears of keys from, and one of a mesh.
  const auto hear_between = [&]<class Summary>(Summary summary) {
    hear_all(overlay::node<Summary>({.self = apps::peer{0},
                                     .links = {{apps::peer{1}, overlay::toward::below, 1},
                                               {apps::peer{2}, overlay::toward::mesh, 2}}},
                                    std::move(summary)),
             messages);
  };
  switch (data[0] % 15) {
    case 0:
      read_tables(messages);
      break;
    case 1:
      hear_all(overlay::gnutella_node({.self = apps::peer{0},
                                       .links = {{apps::peer{1}, true}, {apps::peer{2}, false}},
                                       .slots = 256}),
               messages);
      break;
    case 2:
      hear_between(plain(standard_filter(shape)));
      break;
    case 3:
      hear_all(overlay::gossiper(0, 3, shape, 1), messages);
      break;
    case 4:
      hear_all(overlay::ring_node(overlay::ring(4), 0), messages);
      break;
    case 5:
      read_peers(messages);
      break;
    case 6:
      hear_all(overlay::make_peer(own, 3, 1, shape), messages);
      break;
    case 7:
      hear_all(overlay::make_tree(own, shape), messages);
      break;
    case 8:
      hear_all(overlay::make_servent(own, data[0] < 128, 256), messages);
      break;
    case 9:
      read_findings(messages);
      break;
    case 10:
      hear_or_refuse(apps::power_proxy(apps::peer{1}, {}), messages);
      break;
    case 11:
      hear_or_refuse(some_host(), messages);
      break;
    case 12:
      hear_between(overlay::filter_summary<attenuated_filter>(
          attenuated_filter(attenuated_shape{.bits = 64, .hashes = 3, .levels = 3})));
      break;
    case 13:
      hear_between(overlay::scoped_summary(exponential_decay_shape{.bits = 64, .hashes = 3}, 2));
      break;
    default:
      hear_between(overlay::likeness_summary(standard_filter(shape)));
  }
  return 0;
}
