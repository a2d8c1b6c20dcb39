// A node of an overlay: tells its neighbours what lies behind it, and passes questions on by what they told.
//
// Purpose:   one party for trees, groups and meshes. Who hears what follows from where a link leads: what came
//            from below goes up and aside, what came on a mesh goes to all its other links, and nothing goes
//            down. Questions go down and along the mesh from anywhere; up and aside only if they came from
//            below or began here.
// Cost:      a summary a link; as many open questions, and as many outcomes, as `most_open`, the oldest of which is
//            forgotten. An advert is sent when it differs from the last on its link, or at every beat if `repeats`.
// Guarantee: what a node holds is answered from its real keys, never by a filter. A message that is malformed,
//            or brings a summary that does not fit, changes nothing and is told as "refused". A question comes
//            back to the one who asked exactly once if it walks one link at a time and nothing is lost; where a
//            link is gone, it goes on by the next.
// Citation:  Broder–Mitzenmacher §5.1, §6.1, §6.2; Tarkoma §IV-B.
//
//     using summary = bloomery::overlay::filter_summary<bloomery::standard_filter>;
//     const bloomery::digest song = bloomery::xxh3_hash{}("song");
//     bloomery::overlay::node<summary> root(
//         {.self = bloomery::apps::peer{0},
//          .links = {{bloomery::apps::peer{1}, bloomery::overlay::toward::below, 1}}},
//         summary(bloomery::standard_filter::for_keys(100, 0.01)));
//     root.insert(song);
//     assert(root.holds({&song, 1}) && root.heard() == 0);
#pragma once

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bloomery/apps/overlay/messages.hpp"
#include "bloomery/apps/overlay/summary.hpp"
#include "bloomery/apps/party.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/wire/checksum.hpp"

namespace bloomery::overlay {

using apps::outbox;
using apps::peer;

// Where a link leads, as seen from one of its ends.
enum class toward : std::uint8_t { above, below, aside, mesh };

struct neighbour {
  peer who;
  toward is;
  std::uint64_t link;  // its number in the whole network
};

struct node_setup {
  peer self;
  std::vector<neighbour> links;
  std::chrono::nanoseconds beat = std::chrono::seconds(1);
  std::uint64_t beats = 64;  // after which nothing is advertised any more
  bool repeats = false;      // what has not changed as well
  bool relays = true;        // what others told, not only what it holds itself
  std::uint64_t seed = 0;    // of what is left to chance
  std::size_t most_open = 4096;
  wire::filter_limits limits = {};
};

inline constexpr std::size_t most_named = 4096;  // of a question; of more no one is told

// What came of a question that began here.
struct outcome {
  bool over = false;  // it came back, found or not; a question that goes everywhere never is
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> holders;
};

template <summary S>
class node {
 public:
  static constexpr std::uint64_t advertise_token = 0;

  node(node_setup setup, S own)
      : setup_(std::move(setup)),
        own_(std::move(own)),
        told_(setup_.links.size()),
        chance_(setup_.seed, static_cast<std::uint64_t>(setup_.self)) {
    tables_.resize(setup_.links.size());
  }

  void insert(digest key) {
    if (keys_.insert(key).second) own_.insert(key);
  }

  // A neighbour that comes later; errc::invalid if there is a link to it.
  void add_link(apps::time now, const neighbour& to, outbox& out) {
    if (to.who == setup_.self || link_to(to.who)) {
      fail(errc::invalid, "a node has one link to a neighbour, and none to itself");
    }
    setup_.links.push_back(to);
    tables_.emplace_back();
    told_.push_back(0);
    advertise_later(now, out);
  }
  // One that is gone, with what it told: questions that it was to answer go on by other links.
  void remove_link(apps::time now, peer who, outbox& out) {
    const std::optional<std::size_t> link = link_to(who);
    if (!link) return;
    const auto at = static_cast<std::ptrdiff_t>(*link);
    setup_.links.erase(setup_.links.begin() + at);
    tables_.erase(tables_.begin() + at);
    told_.erase(told_.begin() + at);
    advertise_later(now, out);
    for (auto& [id, each] : open_) {
      std::erase(each.untried, who);
      if (each.from == who) {
        each.untried.clear();
        each.waiting.reset();
      } else if (each.waiting == who) {
        each.waiting.reset();
        if (walks(each.asked)) try_next(id, each, out);
      }
    }
  }
  [[nodiscard]] bool holds(digest_span words) const {
    return !words.empty() &&
           std::ranges::all_of(words, [&](digest word) { return keys_.contains(word); });
  }
  [[nodiscard]] const S& own() const { return own_; }
  [[nodiscard]] const std::set<digest>& keys() const { return keys_; }

