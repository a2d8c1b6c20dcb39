#include "sharded_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/filters/secure/crypto.hpp"
#include "bloomery/hash/key.hpp"
#include "bloomery/hash/shard.hpp"
#include "verbs.hpp"

namespace bloomery::cli {
namespace {

using form = redis_reply::form;
using namespace std::chrono_literals;

constexpr std::size_t most_of_commands = 4096;  // that are made before they are sent

std::uint64_t drawn_family() {
  std::array<std::byte, 8> drawn{};
  secure::fill_random(drawn);
  return std::max<std::uint64_t>(1, core::load_le<std::uint64_t>(drawn.data()));
}

bool says(const redis_reply& answer, std::string_view start) {
  return answer.is == form::problem && answer.text.starts_with(start);
}

}  // namespace

sharded_filter::sharded_filter(redis_address where, std::unique_ptr<redis_cluster> servers)
    : where_(std::move(where)), servers_(std::move(servers)) {}

std::unique_ptr<sharded_filter> sharded_filter::find(const redis_address& where,
                                                     const acknowledgement& by) {
  if (located(where, by.patience).type != "string") return nullptr;
  auto servers = std::make_unique<redis_cluster>(where);
  const redis_reply held =
      servers->ask(redis_cluster::on_key(where.key, {"GET", where.key}), {0, by.patience});
  if (held.is != form::text || !sharding::is_one(held.text)) return nullptr;
  std::unique_ptr<sharded_filter> made(new sharded_filter(where, std::move(servers)));
  made->by_ = by;
  made->read();
  return made;
}

std::unique_ptr<sharded_filter> sharded_filter::create(const redis_address& where, sharding plan,
                                                       const acknowledgement& by,
                                                       bool with_shards) {
  require_shardable(where.key);
  auto servers = std::make_unique<redis_cluster>(where);
  const redis_reply held = servers->ask(redis_cluster::on_key(where.key, {"GET", where.key}));
  if (held.is == form::problem || (held.is == form::text && !sharding::is_one(held.text))) {
    fail(errc::unsupported, where.name +
                                ": the key holds a value that a filter in shards does not "
                                "replace");
  }
  std::unique_ptr<sharded_filter> made(new sharded_filter(where, std::move(servers)));
  made->by_ = by;
  if (held.is == form::text) made->text_ = held.text;
  made->spread_ = std::move(plan);
  for (generation& each : made->spread_.generations) {
    each.family = drawn_family();
    if (with_shards) made->create_shards(each, made->spread_.epoch);
  }
  return made;
}

void sharded_filter::read() {
  redis_reply held =
      servers_->ask(redis_cluster::on_key(where_.key, {"GET", where_.key}), {0, by_.patience});
  if (held.is == form::nothing) fail(errc::io, where_.name + ": there is no such key any more");
  if (held.is != form::text) cli::refuse(where_.name, held);
  sharding found;
  try {
    found = sharding::parsed(held.text);
  } catch (const error& problem) {
    fail(problem.code(), where_.name + ": " + problem.what());
  }
  // Who has begun has hashed keys for the one that was there.
  if (spread_.kind != nullptr && (spread_.kind != found.kind || spread_.hash != found.hash)) {
    fail(errc::incompatible,
         where_.name + ": a filter of another kind or hash has taken its place");
  }
  spread_ = std::move(found);
  text_ = std::move(held.text);
}

redis_filter::description sharded_filter::describe() const {
  const std::vector<shard> all = shards();
  const redis_reply told =
      servers_->ask(redis_cluster::on_key(all.back().key, {"BLOOM.INFO", all.back().key}));
  if (told.is == form::problem) refuse(all.back(), told);
  return redis_filter::described(told, where_.name);
}

std::vector<sharded_filter::shard> sharded_filter::shards() const {
  std::vector<shard> all;
  for (const generation& each : spread_.generations) {
    for (std::uint64_t i = 0; i < each.shards; ++i) {
      all.push_back({&each, i, shard_key(where_.key, each, i)});
    }
  }
  return all;
}

std::string sharded_filter::server_of(const shard& each) const {
  return servers_->server_of(net::redis_slot(each.key));
}

void sharded_filter::refuse(const shard& at, const redis_reply& problem) const {
  const std::string what = fmt::format("{}: shard {} of {}, {} on {}", where_.name, at.number + 1,
                                       at.of->shards, in_quotes(at.key), server_of(at));
  if (says(problem, "ERR there is no such key")) fail(errc::io, what + ", is not there");
  if (says(problem, "FOREIGN")) {
    fail(errc::incompatible, what + ", is no part of this filter: another has taken its place");
  }
  cli::refuse(what, problem);
}

std::vector<redis_reply> sharded_filter::ask_shards(std::span<const shard> asked,
                                                    const std::vector<std::string>& verb,
                                                    const std::vector<std::string>& options) {
  std::vector<redis_cluster::command> commands;
  for (const shard& each : asked) {
    std::vector<std::string> words = verb;
    words.push_back(each.key);
    words.insert(words.end(), options.begin(), options.end());
    commands.push_back(redis_cluster::on_key(each.key, std::move(words)));
  }
  std::vector<redis_reply> answers = servers_->ask(commands, by_);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].is == form::problem) refuse(asked[i], answers[i]);
  }
  return answers;
}

