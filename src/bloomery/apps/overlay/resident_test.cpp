#include "bloomery/apps/overlay/resident.hpp"

#include <deque>

#include "bloomery/apps/overlay/gossip.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/hash/policies.hpp"
#include "testing.hpp"

namespace bloomery::overlay {
namespace {

using namespace std::chrono_literals;
using apps::outbox, apps::peer, apps::time;

const standard_shape shape{1024, 5};

// Residents and visitors, what connects them, and time as the test has it: all is delivered in order, and at once.
class village {
 public:
  using keys = std::vector<std::string>;

  std::size_t add(std::unique_ptr<station> held, resident_setup setup = {}) {
    setup.pulse = 100ms;
    houses_.push_back({.node = std::make_unique<resident>(std::move(held), setup)});
    house_outbox out(*this, houses_.size() - 1);
    houses_.back().node->start(now_, out);
    return houses_.size() - 1;
  }
  resident& at(std::size_t house) { return *houses_.at(house).node; }

  // A connection from one that calls another, or to nobody whom this knows: what is heard there is kept.
  std::uint32_t connect(std::size_t from, std::size_t to,
                        std::optional<std::uint64_t> number = {}) {
    const std::uint32_t wire = next_++;
    wires_[wire] = {.ends = {from, to}};
    at(from).called(now_, peer{wire}, number);
    at(to).opened(now_, peer{wire});
    deliver(wire, from, at(from).greeting());
    return wire;
  }
  std::uint32_t visit(std::size_t to) {
    const std::uint32_t wire = next_++;
    wires_[wire] = {.ends = {nobody, to}};
    at(to).opened(now_, peer{wire});
    return wire;
  }
  void say(std::uint32_t wire, const std::vector<std::byte>& message) {
    deliver(wire, nobody, message);
    settle();
  }
  void cut(std::uint32_t wire) {
    const auto found = wires_.find(wire);
    if (found == wires_.end()) return;
    const auto ends = found->second.ends;
    wires_.erase(found);
    for (const std::size_t end : ends) {
      if (end == nobody) continue;
      house_outbox out(*this, end);
      at(end).closed(now_, peer{wire}, out);
    }
  }
  [[nodiscard]] bool open(std::uint32_t wire) const { return wires_.contains(wire); }
  // A house that hears and says nothing any more, though its connections stay.
  void freeze(std::size_t house) { houses_.at(house).frozen = true; }

  void settle() {
    while (!sent_.empty()) {
      const auto [wire, to, message] = std::move(sent_.front());
      sent_.pop_front();
      if (!wires_.contains(wire)) continue;
      if (to == nobody) {
        heard_[wire].push_back(message);
      } else if (!houses_[to].frozen) {
        house_outbox out(*this, to);
        at(to).receive(now_, peer{wire}, message, out);
      }
      for (house& each : houses_) {
        for (const auto& [who, why] : each.node->finished()) {
          last_reason = why;
          cut(static_cast<std::uint32_t>(who));
        }
      }
    }
  }
  void pass(std::chrono::nanoseconds some) {
    settle();
    for (const time end = now_ + some; now_ < end;) {
      now_ += 50ms;
      for (std::size_t i = 0; i < houses_.size(); ++i) {
        std::multimap<time, std::uint64_t> due;
        std::swap(due, houses_[i].alarms);
        for (const auto& [when, token] : due) {
          if (when > now_ || houses_[i].frozen) {
            houses_[i].alarms.emplace(when, token);
          } else {
            house_outbox out(*this, i);
            at(i).tick(now_, token, out);
          }
        }
        for (const auto& [who, why] : at(i).finished()) {
          last_reason = why;
          cut(static_cast<std::uint32_t>(who));
        }
      }
      settle();
    }
  }

