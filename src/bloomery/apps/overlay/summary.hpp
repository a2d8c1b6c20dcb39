// What a node tells a neighbour of all that lies behind it: merged, advertised, asked.
//
// Purpose:   the one idea of all overlays. A summary is of a node's own keys, or what came on a link; which
//            links hear what is the topology, which link a question takes is the walk (node.hpp). Filters
//            are summaries: plain ones claim a key or not, attenuated ones tell how near it is, decaying ones
//            how strongly it is smelt.
// Cost:      that of the filter. The floor of noise is worked out once for what does not change.
// Guarantee: `ask` is 0 for "no", and more for what is nearer. `open` believes only what has the shape, hash
//            and fill that fit: errc::incompatible, errc::limit or errc::corrupt otherwise.
// Citation:  Broder–Mitzenmacher §5.1, §6.1, §6.2; Tarkoma §IV-B.
//
//     using bloomery::overlay::filter_summary;
//     filter_summary here(bloomery::standard_filter::for_keys(100, 0.01)), there = here;
//     const bloomery::digest song = bloomery::xxh3_hash{}("song");
//     there.insert(song);
//     const filter_summary<bloomery::standard_filter>* behind[] = {&there};
//     assert(here.ask({&song, 1}) == 0 && here.advertise(behind, 1).ask({&song, 1}) == 1);
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/wire/message.hpp"

namespace bloomery::overlay {

using stored_filters = std::vector<std::vector<std::byte>>;

template <class S>
concept summary = std::copyable<S> &&
    requires(S changed, const S own, digest key, digest_span words,
             std::span<const S* const> behind, std::uint64_t link,
             std::span<const byte_view> stored, const wire::filter_limits& limits) {
  changed.insert(key);
  changed.merge(own);  // what both tell, in one
  {
    own.advertise(behind, link)
    } -> std::same_as<S>;  // to a link of this number in the whole network
  { own.ask(words) } -> std::same_as<std::uint64_t>;
  { own.save() } -> std::same_as<stored_filters>;
  { own.open(stored, limits) } -> std::same_as<S>;  // what another saved, if it goes with this one
  { own.bytes() } -> std::same_as<std::uint64_t>;   // of memory
};

// A filter as a summary.
template <filter_type F>
class filter_summary {
 public:
  explicit filter_summary(F filter) : filter_(std::move(filter)) {}

  [[nodiscard]] const F& filter() const { return filter_; }

  void insert(digest key) {
    filter_.insert(key);
    floor_.reset();
  }
  void merge(const filter_summary& other) {
    filter_.merge(other.filter_);
    floor_.reset();
  }

  [[nodiscard]] filter_summary advertise(std::span<const filter_summary* const> behind,
                                         std::uint64_t link) const {
    if constexpr (able<F, advertises>) {
      std::vector<const F*> filters;
      for (const filter_summary* each : behind) filters.push_back(&each->filter_);
      return filter_summary(F::advertisement(filter_, filters, link));
    } else {
      filter_summary all = *this;
      for (const filter_summary* each : behind) all.merge(*each);
      return all;
    }
  }

  // All words, or 0: by the farthest of them, or the faintest.
  [[nodiscard]] std::uint64_t ask(digest_span words) const {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const digest word : words) least = std::min(least, strength(word));
    return words.empty() ? 0 : least;
  }

  [[nodiscard]] stored_filters save() const { return {wire::save(filter_)}; }
  [[nodiscard]] filter_summary open(std::span<const byte_view> stored,
                                    const wire::filter_limits& limits) const {
    if (stored.size() != 1) {
      fail(errc::corrupt, "a summary of " + std::to_string(stored.size()) + " filters; allowed: 1");
    }
    const wire::carried_filter carried(stored.front());
    filter_summary opened(carried.template open<F>(filter_.record().hash, limits));
    filter_.require_combinable(opened.filter_);
    return opened;
  }
  [[nodiscard]] std::uint64_t bytes() const { return F::payload_bytes(filter_.shape()); }

 private:
  [[nodiscard]] std::uint64_t strength(digest word) const {
    if constexpr (able<F, scores>) {
      constexpr double noise = 0.001;  // of strangers that pass for a trace of something
      if (!floor_) floor_ = filter_.noise_floor(noise);
      const std::uint64_t score = filter_.score(word);
      return score < *floor_ ? 0 : score;
    } else if constexpr (able<F, maps>) {
      const mapped told = filter_.value(word);
      return told.is == mapped::state::present ? filter_.shape().levels - told.value : 0;
    } else {
      return std::uint64_t{filter_.may_contain(word)};
    }
  }

  F filter_;
  mutable std::optional<std::uint64_t> floor_;
};

}  // namespace bloomery::overlay
