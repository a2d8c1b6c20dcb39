// TOPK.*: lists of the most frequent keys, by the names, replies and errors of RedisBloom.
#include <string>
#include <vector>

#include "redis/compat/top_list.hpp"
#include "redis/groups.hpp"
#include "redis/reply.hpp"

namespace bloomery::redis {
namespace {

constexpr const char* not_found = "TopK: key does not exist";
constexpr std::uint64_t default_width = 8;
constexpr std::uint64_t default_depth = 7;
constexpr double default_decay = 0.9;

void reserve(call& asked) {
  if (asked.size() != 3 && asked.size() != 6) throw wrong_arity();
  if (asked.exists()) throw refused("TopK: key already exists");
  const auto number = [&](int at, const char* name) {
    const std::optional<long long> value = asked.integer(at);
    if (!value || *value < 1 || *value > UINT32_MAX) {
      throw refused(std::string("TopK: invalid ") + name);
    }
    return static_cast<std::uint64_t>(*value);
  };
  const std::uint64_t k = number(2, "k");
  const bool all = asked.size() == 6;
  const std::uint64_t width = all ? number(3, "width") : default_width;
  const std::uint64_t depth = all ? number(4, "depth") : default_depth;
  const std::optional<double> decay = all ? asked.real(5) : default_decay;
  if (!decay || !(*decay > 0 && *decay <= 1)) {
    throw refused("TopK: invalid decay value. must be '<= 1' & '> 0'");
  }
  try {
    asked.keep(top_list(k, width, depth, *decay, asked.allowance()));
  } catch (const error& thrown) {
    throw refused(std::string("TopK: ") + thrown.what());
  }
  asked.changed("topk.reserve");
  reply::ok(asked);
}

using expelled = std::optional<top_list::text>;

void tell(const call& asked, const expelled& key) {
  if (key) {
    reply::text(asked, *key);
  } else {
    reply::nothing(asked);
  }
}

void add(call& asked) {
  auto& into = asked.get_to_change<top_list>(not_found);
  std::vector<expelled> answers;
  asked.changed("topk.add");
  for (int i = 2; i < asked.size(); ++i) answers.push_back(into.add(asked.bytes(i), 1));
  reply::array(asked, answers.size());
  for (const expelled& each : answers) tell(asked, each);
}

void incrby(call& asked) {
  if (asked.size() % 2 != 0) throw wrong_arity();
  auto& into = asked.get_to_change<top_list>(not_found);
  struct outcome {
    bool valid;
    expelled key;
  };
  std::vector<outcome> answers;
  for (int i = 2; i < asked.size(); i += 2) {
    const std::optional<long long> times = asked.integer(i + 1);
    if (!times || *times < 0 || *times > top_list::most_increment) {
      answers.push_back({false, std::nullopt});
      continue;
    }
    if (*times != 0) asked.changed("topk.incrby");
    answers.push_back({true, into.add(asked.bytes(i), static_cast<std::uint32_t>(*times))});
  }
  reply::array(asked, answers.size());
  for (const outcome& each : answers) {
    if (each.valid) {
      tell(asked, each.key);
    } else {
      reply::failure(
          asked,
          "TopK: increment must be an integer greater or equal to 0 and smaller or equal "
          "to 100,000");
    }
  }
}

void query(call& asked) {
  const top_list& in = asked.get<top_list>(not_found);
  reply::array(asked, static_cast<std::size_t>(asked.size() - 2));
  for (int i = 2; i < asked.size(); ++i) reply::boolean(asked, in.has(asked.bytes(i)));
}

void count(call& asked) {
  const top_list& in = asked.get<top_list>(not_found);
  reply::array(asked, static_cast<std::size_t>(asked.size() - 2));
  for (int i = 2; i < asked.size(); ++i) reply::number(asked, in.count(asked.bytes(i)));
}

void list(call& asked) {
  if (asked.size() > 3) throw wrong_arity();
  const bool counts = asked.size() == 3;
  if (counts && !asked.says(2, "WITHCOUNT")) throw refused("WITHCOUNT keyword expected");
  const top_list& of = asked.get<top_list>(not_found);
  const std::vector<const top_list::entry*> entries = of.listed();
  reply::array(asked, entries.size() * (counts ? 2 : 1));
  for (const top_list::entry* each : entries) {
    reply::text(asked, each->key);
    if (counts) reply::number(asked, each->count);
  }
}

void info(call& asked) {
  const top_list& of = asked.get<top_list>(not_found);
  RedisModule_ReplyWithMap(asked.context(), 4);
  RedisModule_ReplyWithSimpleString(asked.context(), "k");
  reply::number(asked, of.k());
  RedisModule_ReplyWithSimpleString(asked.context(), "width");
  reply::number(asked, of.width());
  RedisModule_ReplyWithSimpleString(asked.context(), "depth");
  reply::number(asked, of.depth());
  RedisModule_ReplyWithSimpleString(asked.context(), "decay");
  reply::real(asked, of.decay());
}

constexpr command commands[] = {
    {"topk.reserve", guarded<reserve>, "write deny-oom", -3, keys::change,
     "key topk [width] [depth] [decay]", "O(n) for n cells and places of the list",
     "Makes an empty list of the most frequent items"},
    {"topk.add", guarded<add>, "write deny-oom", -3, keys::change, "key item...",
     "O(n * (d + k)) for n items, d rows and k places",
     "Counts items once each, and tells what that drove out of the list"},
    {"topk.incrby", guarded<incrby>, "write deny-oom", -4, keys::change, "key item increment...",
     "O(n * (d + k)) for n items, d rows and k places",
     "Counts items several times, and tells what that drove out of the list"},
    {"topk.query", guarded<query>, "readonly", -3, keys::read, "key item...",
     "O(n * k) for n items and k places", "Tells of items whether they are in the list"},
    {"topk.count", guarded<count>, "readonly", -3, keys::read, "key item...",
     "O(n * (d + k)) for n items, d rows and k places", "Estimates the counts of items"},
    {"topk.list", guarded<list>, "readonly", -2, keys::read, "key [WITHCOUNT]",
     "O(k * log(k)) for k places", "Gives the list, most frequent first"},
    {"topk.info", guarded<info>, "readonly fast", 2, keys::read, "key", "O(1)",
     "Tells the size and the decay of a list of the most frequent items"},
};

}  // namespace

const group topk_group{"topk", register_type<top_list>, &top_list::counts, {"topk", commands}};

}  // namespace bloomery::redis
