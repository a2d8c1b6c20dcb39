// Which link of a node leads to a key, by what came on each: the nearest, or the strongest score.
//
// Purpose:   the decisions of a node that has one routing table a link. `by_hops` asks maps from keys to
//            hops, as attenuated filters are; `by_score` filters that score, as exponentially decaying ones do.
// Cost:      one question to each link a key. The noise floors of by_score are worked out once: it is
//            made anew when a table changes. Neither owns the tables.
// Guarantee: of equal links the first is taken. by_hops takes a link whenever one has the key, since
//            attenuated filters never miss. by_score takes none that a stranger would reach with more
//            than `chance`.
// Citation:  Rhea, Kubiatowicz 2002; Kumar, Xu, Zegura 2005; Tarkoma §IV-B.
//
//     const bloomery::digest song = bloomery::xxh3_hash{}("song");
//     const auto shape = bloomery::exponential_decay_filter::plan(1000, 0.01);
//     bloomery::exponential_decay_filter west(shape), south(shape);
//     south.insert(song);
//     const bloomery::by_score route({&west, &south});
//     assert(route(song).link == 1 && route(song).told[0] == 0);
//     assert(!route(bloomery::xxh3_hash{}("noise")).link);
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/filters/abilities/mapping.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

// Where to send a key, if anywhere, and what each link told of it: hops or a score.
struct direction {
  std::optional<std::size_t> link;
  std::vector<std::optional<std::uint64_t>> told;
};

// The link behind which the key is the fewest hops away.
template <class Link>
class by_hops {
 public:
  static constexpr std::string_view unit = "hops";

  explicit by_hops(std::vector<const Link*> links) : links_(std::move(links)) {}

  [[nodiscard]] direction operator()(digest key) const {
    direction result;
    for (const Link* link : links_) {
      const mapped answer = link->value(key);
      auto& told = result.told.emplace_back();
      if (answer.is != mapped::state::present) continue;
      told = answer.value;
      if (!result.link || told < result.told[*result.link]) result.link = result.told.size() - 1;
    }
    return result;
  }
  [[nodiscard]] static std::optional<std::uint64_t> floor(std::size_t /*link*/) { return {}; }

 private:
  std::vector<const Link*> links_;
};

// The link whose filter has most bits of the key, if more than noise has.
template <class Link>
class by_score {
 public:
  static constexpr std::string_view unit = "score";

  // A stranger gets past a link's floor with probability `chance`, errc::invalid unless in (0, 1).
  explicit by_score(std::vector<const Link*> links, double chance = default_chance)
      : links_(std::move(links)) {
    math::require_share("chance", chance);
    for (const Link* link : links_) floors_.push_back(link->noise_floor(chance));
  }
  [[nodiscard]] direction operator()(digest key) const {
    direction result;
    std::uint64_t highest = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const std::uint64_t scored = links_[i]->score(key);
      result.told.emplace_back(scored);
      if (scored <= highest || scored < floors_[i]) continue;
      result.link = i;
      highest = scored;
    }
    return result;
  }
  // What a link's score must reach.
  [[nodiscard]] std::optional<std::uint64_t> floor(std::size_t link) const { return floors_[link]; }

 private:
  static constexpr double default_chance = 0.001;
  std::vector<const Link*> links_;
  std::vector<std::uint64_t> floors_;
};
template <class Link>
by_score(std::initializer_list<const Link*>) -> by_score<Link>;
template <class Link>
by_score(std::initializer_list<const Link*>, double) -> by_score<Link>;

}  // namespace bloomery
