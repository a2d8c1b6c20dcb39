#include "bloomery/apps/lab/world.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::lab {
namespace {

std::uint32_t number_of(peer who) {
  return static_cast<std::uint32_t>(who);
}

std::string named(peer who) {
  return "peer " + std::to_string(number_of(who));
}

std::uint64_t both_ends(peer from, peer to) {
  return std::uint64_t{number_of(from)} << 32 | number_of(to);
}

}  // namespace

// What a party is given for one call.
class world::node_outbox final : public outbox {
 public:
  node_outbox(world& owner, peer self) : owner_(owner), self_(self) {}

 private:
  void do_send(peer to, byte_view message) override { owner_.transmit(self_, to, message); }
  void do_wake(time at, std::uint64_t token) override {
    owner_.schedule(at, what::tick, self_, self_, token);
  }
  void do_tell(const event& happened) override {
    owner_.told_[happened.name] += happened.amount;
    if (owner_.listener_) owner_.listener_(owner_.now_, self_, happened);
  }
  world& owner_;
  peer self_;
};

world::world(std::uint64_t seed, const world_limits& limits) : seed_(seed), limits_(limits) {}

peer world::add(any_party held, time start) {
  if (nodes_.size() >= std::numeric_limits<std::uint32_t>::max()) {
    fail(errc::limit, "a world holds at most 2^32 - 1 parties");
  }
  const peer who{static_cast<std::uint32_t>(nodes_.size())};
  nodes_.push_back({std::move(held), {}, false});
  schedule(start, what::start, who, who, 0);
  return who;
}

void world::connect(peer a, peer b, const link_spec& spec) {
  connect_one_way(a, b, spec);
  connect_one_way(b, a, spec);
}

void world::connect_one_way(peer from, peer to, const link_spec& spec) {
  (void)node_of(from);
  (void)node_of(to);
  if (from == to) fail(errc::invalid, named(from) + " cannot have a link to itself");
  const std::uint64_t ends = both_ends(from, to);
  if (!links_.try_emplace(ends, spec, random_stream(seed_, ends)).second) {
    fail(errc::invalid, named(from) + " already has a link to " + named(to));
  }
}

void world::connect(const graph& edges, const link_spec& spec) {
  for (graph::vertex from = 0; from < edges.size(); ++from) {
    for (const graph::vertex to : edges.neighbours(from)) {
      connect_one_way(peer{from}, peer{to}, spec);
    }
  }
}

void world::connect_all(const link_spec& spec) {
  elsewhere_ = link(spec, random_stream(seed_)).spec();  // checked
}

link& world::link_of(peer from, peer to) {
  const std::uint64_t ends = both_ends(from, to);
  if (const auto found = links_.find(ends); found != links_.end()) return found->second;
  if (!elsewhere_ || from == to || number_of(to) >= nodes_.size()) {
    fail(errc::invalid, named(from) + " sends to " + named(to) + " but has no link to it");
  }
  return links_.try_emplace(ends, *elsewhere_, random_stream(seed_, ends)).first->second;
}

link_counts world::counts(peer from, peer to) const {
  const auto found = links_.find(both_ends(from, to));
  return found == links_.end() ? link_counts{} : found->second.counts();
}

void world::wake(peer who, time at, std::uint64_t token) {
  (void)node_of(who);
  schedule(at, what::tick, who, who, token);
}

void world::post(peer to, time at, byte_view message) {
  (void)node_of(to);
  schedule(at, what::message, to, to, keep(message));
}

void world::act(peer who, const std::function<void(time, outbox&)>& done) {
  node& to = node_of(who);
  if (to.gone) return;
  node_outbox out(*this, who);
  done(now_, out);
  to.sent += out.sent();
  sent_ += out.sent();
}

void world::lose(double share) {
  for (auto& [ends, each] : links_) each.lose(share);
  if (!elsewhere_) return;
  elsewhere_->loss = share;
  connect_all(*elsewhere_);  // checked
}

void world::leave(peer who) {
  node_of(who).gone = true;
}

std::uint64_t world::told(std::string_view name) const {
  const auto found = told_.find(name);
  return found == told_.end() ? 0 : found->second;
}

void world::on_event(std::function<void(time, peer, const event&)> listener) {
  listener_ = std::move(listener);
}

void world::on_message(std::function<void(peer, peer, byte_view)> listener) {
  message_listener_ = std::move(listener);
}

bool world::later(const occurrence& a, const occurrence& b) {
  return a.at != b.at ? a.at > b.at : a.number > b.number;
}

void world::schedule(time at, what is, peer from, peer to, std::uint64_t detail) {
  due_.push_back({std::max(at, now_), caused_++, is, from, to, detail});
  std::push_heap(due_.begin(), due_.end(), later);
}

// Places are used again, with the memory they have.
std::uint64_t world::keep(byte_view message) {
  if (message.size() > limits_.pending_bytes - pending_bytes_) {
    fail(errc::limit,
         "messages of more than " + format_size(limits_.pending_bytes) + " are under way at once");
  }
  pending_bytes_ += message.size();
  if (free_places_.empty()) {
    free_places_.push_back(messages_.size());
    messages_.emplace_back();
  }
  const std::uint64_t place = free_places_.back();
  free_places_.pop_back();
  messages_[place].assign(message.begin(), message.end());
  return place;
}

void world::transmit(peer from, peer to, byte_view message) {
  const std::optional<time> arrival = link_of(from, to).transmit(now_, message.size());
  if (arrival) schedule(*arrival, what::message, from, to, keep(message));
}

void world::happen(const occurrence& next) {
  if (next.is == what::message) {
    arriving_.swap(messages_[next.detail]);
    free_places_.push_back(next.detail);
    pending_bytes_ -= arriving_.size();
  }
  node& to = node_of(next.to);
  if (to.gone) {
    ++unheard_;
    return;
  }
  node_outbox out(*this, next.to);
  switch (next.is) {
    case what::start:
      to.held.start(now_, out);
      break;
    case what::tick:
      to.held.tick(now_, next.detail, out);
      break;
    case what::message:
      heard_.add(now_, next.from, next.to, arriving_);
      if (message_listener_) message_listener_(next.from, next.to, arriving_);
      delivered_ += {1, arriving_.size()};
      to.held.receive(now_, next.from, arriving_, out);
      break;
  }
  to.sent += out.sent();
  sent_ += out.sent();
}

void world::run_while_due(time last) {
  for (std::uint64_t done = 0; !due_.empty() && due_.front().at <= last; ++done) {
    if (done == limits_.events) {
      fail(errc::limit, "the world was not quiet after " + format_count(done) + " events, at " +
                            std::to_string(now_.time_since_epoch().count()) + " ns");
    }
    std::pop_heap(due_.begin(), due_.end(), later);
    const occurrence next = due_.back();
    due_.pop_back();
    now_ = next.at;
    ++events_;
    happen(next);
  }
}

void world::run() {
  run_while_due(time::max());
}

void world::run_until(time then) {
  run_while_due(then);
  now_ = std::max(now_, then);
}

const world::node& world::node_of(peer who) const {
  if (number_of(who) >= nodes_.size()) {
    fail(errc::invalid,
         named(who) + " is not in this world of " + std::to_string(nodes_.size()) + " parties");
  }
  return nodes_[number_of(who)];
}

world::node& world::node_of(peer who) {
  return const_cast<node&>(std::as_const(*this).node_of(who));
}

void world::fail_type(peer who) {
  fail(errc::invalid, named(who) + " is a party of another type");
}

}  // namespace bloomery::lab
