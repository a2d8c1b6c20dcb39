#include "bloomery/apps/overlay/resident.hpp"

#include <algorithm>

#include "bloomery/apps/random.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/hash/key.hpp"

namespace bloomery::overlay {
namespace {

using apps::outbox, apps::peer, apps::time;

constexpr std::uint64_t pulse_token = 1;  // a station's are even here

// None if it is no message of ours, as those of Gnutella are not.
std::string_view name_in(byte_view message) {
  try {
    return wire::message_name(message);
  } catch (const error&) {
    return {};
  }
}

std::string in_numbers(const hello& who) {
  return std::to_string(who.size) + " bits or slots and " + std::to_string(who.hashes) +
         " hashes, in a network of " + std::to_string(who.peers);
}

}  // namespace

// What a station says goes to the connection of that name, or nowhere; what it refuses is counted.
class resident::house_outbox final : public outbox {
 public:
  house_outbox(const resident& owner, outbox& out) : owner_(owner), out_(out) {}
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  void do_send(peer to, byte_view message) override {
    const auto at = owner_.by_name_.find(to);
    if (at != owner_.by_name_.end()) out_.send(at->second, message);
  }
  void do_wake(time at, std::uint64_t token) override { out_.wake(at, 2 * token); }
  void do_tell(const apps::event& happened) override {
    refused_ += happened.name == "refused" ? happened.amount : 0;
    out_.tell(happened);
  }

