// A peer that has a filter of every other's words, spread by gossip, and asks only those that may have all.
//
// Purpose:   PlanetP's: at every beat a peer compares with another, chosen by chance, which versions of whose
//            filters they have, and each gets what the other has newer. Who searches asks the peers whose
//            filters claim all words; `ranked` puts those with the rarest words first.
// Cost:      a filter a peer, twice: open and as stored; as many searches as `most_open`, the oldest of which is
//            forgotten; 8 bytes a peer in every comparison. What one knows all know after about as many beats as the
//            number of peers has bits; what is lost is made up for at the next beat.
// Guarantee: once the filters are there, every peer that has all words is asked. Messages that are malformed, or
//            bring a filter that does not fit or is fuller than useful, change nothing and are told as "refused".
//            A peer that hears of a later version of its own filter than it has, from before it was started again
//            or from one who lies, makes a later one still.
// Citation:  Cuenca-Acuna, Peery, Martin, Nguyen 2002 (PlanetP); Demers et al. 1987; Broder–Mitzenmacher §5.1.
//
//     using bloomery::overlay::gossiper;
//     gossiper one(0, 2, bloomery::standard_filter::plan(100, 0.01), 1);
//     const bloomery::digest word = bloomery::xxh3_hash{}("blue");
//     one.insert(word);
//     assert(one.claiming({&word, 1}).empty() && one.known() == 1);  // of itself alone
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "bloomery/apps/overlay/messages.hpp"
#include "bloomery/apps/party.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::overlay {

inline constexpr std::uint64_t most_peers = 4096;

// Which versions the sender has, 8 bytes a peer; 0 is none.
struct gossip_versions {
  static constexpr std::string_view name = "gossip/versions";
  std::uint64_t answers = 0;  // that the other's is to be answered by filters alone
  byte_view versions;
  static constexpr std::tuple fields{
      whole_field("answers", "0 asks for the other's too", &gossip_versions::answers, 0, 1),
      wire::bytes_field("versions", "8 bytes a peer", &gossip_versions::versions, 8,
                        8 * most_peers),
  };
};

struct gossip_news {
  static constexpr std::string_view name = "gossip/news";
  byte_view whose;  // 8 bytes a peer, and as many of its version
  std::vector<byte_view> filters;
  static constexpr std::tuple fields{
      wire::bytes_field("whose", "16 bytes a filter", &gossip_news::whose, 16, 16 * most_peers),
      wire::bytes_list_field("filters", "as stored", &gossip_news::filters, 1, most_peers, 1,
                             std::uint64_t{1} << 20),
  };
  void check() const {
    if (whose.size() != 16 * filters.size()) {
      fail(errc::invalid, "whose has " + std::to_string(whose.size()) + " bytes for " +
                              std::to_string(filters.size()) + " filters; allowed: 16 each");
    }
  }
};

// A search that began here: who was asked and has not answered, and who has all words.
struct peer_search {
  std::uint64_t asked = 0;
  std::uint64_t lost = 0;  // of these, who went before they had answered
  std::set<std::uint64_t> waiting;
  std::vector<std::uint64_t> holders;
};

struct gossip_setup {
  std::chrono::nanoseconds beat = std::chrono::seconds(1);
  // Of its filter: milliseconds of a clock that all have, so that it is above those from before it was started
  // again. A version that is a day ahead of that clock is not believed, so that a later one can always be made.
  std::uint64_t first_version = 1;
  std::size_t most_open = 4096;
};

class gossiper {
 public:
  static constexpr std::uint64_t beat_token = 0;
  static constexpr std::chrono::nanoseconds beat =
      std::chrono::seconds(1);  // unless set up otherwise
  static constexpr wire::message_limits limits{.max_bytes = std::uint64_t{1} << 24};

  // errc::invalid unless there are 2 to most_peers, this among them.
  gossiper(std::uint64_t self, std::uint64_t peers, const standard_shape& shape, std::uint64_t seed,
           const gossip_setup& setup = {})
      : self_(self), setup_(setup), own_(shape), chance_(seed, self) {
    math::require_whole("peers", peers, 2, most_peers);
    math::require_whole("self", self, 0, peers - 1);
    math::require_whole("first_version", setup.first_version, 1, std::uint64_t{1} << 62);
    entries_.resize(peers);
    entries_[self_].version = setup.first_version - 1;
    publish();
  }

  // Known to others once it is published.
  void insert(digest word) {
    if (words_.insert(word).second) own_.insert(word);
  }
  void publish() {
    entries_[self_].version += 1;
    entries_[self_].stored = wire::save(own_);
  }
  [[nodiscard]] bool holds(digest_span words) const {
    return std::ranges::all_of(words, [&](digest word) { return words_.contains(word); });
  }
  [[nodiscard]] const std::set<digest>& words() const { return words_; }

