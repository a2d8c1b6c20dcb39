// C1: proxies that know by summaries who has a page, beside proxies that ask everybody (ICP).
#include "bloomery/apps/exchange/summary_cache.hpp"

#include <algorithm>

#include "bloomery/apps/lab/page_cache.hpp"
#include "bloomery/apps/lab/workload.hpp"
#include "bloomery/apps/random.hpp"
#include "bloomery/apps/systems/registry.hpp"
#include "bloomery/math/laws/look_ups.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::systems {
namespace {

using document = std::uint64_t;
using lab::page_cache;

struct proxies_plan {
  std::uint64_t proxies;
  std::uint64_t documents;
  std::uint64_t requests;
  std::uint64_t cache;
  std::uint64_t url_bytes;
  double zipf;
  apps::summary_plan summary;
  std::uint64_t seed;

  [[nodiscard]] digest key(document page) const { return lab::numbered(seed, 0, page); }
  // As RFC 2186 has them: a header of 20 bytes, the asker's address in a query, the URL and a zero.
  [[nodiscard]] std::uint64_t question_and_answer() const { return 2 * (20 + url_bytes + 1) + 4; }
};

struct served {
  std::uint64_t local = 0;
  std::uint64_t remote = 0;
  apps::traffic sent;
  [[nodiscard]] std::uint64_t hits() const { return local + remote; }
};

// Whom a proxy asks after itself, beginning with the next: everybody, so that nobody is always first.
template <class Use>
void each_other(std::uint64_t self, std::uint64_t proxies, Use use) {
  for (std::uint64_t i = 1; i < proxies; ++i) {
    if (!use((self + i) % proxies)) return;
  }
}

class asking_everybody {
 public:
  explicit asking_everybody(const proxies_plan& plan) : plan_(plan) {
    for (std::uint64_t i = 0; i < plan.proxies; ++i) caches_.emplace_back(plan.cache);
  }

  void request(std::uint64_t self, document page) {
    if (caches_[self].touch(page)) {
      ++told_.local;
      return;
    }
    const std::uint64_t others = plan_.proxies - 1;
    told_.sent += {2 * others, others * plan_.question_and_answer()};
    each_other(self, plan_.proxies, [&](std::uint64_t other) {
      if (!caches_[other].touch(page)) return true;
      ++told_.remote;
      return false;
    });
    (void)caches_[self].add(page);
  }
  [[nodiscard]] const served& told() const { return told_; }

 private:
  const proxies_plan& plan_;
  std::vector<page_cache> caches_;
  served told_;
};

class summarising {
 public:
  explicit summarising(const proxies_plan& plan) : plan_(plan), strangers_(plan.seed, 7) {
    for (std::uint64_t i = 0; i < plan.proxies; ++i) nodes_.emplace_back(plan);
  }

  void request(std::uint64_t self, document page) {
    node& mine = nodes_[self];
    if (mine.cache.touch(page)) {
      ++told_.local;
      return;
    }
    const digest key = plan_.key(page);
    bool found = false;
    each_other(self, plan_.proxies, [&](std::uint64_t other) {
      node& theirs = nodes_[other];
      const bool claimed = theirs.known.may_hold(key);
      asked_.record(claimed, std::ranges::binary_search(theirs.when_told, page));
      if (!claimed) return true;
      ++claims_;
      if (found) return true;  // one after the other, until one has it
      told_.sent += {2, plan_.question_and_answer()};
      found = theirs.cache.touch(page);
      ++(found ? told_.remote : false_hits_);
      return true;
    });
    if (const auto gone = mine.cache.add(page)) mine.summary.erase(plan_.key(*gone));
    mine.summary.insert(key);
    if (mine.summary.due()) tell(mine);
  }

  [[nodiscard]] const served& told() const { return told_; }
  [[nodiscard]] const apps::ledger& asked() const { return asked_; }
  [[nodiscard]] std::uint64_t false_hits() const { return false_hits_; }
  // If all that may have a page were asked at once, as ICP does, rather than one after the other.
  [[nodiscard]] std::uint64_t messages_at_once() const {
    return 2 * claims_ + updates_ * (plan_.proxies - 1);
  }
  [[nodiscard]] std::uint64_t updates() const { return updates_; }
  [[nodiscard]] std::uint64_t differing() const { return differing_; }
  [[nodiscard]] std::uint64_t update_bytes() const { return update_bytes_; }
  [[nodiscard]] std::uint64_t whole_bytes() const { return whole_bytes_; }
  [[nodiscard]] lab::figure strangers() const {
    return lab::share_of("strangers that a summary claims", strangers_claimed_, strangers_asked_,
                         rates_ / static_cast<double>(strangers_asked_));
  }

