#include "bloomery/apps/gate/planned_set.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "bloomery/any/planner.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery::apps {

any_filter planned_set(std::vector<digest> keys, double rate, std::string_view kind,
                       hash_identity hash, unsigned threads) {
  std::ranges::sort(keys, std::less<>());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const std::uint64_t room = std::max<std::uint64_t>(1, keys.size());
  if (!kind.empty()) {
    const any_kind& named = find_kind(kind);
    if (!named.takes_keys() || !named.can<asks>()) {
      fail(errc::unsupported, a_filter(kind) + " holds no set of keys");
    }
    if (named.info.false_negatives || named.can<forgets>()) {
      fail(errc::unsupported, a_filter(kind) + " may miss a key that it was given");
    }
    return named.build(named.plan(room, rate), keys, hash, {room, rate}, threads);
  }
  needs wanted;
  wanted.keys = room;
  wanted.rate = rate;
  const recommendation answer = recommend(wanted);
  if (answer.choices.empty())
    fail(errc::unsupported, "no kind has a rate of " + format_ratio(rate));
  return answer.choices.front().build(keys, hash, threads);
}

double rate_of(const any_filter& filter) {
  if (const auto* told = filter.can<tells_rate>()) return told->current_rate();
  return filter.kind().predicted_rate(filter.shape(), filter.record().items);
}

}  // namespace bloomery::apps
