// CMS.*: Count-Min sketches, by the names, replies and errors of RedisBloom.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "redis/compat/sketch.hpp"
#include "redis/groups.hpp"
#include "redis/reply.hpp"

namespace bloomery::redis {
namespace {

constexpr const char* not_found = "CMS: key does not exist";

void require_new(call& asked) {
  if (asked.exists()) throw refused("CMS: key already exists");
}

void make(call& asked, std::uint64_t width, std::uint64_t depth, const char* event) {
  try {
    asked.keep(sketch(width, depth, asked.allowance()));
  } catch (const error& thrown) {
    throw refused(std::string("CMS: ") + thrown.what());
  }
  asked.changed(event);
  reply::ok(asked);
}

void initbydim(call& asked) {
  require_new(asked);
  const std::optional<long long> width = asked.integer(2);
  if (!width || *width < 1) throw refused("CMS: invalid width");
  const std::optional<long long> depth = asked.integer(3);
  if (!depth || *depth < 1) throw refused("CMS: invalid depth");
  make(asked, static_cast<std::uint64_t>(*width), static_cast<std::uint64_t>(*depth),
       "cms.initbydim");
}

void initbyprob(call& asked) {
  require_new(asked);
  const auto between = [&](int at) {
    const std::optional<double> value = asked.real(at);
    return value && *value > 0 && *value < 1 ? value : std::nullopt;
  };
  const std::optional<double> excess = between(2);
  if (!excess) throw refused("CMS: invalid overestimation value");
  const std::optional<double> chance = between(3);
  if (!chance) throw refused("CMS: invalid prob value");
  const double width = std::ceil(2 / *excess);
  const double depth = std::ceil(std::log10(*chance) / std::log10(0.5));
  if (!(width < 0x1p62)) throw refused("CMS: invalid init arguments");
  make(asked, static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(depth),
       "cms.initbyprob");
}

void incrby(call& asked) {
  if (asked.size() % 2 != 0) throw wrong_arity();
  auto& into = asked.get_to_change<sketch>(not_found);
  std::vector<std::uint64_t> times;
  for (int i = 3; i < asked.size(); i += 2) {
    const std::optional<long long> value = asked.integer(i);
    if (!value) throw refused("CMS: Cannot parse number");
    if (*value < 0) throw refused("CMS: Number cannot be negative");
    times.push_back(static_cast<std::uint64_t>(*value));
  }
  std::vector<std::uint32_t> counts;
  counts.reserve(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    counts.push_back(into.add(asked.bytes(2 + 2 * static_cast<int>(i)), times[i]));
    if (times[i] != 0) asked.changed("cms.incrby");
  }
  reply::array(asked, counts.size());
  for (const std::uint32_t count : counts) {
    if (count == sketch::most_count) {
      reply::failure(asked, "CMS: INCRBY overflow");
    } else {
      reply::number(asked, count);
    }
  }
}

void query(call& asked) {
  const sketch& in = asked.get<sketch>(not_found);
  reply::array(asked, static_cast<std::size_t>(asked.size() - 2));
  for (int i = 2; i < asked.size(); ++i) reply::number(asked, in.count(asked.bytes(i)));
}

void merge(call& asked) {
  auto& into = asked.get_to_change<sketch>(not_found);
  const std::optional<long long> told = asked.integer(2);
  if (!told) throw refused("CMS: invalid numkeys");
  if (*told < 1) throw refused("CMS: Number of keys must be positive");
  const long long left = asked.size() - 3;
  int words = 3;
  while (words < asked.size() && !asked.says(words, "WEIGHTS")) ++words;
  const char* const wrong_keys =
      words == asked.size() ? "CMS: wrong number of keys" : "CMS: wrong number of keys/weights";
  if (*told > left) throw refused(wrong_keys);
  const int count = static_cast<int>(*told);
  const int options = 3 + count;
  const bool weighted = options < asked.size();
  if (weighted && asked.size() != options + 1 + count) {
    throw refused(wrong_keys);
  }
  if (weighted && !asked.says(options, "WEIGHTS")) throw refused(wrong_keys);
  std::vector<sketch::part> parts;
  for (int i = 0; i < count; ++i) {
    const std::optional<long long> weight = weighted ? asked.integer(options + 1 + i) : 1;
    if (!weight) throw refused("CMS: invalid weight value");
    const sketch* const from = asked.find<sketch>(3 + i);
    if (from == nullptr) throw refused(not_found);
    if (from->width() != into.width() || from->depth() != into.depth()) {
      throw refused("CMS: width/depth is not equal");
    }
    parts.push_back({from, *weight});
  }
  if (!into.become_sum(parts)) throw refused("CMS: MERGE overflow");
  asked.changed("cms.merge");
  reply::ok(asked);
}

void info(call& asked) {
  const sketch& of = asked.get<sketch>(not_found);
  RedisModule_ReplyWithMap(asked.context(), 3);
  RedisModule_ReplyWithSimpleString(asked.context(), "width");
  reply::number(asked, of.width());
  RedisModule_ReplyWithSimpleString(asked.context(), "depth");
  reply::number(asked, of.depth());
  RedisModule_ReplyWithSimpleString(asked.context(), "count");
  reply::integer(asked, static_cast<long long>(of.total()));
}

constexpr command commands[] = {
    {"cms.initbydim", guarded<initbydim>, "write deny-oom", 4, keys::change, "key width depth",
     "O(n) for n counters", "Makes a Count-Min sketch of so many counters in so many rows"},
    {"cms.initbyprob", guarded<initbyprob>, "write deny-oom", 4, keys::change,
     "key error probability", "O(n) for n counters",
     "Makes a Count-Min sketch whose estimates exceed by more than a part with that chance"},
    {"cms.incrby", guarded<incrby>, "write deny-oom", -4, keys::change, "key item increment...",
     "O(n * d) for n items and d rows", "Adds to the counts of items"},
    {"cms.query", guarded<query>, "readonly", -3, keys::read, "key item...",
     "O(n * d) for n items and d rows", "Estimates the counts of items, never too low"},
    {"cms.merge", guarded<merge>, "write deny-oom", -4, keys::merge,
     "key numkeys source... [WEIGHTS=weight...]", "O(k * n) for k sketches of n counters",
     "Makes a sketch the weighted sum of others"},
    {"cms.info", guarded<info>, "readonly fast", 2, keys::read, "key", "O(1)",
     "Tells the width, depth and sum of a Count-Min sketch"},
};

}  // namespace

const group cms_group{"cms", register_type<sketch>, &sketch::counts, {"cms", commands}};

}  // namespace bloomery::redis