// The positions of those that the shards would not take, since they know a later epoch.
sharded_filter::positions sharded_filter::ask_generation(
    const generation& of, std::string_view verb, digest_span keys, const positions& at,
    std::span<bool> answers, std::optional<std::uint64_t> now, bool repeatable) {
  std::vector<positions> by_shard(of.shards);
  for (const std::size_t i : at) by_shard[hash::shard_of(keys[i], of.shards)].push_back(i);
  const std::string family = std::to_string(of.family);
  const std::string epoch = std::to_string(spread_.epoch);
  std::vector<redis_cluster::command> commands;
  std::vector<std::pair<std::uint64_t, std::span<const std::size_t>>> parts;
  positions refused;
  const auto send = [&] {
    const std::vector<redis_reply> told =
        servers_->ask(commands, verb == "BLOOM.HASP" ? acknowledgement{0, by_.patience} : by_);
    for (std::size_t i = 0; i < told.size(); ++i) {
      const auto& [number, part] = parts[i];
      const shard where{&of, number, shard_key(where_.key, of, number)};
      if (says(told[i], "STALE")) {
        refused.insert(refused.end(), part.begin(), part.end());
      } else if (told[i].is == form::problem) {
        refuse(where, told[i]);
      } else if (told[i].is != form::text || told[i].text.size() != (part.size() + 7) / 8) {
        servers_->refuse_form(where.key);
      } else {
        for (std::size_t j = 0; j < part.size(); ++j) {
          answers[part[j]] = answers[part[j]] || packed_answer(told[i].text, j);
        }
      }
    }
    commands.clear();
    parts.clear();
  };
  std::vector<digest> batch;
  for (std::uint64_t number = 0; number < of.shards; ++number) {
    const std::span<const std::size_t> mine = by_shard[number];
    for (std::size_t first = 0; first < mine.size(); first += packed_keys) {
      const auto part = mine.subspan(first, std::min(packed_keys, mine.size() - first));
      batch.clear();
      for (const std::size_t i : part) batch.push_back(keys[i]);
      const std::string key = shard_key(where_.key, of, number);
      std::vector<std::string> words{
          std::string(verb), key, packed_digests(batch), "OF", family, epoch};
      if (now) words.insert(words.end(), {"AT", std::to_string(*now)});
      commands.push_back(redis_cluster::on_key(key, std::move(words)));
      commands.back().repeatable = repeatable;
      parts.emplace_back(number, part);
      if (commands.size() == most_of_commands) send();
    }
  }
  send();
  return refused;
}

// Those that shards would not take are tried again once it is known how the filter is spread now. Who changes that
// tells the shards first, so that for a while nobody knows.
void sharded_filter::until_current(positions left,
                                   const std::function<positions(const positions&)>& work) {
  const auto began = std::chrono::steady_clock::now();
  for (;;) {
    left = work(left);
    if (left.empty()) return;
    const std::uint64_t before = spread_.epoch;
    read();
    if (spread_.epoch != before) continue;
    if (std::chrono::steady_clock::now() - began >= by_.patience) settle(latest_epoch());
    std::this_thread::sleep_for(20ms);
  }
}

void sharded_filter::may_contain(digest_span keys, std::span<bool> answers,
                                 std::optional<std::uint64_t> now) {
  const std::scoped_lock lock(one_at_a_time_);
  positions all(keys.size());
  std::iota(all.begin(), all.end(), 0);
  std::ranges::fill(answers, false);
  until_current(std::move(all), [&](const positions& left) {
    positions asked = left;
    positions refused;
    for (const generation& each : spread_.generations) {
      const positions stale = ask_generation(each, "BLOOM.HASP", keys, asked, answers, now, true);
      refused.insert(refused.end(), stale.begin(), stale.end());
      std::erase_if(asked, [&](std::size_t i) { return answers[i]; });
    }
    std::ranges::sort(refused);
    refused.erase(std::unique(refused.begin(), refused.end()), refused.end());
    std::erase_if(refused, [&](std::size_t i) { return answers[i]; });
    return refused;
  });
}

