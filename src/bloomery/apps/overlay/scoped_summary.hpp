// A summary without loss within a scope of hops, and fading beyond it.
//
// Purpose:   hints for sensors: what is near is known for certain and how near it is; what is farther leaves a trace
//            that weakens with every relay. A filter for each hop of the scope, and one for all beyond.
// Cost:      scope + 1 filters a link, k probes in each.
// Guarantee: a key within the scope is always claimed, at its true distance or, by a false claim, a nearer one; a
//            nearer claim is stronger than a farther one, and any within the scope stronger than a trace.
// Citation:  HR-SDBF: Tarkoma §III-H (hint-based routing in wireless sensor networks); Kumar, Xu, Zegura 2005.
//
//     const bloomery::exponential_decay_shape shape{.bits = 1024, .hashes = 16, .decay = 4};
//     bloomery::overlay::scoped_summary here(shape, 2), far(shape, 2);
//     const bloomery::digest heat = bloomery::xxh3_hash{}("heat");
//     far.insert(heat);
//     const bloomery::overlay::scoped_summary* behind[] = {&far};
//     const auto told = here.advertise(behind, 1);
//     assert(far.ask({&heat, 1}) > told.ask({&heat, 1}) && told.ask({&heat, 1}) > 16);
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "bloomery/apps/overlay/summary.hpp"
#include "bloomery/filters/routing/exponential_decay.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::overlay {

class scoped_summary {
 public:
  static constexpr std::uint64_t most_scope = 15;

  // errc::invalid unless the scope is 1 to most_scope hops, the sender's own keys being the first.
  scoped_summary(const exponential_decay_shape& shape, std::uint64_t scope)
      : levels_((math::require_whole("scope", scope, 1, most_scope), scope + 1),
                filter_summary(exponential_decay_filter(shape))) {}

  [[nodiscard]] std::uint64_t scope() const { return levels_.size() - 1; }
  [[nodiscard]] const exponential_decay_filter& level(std::uint64_t hops) const {
    return levels_[hops].filter();
  }

  void insert(digest key) { levels_.front().insert(key); }
  void merge(const scoped_summary& other) {
    for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i].merge(other.levels_[i]);
  }

  // Levels move on by one; what leaves the scope joins the traces, which fade.
  [[nodiscard]] scoped_summary advertise(std::span<const scoped_summary* const> behind,
                                         std::uint64_t link) const {
    scoped_summary told(levels_.front().filter().shape(), scope());
    told.levels_.front() = levels_.front();
    std::vector<const filter_summary<exponential_decay_filter>*> traces;
    auto leaving = told.levels_.back();
    for (const scoped_summary* each : behind) {
      for (std::size_t i = 1; i < scope(); ++i) told.levels_[i].merge(each->levels_[i - 1]);
      leaving.merge(each->levels_[scope() - 1]);
      traces.push_back(&each->levels_.back());
    }
    told.levels_.back() = leaving.advertise(traces, link);
    return told;
  }

  [[nodiscard]] std::uint64_t ask(digest_span words) const {
    const std::uint64_t most = levels_.front().filter().shape().hashes;
    for (std::size_t i = 0; i < scope() && !words.empty(); ++i) {
      const bool all = std::ranges::all_of(
          words, [&](digest word) { return levels_[i].filter().may_contain(word); });
      if (all) return most + scope() - i;
    }
    return levels_.back().ask(words);
  }

  [[nodiscard]] stored_filters save() const {
    stored_filters stored;
    for (const auto& each : levels_) stored.push_back(wire::save(each.filter()));
    return stored;
  }
  [[nodiscard]] scoped_summary open(std::span<const byte_view> stored,
                                    const wire::filter_limits& limits) const {
    if (stored.size() != levels_.size()) {
      fail(errc::corrupt, "a summary of " + std::to_string(stored.size()) +
                              " filters; allowed: " + std::to_string(levels_.size()));
    }
    scoped_summary opened = *this;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      opened.levels_[i] = levels_[i].open(stored.subspan(i, 1), limits);
    }
    return opened;
  }
  [[nodiscard]] std::uint64_t bytes() const { return levels_.size() * levels_.front().bytes(); }

 private:
  std::vector<filter_summary<exponential_decay_filter>> levels_;  // the last one is of traces
};

static_assert(summary<scoped_summary>);

}  // namespace bloomery::overlay
