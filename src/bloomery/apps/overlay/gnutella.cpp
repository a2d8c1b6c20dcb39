#include "bloomery/apps/overlay/gnutella.hpp"

#include <algorithm>

#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::overlay {
namespace {

constexpr std::size_t gnutella_head = 23;
constexpr std::size_t at_kind = 16;
constexpr std::size_t at_length = 19;
constexpr std::uint32_t most_payload = 1 << 16;
constexpr std::size_t speed_bytes = 2;
// The number of who answers; a real one tells files and an address.
constexpr std::size_t hit_bytes = 8;
constexpr std::size_t most_answers = 4096;  // to a question

}  // namespace

std::vector<std::byte> write_gnutella(const gnutella_message& message) {
  std::vector<std::byte> bytes(gnutella_head + message.payload.size());
  std::ranges::copy(message.id, bytes.begin());
  bytes[at_kind] = std::byte{message.kind};
  bytes[at_kind + 1] = std::byte{message.life};
  bytes[at_kind + 2] = std::byte{message.hops};
  core::store_le(&bytes[at_length], static_cast<std::uint32_t>(message.payload.size()));
  std::ranges::copy(message.payload, bytes.begin() + gnutella_head);
  return bytes;
}

gnutella_message read_gnutella(byte_view bytes) {
  if (bytes.size() < gnutella_head) fail(errc::corrupt, "a Gnutella message ends in its head");
  const auto length = core::load_le<std::uint32_t>(&bytes[at_length]);
  if (length > most_payload || bytes.size() - gnutella_head != length) {
    fail(errc::corrupt, "a Gnutella message says it has " + std::to_string(length) +
                            " bytes and has " + std::to_string(bytes.size() - gnutella_head));
  }
  gnutella_message read;
  std::ranges::copy(bytes.first(read.id.size()), read.id.begin());
  read.kind = std::to_integer<std::uint8_t>(bytes[at_kind]);
  read.life = std::to_integer<std::uint8_t>(bytes[at_kind + 1]);
  read.hops = std::to_integer<std::uint8_t>(bytes[at_kind + 2]);
  read.payload = bytes.subspan(gnutella_head);
  return read;
}

std::vector<std::byte> query_payload(std::string_view text) {
  std::vector<std::byte> payload(speed_bytes);
  for (const char c : text) payload.push_back(static_cast<std::byte>(c));
  payload.push_back(std::byte{0});
  return payload;
}

std::string query_text(const gnutella_message& query) {
  const byte_view text = query.payload.subspan(std::min(speed_bytes, query.payload.size()));
  const auto end = std::ranges::find(text, std::byte{0});
  if (query.kind != gnutella_query || end == text.end()) {
    fail(errc::corrupt, "a Gnutella query has no text that ends");
  }
  return std::string(text_of(text.first(static_cast<std::size_t>(end - text.begin()))));
}

gnutella_node::gnutella_node(gnutella_setup setup) : setup_(std::move(setup)), own_(setup_.slots) {
  for (const gnutella_link& each : setup_.links) {
    readers_.emplace(each.who, qrp_reader({.slots = setup_.slots}));
  }
}

void gnutella_node::share(std::string_view file) {
  const std::vector<std::string> words = qrp_words(file);
  files_.emplace_back(words.begin(), words.end());
  for (const std::string& word : words) {
    words_.insert(word);
    own_.add(word);
  }
}

bool gnutella_node::has(std::span<const std::string> words) const {
  return !words.empty() && std::ranges::any_of(files_, [&](const auto& file) {
    return std::ranges::all_of(words, [&](const auto& word) { return file.contains(word); });
  });
}

const qrp_table* gnutella_node::table_of(apps::peer who) const {
  const auto found = readers_.find(who);
  return found == readers_.end() || !found->second.whole() ? nullptr : &found->second.table();
}

std::vector<std::uint64_t> gnutella_node::answers(const gnutella_message::identity& id) const {
  const auto found = answers_.find(id);
  return found == answers_.end() ? std::vector<std::uint64_t>{} : found->second;
}

const gnutella_link* gnutella_node::link_to(apps::peer who) const {
  const auto found = std::ranges::find(setup_.links, who, &gnutella_link::who);
  return found == setup_.links.end() ? nullptr : &*found;
}

void gnutella_node::send_table(const qrp_table& table, const gnutella_link& to, apps::outbox& out) {
  for (const auto& payload : table.messages()) {
    out.send(to.who, write_gnutella({.kind = gnutella_routes, .payload = payload}));
  }
}

void gnutella_node::add_link(apps::time now, const gnutella_link& to, apps::outbox& out) {
  if (to.who == setup_.self || link_to(to.who) != nullptr) {
    fail(errc::invalid, "a servent has one link to a neighbour, and none to itself");
  }
  setup_.links.push_back(to);
  readers_.emplace(to.who, qrp_reader({.slots = setup_.slots}));
  if (setup_.leaf) {
    send_table(own_, to, out);
  } else {
    advertise_later(now, out);
  }
}

void gnutella_node::remove_link(apps::time now, apps::peer who, apps::outbox& out) {
  std::erase_if(setup_.links, [&](const gnutella_link& each) { return each.who == who; });
  readers_.erase(who);
  if (!setup_.leaf) advertise_later(now, out);
}

