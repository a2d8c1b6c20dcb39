#include "bloomery/net/standing_calls.hpp"

#include <algorithm>

namespace bloomery::net {

standing_calls::standing_calls(const std::vector<endpoint>& to, const call_pauses& pauses)
    : pauses_(pauses), chance_(pauses.seed) {
  for (const endpoint& each : to) calls_.push_back({.to = each, .pause = pauses.least});
}

void standing_calls::tend(loop& by, const std::function<void(peer, std::size_t)>& begun,
                          const std::function<void(const error&)>& failed) {
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    call& each = calls_[i];
    if (each.connection || by.now() < each.due) continue;
    try {
      each.connection = by.dial(each.to);
    } catch (const error& problem) {
      postpone(each, by.now());
      failed(problem);
      continue;
    }
    begun(*each.connection, i);
  }
}

void standing_calls::postpone(call& late, apps::time now) {
  const auto half = static_cast<std::uint64_t>(late.pause.count() / 2);
  late.due = now + std::chrono::nanoseconds(half + chance_.below(half + 1));
  late.pause = std::min(2 * late.pause, pauses_.longest);
}

std::optional<std::size_t> standing_calls::which(peer who) const {
  const auto at = std::ranges::find(calls_, std::optional(who), &call::connection);
  if (at == calls_.end()) return {};
  return static_cast<std::size_t>(at - calls_.begin());
}

void standing_calls::useful(peer who) {
  if (const auto at = which(who)) calls_[*at].pause = pauses_.least;
}

void standing_calls::gone(peer who, apps::time now) {
  if (const auto at = which(who)) {
    calls_[*at].connection.reset();
    postpone(calls_[*at], now);
  }
}

}  // namespace bloomery::net
