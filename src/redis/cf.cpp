// CF.*: cuckoo filters that grow, by the names, replies and errors of RedisBloom.
#include <array>
#include <string>
#include <vector>

#include "redis/compat/cuckoo_chain.hpp"
#include "redis/groups.hpp"
#include "redis/reply.hpp"

namespace bloomery::redis {
namespace {

constexpr const char* not_found = "ERR not found";
constexpr const char* full = "Filter is full";

std::uint16_t option(const call& asked, int at, const std::string& name, long long least,
                     long long most) {
  const std::optional<long long> value = asked.integer(at);
  if (!value) throw refused("Couldn't parse " + name);
  if (*value < least || *value > most) {
    throw refused(name + ": value must be an integer between " + std::to_string(least) + " and " +
                  std::to_string(most) + ", inclusive.");
  }
  return static_cast<std::uint16_t>(*value);
}

std::uint64_t capacity(const call& asked, int at) {
  const std::optional<long long> value = asked.integer(at);
  if (!value) throw refused("Bad capacity");
  return *value < 0 ? 0 : static_cast<std::uint64_t>(*value);
}

void require_room_for_buckets(const cuckoo_chain::shape& wanted) {
  if (wanted.capacity < 2 * std::uint64_t{wanted.bucket_size}) {
    throw refused("Capacity must be at least (BucketSize * 2)");
  }
}

void reserve(call& asked) {
  if (asked.size() % 2 == 0) throw wrong_arity();
  cuckoo_chain::shape wanted;
  wanted.capacity = capacity(asked, 2);
  int iterations = 0;  // at which argument, the first if there are several
  int bucket_size = 0;
  int expansion = 0;
  const auto first = [](int& place, int at) { place = place == 0 ? at : place; };
  for (int i = 3; i < asked.size(); i += 2) {
    if (asked.says(i, "BUCKETSIZE")) {
      first(bucket_size, i + 1);
    } else if (asked.says(i, "MAXITERATIONS")) {
      first(iterations, i + 1);
    } else if (asked.says(i, "EXPANSION")) {
      first(expansion, i + 1);
    } else {
      throw refused("Unknown argument received");
    }
  }
  // In the order in which clients are used to be told.
  if (iterations != 0) wanted.iterations = option(asked, iterations, "MAXITERATIONS", 1, 65535);
  if (bucket_size != 0) wanted.bucket_size = option(asked, bucket_size, "BUCKETSIZE", 1, 255);
  if (expansion != 0) wanted.expansion = option(asked, expansion, "EXPANSION", 0, 32768);
  require_room_for_buckets(wanted);
  if (asked.find<cuckoo_chain>() != nullptr) throw refused("ERR item exists");
  asked.keep(cuckoo_chain(wanted, asked.allowance()));
  asked.changed("cf.reserve");
  reply::ok(asked);
}

cuckoo_chain& found_or_made(call& asked, const cuckoo_chain::shape& wanted) {
  if (auto* const found = asked.find_to_change<cuckoo_chain>()) return *found;
  return asked.keep(cuckoo_chain(wanted, asked.allowance()));
}

void require_growing(const call& asked, const cuckoo_chain& into) {
  if (into.links().size() >= configured.most_filters && !asked.was_accepted()) {
    throw refused("Maximum expansions reached");
  }
}

template <bool only_new>
void add_one(call& asked) {
  cuckoo_chain& into = found_or_made(asked, {});
  require_growing(asked, into);
  const cuckoo_chain::place key = cuckoo_chain::of(asked.bytes(2));
  if (only_new && into.contains(key)) {
    reply::boolean(asked, false);
    return;
  }
  if (!into.add(key, asked.allowance())) throw refused(full);
  asked.changed(only_new ? "cf.addnx" : "cf.add");
  reply::boolean(asked, true);
}

template <bool only_new>
void insert_all(call& asked) {
  cuckoo_chain::shape wanted;
  bool create = true;
  int first = 0;
  for (int i = 2; i < asked.size() && first == 0; ++i) {
    if (asked.says(i, "ITEMS")) {
      first = i + 1;
    } else if (asked.says(i, "NOCREATE")) {
      create = false;
    } else if (asked.says(i, "CAPACITY")) {
      if (++i == asked.size()) throw wrong_arity();
      wanted.capacity = capacity(asked, i);
      require_room_for_buckets(wanted);
    } else {
      throw refused("Unknown argument received");
    }
  }
  if (first == 0 || first == asked.size()) throw wrong_arity();
  cuckoo_chain& into =
      create ? found_or_made(asked, wanted) : asked.get_to_change<cuckoo_chain>(not_found);
  require_growing(asked, into);
  enum class outcome { was_there, is_new, no_room };
  std::vector<outcome> answers;
  answers.reserve(static_cast<std::size_t>(asked.size() - first));
  std::vector<RedisModuleString*> added;
  added.reserve(answers.capacity());
  const budget allowed = asked.allowance();
  for (int i = first; i < asked.size(); ++i) {
    const cuckoo_chain::place key = cuckoo_chain::of(asked.bytes(i));
    outcome what = outcome::was_there;
    if (!only_new || !into.contains(key)) {
      try {
        what = into.add(key, allowed) ? outcome::is_new : outcome::no_room;
      } catch (const error&) {  // there is no room to grow; those before are in
        what = outcome::no_room;
      } catch (const std::bad_alloc&) {
        what = outcome::no_room;
      }
    }
    if (what == outcome::is_new) added.push_back(asked.raw(i));
    answers.push_back(what);
  }
  if (!added.empty()) asked.changed(only_new ? "cf.insertnx" : "cf.insert", first - 1, added);
  const bool truths = !only_new && asked.resp3();
  reply::array(asked, answers.size());
  for (const outcome what : answers) {
    if (truths) {
      reply::boolean(asked, what == outcome::is_new);
    } else {
      reply::integer(asked, what == outcome::no_room ? -1 : what == outcome::is_new ? 1 : 0);
    }
  }
}

void exists(call& asked) {
  const cuckoo_chain* const in = asked.find_if_there<cuckoo_chain>();
  reply::boolean(asked, in != nullptr && in->contains(cuckoo_chain::of(asked.bytes(2))));
}

void mexists(call& asked) {
  const cuckoo_chain* const in = asked.find_if_there<cuckoo_chain>();
  reply::array(asked, static_cast<std::size_t>(asked.size() - 2));
  constexpr int ahead = 16;  // keys whose cells are on their way from memory
  std::array<cuckoo_chain::place, ahead> places;
  for (int from = 2; from < asked.size(); from += ahead) {
    const int count = std::min(ahead, asked.size() - from);
    for (int i = 0; in != nullptr && i < count; ++i) {
      places[static_cast<std::size_t>(i)] = cuckoo_chain::of(asked.bytes(from + i));
      in->prefetch(places[static_cast<std::size_t>(i)]);
    }
    for (int i = 0; i < count; ++i) {
      reply::boolean(asked, in != nullptr && in->contains(places[static_cast<std::size_t>(i)]));
    }
  }
}

void count(call& asked) {
  const cuckoo_chain* const in = asked.find_if_there<cuckoo_chain>();
  reply::number(asked, in == nullptr ? 0 : in->count(cuckoo_chain::of(asked.bytes(2))));
}

void del(call& asked) {
  if (asked.find_if_there<cuckoo_chain>() == nullptr) throw refused("Not found");
  const bool removed =
      asked.find_to_change<cuckoo_chain>()->remove(cuckoo_chain::of(asked.bytes(2)));
  if (removed) asked.changed("cf.del");
  reply::boolean(asked, removed);
}

void compact(call& asked) {
  if (asked.find_if_there<cuckoo_chain>() == nullptr) throw refused("Cuckoo filter was not found");
  if (asked.find_to_change<cuckoo_chain>()->compact()) asked.changed("cf.compact");
  reply::ok(asked);
}

void info(call& asked) {
  const cuckoo_chain& of = asked.get<cuckoo_chain>(not_found);
  const std::array<reply::row, 8> rows{{{"Size", "", of.reported_bytes()},
                                        {"Number of buckets", "", of.buckets()},
                                        {"Number of filters", "", of.links().size()},
                                        {"Number of items inserted", "", of.items()},
                                        {"Number of items deleted", "", of.deletions()},
                                        {"Bucket size", "", of.bucket_size()},
                                        {"Expansion rate", "", of.expansion()},
                                        {"Max iterations", "", of.iterations()}}};
  reply::rows(asked, rows);
}

void debug(call& asked) {
  const cuckoo_chain& of = asked.get<cuckoo_chain>(not_found);
  reply::text(asked, "bktsize:" + std::to_string(of.bucket_size()) + " buckets:" +
                         std::to_string(of.buckets()) + " items:" + std::to_string(of.items()) +
                         " deletes:" + std::to_string(of.deletions()) +
                         " filters:" + std::to_string(of.links().size()) +
                         " max_iterations:" + std::to_string(of.iterations()) +
                         " expansion:" + std::to_string(of.expansion()));
}

void scandump(call& asked) {
  const std::optional<long long> position = asked.integer(2);
  if (!position || *position < 0) throw refused("Invalid position");
  const cuckoo_chain& of = asked.get<cuckoo_chain>(not_found);
  if (*position == 0) {
    reply::step(asked, 1, of.header());
    return;
  }
  const byte_view bytes = of.chunk(static_cast<std::uint64_t>(*position) - 1);
  if (!bytes.empty()) {
    reply::step(asked, *position + static_cast<long long>(bytes.size()), bytes);
  } else {
    reply::array(asked, 2);
    reply::integer(asked, 0);
    reply::nothing(asked);
  }
}

void loadchunk(call& asked) {
  const std::optional<long long> position = asked.integer(2);
  if (!position || *position == 0) throw refused("Invalid position");
  const byte_view bytes = asked.bytes(3);
  auto* const into = asked.find_to_change<cuckoo_chain>();
  if (*position == 1) {
    if (into != nullptr) throw refused("ERR item exists");
    try {
      asked.keep(cuckoo_chain::from_header(bytes, asked.allowance()));
    } catch (const error& thrown) {
      if (thrown.code() != errc::corrupt) throw;
      throw refused(bytes.size() != 38 ? "Invalid header" : "Couldn't create filter!");
    }
  } else {
    if (into == nullptr) throw refused(not_found);
    const auto end = static_cast<std::uint64_t>(*position);
    if (*position < 1 || bytes.empty() || end - 1 < bytes.size()) {
      throw refused("Couldn't load chunk!");
    }
    try {
      into->set_chunk(end - 1 - bytes.size(), bytes);
    } catch (const error&) {
      throw refused("Couldn't load chunk!");
    }
  }
  asked.changed("cf.loadchunk");
  reply::ok(asked);
}

constexpr const char* key_takes = "O(n) for n filters in the chain";
constexpr const char* adding_takes = "O(n + i) for n filters in the chain and i iterations";
constexpr const char* keys_take = "O(m * n) for m items and n filters in the chain";
constexpr const char* inserting_takes =
    "O(m * (n + i)) for m items, n filters in the chain and i iterations";
constexpr const char* inserting = "key [CAPACITY=capacity] [NOCREATE] ITEMS=item...";

constexpr command commands[] = {
    {"cf.reserve", guarded<reserve>, "write deny-oom", -3, keys::change,
     "key capacity [BUCKETSIZE=bucketsize] [MAXITERATIONS=maxiterations] [EXPANSION=expansion]",
     "O(1)", "Makes an empty cuckoo filter"},
    {"cf.add", guarded<add_one<false>>, "write deny-oom fast", 3, keys::change, "key item",
     adding_takes, "Adds an item to a cuckoo filter, which is made if it is not there"},
    {"cf.addnx", guarded<add_one<true>>, "write deny-oom fast", 3, keys::change, "key item",
     adding_takes, "Adds an item to a cuckoo filter unless it seems to be there"},
    {"cf.insert", guarded<insert_all<false>>, "write deny-oom", -4, keys::change, inserting,
     inserting_takes, "Adds items to a cuckoo filter, which is made if it is not there"},
    {"cf.insertnx", guarded<insert_all<true>>, "write deny-oom", -4, keys::change, inserting,
     inserting_takes, "Adds those items to a cuckoo filter that do not seem to be there"},
    {"cf.exists", guarded<exists>, "readonly fast", 3, keys::read, "key item", key_takes,
     "Tells whether an item may be in a cuckoo filter"},
    {"cf.mexists", guarded<mexists>, "readonly", -3, keys::read, "key item...", keys_take,
     "Tells of items whether they may be in a cuckoo filter"},
    {"cf.count", guarded<count>, "readonly fast", 3, keys::read, "key item", key_takes,
     "Tells how often an item may be in a cuckoo filter"},
    {"cf.del", guarded<del>, "write fast", 3, keys::change, "key item", key_takes,
     "Takes an item out of a cuckoo filter once, which must have been added"},
    {"cf.compact", guarded<compact>, "write", 2, keys::change, "key", "O(n) for n cells",
     "Moves items to earlier filters of the chain and drops filters that are empty then"},
    {"cf.info", guarded<info>, "readonly fast", 2, keys::read, "key", "O(1)",
     "Tells the size, contents and growth of a cuckoo filter"},
    {"cf.debug", guarded<debug>, "readonly fast", 2, keys::read, "key", "O(1)",
     "Describes a cuckoo filter in one line"},
    {"cf.scandump", guarded<scandump>, "readonly", 3, keys::read, "key iterator",
     "O(n) for n bytes, at most 16 MiB", "Gives a cuckoo filter in chunks"},
    {"cf.loadchunk", guarded<loadchunk>, "write deny-oom", 4, keys::change, "key iterator data",
     "O(n) for n bytes", "Takes a chunk of a cuckoo filter that CF.SCANDUMP has given"},
};

}  // namespace

const group cf_group{
    "cf", register_type<cuckoo_chain>, &cuckoo_chain::counts, {"cuckoo", commands}};

}  // namespace bloomery::redis