 private:
  struct node {
    explicit node(const proxies_plan& plan) : cache(plan.cache), summary(plan.summary) {}
    page_cache cache;
    apps::cache_summary summary;
    apps::neighbour_summary known;    // as every neighbour has it
    std::vector<document> when_told;  // the truth then, sorted
  };

  // Every neighbour is sent the same bytes; what one makes of them all do.
  void tell(node& mine) {
    const std::uint64_t others = plan_.proxies - 1;
    const std::vector<std::byte> message = mine.summary.update();
    told_.sent += {others, others * message.size()};
    mine.known.receive(message, {});
    mine.when_told = mine.cache.pages();
    ++updates_;
    update_bytes_ += message.size();
    const std::vector<std::byte> whole = wire::save(mine.summary.told());
    whole_bytes_ += whole.size();
    differing_ += std::uint64_t{wire::save(*mine.known.held()) != whole};
    constexpr int asked_each = 50;
    for (int i = 0; i < asked_each; ++i) {
      const digest stranger{strangers_(), strangers_()};
      strangers_claimed_ += std::uint64_t{mine.known.may_hold(stranger)};
    }
    strangers_asked_ += asked_each;
    rates_ += asked_each * mine.known.held()->current_rate();
  }

  const proxies_plan& plan_;
  std::vector<node> nodes_;
  lab::random_stream strangers_;
  served told_;
  apps::ledger asked_;
  std::uint64_t false_hits_ = 0;
  std::uint64_t claims_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t differing_ = 0;
  std::uint64_t update_bytes_ = 0;
  std::uint64_t whole_bytes_ = 0;
  std::uint64_t strangers_claimed_ = 0;
  std::uint64_t strangers_asked_ = 0;
  double rates_ = 0;
};

proxies_plan proxies_in(const lab::request& asked) {
  const proxies_plan plan{.proxies = asked.count("proxies"),
                          .documents = asked.count("documents"),
                          .requests = asked.count("requests"),
                          .cache = asked.count("cache"),
                          .url_bytes = 50,
                          .zipf = asked.ratio("zipf"),
                          .summary = {.documents = asked.count("cache"),
                                      .load_factor = asked.count("load"),
                                      .hashes = asked.count("hashes"),
                                      .threshold = asked.ratio("threshold")},
                          .seed = asked.seed()};
  math::require_whole("proxies", plan.proxies, 2, 1000);
  math::require_whole("documents", plan.documents, 1, 10'000'000);
  math::require_whole("requests", plan.requests, 1, 100'000'000);
  math::require_whole("cache", plan.cache, 1, 1'000'000);
  plan.summary.check();
  return plan;
}

// The paper's example, for 16 bits a page and 10 hashes: a hundred proxies whose caches are full, and pages that none has.
lab::figure hundred_summaries(const proxies_plan& plan) {
  constexpr std::uint64_t summaries = 100;
  constexpr std::uint64_t strangers = 20'000;
  constexpr std::uint64_t documents = 2000;  // the rate is that of any number, but of very few
  lab::random_stream random(plan.seed, 100);
  std::vector<digest> asked(strangers);
  for (digest& each : asked) each = {random(), random()};
  std::vector<bool> claimed(strangers);
  double rates = 0;
  for (std::uint64_t i = 0; i < summaries; ++i) {
    standard_filter summary(
        standard_shape{documents * plan.summary.load_factor, plan.summary.hashes});
    for (std::uint64_t page = 0; page < documents; ++page) summary.insert({random(), random()});
    for (std::uint64_t s = 0; s < strangers; ++s) {
      if (summary.may_contain(asked[s])) claimed[s] = true;
    }
    rates += summary.current_rate();
  }
  return lab::share_of("strangers that one of a hundred full summaries claims",
                       static_cast<std::uint64_t>(std::ranges::count(claimed, true)), strangers,
                       math::any_of(rates / summaries, summaries));
}

}  // namespace

