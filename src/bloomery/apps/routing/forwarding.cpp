#include "bloomery/apps/routing/forwarding.hpp"

#include "bloomery/math/kinds/exponential_decay.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {

by_score::by_score(std::vector<const exponential_decay_filter*> links, double chance)
    : links_(std::move(links)) {
  math::require_share("chance", chance);
  for (const exponential_decay_filter* link : links_) {
    floors_.push_back(math::noise_floor(link->shape().hashes, link->fill(), chance));
  }
}

direction by_score::operator()(digest key) const {
  direction result;
  std::uint64_t highest = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const std::uint64_t scored = score(*links_[i], key);
    result.told.emplace_back(scored);
    if (scored <= highest || scored < floors_[i]) continue;
    result.link = i;
    highest = scored;
  }
  return result;
}

}  // namespace bloomery