  // What a visitor is told; none if nothing yet, or the connection was cut.
  std::optional<std::vector<std::uint64_t>> ask(std::size_t house, const keys& words,
                                                bool wait = true) {
    const std::uint32_t wire = visit(house);
    enquiry asked{.id = 77, .patience = 2000, .words = {}};
    for (const std::string& word : words) asked.words.push_back(bytes_of(word));
    say(wire, wire::write(asked));
    if (wait) pass(2500ms);
    if (heard_[wire].empty()) return {};
    told = heard_[wire].back();
    const auto read = wire::read<findings>(told);
    EXPECT_EQ(read.id, 77);
    std::vector<std::uint64_t> holders;
    for (std::size_t i = 0; i < read.places.size(); ++i) {
      holders.push_back(core::load_le<std::uint64_t>(&read.holders[8 * i]));
    }
    std::ranges::sort(holders);
    return holders;
  }
  [[nodiscard]] findings last() const { return wire::read<findings>(told); }

  std::vector<std::byte> told;
  std::string last_reason;

 private:
  static constexpr std::size_t nobody = 1'000'000;
  struct house {
    std::unique_ptr<resident> node;
    std::multimap<time, std::uint64_t> alarms{};
    bool frozen = false;
  };
  struct wire_between {
    std::array<std::size_t, 2> ends;
  };
  struct parcel {
    std::uint32_t wire;
    std::size_t to;
    std::vector<std::byte> message;
  };
  class house_outbox final : public outbox {
   public:
    house_outbox(village& owner, std::size_t house) : owner_(owner), house_(house) {}

   private:
    void do_send(peer to, byte_view message) override {
      owner_.deliver(static_cast<std::uint32_t>(to), house_, {message.begin(), message.end()});
    }
    void do_wake(time at, std::uint64_t token) override {
      owner_.houses_[house_].alarms.emplace(at, token);
    }
    void do_tell(const apps::event&) override {}
    village& owner_;
    std::size_t house_;
  };
  void deliver(std::uint32_t wire, std::size_t from, std::vector<std::byte> message) {
    const auto found = wires_.find(wire);
    if (found == wires_.end()) return;
    const auto& ends = found->second.ends;
    sent_.push_back({wire, ends[0] == from ? ends[1] : ends[0], std::move(message)});
  }

