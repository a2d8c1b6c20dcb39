// What makes and changes filters.
#include <algorithm>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "redis/native/commands.hpp"
#include "redis/native/creation.hpp"
#include "redis/native/items.hpp"

namespace bloomery::redis::native {
namespace {

// What others are told of a change, in other words than the client's.
class told {
 public:
  told(RedisModuleCtx* context, const char* command) : context_(context), command_(command) {}
  void add(RedisModuleString* word) {
    RedisModule_RetainString(context_, word);
    words_.push_back(word);
  }
  void add(std::string_view word) {
    words_.push_back(RedisModule_CreateString(context_, word.data(), word.size()));
  }
  void send() { RedisModule_Replicate(context_, command_, "v", words_.data(), words_.size()); }
  told(const told&) = delete;
  told& operator=(const told&) = delete;
  ~told() {
    for (RedisModuleString* word : words_) RedisModule_FreeString(context_, word);
  }

 private:
  RedisModuleCtx* context_;
  const char* command_;
  std::vector<RedisModuleString*> words_;
};

void notify(call& asked, const char* event) {
  RedisModule_NotifyKeyspaceEvent(asked.context(), REDISMODULE_NOTIFY_MODULE, event, asked.raw(1));
}

// One that grows may not, beyond what a key may take.
any_filter& filter_to_grow(call& asked) {
  any_filter& filter = asked.get_to_change<bloom_value>(no_filter).filter();
  if (filter.can<grows>() != nullptr) asked.allowance().require(filter.bytes());
  return filter;
}

// The time goes to others with the change, since their clocks are not ours.
template <class Insert>
void change_at(call& asked, any_filter& filter, std::optional<std::uint64_t> said,
               const char* command, const char* event, bool time_first, const Insert& insert) {
  const auto now = time_for(filter, said);
  if (now) filter.as<keeps_time>().advance(*now);
  if (!now || said) {
    asked.changed(event);
    return insert();
  }
  told words(asked.context(), command);
  words.add(asked.raw(1));
  if (time_first) words.add(std::to_string(*now));
  for (int i = 2; i < asked.size(); ++i) words.add(asked.raw(i));
  if (!time_first) {
    words.add("AT");
    words.add(std::to_string(*now));
  }
  words.send();
  notify(asked, event);
  insert();
}

void add_items(call& asked, std::optional<std::uint64_t> said, int first) {
  any_filter& filter = filter_to_grow(asked);
  const std::vector<std::string_view> items = items_of(asked, first);
  bits fresh(items.size());
  if (auto* const texts = filter.can<reads_texts>()) {
    const hasher hash = hash_of(filter);
    asked.changed("bloom.add");
    for (std::size_t i = 0; i < items.size(); ++i) {
      fresh[i] = texts->insert_text(items[i], 0, &hash);
    }
    return fresh.reply(asked.context());
  }
  auto& inserting = filter.as<inserts>();
  const std::vector<digest> keys = hashed(filter, items);
  change_at(asked, filter, said, "BLOOM.ADDAT", "bloom.add", true, [&] {
    inserting.insert(keys, fresh.all());
    auto* const ranking = filter.can<ranks>();
    for (std::size_t i = 0; ranking != nullptr && i < keys.size(); ++i) {
      if (ranking->wants_label(keys[i])) ranking->label(keys[i], items[i]);
    }
  });
  fresh.reply(asked.context());
}

// Which of them were there and are not any more; one by one, since a batch tells only how many.
bits erased(call& asked, any_filter& filter, const std::vector<digest>& keys) {
  auto& erasing = filter.as<erases>();
  bits gone(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    gone[i] = erasing.erase(keys[i]);
    if (gone[i]) asked.changed("bloom.remove");
  }
  return gone;
}

std::uint64_t value_of(const any_filter& map, std::string_view text) {
  const name_list names = map.record().names;
  if (names.empty()) return parse_count(text);
  const auto name = std::ranges::find(names, text);
  if (name == names.end()) {
    fail(errc::invalid, in_quotes(text) + " is not one of the map's values");
  }
  return static_cast<std::uint64_t>(name - names.begin());
}

}  // namespace

void create(call& asked) {
  const creation wanted = creation::asked_by(asked);
  if (asked.exists()) throw refused("ERR the key exists");
  asked.allowance().require(wanted.kind->payload_bytes(wanted.shape));
  asked.keep(bloom_value(wanted.made())).join(wanted.part_of);
  told words(asked.context(), "BLOOM.CREATE");
  words.add(asked.raw(1));
  for (const std::string& word : wanted.in_full()) words.add(word);
  words.send();
  notify(asked, "bloom.create");
  RedisModule_ReplyWithSimpleString(asked.context(), "OK");
}

void add(call& asked) {
  add_items(asked, std::nullopt, 2);
}

void add_at(call& asked) {
  add_items(asked, time_at(asked, 2), 3);
}

void add_packed(call& asked) {
  any_filter& filter = filter_to_grow(asked);
  auto& inserting = filter.as<inserts>();
  const std::vector<digest> keys = unpacked(asked.bytes(2));
  const last_words told = words_behind(asked, 3);
  auto& held = asked.get_to_change<bloom_value>(no_filter);
  require_part(held, told.of);
  bits fresh(keys.size());
  if (!keys.empty()) {
    if (told.of.family != 0) held.join(told.of);
    change_at(asked, filter, told.at, "BLOOM.ADDP", "bloom.add", false,
              [&] { inserting.insert(keys, fresh.all()); });
  }
  fresh.reply_packed(asked.context());
}

void remove(call& asked) {
  any_filter& filter = asked.get_to_change<bloom_value>(no_filter).filter();
  (void)filter.as<erases>();
  erased(asked, filter, hashed(filter, items_of(asked, 2))).reply(asked.context());
}

void remove_packed(call& asked) {
  auto& held = asked.get_to_change<bloom_value>(no_filter);
  any_filter& filter = held.filter();
  const last_words told = words_behind(asked, 3);
  if (told.at) fail(errc::invalid, "nothing is removed at a time of its own: leave AT out");
  require_part(held, told.of);
  erased(asked, filter, unpacked(asked.bytes(2))).reply_packed(asked.context());
}

// Raises the epoch, and never lowers it, so that it may come late and more than once.
void fence(call& asked) {
  const membership said = membership_at(asked, 2);
  auto& held = asked.get_to_change<bloom_value>(no_filter);
  (void)held.filter();  // one that is arriving is somebody's
  if (held.part_of().family != 0) require_part(held, said);
  if (held.part_of() != said) {
    held.join(said);
    asked.changed("bloom.fence");
  }
  RedisModule_ReplyWithSimpleString(asked.context(), "OK");
}

void set(call& asked) {
  if (asked.size() % 2 != 0) throw wrong_arity();
  any_filter& map = asked.get_to_change<bloom_value>(no_filter).filter();
  auto& setting = map.as<sets_values>();
  const std::vector<digest> keys = hashed(map, items_of(asked, 2, 2));
  std::vector<std::uint64_t> values;
  for (const std::string_view text : items_of(asked, 3, 2)) values.push_back(value_of(map, text));
  bits done(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    done[i] = setting.set_value(keys[i], values[i]);
    if (done[i]) asked.changed("bloom.set");
  }
  done.reply(asked.context());
}

}  // namespace bloomery::redis::native