void gnutella_node::advertise_later(apps::time now, apps::outbox& out) {
  if (due_) return;
  due_ = true;
  out.wake(now + setup_.delay, 0);
}

void gnutella_node::start(apps::time now, apps::outbox& out) {
  if (!setup_.leaf) return advertise_later(now, out);
  for (const gnutella_link& each : setup_.links) send_table(own_, each, out);
}

// Ultrapeers tell each other of all their leaves.
void gnutella_node::tick(apps::time /*now*/, std::uint64_t /*token*/, apps::outbox& out) {
  due_ = false;
  qrp_table all = own_;
  for (const gnutella_link& each : setup_.links) {
    const qrp_table* told = each.leaf ? table_of(each.who) : nullptr;
    if (told != nullptr) all.merge(*told);
  }
  for (const gnutella_link& each : setup_.links) {
    if (!each.leaf) send_table(all, each, out);
  }
}

void gnutella_node::receive(apps::time now, apps::peer from, byte_view bytes, apps::outbox& out) {
  try {
    const gnutella_message message = read_gnutella(bytes);
    const gnutella_link* link = link_to(from);
    if (message.kind == gnutella_query) {
      (void)query_text(message);
      take_query(message, from, out);
    } else if (message.kind == gnutella_hit && message.payload.size() == hit_bytes) {
      take_hit(message, out);
    } else if (message.kind == gnutella_routes && link != nullptr && !setup_.leaf) {
      qrp_reader& reader = readers_.at(from);
      const qrp_table* before = table_of(from);
      const qrp_table old = before == nullptr ? qrp_table(setup_.slots) : *before;
      reader.take(message.payload);
      // Only tables of one size can be merged for the neighbours.
      if (reader.begun() && (reader.table().slots() != own_.slots() ||
                             reader.table().infinity() != own_.infinity())) {
        reader = qrp_reader({.slots = setup_.slots});
        return out.tell({"refused"});
      }
      const bool changed = link->leaf && reader.whole() && reader.table() != old;
      if (changed) advertise_later(now, out);
    } else {
      out.tell({"refused"});
    }
  } catch (const error& problem) {
    if (problem.code() == errc::invalid) throw;  // ours
    out.tell({"refused"});
  }
}

bool gnutella_node::remember(const gnutella_message::identity& id, apps::peer from) {
  if (!seen_.emplace(id, from).second) return false;
  order_.push_back(id);
  if (order_.size() > setup_.most_remembered) {
    seen_.erase(order_.front());
    answers_.erase(order_.front());
    order_.pop_front();
  }
  return true;
}

void gnutella_node::take_query(const gnutella_message& query, apps::peer from, apps::outbox& out) {
  if (!remember(query.id, from)) return;
  const std::vector<std::string> words = qrp_words(query_text(query));
  const bool begins = from == setup_.self;
  const gnutella_link* back = link_to(from);
  const bool held = has(words);
  if (!begins) {
    const std::string_view whom = setup_.leaf ? "leaf" : "ultrapeer";
    out.tell({whom == "leaf" ? (held ? "leaf asked with reason" : "leaf asked in vain")
                             : "ultrapeer asked"});
  }
  if (held && !begins) {
    std::array<std::byte, hit_bytes> answer{};
    core::store_le(answer.data(), static_cast<std::uint64_t>(setup_.self));
    out.send(from, write_gnutella({.id = query.id, .kind = gnutella_hit, .payload = answer}));
  }
  gnutella_message next = query;
  next.hops = static_cast<std::uint8_t>(query.hops + 1);
  if (setup_.leaf) {
    for (const gnutella_link& each : setup_.links) {
      if (begins) out.send(each.who, write_gnutella(next));
    }
    return;
  }
  // A question of one's own leaf, or of one's own, lives as long as this node lets it.
  const bool fresh = begins || (back != nullptr && back->leaf);
  const unsigned theirs = query.life == 0 ? 0U : std::min(query.life - 1U, unsigned{setup_.life});
  const unsigned left = fresh ? setup_.life : theirs;
  for (const gnutella_link& each : setup_.links) {
    if (each.who == from) continue;
    const qrp_table* told = table_of(each.who);
    const bool matches = told != nullptr && told->may_match(words);
    next.life = static_cast<std::uint8_t>(each.leaf ? 1 : left);
    const bool goes = each.leaf ? matches : left > 1 || (left == 1 && matches);
    if (goes) out.send(each.who, write_gnutella(next));
  }
}

void gnutella_node::take_hit(const gnutella_message& hit, apps::outbox& out) {
  const auto asked = seen_.find(hit.id);
  if (asked == seen_.end()) return;
  if (asked->second == setup_.self) {
    auto& told = answers_[hit.id];
    const auto holder = core::load_le<std::uint64_t>(hit.payload.data());
    const bool another = std::ranges::find(told, holder) == told.end();
    if (another && told.size() < most_answers) told.push_back(holder);
  } else {
    out.send(asked->second, write_gnutella(hit));
  }
}

}  // namespace bloomery::overlay
