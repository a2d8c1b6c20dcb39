// What makes a filter of others.
#include <optional>

#include "bloomery/core/error.hpp"
#include "redis/native/commands.hpp"
#include "redis/native/items.hpp"

namespace bloomery::redis::native {

// On a copy, so that nothing is changed if one of the filters does not fit.
void merge(call& asked) {
  const auto number = asked.integer(2);
  if (!number || *number < 1 || *number != asked.size() - 3) {
    throw refused("ERR the number of keys is not that of the keys that follow");
  }
  auto* const target = asked.find_to_change<bloom_value>();
  std::optional<any_filter> made;
  if (target != nullptr) made = target->filter().copy();
  for (int i = 3; i < asked.size(); ++i) {
    const bloom_value* const source = asked.find<bloom_value>(i);
    if (source == nullptr) throw refused(no_filter);
    const any_filter& filter = source->filter();
    (void)filter.as<merges>();
    if (made) {
      made->as<merges>().merge(filter);
    } else {
      made = filter.copy();
    }
    asked.allowance().require(made->bytes());
  }
  if (target != nullptr) {
    target->replace(std::move(*made));
  } else {
    asked.keep(bloom_value(std::move(*made)));
  }
  asked.changed("bloom.merge");
  RedisModule_ReplyWithSimpleString(asked.context(), "OK");
}

void fold(call& asked) {
  const auto factor = asked.integer(3);
  if (!factor || *factor < 1) throw refused("ERR the factor is a whole number, from 1");
  const bloom_value* const source = asked.find<bloom_value>(2);
  if (source == nullptr) throw refused(no_filter);
  any_filter made = source->filter().as<folds>().folded(static_cast<std::uint64_t>(*factor));
  if (auto* const target = asked.find_to_change<bloom_value>()) {
    (void)target->filter();  // one that is arriving is somebody's
    target->replace(std::move(made));
  } else {
    asked.keep(bloom_value(std::move(made)));
  }
  asked.changed("bloom.fold");
  RedisModule_ReplyWithSimpleString(asked.context(), "OK");
}

}  // namespace bloomery::redis::native