void sharded_filter::insert(digest_span keys, std::span<bool> fresh,
                            std::optional<std::uint64_t> now) {
  const std::scoped_lock lock(one_at_a_time_);
  positions all(keys.size());
  std::iota(all.begin(), all.end(), 0);
  std::ranges::fill(fresh, false);
  const bool repeatable = adds_idempotently(*spread_.kind);
  until_current(std::move(all), [&](const positions& left) {
    positions added = left;
    positions refused;
    const auto known = std::make_unique<bool[]>(keys.size());
    const std::span<bool> is_known(known.get(), keys.size());
    for (std::size_t i = 0; i + 1 < spread_.generations.size(); ++i) {
      const positions stale =
          ask_generation(spread_.generations[i], "BLOOM.HASP", keys, added, is_known, now, true);
      refused.insert(refused.end(), stale.begin(), stale.end());
      std::erase_if(added, [&](std::size_t at) { return is_known[at]; });
    }
    if (!refused.empty()) {  // nothing has been added yet
      std::erase_if(refused, [&](std::size_t at) { return is_known[at]; });
      if (!refused.empty()) return added;
    }
    return ask_generation(spread_.generations.back(), "BLOOM.ADDP", keys, added, fresh, now,
                          repeatable);
  });
}

void sharded_filter::erase(digest_span keys, std::span<bool> erased) {
  const std::scoped_lock lock(one_at_a_time_);
  positions all(keys.size());
  std::iota(all.begin(), all.end(), 0);
  std::ranges::fill(erased, false);
  until_current(std::move(all), [&](const positions& left) {
    return ask_generation(spread_.generations.back(), "BLOOM.REMOVEP", keys, left, erased, {},
                          false);
  });
}

// What is read at once is enough for fewer shards, and somebody may be waiting for it.
std::size_t sharded_filter::worth_sending() const {
  constexpr std::uint64_t few_shards = 256;
  constexpr std::uint64_t of_a_shard = 512;
  constexpr std::uint64_t most = 1 << 22;
  const std::uint64_t number = spread_.generations.back().shards;
  return number <= few_shards ? 0 : std::min(most, number * of_a_shard);
}

// The family is new, so that a shard that is there already was made by a try before this one.
void sharded_filter::create_shards(const generation& of, std::uint64_t epoch) {
  std::vector<std::string> words{std::string(spread_.kind->info.name)};
  for (std::size_t i = 0; i < of.shape.size(); ++i) {
    const field_info& field = spread_.kind->fields[i];
    words.insert(words.end(), {"SET", std::string(field.name), format_value(field, of.shape[i])});
  }
  words.insert(words.end(), {"HASH", std::to_string(static_cast<std::uint32_t>(spread_.hash.id)),
                             std::to_string(spread_.hash.tag)});
  if (const promise promised = of.of_shard(); promised.keys != 0) {
    words.insert(words.end(), {"PROMISED", std::to_string(promised.keys),
                               format_value(field_value{promised.rate})});
  }
  words.insert(words.end(), {"OF", std::to_string(of.family), std::to_string(epoch)});
  std::vector<redis_cluster::command> commands;
  for (std::uint64_t i = 0; i < of.shards; ++i) {
    const std::string key = shard_key(where_.key, of, i);
    std::vector<std::string> command{"BLOOM.CREATE", key};
    command.insert(command.end(), words.begin(), words.end());
    commands.push_back(redis_cluster::on_key(key, std::move(command)));
  }
  const std::vector<redis_reply> told = servers_->ask(commands, by_);
  for (std::uint64_t i = 0; i < of.shards; ++i) {
    if (told[i].is == form::problem && !says(told[i], "ERR the key exists")) {
      refuse({&of, i, shard_key(where_.key, of, i)}, told[i]);
    }
  }
}

void sharded_filter::remove_shards(const sharding& of) {
  std::vector<redis_cluster::command> commands;
  for (const generation& each : of.generations) {
    for (std::uint64_t i = 0; i < each.shards; ++i) {
      const std::string key = shard_key(where_.key, each, i);
      commands.push_back(redis_cluster::on_key(key, {"UNLINK", key}));
    }
  }
  (void)servers_->ask(commands);
}

void sharded_filter::discard() {
  // Whoever did not hear that it was published may find that it is.
  const redis_reply held =
      servers_->ask(redis_cluster::on_key(where_.key, {"GET", where_.key}), {0, by_.patience});
  if (held.is == form::text && held.text == spread_.text()) return;
  remove_shards(spread_);
}

void sharded_filter::publish() {
  const std::string text = spread_.text();
  if (!servers_->replace(where_.key, text_, text, by_)) {
    fail(errc::io, where_.name +
                       ": another client has changed it meanwhile, so nothing was "
                       "replaced; run this again");
  }
  const std::optional<std::string> before = std::exchange(text_, text);
  if (before) remove_shards(sharding::parsed(*before));
}

