// Inserting keys one by one or in batches, and from several threads at once.
//
// Cells have `bool insert(place)`, which says whether the key was new, and may take whole batches
// themselves; to share, `bool insert_shared(place)` and `insert_shared_batch(keys)`. If inserting a
// batch throws, the keys before the one refused are in the filter, and counted.
//
//     auto seen = bloomery::standard_filter::for_keys(100, 0.01);
//     assert(seen.insert({1, 2}) && !seen.insert({1, 2}) && seen.record().items == 2);
//     const std::array<bloomery::digest, 3> keys{{{1, 2}, {3, 4}, {3, 4}}};
//     std::array<bool, 3> fresh{};
//     assert(seen.insert(keys, fresh) == 1 && !fresh[0] && fresh[1] && !fresh[2]);
//     assert(seen.insert_shared({5, 6}) && seen.record().items == 6);
#pragma once

#include "bloomery/core/limits.hpp"
#include "bloomery/filters/ability.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery {

namespace detail {
template <class C>
concept inserts_integers = requires(C cells, const integer_span& keys, std::uint64_t items) {
  cells.insert_batch(keys, std::span<bool>(), items);
};

// Key by key, prefetched: how batches are inserted into cells that have no way of their own.
template <class C, class Keys>
std::uint64_t insert_each(C& cells, const Keys& keys, std::span<bool> fresh, std::uint64_t& items) {
  std::uint64_t count = 0;
  each_place(cells, keys, [&](std::size_t i, const auto& at) {
    const bool is_new = cells.insert(at);
    ++items;
    count += std::uint64_t{is_new};
    if (!fresh.empty()) fresh[i] = is_new;
  });
  return count;
}

template <class C>
concept adds = requires(C cells, place_of<C> at, std::uint64_t weight) {
  cells.add(at, weight);
};
}  // namespace detail

struct inserts : ability<inserts> {
  static constexpr std::string_view name = "insert";
  static constexpr std::string_view refusal = "take further keys";
  template <class C>
  static constexpr bool of = requires(C cells, detail::place_of<C> at) {
    { cells.insert(at) } -> std::same_as<bool>;
  };

  // Was the key new to the filter?
  virtual bool insert(digest d) = 0;
  // How many were.
  virtual std::uint64_t insert(digest_span keys) = 0;
  // And which: new to the filter, and to the keys before them.
  virtual std::uint64_t insert(digest_span keys, std::span<bool> fresh) = 0;

  template <class F>
  static constexpr bool takes_integers = requires(F filter, const integer_span& keys) {
    filter.insert(keys);
  };

  template <class F, class C, class Face>
  struct methods : Face {
    bool insert(digest d) {
      C& cells = self().cells_for_writing();
      const bool fresh = cells.insert(detail::located_once(cells, d));
      ++self().changed_record().items;
      return fresh;
    }
    std::uint64_t insert(digest_span keys) { return insert_batch(keys, {}); }
    std::uint64_t insert(digest_span keys, std::span<bool> fresh) {
      detail::require_as_many(keys.size(), fresh.size());
      return insert_batch(keys, fresh);
    }
    std::uint64_t insert(const integer_span& keys) requires detail::inserts_integers<C> {
      return insert_batch(keys, {});
    }
    // The same as inserting the key `weight` times.
    bool add(digest d, std::uint64_t weight) requires detail::adds<C> {
      C& cells = self().cells_for_writing();
      if (weight == 0) return false;
      const bool fresh = cells.add(detail::located(cells, d), weight);
      std::uint64_t& items = self().changed_record().items;
      items = std::min(items + std::min(weight, max_items), max_items);
      return fresh;
    }

   private:
    auto& self() { return filter_in<F>(*this); }

    template <class Keys>
    std::uint64_t insert_batch(const Keys& keys, std::span<bool> fresh) {
      C& cells = self().cells_for_writing();
      std::uint64_t& items = self().changed_record().items;
      if constexpr (requires { cells.insert_batch(keys, fresh, items); }) {
        return cells.insert_batch(keys, fresh, items);
      } else {
        return detail::insert_each(cells, keys, fresh, items);
      }
    }
  };

  template <class E>
  struct keyed {
    // Was the key new? Of a range of keys: how many were.
    auto insert(const auto& key) {
      E& edge = static_cast<E&>(*this);
      using key_type = std::remove_cvref_t<decltype(key)>;
      if constexpr (E::template is_key<key_type>) {
        return edge.template able_to<inserts>().insert(edge.digest_of(key));
      } else {
        std::uint64_t fresh = 0;
        edge.template in_batches<inserts>(key, [&](const auto& batch, std::size_t) {
          fresh += edge.template able_to<inserts>().insert(batch);
        });
        return fresh;
      }
    }
  };
};

// Takes batches in a way of its own: uint64 insert_batch(keys, fresh, items) says how many were new,
// tells which in `fresh` unless that is empty, and raises `items` by the keys that went in.
struct inserts_in_batches : ability<inserts_in_batches> {
  static constexpr std::string_view name = "insert_batch";
  static constexpr std::string_view refusal = "take batches in a way of its own";
  template <class C>
  static constexpr bool of = requires(C cells, digest_span keys, std::span<bool> fresh,
                                      std::uint64_t items) {
    { cells.insert_batch(keys, fresh, items) } -> std::same_as<std::uint64_t>;
  };
};

// Any number of threads may insert, and others query, at once.
struct shares : ability<shares> {
  static constexpr std::string_view name = "insert_shared";
  static constexpr std::string_view refusal = "take keys from several threads";
  template <class C>
  static constexpr bool of = requires(C cells, detail::place_of<C> at, digest_span keys) {
    { cells.insert_shared(at) } -> std::same_as<bool>;
    { cells.insert_shared_batch(keys) } -> std::same_as<std::uint64_t>;
  };

  virtual bool insert_shared(digest d) = 0;
  virtual std::uint64_t insert_shared(digest_span keys) = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    bool insert_shared(digest d) {
      C& cells = count(1);
      return cells.insert_shared(detail::located(cells, d));
    }
    std::uint64_t insert_shared(digest_span keys) {
      return count(keys.size()).insert_shared_batch(keys);
    }

   private:
    C& count(std::uint64_t keys) {
      auto& self = filter_in<F>(*this);
      C& cells = self.cells_for_writing();
      __atomic_fetch_add(&self.changed_record().items, keys, __ATOMIC_RELAXED);
      return cells;
    }
  };

  template <class E>
  struct keyed {
    bool insert_shared(const auto& key) {
      E& edge = static_cast<E&>(*this);
      return edge.template able_to<shares>().insert_shared(edge.digest_of(key));
    }
  };
};

}  // namespace bloomery
