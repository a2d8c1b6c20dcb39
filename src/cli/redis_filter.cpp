#include "redis_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <deque>
#include <utility>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/secure/crypto.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/net/redis_slots.hpp"
#include "bloomery/wire/foreign/redis_bloom.hpp"
#include "bloomery/wire/foreign/redis_cuckoo.hpp"
#include "sharding.hpp"

namespace bloomery::cli {
namespace {

constexpr std::string_view native_type = "bloomery1";
constexpr std::size_t piece_bytes = 16 << 20;
constexpr std::uint64_t most_of_piece = piece_bytes + (64 << 10);
constexpr int fetches = 5;                               // of a filter that others change meanwhile
constexpr std::string_view staging_lifetime = "600000";  // ms; of what was begun and never ended
constexpr std::size_t digest_bytes = 16;
constexpr std::size_t most_on_the_way = 32;  // commands that are not answered
constexpr int most_in_vain = 5;              // conversations without an answer

using form = redis_reply::form;

const redis_reply* field(const redis_reply& fields, std::string_view name) {
  for (std::size_t i = 0; i + 1 < fields.list.size(); i += 2) {
    if (fields.list[i].text == name) return &fields.list[i + 1];
  }
  return nullptr;
}

}  // namespace

std::string packed_digests(digest_span keys) {
  std::string made(keys.size() * digest_bytes, '\0');
  auto* at = reinterpret_cast<std::byte*>(made.data());
  for (const digest& key : keys) {
    core::store_le(at, key.lo);
    core::store_le(at + 8, key.hi);
    at += digest_bytes;
  }
  return made;
}

// The first key has the highest bit of the first byte, as in Redis's own bitmaps.
bool packed_answer(std::string_view bits, std::size_t i) {
  return (static_cast<unsigned char>(bits[i / 8]) >> (7 - i % 8) & 1) != 0;
}

redis_filter::redis_filter(redis_address where)
    : where_(std::move(where)), server_(std::make_unique<redis_client>(where_)) {}

std::string redis_filter::type() {
  return server_->ask({"TYPE", where_.key}).text;
}

bool redis_filter::native() {
  const std::string held = type();
  if (held == "none") fail(errc::io, where_.name + ": there is no such key");
  if (held == "string") require_no_shards();
  return held == native_type;
}

void redis_filter::require_no_shards() {
  const redis_reply held = server_->ask({"GETRANGE", where_.key, "0", "63"});
  if (held.is != form::text || !sharding::is_one(held.text)) return;
  fail(errc::unsupported,
       where_.name + ": this filter is in shards, which this verb does not take");
}

void redis_filter::require_filter() {
  if (native()) return;
  fail(errc::unsupported,
       fmt::format("{}: the key holds a value of the type {}, and no filter of Bloomery's own{}",
                   where_.name, printable(type()),
                   foreign_format() == nullptr
                       ? ""
                       : "; `bloomery query`, `info`, `doctor`, `convert`, `add` and `copy` take "
                         "it all the same"));
}

void redis_filter::require_replaceable(std::string_view by) {
  const std::string held = type();
  if (held == "none" || held == by) return;
  fail(errc::unsupported,
       fmt::format("{}: the key holds a value of the type {}, which a value of the type {} does "
                   "not replace",
                   where_.name, printable(held), printable(by)));
}

std::uint64_t redis_filter::time_to_live() {
  const redis_reply left = server_->ask({"PTTL", where_.key});
  return left.is == form::number && left.number > 0 ? static_cast<std::uint64_t>(left.number) : 0;
}

std::string redis_filter::dump(const wire::load_options& limits) {
  redis_reply got = server_->ask({"DUMP", where_.key}, limits.most_copied());
  if (got.is == form::nothing) fail(errc::io, where_.name + ": there is no such key");
  if (got.is != form::text) server_->refuse_form();
  return std::move(got.text);
}

void redis_filter::restore(std::string_view payload, std::uint64_t expires) {
  const byte_view bytes = bytes_of(payload);
  require_replaceable(foreign::read_redis_dump(bytes, {}).type);
  const std::vector<std::byte> earlier = foreign::dated_back(bytes, foreign::restored_everywhere);
  (void)server_->ask({"RESTORE", where_.key, std::to_string(expires), text_of(earlier), "REPLACE"});
}

const foreign::format* redis_filter::foreign_format() {
  const std::string held = type();
  const auto all = foreign::formats();
  const auto found = std::ranges::find_if(all, [&](const foreign::format& each) {
    return !each.redis_type.empty() && each.redis_type == held;
  });
  return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<foreign::filter> redis_filter::load_foreign(const wire::load_options& limits) {
  const std::string payload = dump(limits);
  try {
    return foreign::read(foreign::dated_back(bytes_of(payload), foreign::restored_everywhere),
                         limits);
  } catch (const error& problem) {
    fail(problem.code(), where_.name + ": " + problem.what());
  }
}

namespace {

// Which changes when a server starts; nothing if it does not tell.
std::string process_of(redis_client& server) {
  server.send(std::array<std::string_view, 2>{"INFO", "server"});
  const redis_reply told = server.receive_any();
  constexpr std::string_view name = "run_id:";
  const std::size_t at = told.is == form::text ? told.text.find(name) : std::string::npos;
  if (at == std::string::npos) return {};
  return told.text.substr(at, told.text.find_first_of("\r\n", at) - at);
}

}  // namespace

// A server that has started anew may have forgotten what it took.
bool redis_filter::resume() {
  if (process_.value_or("").empty() || watching_) return false;
  try {
    auto again = std::make_unique<redis_client>(where_);
    if (process_of(*again) != process_) return false;
    server_ = std::move(again);
    return true;
  } catch (const error&) {
    return false;
  }
}

// `work` goes on behind what has been answered.
void redis_filter::keep_at(bool repeatable, const std::size_t& answered,
                           const std::function<void()>& work) {
  if (!process_) process_ = process_of(*server_);
  if (server_->ended()) (void)resume();
  for (int in_vain = 0;;) {
    const std::size_t before = answered;
    try {
      return work();
    } catch (const error& problem) {
      in_vain = answered == before ? in_vain + 1 : 0;
      if (problem.code() != errc::io || server_->alive() || !repeatable ||
          in_vain == most_in_vain || !resume()) {
        throw;
      }
    }
  }
}

// How items go to the server: so many in one command, behind the words `before` the key and `after` it. An answer
// is a list of as many numbers, or for one item a number.
struct redis_filter::item_command {
  std::string_view before;
  std::vector<std::string_view> after;
  std::size_t most = 1024;
  bool full_is_told = false;  // by a number below 0
  bool repeatable = true;
};

void redis_filter::ask_items(const item_command& command, items_type items,
                             std::span<bool> answers) {
  const std::scoped_lock lock(one_at_a_time_);
  constexpr std::size_t most_bytes = 1 << 20;  // of a command, unless one item has more
  std::size_t answered = 0;
  keep_at(command.repeatable, answered, [&] {
    std::size_t sent = answered;
    std::deque<std::size_t> on_the_way;  // how many items each command has
    const auto take_answer = [&] {
      const redis_reply got = server_->receive();
      const std::span<const redis_reply> told =
          got.is == form::list ? std::span(got.list) : std::span(&got, 1);
      for (const redis_reply& each : told) {
        if (each.is == form::problem) server_->refuse(each);
        if (each.is != form::number || answered == items.size()) server_->refuse_form();
        if (command.full_is_told && each.number < 0) {
          fail(errc::limit, where_.name + ": the filter is full");
        }
        answers[answered++] = each.number == 1;
      }
      if (told.size() != on_the_way.front()) server_->refuse_form();
      on_the_way.pop_front();
    };
    while (answered < items.size()) {
      if (sent == items.size() || on_the_way.size() == most_on_the_way) {
        take_answer();
        continue;
      }
      std::vector<std::string_view> words{command.before, where_.key};
      words.insert(words.end(), command.after.begin(), command.after.end());
      const std::size_t first = sent;
      for (std::size_t bytes = 0;
           sent != items.size() && sent - first < command.most && bytes < most_bytes; ++sent) {
        bytes += items[sent].size();
        words.push_back(items[sent]);
      }
      on_the_way.push_back(sent - first);
      server_->send(words);
    }
  });
}

void redis_filter::may_contain(const foreign::format& of, items_type items,
                               std::span<bool> answers) {
  const bool bloom = of.redis_type == foreign::redis_bloom::type;
  ask_items({.before = bloom ? "BF.MEXISTS" : "CF.MEXISTS", .after = {}}, items, answers);
}

void redis_filter::insert(const foreign::format& of, items_type items, std::span<bool> fresh) {
  if (of.redis_type == foreign::redis_bloom::type) {
    ask_items({.before = "BF.INSERT", .after = {"NOCREATE", "ITEMS"}}, items, fresh);
  } else {
    ask_items({.before = "CF.INSERT",
               .after = {"NOCREATE", "ITEMS"},
               .full_is_told = true,
               .repeatable = false},
              items, fresh);
  }
}

void redis_filter::erase(const foreign::format& of, items_type items, std::span<bool> erased) {
  if (of.redis_type == foreign::redis_bloom::type) {
    fail(errc::unsupported, where_.name + ": a Bloom filter cannot remove keys");
  }
  ask_items({.before = "CF.DEL", .after = {}, .most = 1, .repeatable = false}, items, erased);
}

redis_filter::description redis_filter::describe() {
  require_filter();
  const description found = described(server_->ask({"BLOOM.INFO", where_.key}), where_.name);
  repeatable_ = adds_idempotently(*found.kind);
  return found;
}

redis_filter::description redis_filter::described(const redis_reply& told,
                                                  const std::string& name) {
  const auto refuse_form = [&] {
    fail(errc::corrupt, name + ": the server's answer is not of the form that it should have");
  };
  const redis_reply* const kind = field(told, "kind");
  const redis_reply* const hash = field(told, "hash id");
  const redis_reply* const tag = field(told, "hash tag");
  const redis_reply* const on_time = field(told, "runs on time");
  if (kind == nullptr || hash == nullptr || tag == nullptr || on_time == nullptr) refuse_form();
  const any_kind& known = find_kind(kind->text);
  description found{.kind = &known, .hash = {}, .on_time = on_time->number != 0};
  const auto [end, problem] =
      std::from_chars(tag->text.data(), tag->text.data() + tag->text.size(), found.hash.tag);
  if (problem != std::errc{} || end != tag->text.data() + tag->text.size()) refuse_form();
  found.hash.id = static_cast<hash_id>(static_cast<std::uint32_t>(hash->number));
  if (hash->is != form::number || !is_known(found.hash.id)) refuse_form();
  return found;
}

std::optional<std::uint64_t> redis_filter::epoch_told(const redis_reply& told) {
  const redis_reply* const epoch = field(told, "epoch");
  if (epoch == nullptr) return std::nullopt;
  std::uint64_t value = 0;
  std::from_chars(epoch->text.data(), epoch->text.data() + epoch->text.size(), value);
  return value;
}

void redis_filter::ask_packed(std::string_view command, digest_span keys, std::span<bool> answers,
                              std::optional<std::uint64_t> now, bool repeatable) {
  const std::scoped_lock lock(one_at_a_time_);
  const std::string moment = now ? std::to_string(*now) : "";
  std::size_t answered = 0;
  keep_at(repeatable, answered, [&] {
    std::size_t sent = answered;
    const auto take_answer = [&] {
      const std::size_t count = std::min(packed_keys, keys.size() - answered);
      const redis_reply got = server_->receive();
      if (got.is != form::text || got.text.size() != (count + 7) / 8) server_->refuse_form();
      for (std::size_t i = 0; i < count; ++i) answers[answered + i] = packed_answer(got.text, i);
      answered += count;
    };
    while (answered < keys.size()) {
      if (sent < keys.size() && sent - answered < most_on_the_way * packed_keys) {
        const std::size_t count = std::min(packed_keys, keys.size() - sent);
        const std::string part = packed_digests(keys.subspan(sent, count));
        if (now) {
          server_->send(std::array<std::string_view, 5>{command, where_.key, part, "AT", moment});
        } else {
          server_->send(std::array<std::string_view, 3>{command, where_.key, part});
        }
        sent += count;
      } else {
        take_answer();
      }
    }
  });
}

void redis_filter::may_contain(digest_span keys, std::span<bool> answers,
                               std::optional<std::uint64_t> now) {
  ask_packed("BLOOM.HASP", keys, answers, now, true);
}

void redis_filter::insert(digest_span keys, std::span<bool> fresh,
                          std::optional<std::uint64_t> now) {
  ask_packed("BLOOM.ADDP", keys, fresh, now, repeatable_);
}

void redis_filter::erase(digest_span keys, std::span<bool> erased) {
  ask_packed("BLOOM.REMOVEP", keys, erased, {}, false);
}

std::vector<std::byte> redis_filter::fetch_once(std::uint64_t most) {
  std::vector<std::byte> stored;
  std::int64_t next = 0;
  do {
    const redis_reply got =
        server_->ask({"BLOOM.DUMP", where_.key, std::to_string(next)}, most_of_piece);
    if (got.is != form::list || got.list.size() != 2 || got.list[0].is != form::number ||
        got.list[1].is != form::text) {
      server_->refuse_form();
    }
    next = got.list[0].number;
    const std::string& piece = got.list[1].text;
    if (piece.size() > most - stored.size()) {
      fail(errc::limit, fmt::format("{}: the filter has more than {}; --max-memory allows more",
                                    where_.name, format_size(most)));
    }
    const byte_view bytes = bytes_of(piece);
    stored.insert(stored.end(), bytes.begin(), bytes.end());
    if (next != 0 && (piece.empty() || std::cmp_not_equal(next, stored.size()))) {
      server_->refuse_form();
    }
  } while (next != 0);
  return stored;
}

any_filter redis_filter::load(const wire::load_options& limits) {
  require_filter();
  for (int tried = 1;; ++tried) {
    const std::vector<std::byte> stored = fetch_once(limits.most_copied());
    try {
      return bloomery::load(stored, limits);
    } catch (const error& problem) {
      if (problem.code() != errc::corrupt || stored.size() <= piece_bytes || tried == fetches) {
        fail(problem.code(), where_.name + ": " + problem.what());
      }
    }
  }
}

void redis_filter::watch() {
  (void)server_->ask({"WATCH", where_.key});
  watching_ = true;
}

// In the same slot of a cluster.
std::string redis_filter::staging_key() const {
  std::array<std::byte, 8> drawn{};
  secure::fill_random(drawn);
  return fmt::format("{{{}}}:loading:{:016x}:{}", net::redis_tag(net::redis_slot(where_.key)),
                     core::load_le<std::uint64_t>(drawn.data()), where_.key);
}

void redis_filter::save(const any_filter& filter, std::optional<std::uint64_t> expires) {
  if (!watching_) watch();
  require_replaceable(native_type);
  const redis_reply before = server_->ask({"PEXPIRETIME", where_.key});
  const std::string staging = staging_key();
  const std::vector<std::byte> stored = bloomery::save(filter);
  const std::string_view bytes = text_of(stored);
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
    const std::string place = std::to_string(at);
    const std::string_view piece = bytes.substr(at, piece_bytes);
    server_->send(std::array<std::string_view, 4>{"BLOOM.LOAD", staging, place, piece});
    server_->send(std::array<std::string_view, 3>{"PEXPIRE", staging, staging_lifetime});
    (void)server_->receive();
    (void)server_->receive();
  }
  (void)server_->ask({"MULTI"});
  (void)server_->ask({"PERSIST", staging});
  (void)server_->ask({"RENAME", staging, where_.key});
  if (expires && *expires != 0) {
    (void)server_->ask({"PEXPIRE", where_.key, std::to_string(*expires)});
  } else if (!expires && before.is == form::number && before.number > 0) {
    (void)server_->ask({"PEXPIREAT", where_.key, std::to_string(before.number)});
  }
  const redis_reply done = server_->ask({"EXEC"});
  watching_ = false;
  if (done.is == form::nothing) {
    (void)server_->ask({"DEL", staging});
    fail(errc::io, where_.name +
                       ": another client has changed it meanwhile, so nothing was written; "
                       "run this again");
  }
  for (const redis_reply& each : done.list) {
    if (each.is == form::problem) server_->refuse(each);
  }
}

}  // namespace bloomery::cli
