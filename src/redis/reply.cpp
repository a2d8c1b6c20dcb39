#include "redis/reply.hpp"

#include <algorithm>

namespace bloomery::redis::reply {
namespace {

void value_of(const call& to, const row& told) {
  if (told.value) {
    number(to, *told.value);
  } else {
    nothing(to);
  }
}

void pair_of(const call& to, const row& told) {
  RedisModule_ReplyWithSimpleString(to.context(), told.name);
  value_of(to, told);
}

}  // namespace

void rows(const call& to, std::span<const row> told) {
  RedisModule_ReplyWithMap(to.context(), static_cast<long>(told.size()));
  for (const row& each : told) pair_of(to, each);
}

void one_row(const call& to, std::span<const row> told, int at) {
  const auto found = std::find_if(told.begin(), told.end(),
                                  [&](const row& each) { return to.says(at, each.word); });
  if (found == told.end()) throw refused("Invalid information value");
  if (to.resp3()) {
    rows(to, {found, 1});
  } else {
    array(to, 1);
    value_of(to, *found);
  }
}

}  // namespace bloomery::redis::reply
