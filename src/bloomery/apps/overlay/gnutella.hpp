// A node of Gnutella, leaf or ultrapeer, as far as routing of questions goes.
//
// Purpose:   leaves send their ultrapeer a table of their words, ultrapeers each other one of all their leaves' (QRP,
//            qrp.hpp). Questions go from ultrapeer to ultrapeer, as many hops as they have to live: on the last
//            only to those whose table matches, and to leaves only if theirs does.
// Cost:      a table a leaf and a neighbour; as many questions, and outcomes of one's own, remembered as
//            `most_remembered`.
// Guarantee: whoever is within reach and has a file with all words is asked. Messages that are malformed change
//            nothing and are told as "refused". Neither handshake, files nor pings are spoken.
// Citation:  The Gnutella Protocol Specification v0.4 and 0.6; Rohrs 2002; Tarkoma §IV-B.
//
//     const std::vector<std::byte> text = bloomery::overlay::query_payload("blue monday");
//     const bloomery::overlay::gnutella_message sent{.kind = 0x80, .life = 3, .payload = text};
//     const auto bytes = bloomery::overlay::write_gnutella(sent);
//     assert(bytes.size() == 23 + text.size());
//     assert(bloomery::overlay::query_text(bloomery::overlay::read_gnutella(bytes)) == "blue monday");
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/apps/overlay/qrp.hpp"
#include "bloomery/apps/party.hpp"

namespace bloomery::overlay {

inline constexpr std::uint8_t gnutella_routes = 0x30;
inline constexpr std::uint8_t gnutella_query = 0x80;
inline constexpr std::uint8_t gnutella_hit = 0x81;

struct gnutella_message {
  using identity = std::array<std::byte, 16>;
  identity id{};
  std::uint8_t kind = 0;
  std::uint8_t life = 1;  // hops that are left, this one among them
  std::uint8_t hops = 0;
  byte_view payload;
};

std::vector<std::byte> write_gnutella(const gnutella_message& message);
// errc::corrupt unless it is one whole message of at most 64 KiB.
gnutella_message read_gnutella(byte_view bytes);

std::vector<std::byte> query_payload(std::string_view text);
std::string query_text(const gnutella_message& query);  // errc::corrupt if it is none

struct gnutella_link {
  apps::peer who;
  bool leaf;
};

struct gnutella_setup {
  apps::peer self;
  bool leaf = false;
  std::vector<gnutella_link> links;
  std::uint64_t slots = std::uint64_t{1} << 16;
  std::uint8_t life = 3;
  std::size_t most_remembered = 4096;
  std::chrono::nanoseconds delay =
      std::chrono::seconds(1);  // before neighbours are told what is new
};

class gnutella_node {
 public:
  explicit gnutella_node(gnutella_setup setup);

  // A neighbour that comes later, or is gone with its table; errc::invalid if there is a link to it already.
  void add_link(apps::time now, const gnutella_link& to, apps::outbox& out);
  void remove_link(apps::time now, apps::peer who, apps::outbox& out);

  void share(std::string_view file);
  [[nodiscard]] bool has(std::span<const std::string> words) const;  // one file with all of them
  [[nodiscard]] bool has_word(const std::string& word) const { return words_.contains(word); }
  [[nodiscard]] const qrp_table& own() const { return own_; }
  // What a neighbour has sent; none before.
  [[nodiscard]] const qrp_table* table_of(apps::peer who) const;
  // Who answered a question that began here.
  [[nodiscard]] std::vector<std::uint64_t> answers(const gnutella_message::identity& id) const;

  void start(apps::time now, apps::outbox& out);
  void receive(apps::time now, apps::peer from, byte_view bytes, apps::outbox& out);
  void tick(apps::time now, std::uint64_t token, apps::outbox& out);

 private:
  [[nodiscard]] const gnutella_link* link_to(apps::peer who) const;
  static void send_table(const qrp_table& table, const gnutella_link& to, apps::outbox& out);
  void take_query(const gnutella_message& query, apps::peer from, apps::outbox& out);
  void advertise_later(apps::time now, apps::outbox& out);
  void take_hit(const gnutella_message& hit, apps::outbox& out);
  bool remember(const gnutella_message::identity& id, apps::peer from);

  gnutella_setup setup_;
  qrp_table own_;
  std::vector<std::set<std::string>> files_;
  std::set<std::string> words_;
  std::map<apps::peer, qrp_reader> readers_;
  std::map<gnutella_message::identity, apps::peer> seen_;
  std::deque<gnutella_message::identity> order_;
  std::map<gnutella_message::identity, std::vector<std::uint64_t>> answers_;
  bool due_ = false;
};

}  // namespace bloomery::overlay
