#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "bloomery/core/error.hpp"
#include "bloomery/core/printable.hpp"
#include "bloomery/core/units.hpp"
#include "rivals.hpp"

namespace bloomery::bench {
namespace {

constexpr std::size_t most_rivals = 1000;
constexpr std::size_t most_table_bytes = 4096;
constexpr std::size_t longest_name = 60;

bool takes_integers(const bloomery_rival& table) {
  return table.find != nullptr || table.find_batch != nullptr;
}
bool takes_texts(const bloomery_rival& table) {
  return table.find_texts != nullptr || table.find_texts_batch != nullptr;
}

// All that is called without asking whether it is there, and all that is printed.
void require_valid(const bloomery_rival& table, const std::string& plugin) {
  const auto require = [&](bool kept, const std::string& rule) {
    if (kept) return;
    const bool named = table.name != nullptr && printable(table.name) == table.name;
    fail(errc::invalid, printable(plugin) + ": " +
                            (named ? "the rival " + in_quotes(table.name) : "a rival") + " " +
                            rule);
  };
  require(table.name != nullptr && *table.name != '\0' && printable(table.name) == table.name &&
              std::strlen(table.name) <= longest_name,
          "needs a name of 1 to " + std::to_string(longest_name) + " printable bytes");
  require(table.drop != nullptr && table.bytes != nullptr, "lacks drop or bytes");
  const bool inserts = table.insert != nullptr || table.insert_batch != nullptr;
  const bool inserts_texts = table.insert_texts != nullptr || table.insert_texts_batch != nullptr;
  require(table.build != nullptr || (table.make != nullptr && (inserts || inserts_texts)),
          "has neither build nor make with a way to insert");
  require((inserts || table.build != nullptr) == takes_integers(table) &&
              inserts_texts == takes_texts(table),
          "must both take keys and find them, of each type that it knows");
}

template <class Function>
Function* function_of(void* loaded, const char* name) {
  // What POSIX says about functions from dlsym.
  return reinterpret_cast<Function*>(::dlsym(loaded, name));
}

// The functions of a table for keys of one type, by one name.
template <class Key>
struct functions;
template <>
struct functions<std::uint64_t> {
  using key = std::uint64_t;
  static auto insert(const bloomery_rival& r, bool batch) {
    return batch ? r.insert_batch : r.insert;
  }
  static auto find(const bloomery_rival& r, bool batch) { return batch ? r.find_batch : r.find; }
};
template <>
struct functions<std::string_view> {
  using key = bloomery_rival_text;
  static auto insert(const bloomery_rival& r, bool batch) {
    return batch ? r.insert_texts_batch : r.insert_texts;
  }
  static auto find(const bloomery_rival& r, bool batch) {
    return batch ? r.find_texts_batch : r.find_texts;
  }
};

template <class Key>
class table_structure final : public structure<Key> {
 public:
  using typename structure<Key>::key_span;

  table_structure(const bloomery_rival& table, void* filter)
      : table_(table), filter_(filter, table.drop) {}

  void insert(key_span keys, bool batch) override {
    functions<Key>::insert(table_, batch)(filter_.get(), plain(keys), keys.size());
  }
  std::uint64_t find(key_span keys, bool batch) override {
    return functions<Key>::find(table_, batch)(filter_.get(), plain(keys), keys.size());
  }
  std::uint64_t find_dependent([[maybe_unused]] key_span keys,
                               [[maybe_unused]] std::uint64_t zero) override {
    if constexpr (integers) {
      return table_.find_dependent(filter_.get(), keys.data(), keys.size(), zero);
    } else {
      return 0;
    }
  }
  std::uint64_t remove([[maybe_unused]] key_span keys, [[maybe_unused]] bool batch) override {
    if constexpr (integers) {
      const auto function = batch ? table_.remove_batch : table_.remove;
      return function(filter_.get(), keys.data(), keys.size());
    } else {
      return 0;
    }
  }
  [[nodiscard]] std::uint64_t bytes() const override { return table_.bytes(filter_.get()); }
  void prepare(key_span keys) override {
    if constexpr (!integers) {
      texts_.clear();
      for (const std::string_view key : keys) texts_.push_back({key.data(), key.size()});
    }
  }

 private:
  static constexpr bool integers = std::is_same_v<Key, std::uint64_t>;

  [[nodiscard]] const typename functions<Key>::key* plain(key_span keys) {
    if constexpr (integers) {
      return keys.data();
    } else {
      return texts_.data();
    }
  }