lab::result summary_cache(const lab::request& asked) {
  const proxies_plan plan = proxies_in(asked);
  const lab::zipf popularity(plan.documents, plan.zipf);
  lab::random_stream random(plan.seed, 1);
  asking_everybody icp(plan);
  summarising ours(plan);
  for (std::uint64_t i = 0; i < plan.requests; ++i) {
    const std::uint64_t proxy = random.below(plan.proxies);
    const document page = popularity(random);
    icp.request(proxy, page);
    ours.request(proxy, page);
  }
  const auto real = [](std::uint64_t value) { return static_cast<double>(value); };
  const served& rival = icp.told();
  const served& mine = ours.told();
  const double fewer = real(rival.sent.messages) / real(mine.sent.messages);
  const double bytes = real(mine.sent.bytes) / real(rival.sent.bytes);
  const double hits = real(mine.hits()) / real(plan.requests);
  const double rival_hits = real(rival.hits()) / real(plan.requests);

  lab::result found;
  found.never("a summary missed a page that was there when it was told", ours.asked().missed(),
              ours.asked().asked());
  found.never("a neighbour had other bits than it was told", ours.differing(), ours.updates());
  constexpr std::uint64_t papers_proxies = 16;
  if (plan.proxies >= papers_proxies) {
    found.never("more than a 25th of ICP's messages", std::uint64_t{fewer < 25}, 1);
    found.never("more than half of ICP's bytes", std::uint64_t{bytes > 0.5}, 1);
    found.never("a hit ratio more than a point below ICP's",
                std::uint64_t{rival_hits - hits > 0.01}, 1);
  } else {
    found.note("The paper's figures are for 16 proxies and more; fewer are not judged by them.");
  }
  if (ours.updates() > 0) found.add(ours.strangers());
  lab::figure& messages =
      found.add(lab::told("messages of ICP for one of ours", lab::unit::real, fewer));
  messages.paper = 25;
  lab::figure& share = found.add(lab::told("bytes, of ICP's", lab::unit::share, bytes));
  share.paper = 0.5;
  found.add(lab::told("hit ratio", lab::unit::share, hits)).rivals = {{"ICP", rival_hits}};
  found.add(lab::told("local hits", lab::unit::share, real(mine.local) / real(plan.requests)));
  found
      .add(lab::told("messages a request", lab::unit::real,
                     real(mine.sent.messages) / real(plan.requests)))
      .rivals = {{"ICP", real(rival.sent.messages) / real(plan.requests)}};
  found.add(lab::told("false hits, stale ones included, of requests", lab::unit::share,
                      real(ours.false_hits()) / real(plan.requests)));
  found
      .add(lab::told("bytes of an update", lab::unit::bytes,
                     real(ours.update_bytes()) / real(std::max<std::uint64_t>(1, ours.updates()))))
      .rivals = {{"whole summary",
                  real(ours.whole_bytes()) / real(std::max<std::uint64_t>(1, ours.updates()))}};
  found.add(lab::told("messages of ICP for one of ours, if all that claim a page are asked at once",
                      lab::unit::real, real(rival.sent.messages) / real(ours.messages_at_once())));
  found.add(hundred_summaries(plan)).paper = 0.047;
  return found;
}

extern constinit const system_info summary_cache_system{
    .id = "C1",
    .name = "Summary Cache",
    .source = "Fan et al. 2000; Broder and Mitzenmacher, section 4; Tarkoma et al., IV-A",
    .where = pattern::exchange,
    .does =
        "Proxies tell each other by filters which pages they hold, and ask only those that may "
        "have a page. A counting filter at home lets pages go; what changed travels as a delta.",
    .figure =
        "No page is missed that was there at the last update; at least 25 times fewer messages "
        "than by ICP, at most half of its bytes, and a hit ratio within a point of its.",
    .verb = "cache share",
    .needs = "",
    .settings_or_none = {{{"proxies", "16", "that share their caches"},
                          {"documents", "100k", "pages that there are"},
                          {"requests", "100k", "of all users"},
                          {"cache", "2k", "pages that a proxy holds"},
                          {"zipf", "0.75", "exponent of the pages' popularity"},
                          {"load", "16", "bits of a summary for each page"},
                          {"hashes", "10", "of a summary"},
                          {"threshold", "5%",
                           "share of pages that are new before others are told"}}},
    .run = summary_cache};

}  // namespace bloomery::systems
