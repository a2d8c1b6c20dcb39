// The Redis module under any commands and any stored values, on a server made of memory (redis_host.hpp): nothing
// that clients, files or masters say takes it down, each command replies once and in full, a replica that is told
// what the master tells has the same values, and so has a server that reads what was saved or rewritten.
//
// The first byte says which flags the master has; then come commands and values, as `step` reads them.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzzing.hpp"
#include "redis_host.hpp"

namespace {

using namespace bloomery::fuzzing;

constexpr int most_steps = 40;
constexpr std::array<std::string_view, 4> keys{"a", "b", "c", "d"};
constexpr std::array<std::string_view, 44> told{"CAPACITY",
                                                "ERROR",
                                                "EXPANSION",
                                                "NONSCALING",
                                                "NOCREATE",
                                                "ITEMS",
                                                "BUCKETSIZE",
                                                "WEIGHTS",
                                                "WITHCOUNT",
                                                "KEYS",
                                                "FPR",
                                                "SET",
                                                "SEED",
                                                "WINDOW",
                                                "VALUES",
                                                "AT",
                                                "RANDOM",
                                                "MAXITERATIONS",
                                                "0",
                                                "1",
                                                "2",
                                                "3",
                                                "7",
                                                "10",
                                                "100",
                                                "2000",
                                                "1000000",
                                                "-1",
                                                "4294967295",
                                                "4294967296",
                                                "9223372036854775807",
                                                "0.5",
                                                "0.01",
                                                "0.0001",
                                                "nan",
                                                "1e-300",
                                                "bits",
                                                "hashes",
                                                "standard",
                                                "counting",
                                                "cuckoo",
                                                "scalable",
                                                "age-partitioned",
                                                "count-min"};

std::string word(input& from) {
  const auto choice = from.take<std::uint8_t>();
  if (choice < 48) return std::string(keys[choice % keys.size()]);
  if (choice < 160) return std::string(told[choice % told.size()]);
  if (choice < 176) return std::to_string(from.take<std::int64_t>());
  if (choice < 192) return std::to_string(from.take<std::uint16_t>());
  std::string bytes(choice < 240 ? choice % 16 : from.take<std::uint8_t>(), '\0');
  for (char& byte : bytes) byte = from.take<char>();
  return bytes;
}

redis_words words(input& from) {
  const auto& commands = redis_commands();
  const redis_command& chosen = commands[from.below(commands.size())];
  const auto least = static_cast<std::size_t>(std::abs(chosen.arity));
  const std::size_t size = chosen.arity > 0 ? least : least + from.take<std::uint8_t>() % 8;
  redis_words made{chosen.name};
  if (size > 1) made.emplace_back(keys[from.take<std::uint8_t>() % keys.size()]);
  while (made.size() < size) made.push_back(word(from));
  return made;
}

redis_field field(input& from) {
  switch (from.take<std::uint8_t>() % 6) {
    case 0:
      return from.take<std::uint64_t>();
    case 1:
      return std::bit_cast<double>(from.take<std::uint64_t>());
    case 2:
      return 1.0 / (1 + from.take<std::uint8_t>());
    case 3: {
      std::string bytes(from.take<std::uint16_t>() % 4096, '\0');
      for (std::size_t i = 0; i < std::min<std::size_t>(bytes.size(), 64); ++i) {
        bytes[i] = from.take<char>();
      }
      return bytes;
    }
    default:
      return std::uint64_t{from.take<std::uint8_t>()};
  }
}

// A value of a type, from fields of any kind or from those of a value that is there with some of them changed.
void put_value(input& from, redis_host& into) {
  redis_type* type = redis_types()[from.take<std::uint8_t>() % redis_types().size()];
  const std::string key(keys[from.take<std::uint8_t>() % keys.size()]);
  redis_fields fields;
  int encoding = from.take<std::uint8_t>() % 8;
  if (const auto there = into.keys().find(key); there != into.keys().end()) {
    type = there->second.type;
    encoding = type->encoding;
    fields = redis_host::saved(there->second);
    for (auto changes = from.take<std::uint8_t>() % 4; changes > 0 && !fields.empty(); --changes) {
      redis_field& changed = fields[from.below(fields.size())];
      auto* const bytes = std::get_if<std::string>(&changed);
      if (bytes != nullptr && !bytes->empty() && from.take<std::uint8_t>() % 2 != 0) {
        (*bytes)[from.below(bytes->size())] ^= from.take<char>();
      } else {
        changed = field(from);
      }
    }
  } else {
    for (auto count = from.take<std::uint8_t>() % 32; count > 0; --count) {
      fields.push_back(field(from));
    }
  }
  if (void* const held = redis_host::loaded(*type, encoding, std::move(fields))) {
    into.put(key, {type, held});
  }
}

void require_same(const redis_host::value& a, const redis_host::value& b, const char* what) {
  const auto bits_of = [](const redis_fields& of) {
    std::string made;
    for (const redis_field& each : of) {
      if (const auto* const text = std::get_if<std::string>(&each)) {
        made += *text;
      } else if (const auto* const real = std::get_if<double>(&each)) {
        made += std::to_string(std::bit_cast<std::uint64_t>(*real));  // NaN is not equal to itself
      } else {
        made += std::to_string(std::get<std::uint64_t>(each));
      }
      made += ' ';
    }
    return made;
  };
  const bool same =
      a.type == b.type && bits_of(redis_host::saved(a)) == bits_of(redis_host::saved(b));
  if (!same) std::fprintf(stderr, "a value of the type %s: ", a.type->name.c_str());
  law(same, what);
}

void give_copy(const redis_host::value& of, const std::string& key, redis_host& to) {
  void* const again = redis_host::loaded(*of.type, of.type->encoding, redis_host::saved(of));
  law(again != nullptr, "what was saved is read again");
  to.put(key, {of.type, again});
}

void require_kept(const std::string& key, const redis_host::value& value) {
  law(value.type->methods.mem_usage(value.held) != 0, "a value takes memory");
  redis_host other(REDISMODULE_CTX_FLAGS_LOADING);
  give_copy(value, key, other);
  require_same(value, other.keys().at(key), "what was saved is read as the same value");
  redis_host::move(other.keys().at(key));
  require_same(value, other.keys().at(key), "what was moved is the same value");
  other.remove(key);
  for (const redis_words& each : redis_host::rewritten(value, key)) {
    law(other.call(each), "what was rewritten is a command");
  }
  law(other.keys().contains(key), "what was rewritten makes the key again");
  require_same(value, other.keys().at(key), "what was rewritten makes the same value");
  if (void* const copy = value.type->methods.copy(nullptr, nullptr, value.held)) {
    other.put("copy", {value.type, copy});
    require_same(value, other.keys().at("copy"), "a copy is the same value");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  input from({data, size});
  const bool resp3 = from.take<std::uint8_t>() % 2 != 0;
  redis_host master(resp3 ? REDISMODULE_CTX_FLAGS_RESP3 : 0);
  redis_host replica(REDISMODULE_CTX_FLAGS_REPLICATED);
  for (int step = 0; step < most_steps && !from.empty(); ++step) {
    if (from.take<std::uint8_t>() % 8 == 0) {
      put_value(from, master);
      for (const std::string_view key : keys) {
        const auto there = master.keys().find(std::string(key));
        if (there != master.keys().end()) give_copy(there->second, there->first, replica);
      }
    } else {
      master.call(words(from));
      for (const redis_words& each : master.take_replicated()) {
        law(replica.call(each), "what is replicated is a command");
      }
    }
    (void)replica.take_replicated();
  }
  law(master.keys().size() == replica.keys().size(), "a replica has the same keys");
  for (const auto& [key, value] : master.keys()) {
    law(replica.keys().contains(key), "a replica has the same keys");
    require_same(value, replica.keys().at(key), "a replica has the same values");
    require_kept(key, value);
  }
  return 0;
}