  const resident& owner_;
  outbox& out_;
  std::uint64_t refused_ = 0;
};

resident::resident(std::unique_ptr<station> held, resident_setup setup)
    : held_(std::move(held)),
      setup_(std::move(setup)),
      next_question_(apps::random_stream(setup_.seed, held_->introduction().number)() >> 1) {}

bool resident::linked(peer connection) const {
  const auto at = connections_.find(connection);
  return at != connections_.end() && at->second.name.has_value();
}

std::vector<std::byte> resident::greeting() const {
  return wire::write(held_->introduction());
}

void resident::called(time now, peer connection, std::optional<std::uint64_t> number) {
  connections_[connection] = {.called = true, .expected = number, .heard = now};
}

void resident::opened(time now, peer connection) {
  connections_[connection] = {.heard = now};
}

void resident::closed(time now, peer connection, outbox& out) {
  part(now, connection, out);
  answer(now, out);
}

// The station hears of it last, when nothing leads to the neighbour any more.
void resident::part(time now, peer connection, outbox& out) {
  const auto at = connections_.find(connection);
  if (at == connections_.end()) return;
  const std::optional<peer> name = at->second.name;
  connections_.erase(at);
  std::erase_if(open_, [&](const auto& each) { return each.second.visitor == connection; });
  if (!name) return;
  by_name_.erase(*name);
  house_outbox house(*this, out);
  held_->unlink(now, *name, house);
}

void resident::finish(time now, peer connection, const std::string& why, outbox& out) {
  part(now, connection, out);
  finished_.emplace_back(connection, why);
}

void resident::start(time now, outbox& out) {
  house_outbox house(*this, out);
  held_->start(now, house);
  out.wake(now + setup_.pulse, pulse_token);
}

void resident::tick(time now, std::uint64_t token, outbox& out) {
  if (token == pulse_token) {
    pulse(now, out);
    out.wake(now + setup_.pulse, pulse_token);
  } else {
    house_outbox house(*this, out);
    held_->tick(now, token / 2, house);
  }
  answer(now, out);
}

void resident::pulse(time now, outbox& out) {
  const std::vector<std::byte> alive = greeting();
  for (const auto& [name, connection] : by_name_) out.send(connection, alive);
  std::vector<peer> silent;
  for (const auto& [connection, each] : connections_) {
    const bool waits = std::ranges::any_of(
        open_, [&, who = connection](const auto& open) { return open.second.visitor == who; });
    const auto longest = each.name ? setup_.silence : setup_.introduction;
    if (!waits && now - each.heard >= longest) silent.push_back(connection);
  }
  for (const peer each : silent) {
    const bool guest = connections_.at(each).visited;
    finish(now, each, guest ? "" : "nothing was heard of it for too long", out);
  }
}

void resident::receive(time now, peer from, byte_view message, outbox& out) {
  const auto at = connections_.find(from);
  if (at == connections_.end()) return;  // already finished
  at->second.heard = now;
  const std::string_view name = name_in(message);
  if (name == hello::name) {
    meet(now, from, message, out);
  } else if (at->second.name) {
    house_outbox house(*this, out);
    held_->receive(now, *at->second.name, message, house);
    at->second.refused += house.refused();
    if (at->second.refused >= setup_.refusals) {
      finish(now, from, "it sent " + std::to_string(at->second.refused) + " messages of no use",
             out);
    }
  } else if (name == enquiry::name && !at->second.called) {
    visit(now, from, message, out);
  } else {
    finish(now, from, "it spoke before it said who it is", out);
  }
  answer(now, out);
}

// Whoever may not be a neighbour, and says so, is cut off with the reason.
void resident::meet(time now, peer connection, byte_view message, outbox& out) {
  connection_state& state = connections_.at(connection);
  hello who;
  try {
    who = wire::read<hello>(message);
  } catch (const error& problem) {
    return finish(now, connection, problem.what(), out);
  }
  if (state.name) {
    if (who.number == state.number) return;
    return finish(now, connection, "it changed its number", out);
  }
  const hello self = held_->introduction();
  const std::string number = std::to_string(who.number);
  const bool known = std::ranges::any_of(connections_, [&](const auto& each) {
    return each.second.name && each.second.number == who.number;
  });
  std::string wrong;
  if (!held_->takes(who.as, state.called)) {
    wrong = "it is a " + std::string(station_names.at(who.as)) + ", which is no neighbour for a " +
            std::string(station_names.at(self.as));
  } else if (who.size != self.size || who.hashes != self.hashes || who.peers != self.peers) {
    wrong = "it has filters of " + in_numbers(who) + "; those here have " + in_numbers(self);
  } else if (who.number == self.number ||
             (self.peers != 0 && (who.number == 0 || who.number > self.peers))) {
    wrong = "it says its number is " + number + ", which cannot be";
  } else if (state.expected && *state.expected != who.number) {
    wrong = "its number is " + number + " where " + std::to_string(*state.expected) +
            " was to be found";
  } else if (known) {
    wrong = "there is a neighbour of number " + number + " already";
  } else if (by_name_.size() >= setup_.links) {
    wrong = "there are " + std::to_string(setup_.links) + " neighbours already";
  }
  if (!wrong.empty()) return finish(now, connection, wrong, out);
  const peer name = held_->name_of(who.number, connection);
  state.name = name;
  state.number = who.number;
  by_name_[name] = connection;
  if (!state.called) out.send(connection, greeting());
  house_outbox house(*this, out);
  held_->link(now, name, who.as, state.called, house);
}

void resident::visit(time now, peer connection, byte_view message, outbox& out) {
  enquiry asked;
  try {
    asked = wire::read<enquiry>(message);
  } catch (const error& problem) {
    return finish(now, connection, problem.what(), out);
  }
  if (open_.size() >= setup_.enquiries) {
    return finish(now, connection, "too many enquiries are open", out);
  }
  connections_.at(connection).visited = true;
  const std::uint64_t id = next_question_++;
  open_[id] = {.visitor = connection,
               .theirs = asked.id,
               .deadline = now + std::chrono::milliseconds(asked.patience),
               .changed = now};
  std::vector<std::string_view> words;
  for (const byte_view each : asked.words) words.push_back(text_of(each));
  house_outbox house(*this, out);
  held_->ask(now, id, words, house);
}

// All enquiries whose questions are over, or whose time is.
void resident::answer(time now, outbox& out) {
  for (auto at = open_.begin(); at != open_.end();) {
    open_enquiry& each = at->second;
    const discovery found = held_->found(at->first);
    if (found.holders.size() != each.holders) {
      each.holders = found.holders.size();
      each.changed = now;
    }
    const bool gathered = found.open && now - each.changed >= setup_.gather;
    if (!found.over && !gathered && now < each.deadline) {
      ++at;
      continue;
    }
    std::vector<std::byte> holders;
    findings told{.id = each.theirs,
                  .over = std::uint64_t{found.over || gathered},
                  .asked = found.asked,
                  .lost = found.lost,
                  .steps = found.steps};
    for (const std::uint64_t who : found.holders) {
      if (told.places.size() == findings::most) break;
      holders.resize(holders.size() + 8);
      core::store_le(&holders[holders.size() - 8], who);
      const auto place = setup_.places.find(who);
      told.places.push_back(place == setup_.places.end() ? byte_view{} : bytes_of(place->second));
    }
    told.holders = holders;
    const peer visitor = each.visitor;
    at = open_.erase(at);
    out.send(visitor, wire::write(told));
  }
}

}  // namespace bloomery::overlay