  // Of the links that have told something, and what it takes.
  [[nodiscard]] std::size_t heard() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(tables_, [](const auto& each) { return each.has_value(); }));
  }
  [[nodiscard]] std::uint64_t table_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& each : tables_) bytes += each ? each->behind.bytes() : 0;
    return bytes;
  }
  // What came from a neighbour; none if nothing has.
  [[nodiscard]] const S* table_of(peer who) const {
    const std::optional<std::size_t> at = link_to(who);
    return at && tables_[*at] ? &tables_[*at]->behind : nullptr;
  }
  [[nodiscard]] const outcome& outcome_of(std::uint64_t id) const {
    static const outcome none;
    const auto found = outcomes_.find(id);
    return found == outcomes_.end() ? none : found->second;
  }

  void start(apps::time now, outbox& out) { out.wake(now, advertise_token); }

  void tick(apps::time now, std::uint64_t token, outbox& out) {
    if (token != advertise_token || beats_ == setup_.beats) return;
    ++beats_;
    due_ = false;
    advertise(out);
    if (setup_.repeats) advertise_later(now, out);
  }

  void receive(apps::time now, peer from, byte_view message, outbox& out) {
    const std::string_view name = name_in(message);
    bool sound = false;
    if (name == advert::name) {
      sound = learn(message, from);
      if (sound) advertise_later(now, out);
    } else if (name == question::name) {
      const auto asked = read_as<question>(message);
      sound = asked.has_value();
      if (sound) take(*asked, from, out);
    } else if (name == reply::name) {
      const auto told = read_as<reply>(message);
      sound = told.has_value();
      if (sound) take(*told, from, out);
    }
    if (!sound) out.tell({"refused"});
  }

 private:
  struct table {
    std::uint64_t version;
    S behind;
  };
  struct open_question {
    peer from;
    question asked;  // without its words
    std::vector<std::byte> words;
    std::vector<peer> untried;  // neighbours, the next one last
    std::uint64_t steps;
    std::optional<peer> waiting;
  };

  [[nodiscard]] static std::string_view name_in(byte_view message) {
    try {
      return wire::message_name(message);
    } catch (const error&) {
      return {};
    }
  }
  // None if the message is malformed.
  template <class Message>
  [[nodiscard]] static std::optional<Message> read_as(byte_view message) {
    try {
      return wire::read<Message>(message);
    } catch (const error&) {
      return {};
    }
  }

  [[nodiscard]] std::optional<std::size_t> link_to(peer who) const {
    const auto found = std::ranges::find(setup_.links, who, &neighbour::who);
    if (found == setup_.links.end()) return {};
    return static_cast<std::size_t>(found - setup_.links.begin());
  }

  void advertise_later(apps::time now, outbox& out) {
    if (due_) return;
    due_ = true;
    out.wake(now + setup_.beat, advertise_token);
  }

  // Whether what came on a link is told on another.
  [[nodiscard]] static bool goes_on(toward from, toward to) {
    return from == toward::mesh ? to == toward::mesh : from == toward::below && to != toward::below;
  }

  // All that goes on from links before this one, and from links after it: merged once for all, so that a
  // node of many links does not merge each with each.
  [[nodiscard]] std::vector<std::optional<S>> merged(toward to, bool backwards) const {
    std::vector<std::optional<S>> sums(tables_.size());
    std::optional<S> sum;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      const std::size_t at = backwards ? tables_.size() - 1 - i : i;
      sums[at] = sum;
      if (!setup_.relays || !tables_[at] || !goes_on(setup_.links[at].is, to)) continue;
      if (sum) {
        sum->merge(tables_[at]->behind);
      } else {
        sum = tables_[at]->behind;
      }
    }
    return sums;
  }

  void advertise(outbox& out) {
    for (const toward to : {toward::above, toward::aside, toward::mesh}) {
      if (std::ranges::none_of(setup_.links, [&](const auto& each) { return each.is == to; })) {
        continue;
      }
      const auto before = merged(to, false);
      const auto after = merged(to, true);
      for (std::size_t i = 0; i < setup_.links.size(); ++i) {
        if (setup_.links[i].is != to) continue;
        std::vector<const S*> behind;
        for (const auto* sum : {&before[i], &after[i]}) {
          if (sum->has_value()) behind.push_back(&**sum);
        }
        send_advert(i, own_.advertise(behind, setup_.links[i].link).save(), out);
      }
    }
  }

  void send_advert(std::size_t link, const stored_filters& filters, outbox& out) {
    std::uint64_t mark = 0;
    for (const auto& each : filters) mark = hash::mix(mark + wire::checksum(each));
    if (!setup_.repeats && mark == told_[link]) return;
    advert sent{.version = ++version_, .filters = {}};
    for (const auto& each : filters) sent.filters.emplace_back(each);
    out.tell({"adverts"});
    out.send(setup_.links[link].who, wire::write(sent));
    told_[link] = mark;
  }

  // Whether it is an advert that may be believed.
  [[nodiscard]] bool learn(byte_view message, peer from) {
    const std::optional<advert> heard = read_as<advert>(message);
    const std::optional<std::size_t> link = link_to(from);
    if (!heard || !link || setup_.links[*link].is == toward::above) return false;
    auto& at = tables_[*link];
    if (at && heard->version <= at->version) return true;
    try {
      at = table{heard->version, own_.open(heard->filters, setup_.limits)};
    } catch (const error&) {
      return false;
    }
    return true;
  }

  void answer(peer to, const reply& told, outbox& out) {
    if (to != setup_.self) {
      out.send(to, wire::write(told));
      return;
    }
    const auto [at, fresh] = outcomes_.try_emplace(told.id);
    if (fresh) {
      outcome_order_.push_back(told.id);
      if (outcome_order_.size() > setup_.most_open) {
        outcomes_.erase(outcome_order_.front());
        outcome_order_.pop_front();
      }
    }
    outcome& came = at->second;
    came.steps = told.steps;
    const bool another = std::ranges::find(came.holders, told.holder) == came.holders.end();
    if (told.found != 0 && another && came.holders.size() < most_named) {
      came.holders.push_back(told.holder);
    }
    came.over = true;
  }

  void take(const question& asked, peer from, outbox& out) {
    const auto how = static_cast<walk>(asked.how);
    const bool everywhere = how == walk::matching || how == walk::flooding;
    const bool again = open_.contains(asked.id);
    if (again && how != walk::wandering) {
      out.tell({"met again"});
      if (!everywhere) answer(from, {.id = asked.id, .steps = asked.steps}, out);
      return;
    }
    const std::vector<digest> words = words_of(asked.words);
    const bool held = holds(words);
    if (from != setup_.self) out.tell({held ? "asked with reason" : "asked in vain"});
    if (held) {
      answer(from,
             {.id = asked.id,
              .found = 1,
              .holder = static_cast<std::uint64_t>(setup_.self),
              .steps = asked.steps},
             out);
      if (!everywhere) return;
    }
    open_question& opened = again ? open_.at(asked.id) : remember(asked, from, out);
    opened.steps = asked.steps;
    opened.untried = candidates(how, from, words);
    if (everywhere) {
      while (!opened.untried.empty() && asked.steps < asked.most) send_on(asked.id, opened, out);
    } else {
      try_next(asked.id, opened, out);
    }
  }

  open_question& remember(const question& asked, peer from, outbox& out) {
    if (order_.size() == setup_.most_open) {
      open_.erase(order_.front());
      order_.pop_front();
      out.tell({"forgotten"});
    }
    order_.push_back(asked.id);
    open_question made{.from = from,
                       .asked = asked,
                       .words = {asked.words.begin(), asked.words.end()},
                       .untried = {},
                       .steps = asked.steps,
                       .waiting = {}};
    made.asked.words = {};
    return open_.insert_or_assign(asked.id, std::move(made)).first->second;
  }

  // Whether a question is at one place at a time, and tries one link after another.
  [[nodiscard]] static bool walks(const question& asked) {
    const auto how = static_cast<walk>(asked.how);
    return how == walk::best || how == walk::gradient;
  }

  // Neighbours by which a question may go on, the best last.
  [[nodiscard]] std::vector<peer> candidates(walk how, peer from, digest_span words) {
    const std::optional<std::size_t> back = link_to(from);
    const bool climbs = !back || setup_.links[*back].is == toward::below;
    std::vector<std::pair<std::uint64_t, std::size_t>> ranked;
    if (how == walk::wandering && back && setup_.links.size() == 1) return {from};
    for (std::size_t i = 0; i < setup_.links.size(); ++i) {
      const toward is = setup_.links[i].is;
      const bool outward = is == toward::above || is == toward::aside;
      if (i == back || (outward && !climbs)) continue;
      const std::uint64_t claim = tables_[i] ? tables_[i]->behind.ask(words) : 0;
      const bool taken = claim != 0 || is == toward::above || how == walk::flooding ||
                         how == walk::gradient || how == walk::wandering;
      if (taken) ranked.emplace_back(how == walk::wandering ? 0 : claim, i);
    }
    if (how == walk::gradient || how == walk::wandering) {
      for (std::size_t i = ranked.size(); i > 1; --i) {
        std::swap(ranked[i - 1], ranked[chance_.below(i)]);
      }
    } else {
      std::ranges::reverse(ranked);  // of equal ones the first is tried first
    }
    std::ranges::stable_sort(ranked, {}, &std::pair<std::uint64_t, std::size_t>::first);
    std::vector<peer> next;
    for (const auto& [claim, link] : ranked) next.push_back(setup_.links[link].who);
    return next;
  }

  void send_on(std::uint64_t id, open_question& opened, outbox& out) {
    const peer next = opened.untried.back();
    opened.untried.pop_back();
    opened.waiting = next;
    question sent = opened.asked;
    sent.id = id;
    sent.steps = opened.steps + 1;
    sent.words = opened.words;
    out.tell({"questions"});
    out.send(next, wire::write(sent));
  }

  void try_next(std::uint64_t id, open_question& opened, outbox& out) {
    if (opened.untried.empty() || opened.steps >= opened.asked.most) {
      answer(opened.from, {.id = id, .steps = opened.steps}, out);
      opened.waiting.reset();
      return;
    }
    send_on(id, opened, out);
  }

  void take(const reply& told, peer from, outbox& out) {
    const auto found = open_.find(told.id);
    if (found == open_.end()) return;
    open_question& opened = found->second;
    const auto how = static_cast<walk>(opened.asked.how);
    if (how == walk::matching || how == walk::flooding) {
      if (told.found != 0 && link_to(from)) answer(opened.from, told, out);
      return;
    }
    // Not asked any more, or never.
    if (!link_to(from) || (opened.waiting != from && how != walk::wandering)) return;
    if (told.found != 0 || how == walk::wandering) {
      answer(opened.from, told, out);
      opened.waiting.reset();
      return;
    }
    out.tell({"came back"});
    opened.steps = std::min(std::max(opened.steps, told.steps) + 1, most_steps);  // the step back
    try_next(told.id, opened, out);
  }

  node_setup setup_;
  S own_;
  std::set<digest> keys_;
  std::vector<std::optional<table>> tables_;  // by link
  std::vector<std::uint64_t> told_;           // checksums of the last adverts
  std::uint64_t version_ = 0;
  std::uint64_t beats_ = 0;
  bool due_ = false;
  std::map<std::uint64_t, open_question> open_;
  std::deque<std::uint64_t> order_;
  std::map<std::uint64_t, outcome> outcomes_;
  std::deque<std::uint64_t> outcome_order_;
  apps::random_stream chance_;
};

}  // namespace bloomery::overlay
