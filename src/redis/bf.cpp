// BF.*: Bloom filters that grow, by the names, replies and errors of RedisBloom.
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/core/fields.hpp"
#include "redis/compat/bloom_chain.hpp"
#include "redis/groups.hpp"
#include "redis/reply.hpp"

namespace bloomery::redis {
namespace {

using outcome = bloom_chain::outcome;

constexpr const char* not_found = "ERR not found";
constexpr const char* full = "ERR non scaling filter is full";

struct wanted {
  double rate = configured.rate;
  std::uint64_t capacity = configured.capacity;
  std::uint32_t growth = bloom_chain::default_growth;
  bool scaling = true;

  [[nodiscard]] bloom_chain made(budget allowed) const {
    return {capacity, rate, growth, scaling, allowed};
  }

  // What BF.INSERT says of it before the keys.
  [[nodiscard]] std::vector<std::string> in_full() const {
    std::vector<std::string> words{"CAPACITY",  std::to_string(capacity),
                                   "ERROR",     format_value(field_value{rate}),
                                   "EXPANSION", std::to_string(growth)};
    if (!scaling) words.emplace_back("NONSCALING");
    words.emplace_back("ITEMS");
    return words;
  }
};

// What a call inserts into, and how it was made if the call has made it.
struct target {
  bloom_chain& chain;
  const wanted* made = nullptr;
};

bool is_growth(long long value) {
  return value >= 1 && value <= UINT32_MAX;
}
bool is_rate(double value) {
  return value > 0 && value < 1;
}

template <class Number>
Number told(const std::optional<Number>& number, const char* otherwise) {
  if (!number) throw refused(otherwise);
  return *number;
}

void reserve(call& asked) {
  constexpr int most_arguments = 7;
  if (asked.size() > most_arguments) throw wrong_arity();
  wanted shape;
  const std::optional<double> rate = asked.real(2);
  if (!rate || std::isnan(*rate)) throw refused("ERR bad error rate");
  if (!is_rate(*rate)) throw refused("ERR (0 < error rate range < 1) ");
  shape.rate = *rate;
  const std::optional<long long> capacity = asked.integer(3);
  if (!capacity) throw refused("ERR bad capacity");
  if (*capacity <= 0) throw refused("ERR (capacity should be larger than 0)");
  shape.capacity = static_cast<std::uint64_t>(*capacity);
  int told_growth = 0;  // at which argument
  for (int i = 4; i < asked.size(); ++i) {
    if (asked.says(i, "NONSCALING")) {
      shape.scaling = false;
    } else if (asked.says(i, "EXPANSION")) {
      if (++i == asked.size()) throw refused("ERR no expansion");
      told_growth = i;
    } else {
      throw refused("ERR Unknown argument received");
    }
  }
  if (told_growth != 0) {
    if (!shape.scaling) throw refused("Nonscaling filters cannot expand");
    const std::optional<long long> growth = asked.integer(told_growth);
    if (!growth || *growth > UINT32_MAX) throw refused("ERR bad expansion");
    if (*growth < 1) throw refused("ERR expansion should be greater or equal to 1");
    shape.growth = static_cast<std::uint32_t>(*growth);
  }
  if (asked.find<bloom_chain>() != nullptr) throw refused("ERR item exists");
  asked.keep(shape.made(asked.allowance()));
  asked.changed("bf.reserve");
  reply::ok(asked);
}

// Keys of the arguments from `first` on; they are hashed some steps ahead of their turn, while the cells of
// those before are on their way from memory.
template <class Each>
void for_each_key(const call& asked, const bloom_chain& in, int first, const Each& each) {
  constexpr int ahead = 8;
  std::array<bloom_chain::hash, ahead> waiting;
  const int end = asked.size();
  for (int i = first; i < end + ahead; ++i) {
    bloom_chain::hash& place = waiting[static_cast<std::size_t>((i - first) % ahead)];
    if (i - first >= ahead && !each(place)) return;
    if (i < end) {
      place = in.of(asked.bytes(i));
      in.prefetch(place);
    }
  }
}

// Tells of as many keys from `first` on as were taken. That a filter was made is told in full, since filters may begin
// otherwise elsewhere.
void tell(call& asked, const target& of, int first, std::size_t taken, const char* event) {
  RedisModuleString** const items = asked.arguments() + first;
  if (of.made != nullptr) {
    asked.changed(event, "BF.INSERT", of.made->in_full(), {items, taken});
  } else if (taken == static_cast<std::size_t>(asked.size() - first)) {
    asked.changed(event);
  } else {
    asked.changed(event, first - 1, {items, items + taken});
  }
}

// Inserts the keys from `first` on. If one cannot be, what is said of those before ends with why.
void insert(call& asked, const target& into, int first, const char* event) {
  std::vector<bool> answers;
  answers.reserve(static_cast<std::size_t>(asked.size() - first));
  std::string problem;
  bool changed = false;
  try {
    int left = asked.size() - first;
    for_each_key(asked, into.chain, first, [&](const bloom_chain::hash& key) {
      if (left-- == 0) return false;
      const outcome what = into.chain.add(key, [&] { return asked.allowance(); });
      if (what == outcome::full) {
        problem = full;
        return false;
      }
      answers.push_back(what == outcome::is_new);
      changed = changed || what == outcome::is_new;
      return true;
    });
  } catch (const error& thrown) {
    problem = std::string("ERR ") + thrown.what();
  } catch (const std::bad_alloc&) {
    problem = "ERR Insufficient memory";
  }
  if (changed) tell(asked, into, first, answers.size(), event);
  reply::array(asked, answers.size() + (problem.empty() ? 0 : 1));
  for (const bool answer : answers) reply::boolean(asked, answer);
  if (!problem.empty()) reply::failure(asked, problem);
}

target found_or_made(call& asked, const wanted& shape) {
  if (auto* const found = asked.find_to_change<bloom_chain>()) return {*found};
  return {asked.keep(shape.made(asked.allowance())), &shape};
}

void add(call& asked) {
  const wanted usual;
  const target into = found_or_made(asked, usual);
  const bloom_chain::hash key = into.chain.of(asked.bytes(2));
  into.chain.prefetch(key);
  const outcome what = into.chain.add(key, [&] { return asked.allowance(); });
  if (what == outcome::full) throw refused(full);
  if (what == outcome::is_new) tell(asked, into, 2, 1, "bf.add");
  reply::boolean(asked, what == outcome::is_new);
}

void madd(call& asked) {
  const wanted usual;
  insert(asked, found_or_made(asked, usual), 2, "bf.madd");
}

void insert(call& asked) {
  wanted shape;
  auto capacity = static_cast<long long>(shape.capacity);
  long long growth = shape.growth;
  bool create = true;
  int first = 0;
  for (int i = 2; i < asked.size() && first == 0; ++i) {
    const auto value = [&] {
      if (++i == asked.size()) throw wrong_arity();
      return i;
    };
    if (asked.says(i, "ITEMS")) {
      first = i + 1;
    } else if (asked.says(i, "NOCREATE")) {
      create = false;
    } else if (asked.says(i, "NONSCALING")) {
      shape.scaling = false;
    } else if (asked.says(i, "CAPACITY")) {
      capacity = told(asked.integer(value()), "Bad capacity");
    } else if (asked.says(i, "ERROR")) {
      shape.rate = told(asked.real(value()), "Bad error rate");
    } else if (asked.says(i, "EXPANSION")) {
      growth = told(asked.integer(value()), "Bad expansion");
    } else {
      throw refused("Unknown argument received");
    }
  }
  if (first == 0 || first == asked.size()) throw wrong_arity();
  if (capacity < 1 || !is_rate(shape.rate) || !is_growth(growth)) {
    throw refused("Bad argument received");
  }
  shape.capacity = static_cast<std::uint64_t>(capacity);
  shape.growth = static_cast<std::uint32_t>(growth);
  if (!create) {
    insert(asked, {asked.get_to_change<bloom_chain>(not_found)}, first, "bf.insert");
  } else {
    insert(asked, found_or_made(asked, shape), first, "bf.insert");
  }
}

void exists(call& asked) {
  const bloom_chain* const in = asked.find_if_there<bloom_chain>();
  if (in == nullptr) return reply::boolean(asked, false);
  const bloom_chain::hash key = in->of(asked.bytes(2));
  in->prefetch(key);  // all places at once
  reply::boolean(asked, in->contains(key));
}

void mexists(call& asked) {
  const bloom_chain* const in = asked.find_if_there<bloom_chain>();
  int left = asked.size() - 2;
  reply::array(asked, static_cast<std::size_t>(left));
  if (in == nullptr) {
    for (; left != 0; --left) reply::boolean(asked, false);
    return;
  }
  for_each_key(asked, *in, 2, [&](const bloom_chain::hash& key) {
    if (left-- == 0) return false;
    reply::boolean(asked, in->contains(key));
    return true;
  });
}

void card(call& asked) {
  const bloom_chain* const in = asked.find<bloom_chain>();
  reply::number(asked, in == nullptr ? 0 : in->items());
}

void info(call& asked) {
  if (asked.size() > 3) throw wrong_arity();
  const bloom_chain& of = asked.get<bloom_chain>(not_found);
  using row = reply::row;
  const std::array<row, 5> rows{{{"Capacity", "CAPACITY", of.capacity()},
                                 {"Size", "SIZE", of.reported_bytes()},
                                 {"Number of filters", "FILTERS", of.links().size()},
                                 {"Number of items inserted", "ITEMS", of.items()},
                                 {"Expansion rate", "EXPANSION", of.growth()}}};
  if (asked.size() == 2) {
    reply::rows(asked, rows);
  } else {
    reply::one_row(asked, rows, 2);
  }
}

void debug(call& asked) {
  const bloom_chain& of = asked.get<bloom_chain>(not_found);
  reply::array(asked, of.links().size() + 1);
  reply::text(asked, "size:" + std::to_string(of.items()));
  for (const bloom_chain::link& each : of.links()) {
    std::array<char, 32> ratio{};
    (void)std::snprintf(ratio.data(), ratio.size(), "%g", each.rate);
    reply::text(asked, "bytes:" + std::to_string(each.bits.size()) +
                           " bits:" + std::to_string(each.told_bits) +
                           " hashes:" + std::to_string(each.hashes) +
                           " hashwidth:" + (of.is_64_bit() ? "64" : "32") +
                           " capacity:" + std::to_string(each.capacity) +
                           " size:" + std::to_string(each.items) + " ratio:" + ratio.data());
  }
}

void scandump(call& asked) {
  const bloom_chain& of = asked.get<bloom_chain>(not_found);
  const std::optional<long long> position = asked.integer(2);
  if (!position) throw refused("Second argument must be numeric");
  if (*position == 0) {
    reply::step(asked, 1, of.header());
    return;
  }
  const byte_view bytes =
      *position < 0 ? byte_view{} : of.chunk(static_cast<std::uint64_t>(*position) - 1);
  reply::step(asked, bytes.empty() ? 0 : *position + static_cast<long long>(bytes.size()), bytes);
}

void loadchunk(call& asked) {
  const std::optional<long long> position = asked.integer(2);
  if (!position) throw refused("ERR Second argument must be numeric");
  const byte_view bytes = asked.bytes(3);
  auto* const into = asked.find_to_change<bloom_chain>();
  if (into == nullptr) {
    if (*position != 1) throw refused(not_found);
    try {
      asked.keep(bloom_chain::from_header(bytes, asked.allowance()));
    } catch (const error& thrown) {
      if (thrown.code() != errc::corrupt) throw;
      throw refused(std::string("ERR received bad data: ") + thrown.what());
    }
  } else {
    const auto end = static_cast<std::uint64_t>(*position);
    if (*position < 1 || end < bytes.size()) {
      throw refused("ERR received bad data");
    }
    if (end == bytes.size()) throw refused("ERR invalid offset - no link found");
    into->set_chunk(end - 1 - bytes.size(), bytes);
  }
  asked.changed("bf.loadchunk");
  reply::ok(asked);
}

constexpr const char* a_key_takes = "O(k) for k hashes in each of the key's filters";
constexpr const char* keys_take = "O(k * n) for n items and k hashes in each of the key's filters";

constexpr command commands[] = {
    {"bf.reserve", guarded<reserve>, "write deny-oom", -4, keys::change,
     "key error_rate capacity [EXPANSION=expansion] [NONSCALING]", "O(1)",
     "Makes an empty Bloom filter"},
    {"bf.add", guarded<add>, "write deny-oom fast", 3, keys::change, "key item", a_key_takes,
     "Adds an item to a Bloom filter, which is made if it is not there"},
    {"bf.madd", guarded<madd>, "write deny-oom", -3, keys::change, "key item...", keys_take,
     "Adds items to a Bloom filter, which is made if it is not there"},
    {"bf.insert", guarded<insert>, "write deny-oom", -4, keys::change,
     "key [CAPACITY=capacity] [ERROR=error] [EXPANSION=expansion] [NOCREATE] [NONSCALING] "
     "ITEMS=item...",
     keys_take, "Adds items to a Bloom filter, and says how it is made if it is not there"},
    {"bf.exists", guarded<exists>, "readonly fast", 3, keys::read, "key item", a_key_takes,
     "Tells whether an item may be in a Bloom filter"},
    {"bf.mexists", guarded<mexists>, "readonly", -3, keys::read, "key item...", keys_take,
     "Tells of items whether they may be in a Bloom filter"},
    {"bf.card", guarded<card>, "readonly fast", 2, keys::read, "key", "O(1)",
     "Tells how many items were added that were new to a Bloom filter"},
    {"bf.info", guarded<info>, "readonly fast", -2, keys::read, "key [field]", "O(1)",
     "Tells the size, capacity and growth of a Bloom filter"},
    {"bf.debug", guarded<debug>, "readonly", 2, keys::read, "key",
     "O(n) for n filters in the chain", "Describes each filter of a chain"},
    {"bf.scandump", guarded<scandump>, "readonly", 3, keys::read, "key iterator",
     "O(n) for n bytes, at most 16 MiB", "Gives a Bloom filter in chunks"},
    {"bf.loadchunk", guarded<loadchunk>, "write deny-oom", 4, keys::change, "key iterator data",
     "O(n) for n bytes", "Takes a chunk of a Bloom filter that BF.SCANDUMP has given"},
};

}  // namespace

const group bf_group{"bf", register_type<bloom_chain>, &bloom_chain::counts, {"bloom", commands}};

}  // namespace bloomery::redis