std::uint64_t sharded_filter::latest_epoch() {
  std::uint64_t latest = spread_.epoch;
  for (const redis_reply& told : ask_shards(shards(), {"BLOOM.INFO"})) {
    latest = std::max(latest, redis_filter::epoch_told(told).value_or(0));
  }
  return latest;
}

// Somebody told the shards of an epoch and never came to say what it is. Then it is what there is; if they come
// after all, they find that it has changed.
void sharded_filter::settle(std::uint64_t epoch) {
  for (;;) {
    read();
    if (spread_.epoch >= epoch) return;
    sharding settled = spread_;
    settled.epoch = epoch;
    if (servers_->replace(where_.key, text_, settled.text(), by_)) continue;
  }
}

// False if somebody has told one of them of a later epoch.
bool sharded_filter::fence(std::uint64_t epoch) {
  std::vector<redis_cluster::command> commands;
  const std::vector<shard> all = shards();
  for (const shard& each : all) {
    commands.push_back(redis_cluster::on_key(
        each.key,
        {"BLOOM.FENCE", each.key, std::to_string(each.of->family), std::to_string(epoch)}));
  }
  const std::vector<redis_reply> told = servers_->ask(commands, by_);
  bool done = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (says(told[i], "STALE")) {
      done = false;
    } else if (told[i].is == form::problem) {
      refuse(all[i], told[i]);
    }
  }
  return done;
}

// The old shards first: who does not know of the new ones cannot ask or fill the old ones any more, and who asks
// anew is told of both.
void sharded_filter::grow(generation next) {
  if (spread_.generations.size() == most_generations) {
    fail(errc::limit, fmt::format("{}: it has {} generations, which is the most", where_.name,
                                  most_generations));
  }
  next.family = drawn_family();
  sharding grown = spread_;
  grown.epoch = latest_epoch() + 1;
  grown.generations.push_back(next);
  create_shards(next, grown.epoch);
  const std::string text = grown.text();
  const bool fenced = fence(grown.epoch);  // if not, somebody else is about to change it
  if (!fenced || !servers_->replace(where_.key, text_, text, by_)) {
    sharding mine = spread_;
    mine.generations = {next};
    remove_shards(mine);
    if (fenced) settle(grown.epoch);
    fail(errc::io, where_.name +
                       ": another client has changed it meanwhile, so it has not grown; "
                       "run this again");
  }
  text_ = text;
  spread_ = std::move(grown);
}

std::uint64_t sharded_filter::close() {
  const std::uint64_t epoch = latest_epoch() + 1;
  if (!fence(epoch)) {
    fail(errc::io, where_.name + ": another client is changing how it is spread; run this again");
  }
  return epoch;
}

bool sharded_filter::is_as_found() {
  const redis_reply held =
      servers_->ask(redis_cluster::on_key(where_.key, {"GET", where_.key}), {0, by_.patience});
  return held.is == form::text && held.text == text_;
}

void sharded_filter::unite(const std::vector<const sharded_filter*>& others) {
  const std::vector<shard> mine = shards();
  std::vector<std::vector<shard>> theirs;
  for (const sharded_filter* other : others) theirs.push_back(other->shards());
  std::vector<redis_cluster::command> commands;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::vector<std::string> words{"BLOOM.MERGE", mine[i].key, std::to_string(others.size())};
    for (const std::vector<shard>& other : theirs) words.push_back(other[i].key);
    commands.push_back(redis_cluster::on_key(mine[i].key, std::move(words)));
    commands.back().repeatable = adds_idempotently(*spread_.kind);
  }
  const std::vector<redis_reply> told = servers_->ask(commands, by_);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (told[i].is == form::problem) refuse(mine[i], told[i]);
  }
  (void)fence(spread_.epoch);  // nobody else knows of them
}

void acknowledging_options::declare(command& verb) {
  verb.add_option("--wait", "REPLICAS", replicas,
                  "for a filter in shards: keys count as taken once so many replicas of their "
                  "server have them");
  declare_patience(verb);
}

void acknowledging_options::declare_patience(command& verb) {
  verb.add_option("--patience", "DURATION", patience,
                  "for a filter in shards: how long to try again while servers cannot be reached, "
                  "or replicas lag")
      .show_default();
}

void acknowledging_options::require_unused(const std::string& filter) const {
  if (replicas == 0) return;
  fail(errc::invalid, filter + ": this filter is not in shards, and --wait is for those that are");
}

acknowledgement acknowledging_options::chosen() const {
  return {replicas, std::chrono::milliseconds(parse_duration(patience))};
}

}  // namespace bloomery::cli