  bloomery_rival table_;
  std::unique_ptr<void, void (*)(void*)> filter_;
  std::vector<bloomery_rival_text> texts_;  // prepared
};

template <class Key>
contestant<Key> contestant_of(const bloomery_rival& table, const bench_options& options) {
  contestant<Key> side;
  side.name = table.name;
  side.rival = true;
  const auto add = [&](operation what, bool batch, bool has) {
    if (has) side.can.insert({what, batch});
  };
  const auto made = [table](void* filter) -> made_structure<Key> {
    if (filter == nullptr) return nullptr;
    return std::make_unique<table_structure<Key>>(table, filter);
  };
  bool inserts = false;
  for (const bool batch : {false, true}) {
    add(operation::insert, batch, functions<Key>::insert(table, batch) != nullptr);
    add(operation::find, batch, functions<Key>::find(table, batch) != nullptr);
    inserts = inserts || functions<Key>::insert(table, batch) != nullptr;
  }
  if (table.make != nullptr && inserts) {
    side.make = [table, made, keys = options.keys, rate = options.rate] {
      return made(table.make(keys, rate));
    };
  }
  if constexpr (std::is_same_v<Key, std::uint64_t>) {
    add(operation::find_dependent, false, table.find_dependent != nullptr);
    add(operation::remove, false, table.remove != nullptr);
    add(operation::remove, true, table.remove_batch != nullptr);
    add(operation::build, true, table.build != nullptr);
    add(operation::build_on_two, true, table.build != nullptr);
    side.build = [table, made, rate = options.rate](std::span<const Key> keys, unsigned threads) {
      return made(table.build(keys.data(), keys.size(), rate, threads));
    };
  }
  return side;
}

}  // namespace

std::vector<bloomery_rival> load_rivals(const std::string& plugin) {
  // A name without a folder would be looked for among the system's libraries.
  const std::string path = plugin.find('/') == std::string::npos ? "./" + plugin : plugin;
  // Never unloaded: names and functions live in it.
  void* const loaded = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) fail(errc::io, printable(::dlerror()));
  const auto give = function_of<decltype(bloomery_rivals)>(loaded, "bloomery_rivals");
  if (give == nullptr) {
    fail(errc::invalid,
         printable(plugin) +
             " has no function bloomery_rivals; docs/bench.md says how to write one");
  }
  std::size_t count = 0;
  const bloomery_rival* const tables = give(BLOOMERY_RIVAL_INTERFACE, &count);
  if (tables == nullptr || count == 0 || count > most_rivals) {
    fail(errc::invalid, printable(plugin) + " offers no rivals by interface " +
                            std::to_string(BLOOMERY_RIVAL_INTERFACE));
  }
  // The length of its tables may be another, if its header was older or newer.
  const std::size_t length = tables->table_bytes;
  if (length < offsetof(bloomery_rival, insert_texts) || length > most_table_bytes ||
      length % alignof(bloomery_rival) != 0) {
    fail(errc::invalid, printable(plugin) + " says that a table has " + std::to_string(length) +
                            " bytes; table_bytes must be sizeof(struct bloomery_rival)");
  }
  std::vector<bloomery_rival> known(count);
  const auto* const bytes = reinterpret_cast<const std::byte*>(tables);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&known[i], bytes + i * length, std::min(length, sizeof(bloomery_rival)));
    if (known[i].table_bytes != length) {
      fail(errc::invalid, printable(plugin) + ": all tables must have the same table_bytes");
    }
    require_valid(known[i], plugin);
  }
  return known;
}

template <class Key>
void add_rivals(const bench_options& options, std::vector<contestant<Key>>& contestants,
                std::vector<left_out>& skipped) {
  constexpr bool integers = std::is_same_v<Key, std::uint64_t>;
  std::vector<bloomery_rival> tables;
  if (options.rivals) tables = installed_rivals(options, skipped);
  for (const std::string& plugin : options.plugins) {
    for (const bloomery_rival& table : load_rivals(plugin)) tables.push_back(table);
  }
  for (const bloomery_rival& table : tables) {
    if (std::ranges::find(contestants, table.name, &contestant<Key>::name) != contestants.end()) {
      fail(errc::invalid, "two contestants are called " + in_quotes(table.name));
    }
    if (table.most_keys != 0 && options.keys > table.most_keys) {
      skipped.push_back({table.name, "takes at most " + format_count(table.most_keys) + " keys"});
    } else if (integers ? !takes_integers(table) : !takes_texts(table)) {
      skipped.push_back({table.name, integers ? "takes texts only" : "takes integers only"});
    } else {
      contestants.push_back(contestant_of<Key>(table, options));
    }
  }
}

template void add_rivals(const bench_options&, std::vector<contestant<std::uint64_t>>&,
                         std::vector<left_out>&);
template void add_rivals(const bench_options&, std::vector<contestant<std::string_view>>&,
                         std::vector<left_out>&);

}  // namespace bloomery::bench