  std::vector<house> houses_;
  std::map<std::uint32_t, wire_between> wires_;
  std::map<std::uint32_t, std::vector<std::vector<std::byte>>> heard_;
  std::deque<parcel> sent_;
  std::uint32_t next_ = 0;
  time now_{};
};

using numbers = std::vector<std::uint64_t>;

std::unique_ptr<station> tree(std::uint64_t number, const village::keys& keys) {
  return make_tree({.number = number, .keys = keys, .beat = 100ms, .seed = number}, shape);
}
std::unique_ptr<station> one_of_three(std::uint64_t number, const village::keys& keys,
                                      std::uint64_t version = 1) {
  return make_peer({.number = number, .keys = keys, .beat = 100ms, .seed = number}, 3, version,
                   shape);
}

TEST(resident, of_a_tree_finds_what_comes_and_goes) {
  village here;
  const auto root = here.add(tree(11, {"a"}));
  const auto inner = here.add(tree(12, {"b"}));
  const auto leaf = here.add(tree(13, {"c"}));
  const auto up = here.connect(inner, root);
  const auto down = here.connect(leaf, inner);
  here.pass(1s);
  EXPECT_EQ(here.ask(root, {"c"}), numbers{13});
  EXPECT_EQ(here.last().steps, 2);
  EXPECT_EQ(here.ask(leaf, {"a"}), numbers{11});
  EXPECT_EQ(here.ask(inner, {"nothing"}), numbers{});
  EXPECT_EQ(here.last().over, 1);
  here.cut(down);
  here.pass(1s);
  EXPECT_EQ(here.ask(root, {"c"}), numbers{});
  EXPECT_EQ(here.ask(root, {"b"}), numbers{12});
  here.connect(leaf, inner);
  here.pass(1s);
  EXPECT_EQ(here.ask(root, {"c"}), numbers{13});
  here.cut(up);
  EXPECT_EQ(here.ask(leaf, {"a"}), numbers{});
  EXPECT_EQ(here.ask(leaf, {"b"}), numbers{12});
}

// The question is with a node that does not answer; when its connection is given up, the question goes on.
TEST(resident, goes_on_where_a_neighbour_falls_silent) {
  village here;
  const auto root = here.add(tree(1, {}), {.silence = 1s});
  const auto first = here.add(tree(2, {"both"}));
  const auto second = here.add(tree(3, {"both"}));
  here.connect(first, root);
  here.connect(second, root);
  here.pass(1s);
  here.freeze(first);
  EXPECT_EQ(here.ask(root, {"both"}, false), std::nullopt);  // it is with the first
  EXPECT_EQ(here.ask(root, {"both"}), numbers{3});
  EXPECT_EQ(here.at(root).links(), 1);
  EXPECT_EQ(here.last_reason, "nothing was heard of it for too long");
}

TEST(resident, of_peers_asks_all_that_claim_and_tells_who_could_not_be_asked) {
  village here;
  for (std::uint64_t n = 1; n <= 3; ++n) {
    here.add(one_of_three(n, {"all", "own" + std::to_string(n)}), {.places = {{2, "b:2"}}});
  }
  here.connect(1, 0, 1);
  const auto third = here.connect(2, 0, 1);
  here.connect(2, 1, 2);
  here.pass(3s);
  EXPECT_EQ(here.ask(0, {"all"}), (numbers{1, 2, 3}));
  EXPECT_EQ(here.last().asked, 2);
  EXPECT_EQ(here.ask(2, {"all", "own2"}), numbers{2});
  EXPECT_EQ(text_of(here.last().places.at(0)), "b:2");
  here.cut(third);
  EXPECT_EQ(here.ask(0, {"all"}), (numbers{1, 2}));
  EXPECT_EQ(here.last().lost, 1);
  EXPECT_EQ(here.last().asked, 1);
}

// One that was started again has a new filter, though its versions begin anew; and a lie about another lasts until
// that one hears of it.
TEST(resident, of_peers_believes_the_latest_and_outlives_lies) {
  village here;
  here.add(one_of_three(1, {"first"}));
  here.add(one_of_three(2, {"second"}, 500));
  auto wire = here.connect(1, 0, 1);
  here.pass(2s);
  EXPECT_EQ(here.ask(0, {"second"}), numbers{2});
  here.cut(wire);
  here.freeze(1);
  const auto again = here.add(one_of_three(2, {"other"}));
  wire = here.connect(again, 0, 1);
  here.pass(3s);
  EXPECT_EQ(here.ask(0, {"other"}), numbers{2});
  EXPECT_EQ(here.ask(0, {"second"}), numbers{});

  const auto liar = here.visit(0);
  here.say(liar,
           wire::write(hello{
               .as = 0, .number = 3, .size = shape.bits, .hashes = shape.hashes, .peers = 3}));
  EXPECT_EQ(here.at(0).links(), 2);
  const auto lie = [&](std::uint64_t version) {
    std::array<std::byte, 16> whose{};
    core::store_le(whose.data(), std::uint64_t{1});  // number 2, as the parties count
    core::store_le(whose.data() + 8, version);
    const auto empty = wire::save(standard_filter(shape));
    here.say(liar, wire::write(gossip_news{.whose = whose, .filters = {empty}}));
  };
  lie(1000);
  EXPECT_EQ(here.ask(0, {"other"}, false), numbers{});
  here.pass(3s);
  EXPECT_EQ(here.ask(0, {"other"}), numbers{2});
  lie(std::uint64_t{1} << 62);  // of years to come
  EXPECT_EQ(here.ask(0, {"other"}, false), numbers{2});
}

TEST(resident, of_gnutella_hears_what_leaves_have) {
  village here;
  const auto servent = [&](std::uint64_t number, bool leaf, const village::keys& files) {
    return here.add(
        make_servent({.number = number, .keys = files, .beat = 100ms, .seed = number}, leaf, 1024));
  };
  const auto one = servent(1, false, {});
  const auto two = servent(2, false, {"Common song two"});
  const auto leaf = servent(3, true, {"common SONG three", "other"});
  here.connect(two, one);
  const auto wire = here.connect(leaf, two);
  here.pass(1s);
  EXPECT_EQ(here.ask(one, {"song"}), (numbers{2, 3}));
  EXPECT_EQ(here.ask(leaf, {"song", "common"}), (numbers{2, 3}));
  EXPECT_EQ(here.ask(one, {"three", "other"}), numbers{});
  here.cut(wire);
  here.pass(1s);
  EXPECT_EQ(here.ask(one, {"song"}), numbers{2});
}

TEST(resident, takes_only_neighbours_that_fit) {
  village here;
  const auto root = here.add(tree(1, {"a"}), {.links = 2});
  const auto refused = [&](const hello& who, const std::string& why) {
    const auto wire = here.visit(root);
    here.say(wire, wire::write(who));
    EXPECT_FALSE(here.open(wire)) << why;
    EXPECT_NE(here.last_reason.find(why), std::string::npos) << here.last_reason;
  };
  const auto fits = [&](std::uint64_t number) {
    return hello{.as = 1, .number = number, .size = shape.bits, .hashes = shape.hashes};
  };
  refused({.as = 0, .number = 2, .size = shape.bits, .hashes = shape.hashes}, "no neighbour for");
  refused({.as = 1, .number = 2, .size = 2048, .hashes = shape.hashes}, "those here have");
  refused(fits(1), "which cannot be");
  const auto wire = here.visit(root);
  here.say(wire, wire::write(fits(2)));
  EXPECT_EQ(here.at(root).links(), 1);
  refused(fits(2), "already");
  here.say(here.visit(root), wire::write(fits(3)));
  refused(fits(4), "2 neighbours already");
  here.say(wire, wire::write(fits(5)));
  EXPECT_FALSE(here.open(wire));
  EXPECT_EQ(here.last_reason, "it changed its number");
  EXPECT_EQ(here.at(root).links(), 1);

  // Who is called must be who was to be called.
  const auto other = here.add(one_of_three(1, {}));
  const auto false_two = here.add(one_of_three(3, {}));
  const auto called = here.connect(other, false_two, 2);
  here.settle();
  EXPECT_FALSE(here.open(called));
  EXPECT_NE(here.last_reason.find("2 was to be found"), std::string::npos) << here.last_reason;
}

TEST(resident, cuts_off_who_sends_what_is_of_no_use) {
  village here;
  const auto root = here.add(tree(1, {"a"}), {.refusals = 3});
  const std::vector<std::byte> noise(40, std::byte{7});
  auto wire = here.visit(root);
  here.say(wire, noise);
  EXPECT_FALSE(here.open(wire));
  wire = here.visit(root);
  here.say(wire,
           wire::write(hello{.as = 1, .number = 2, .size = shape.bits, .hashes = shape.hashes}));
  for (int i = 0; i < 2; ++i) here.say(wire, noise);
  EXPECT_TRUE(here.open(wire));
  here.say(wire, noise);
  EXPECT_FALSE(here.open(wire));
  EXPECT_EQ(here.at(root).links(), 0);
  EXPECT_EQ(here.ask(root, {"a"}), numbers{1});
}

TEST(resident, waits_for_nobody_and_holds_so_many_enquiries) {
  village here;
  const auto root = here.add(tree(1, {}), {.introduction = 1s, .enquiries = 2});
  const auto child = here.add(tree(2, {"a"}));
  here.connect(child, root);
  here.pass(1s);
  const auto mute = here.visit(root);
  here.freeze(child);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(here.ask(root, {"a"}, false), std::nullopt);
  const auto third = here.visit(root);
  const std::string word = "a";
  here.say(third, wire::write(enquiry{.id = 1, .patience = 1000, .words = {bytes_of(word)}}));
  EXPECT_FALSE(here.open(third));
  EXPECT_EQ(here.last_reason, "too many enquiries are open");
  here.pass(3s);
  EXPECT_FALSE(here.open(mute));
  // Patience ends: it is told that not all have answered, and there is room again.
  EXPECT_EQ(here.ask(root, {"a"}), numbers{});
  EXPECT_EQ(here.last().over, 0);
}

}  // namespace
}  // namespace bloomery::overlay