  [[nodiscard]] std::uint64_t known() const {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(entries_, [](const entry& each) { return each.version != 0; }));
  }
  [[nodiscard]] std::uint64_t version_of(std::uint64_t who) const { return entries_[who].version; }
  [[nodiscard]] double rate_of(std::uint64_t who) const {
    return entries_[who].filter ? entries_[who].filter->current_rate() : 0;
  }
  [[nodiscard]] std::uint64_t filter_bytes() const {
    return (entries_.size() - 1) * standard_filter::payload_bytes(own_.shape());
  }

  // The others whose filters claim all words.
  [[nodiscard]] std::vector<std::uint64_t> claiming(digest_span words) const {
    std::vector<std::uint64_t> peers;
    for (std::uint64_t who = 0; who < entries_.size(); ++who) {
      const auto& filter = entries_[who].filter;
      if (filter &&
          std::ranges::all_of(words, [&](digest word) { return filter->may_contain(word); })) {
        peers.push_back(who);
      }
    }
    return peers;
  }

  // Those that claim some word, by the sum of what its words weigh: ln(1 + peers / peers that claim it), so that
  // rare words weigh most (PlanetP's inverse peer frequency).
  [[nodiscard]] std::vector<std::uint64_t> ranked(digest_span words) const {
    std::vector<std::pair<double, std::uint64_t>> ranks;
    std::vector<double> weights;
    for (const digest word : words) {
      const std::size_t some = claiming({&word, 1}).size();
      weights.push_back(
          some == 0 ? 0
                    : std::log1p(static_cast<double>(entries_.size()) / static_cast<double>(some)));
    }
    for (std::uint64_t who = 0; who < entries_.size(); ++who) {
      if (!entries_[who].filter) continue;
      double rank = 0;
      for (std::size_t i = 0; i < words.size(); ++i) {
        rank += entries_[who].filter->may_contain(words[i]) ? weights[i] : 0;
      }
      if (rank > 0) ranks.emplace_back(-rank, who);
    }
    std::ranges::stable_sort(ranks);
    std::vector<std::uint64_t> peers;
    for (const auto& [rank, who] : ranks) peers.push_back(who);
    return peers;
  }

  // A search that began here, or none of that number.
  [[nodiscard]] const peer_search& search_of(std::uint64_t id) const {
    static const peer_search none;
    const auto at = searches_.find(id);
    return at == searches_.end() ? none : at->second;
  }
  // Who has all words, as far as they answered.
  [[nodiscard]] const std::vector<std::uint64_t>& found(std::uint64_t id) const {
    return search_of(id).holders;
  }
  // A peer is gone: nothing waits for it any more. Whoever was asked by it is not concerned.
  void remove_link(std::uint64_t who) {
    for (auto& [id, each] : searches_) each.lost += each.waiting.erase(who);
  }

  void start(apps::time now, apps::outbox& out) const { out.wake(now + setup_.beat, beat_token); }

  void tick(apps::time now, std::uint64_t /*token*/, apps::outbox& out) {
    std::uint64_t other = chance_.below(entries_.size() - 1);
    other += std::uint64_t{other >= self_};
    send_versions(other, 0, out);
    out.wake(now + setup_.beat, beat_token);
  }

  void receive(apps::time now, apps::peer from, byte_view message, apps::outbox& out) {
    std::optional<gossip_versions> versions;
    std::optional<gossip_news> news;
    std::optional<question> asked;
    std::optional<reply> told;
    try {
      const std::string_view name = wire::message_name(message, limits);
      if (name == gossip_versions::name) versions = wire::read<gossip_versions>(message, limits);
      if (name == gossip_news::name) news = wire::read<gossip_news>(message, limits);
      if (name == question::name) asked = wire::read<question>(message, limits);
      if (name == reply::name) told = wire::read<reply>(message, limits);
    } catch (const error&) {
    }
    const auto who = static_cast<std::uint64_t>(from);
    const bool stranger = who >= entries_.size() || (who == self_ && !asked);
    const bool other_size = versions && versions->versions.size() != 8 * entries_.size();
    const bool nothing = !versions && !news && !asked && !told;
    if (stranger || other_size || nothing) {
      out.tell({"refused"});
    } else if (versions) {
      compare(now, *versions, who, out);
    } else if (news) {
      learn(now, *news, out);
    } else if (asked) {
      search(*asked, who, out);
    } else {
      answered(*told, who);
    }
  }

 private:
  struct entry {
    std::uint64_t version = 0;
    std::vector<std::byte> stored;
    std::optional<standard_filter> filter;  // of others
  };

  static apps::peer peer_of(std::uint64_t who) {
    return apps::peer{static_cast<std::uint32_t>(who)};
  }

  void send_versions(std::uint64_t to, std::uint64_t answers, apps::outbox& out) const {
    std::vector<std::byte> versions(8 * entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      core::store_le(&versions[8 * i], entries_[i].version);
    }
    out.send(peer_of(to), wire::write(gossip_versions{.answers = answers, .versions = versions}));
  }

  [[nodiscard]] std::uint64_t latest(apps::time now) const {
    const auto ahead = now.time_since_epoch() + std::chrono::hours(24);
    return setup_.first_version + static_cast<std::uint64_t>(ahead / std::chrono::milliseconds(1));
  }

  void compare(apps::time now, const gossip_versions& theirs, std::uint64_t from,
               apps::outbox& out) {
    std::vector<std::byte> whose;
    gossip_news sent;
    bool they_have_more = false;
    // What they have of this peer's own is from before it was started again, or somebody's lie.
    const auto mine = core::load_le<std::uint64_t>(&theirs.versions[8 * self_]);
    if (mine > entries_[self_].version && mine <= latest(now)) entries_[self_].version = mine + 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const auto version = core::load_le<std::uint64_t>(&theirs.versions[8 * i]);
      they_have_more = they_have_more || (i != self_ && version > entries_[i].version);
      if (version >= entries_[i].version) continue;
      whose.resize(whose.size() + 16);
      core::store_le(&whose[whose.size() - 16], std::uint64_t{i});
      core::store_le(&whose[whose.size() - 8], entries_[i].version);
      sent.filters.emplace_back(entries_[i].stored);
    }
    sent.whose = whose;
    if (!sent.filters.empty()) out.send(peer_of(from), wire::write(sent));
    if (they_have_more && theirs.answers == 0) send_versions(from, 1, out);
  }

  void learn(apps::time now, const gossip_news& news, apps::outbox& out) {
    for (std::size_t i = 0; i < news.filters.size(); ++i) {
      const auto who = core::load_le<std::uint64_t>(&news.whose[16 * i]);
      const auto version = core::load_le<std::uint64_t>(&news.whose[16 * i + 8]);
      if (who >= entries_.size() || who == self_) {
        if (who != self_) out.tell({"refused"});
        continue;
      }
      entry& known = entries_[who];
      if (version <= known.version) continue;
      try {
        auto opened =
            wire::carried_filter(news.filters[i]).open<standard_filter>(own_.record().hash);
        own_.require_combinable(opened);
        if (version > latest(now)) fail(errc::limit, "a version that no peer has reached");
        known = {version, wire::save(opened), std::move(opened)};  // not as long as they like
      } catch (const error&) {
        out.tell({"refused"});
      }
    }
  }

  void search(const question& asked, std::uint64_t from, apps::outbox& out) {
    const std::vector<digest> words = words_of(asked.words);
    if (from == self_) {
      peer_search& begun = begin(asked.id);
      if (holds(words)) begun.holders.push_back(self_);
      question sent = asked;
      sent.steps = 1;
      for (const std::uint64_t who : claiming(words)) {
        ++begun.asked;
        begun.waiting.insert(who);
        out.tell({"questions"});
        out.send(peer_of(who), wire::write(sent));
      }
      return;
    }
    const bool held = holds(words);
    out.tell({held ? "asked with reason" : "asked in vain"});
    out.send(
        peer_of(from),
        wire::write(reply{
            .id = asked.id, .found = std::uint64_t{held}, .holder = self_, .steps = asked.steps}));
  }

  peer_search& begin(std::uint64_t id) {
    if (searches_.insert_or_assign(id, peer_search{}).second) order_.push_back(id);
    if (order_.size() > setup_.most_open) {
      searches_.erase(order_.front());
      order_.pop_front();
    }
    return searches_[id];
  }

  // Who was not asked, or has answered, is not believed.
  void answered(const reply& told, std::uint64_t who) {
    const auto at = searches_.find(told.id);
    if (at == searches_.end() || at->second.waiting.erase(who) == 0) return;
    if (told.found != 0) at->second.holders.push_back(who);
  }

  std::uint64_t self_;
  gossip_setup setup_;
  std::vector<entry> entries_;
  standard_filter own_;
  std::set<digest> words_;
  std::map<std::uint64_t, peer_search> searches_;
  std::deque<std::uint64_t> order_;
  apps::random_stream chance_;
};

}  // namespace bloomery::overlay
