// What asks filters for keys.
#include <array>
#include <limits>

#include "bloomery/core/error.hpp"
#include "redis/native/commands.hpp"
#include "redis/native/items.hpp"

namespace bloomery::redis::native {
namespace {

bits answers_for(const any_filter& filter, const std::vector<digest>& keys,
                 std::optional<std::uint64_t> now) {
  bits answers(keys.size());
  if (now) {
    filter.as<keeps_time>().may_contain(keys, answers.all(), *now);
  } else {
    filter.as<asks>().may_contain(keys, answers.all());
  }
  return answers;
}

void ask_items(call& asked, std::optional<std::uint64_t> said, int first) {
  const any_filter& filter = asked.get<bloom_value>(no_filter).filter();
  const std::vector<std::string_view> items = items_of(asked, first);
  if (const auto* const texts = filter.can<reads_texts>()) {
    const hasher hash = hash_of(filter);
    bits answers(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      answers[i] = texts->may_contain_text(items[i], &hash);
    }
    return answers.reply(asked.context());
  }
  answers_for(filter, hashed(filter, items), time_for(filter, said)).reply(asked.context());
}

void reply_with_number(RedisModuleCtx* context, std::uint64_t number) {
  if (number <= std::numeric_limits<long long>::max()) {
    RedisModule_ReplyWithLongLong(context, static_cast<long long>(number));
  } else {
    const std::string digits = std::to_string(number);
    RedisModule_ReplyWithStringBuffer(context, digits.data(), digits.size());
  }
}

void count_items(call& asked, std::optional<std::uint64_t> said, int first) {
  const any_filter& filter = asked.get<bloom_value>(no_filter).filter();
  const auto& counting = filter.as<counts>();
  const std::vector<digest> keys = hashed(filter, items_of(asked, first));
  std::vector<std::uint64_t> found(keys.size());
  if (const auto now = time_for(filter, said)) {
    filter.as<keeps_time>().count(keys, found, *now);
  } else {
    counting.count(keys, found);
  }
  RedisModule_ReplyWithArray(asked.context(), static_cast<long>(found.size()));
  for (const std::uint64_t each : found) reply_with_number(asked.context(), each);
}

std::string hexadecimal(digest d) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {d.hi, d.lo}) {
    for (int shift = 60; shift >= 0; shift -= 4) text.push_back(digits[half >> shift & 15]);
  }
  return text;
}

}  // namespace

void has(call& asked) {
  ask_items(asked, std::nullopt, 2);
}

void has_at(call& asked) {
  ask_items(asked, time_at(asked, 2), 3);
}

void has_packed(call& asked) {
  const bloom_value& held = asked.get<bloom_value>(no_filter);
  const any_filter& filter = held.filter();
  const auto [said, of] = words_behind(asked, 3);
  require_part(held, of);
  const auto now = time_for(filter, said);
  answers_for(filter, unpacked(asked.bytes(2)), now).reply_packed(asked.context());
}

void count(call& asked) {
  count_items(asked, std::nullopt, 2);
}

void count_at(call& asked) {
  count_items(asked, time_at(asked, 2), 3);
}

void get(call& asked) {
  const any_filter& map = asked.get<bloom_value>(no_filter).filter();
  const auto& mapping = map.as<maps>();
  const std::vector<digest> keys = hashed(map, items_of(asked, 2));
  std::vector<mapped> found(keys.size());
  mapping.values(keys, found);
  const name_list names = map.record().names;
  RedisModuleCtx* const to = asked.context();
  RedisModule_ReplyWithArray(to, static_cast<long>(found.size()));
  for (const mapped& each : found) {
    if (each.is == mapped::state::absent) {
      RedisModule_ReplyWithNull(to);
    } else if (each.is == mapped::state::unknown) {
      RedisModule_ReplyWithSimpleString(to, "unknown");
    } else if (each.value < names.size()) {
      RedisModule_ReplyWithStringBuffer(to, names[each.value].data(), names[each.value].size());
    } else {
      reply_with_number(to, each.value);
    }
  }
}

void top(call& asked) {
  const any_filter& filter = asked.get<bloom_value>(no_filter).filter();
  const std::vector<ranked_key> ranked = filter.as<ranks>().top();
  RedisModuleCtx* const to = asked.context();
  RedisModule_ReplyWithArray(to, static_cast<long>(ranked.size()));
  for (const ranked_key& each : ranked) {
    const std::string name = each.label.empty() ? hexadecimal(each.key) : each.label;
    RedisModule_ReplyWithArray(to, 2);
    RedisModule_ReplyWithStringBuffer(to, name.data(), name.size());
    reply_with_number(to, each.count);
  }
}

}  // namespace bloomery::redis::native
