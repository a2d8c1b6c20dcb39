#include "ns3/world.hpp"

#include <limits>
#include <string>

#include "bloomery/core/units.hpp"

namespace bloomery::ns3 {
namespace {

std::uint32_t number_of(peer who) {
  return static_cast<std::uint32_t>(who);
}

time at(std::int64_t nanoseconds) {
  return time(std::chrono::nanoseconds(nanoseconds));
}

std::int64_t in_nanoseconds(time when) {
  return when.time_since_epoch().count();
}

void require(const char* complaint) {
  if (complaint != nullptr) fail(errc::invalid, std::string("ns-3: ") + complaint);
}

}  // namespace

class world::node_outbox final : public outbox {
 public:
  explicit node_outbox(node& self) : self_(self) {}

 private:
  void do_send(peer to, byte_view message) override {
    self_.owner->transmit(self_.self, to, message);
  }
  void do_wake(time when, std::uint64_t token) override {
    self_.owner->wake(self_.self, when, token);
  }
  void do_tell(const event& happened) override {
    world& owner = *self_.owner;
    owner.told_[happened.name] += happened.amount;
    if (owner.listener_) owner.listener_(owner.now(), self_.self, happened);
  }
  node& self_;
};

world::world(const bloomery_ns3_api& by, std::uint64_t seed, const lab::world_limits& limits)
    : by_(by), limits_(limits), inner_(by.open(seed)) {
  if (inner_ == nullptr) fail(errc::invalid, "ns-3 has one world at a time, and there is another");
}

world::~world() {
  by_.close(inner_);
}

peer world::add(any_party held, time start) {
  const peer who{static_cast<std::uint32_t>(nodes_.size())};
  node& made = *nodes_.emplace_back(std::make_unique<node>(node{this, who, std::move(held)}));
  bloomery_ns3_party party{};
  party.context = &made;
  party.start = [](void* context, std::int64_t now) {
    node& self = *static_cast<node*>(context);
    return self.owner->guarded(self, [&](outbox& out) { self.held.start(at(now), out); });
  };
  party.receive = [](void* context, std::int64_t now, std::uint32_t from,
                     const unsigned char* bytes, std::size_t size) {
    node& self = *static_cast<node*>(context);
    world& owner = *self.owner;
    return owner.guarded(self, [&](outbox& out) {
      const byte_view message = std::as_bytes(std::span(bytes, size));
      owner.delivered_ += {1, size};
      owner.under_way_ -= size;
      if (owner.message_listener_) owner.message_listener_(peer{from}, self.self, message);
      self.held.receive(at(now), peer{from}, message, out);
    });
  };
  party.tick = [](void* context, std::int64_t now, std::uint64_t token) {
    node& self = *static_cast<node*>(context);
    return self.owner->guarded(self, [&](outbox& out) { self.held.tick(at(now), token, out); });
  };
  require(by_.add(inner_, &party, in_nanoseconds(start)));
  return who;
}

void world::connect(peer a, peer b, const lab::link_spec& spec) {
  if (spec.loss != 0 || spec.queue_bytes != lab::link_spec{}.queue_bytes) {
    fail(errc::unsupported,
         "a link of ns-3 loses nothing here: no loss and no limit to its queue can be set");
  }
  require(
      by_.connect(inner_, number_of(a), number_of(b), spec.delay.count(), spec.bits_per_second));
}

void world::wake(peer who, time when, std::uint64_t token) {
  require(by_.wake(inner_, number_of(who), in_nanoseconds(when), token));
}

void world::walk(peer who, const bloomery_ns3_walk& how) {
  require(by_.walk(inner_, number_of(who), &how));
  walks_ = true;
}

lab::point world::position(peer who) const {
  bloomery_ns3_position where{};
  require(by_.position(inner_, number_of(who), &where));
  return {where.x, where.y};
}

// Nothing is thrown through ns-3: the run ends, and whoever began it is told.
int world::guarded(node& of, const std::function<void(outbox&)>& act) {
  if (thrown_) return 1;
  try {
    if (events_++ == limits_.events) {
      fail(errc::limit,
           "the world was not quiet after " + format_count(limits_.events) + " events");
    }
    node_outbox out(of);
    act(out);
    sent_ += out.sent();
    return 0;
  } catch (...) {
    thrown_ = std::current_exception();
    return 1;
  }
}

void world::transmit(peer from, peer to, byte_view message) {
  if (message.size() > limits_.pending_bytes - under_way_) {
    fail(errc::limit,
         "messages of more than " + format_size(limits_.pending_bytes) + " are under way at once");
  }
  require(by_.send(inner_, number_of(from), number_of(to),
                   reinterpret_cast<const unsigned char*>(message.data()), message.size()));
  under_way_ += message.size();
}

void world::end_run(const std::function<void()>& running) {
  events_ = 0;
  running();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void world::run() {
  if (walks_)
    fail(errc::invalid, "a world in which parties walk is never quiet: run it until a time");
  end_run([&] { by_.run(inner_); });
}

void world::run_until(time then) {
  end_run([&] { by_.run_until(inner_, in_nanoseconds(then)); });
}

time world::now() const {
  return at(by_.now(inner_));
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

world::node& world::node_of(peer who) const {
  if (number_of(who) >= nodes_.size()) {
    fail(errc::invalid, "peer " + std::to_string(number_of(who)) + " is not in this world of " +
                            std::to_string(nodes_.size()) + " parties");
  }
  return *nodes_[number_of(who)];
}

std::vector<std::vector<lab::point>> walks(const bloomery_ns3_api& by, const lab::walk_plan& plan,
                                           std::uint64_t seed) {
  struct pedestrian {
    void start(time, outbox&) {}
    void receive(time, peer, byte_view, outbox&) {}
    void tick(time, std::uint64_t, outbox&) {}
  };
  lab::check(plan);
  world moving(by, seed);
  std::vector<std::vector<lab::point>> seen(plan.snapshots);
  for (const lab::point& begin : lab::scattered(plan, seed)) {
    moving.walk(moving.add(pedestrian{}),
                {.x = begin.x,
                 .y = begin.y,
                 .side = plan.side,
                 .slowest = plan.stride / 2,
                 .fastest = plan.stride * 3 / 2,
                 .straight = std::chrono::nanoseconds(std::chrono::seconds(1)).count()});
  }
  for (std::uint64_t i = 0; i < plan.snapshots; ++i) {
    moving.run_until(time(std::chrono::seconds(i)));
    for (std::uint32_t who = 0; who < plan.walkers; ++who) {
      seen[i].push_back(moving.position(peer{who}));
    }
  }
  return seen;
}

}  // namespace bloomery::ns3
