// Mapping: a value for each key, below value_limit(shape), or any if that is math::max_map_values.
//
// Cells have `mapped value(place) const`, `static value_limit(shape)`, `static plan_map(keys, rate,
// values)`, which takes values to be spread evenly, and either `static Cells build(shape, entries, threads)` or `bool set_value(place, value)`.
// Where the rate depends on how many keys have each value, cells also have `static plan_loads(wanted,
// loads, rate)`, with the choices of `wanted`, and `static rate_of_loads(shape, loads)`.
// Built from digests alone a map is a set: all values are 0. One key with two values throws
// errc::invalid where a key can have but one.
//
//     const std::vector<bloomery::keyed_value> ports{{{1, 2}, 80}, {{3, 4}, 443}};
//     using bloomery::bloomier_filter;
//     const auto map = bloomier_filter::build(bloomier_filter::plan_map(2, 0.01, 1024), ports);
//     assert(map.value({3, 4}).value == 443 && map.value({1, 2}).value == 80);
//     using bloomery::bank_filter;  // a filter for each of 444 values, sized for one key at most
//     assert(bank_filter::plan_entries(ports, 0.01).bits < bank_filter::plan_map(2, 0.01, 2).bits);
#pragma once

#include <algorithm>

#include "bloomery/filters/abilities/combining.hpp"
#include "bloomery/filters/ability.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/math/laws/map_values.hpp"

namespace bloomery {

// What a map is made from.
struct keyed_value {
  digest key;
  std::uint64_t value = 0;
};
using entry_span = std::span<const keyed_value>;
using load_span = std::span<const math::value_load>;

// The values that keys have, in order, and how many distinct keys each has.
std::vector<math::value_load> loads_of(entry_span entries);

// What a map says of a key: not there, its value, or that it is there with a value it cannot tell.
struct mapped {
  enum class state : std::uint8_t { absent, present, unknown };
  state is = state::absent;
  std::uint64_t value = 0;
  friend constexpr bool operator==(const mapped&, const mapped&) = default;
};

namespace detail {
template <class C>
concept builds_entries = requires(typename C::shape shape, entry_span entries) {
  { C::build(shape, entries, 1U) } -> std::same_as<C>;
};
template <class C>
concept sets_entries = requires(C cells, place_of<C> at, std::uint64_t value) {
  { cells.set_value(at, value) } -> std::same_as<bool>;
};
template <class C>
concept sized_by_loads = requires(typename C::shape shape, load_span loads, double rate) {
  { C::plan_loads(shape, loads, rate) } -> std::same_as<typename C::shape>;
  { C::rate_of_loads(shape, loads) } -> std::same_as<double>;
};
}  // namespace detail

struct maps : ability<maps> {
  static constexpr std::string_view name = "value";
  static constexpr std::string_view refusal = "tell values";
  template <class C>
  static constexpr bool of = requires(const C cells, detail::place_of<C> at,
                                      typename C::shape shape, std::uint64_t n, double rate) {
    { cells.value(at) } -> std::same_as<mapped>;
    { C::value_limit(shape) } -> std::same_as<std::uint64_t>;
    { C::plan_map(n, rate, n) } -> std::same_as<typename C::shape>;
    requires detail::builds_entries<C> || detail::sets_entries<C>;
  };

  [[nodiscard]] virtual mapped value(digest d) const = 0;
  // Returns how many are not absent.
  virtual std::uint64_t values(digest_span keys, std::span<mapped> answers) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] mapped value(digest d) const {
      const C& cells = filter_in<F>(*this).cells();
      return cells.value(detail::located(cells, d));
    }
    std::uint64_t values(digest_span keys, std::span<mapped> answers) const {
      detail::require_as_many(keys.size(), answers.size());
      const C& cells = filter_in<F>(*this).cells();
      if constexpr (requires { cells.values_batch(keys, answers); }) {
        return cells.values_batch(keys, answers);
      } else {
        std::uint64_t hits = 0;
        detail::each_place(cells, keys, [&](std::size_t i, const auto& at) {
          answers[i] = cells.value(at);
          hits += std::uint64_t{answers[i].is != mapped::state::absent};
        });
        return hits;
      }
    }
  };
  template <class F, class C>
  struct typed : methods<F, C, none> {
    using shape = typename C::shape;

    static shape plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
      return C::plan_map(keys, detail::rate_to_plan(rate), values);
    }
    static std::uint64_t value_limit(const shape& s) { return C::value_limit(s); }

    // For these very entries, whichever values they have; with the choices of `wanted`, where given.
    static shape plan_entries(entry_span entries, double rate) {
      std::uint64_t values = 1;
      for (const keyed_value& entry : entries)
        values = std::max(values, math::values_up_to(entry.value));
      return plan_entries(plan_map(std::max<std::uint64_t>(1, entries.size()), rate, values),
                          entries, rate);
    }
    static shape plan_entries(const shape& wanted, [[maybe_unused]] entry_span entries,
                              [[maybe_unused]] double rate) {
      if constexpr (detail::sized_by_loads<C>) {
        if (!entries.empty()) {
          return C::plan_loads(wanted, loads_of(entries), detail::rate_to_plan(rate));
        }
      }
      return wanted;
    }

    static F build(const shape& s, entry_span entries, hash_identity hash = {},
                   promise promised = {}, unsigned threads = 1) {
      for (const keyed_value& entry : entries) detail::require_value(entry.value, value_limit(s));
      if constexpr (detail::builds_entries<C>) {
        return F(s, {hash, promised, entries.size()}, C::build(F::valid(s), entries, threads));
      } else {  // a map that takes values one by one is built that way
        F filter(s, hash, promised);
        for (const keyed_value& entry : entries) filter.set_value(entry.key, entry.value);
        return filter;
      }
    }
    static F build(const shape& s, digest_span keys, hash_identity hash = {}, promise promised = {},
                   unsigned threads = 1) requires detail::builds_entries<C> {
      if constexpr (requires { C::build(s, keys, threads); }) {
        return F(s, {hash, promised, keys.size()}, C::build(F::valid(s), keys, threads));
      } else {
        std::vector<keyed_value> entries(keys.size());
        std::ranges::transform(keys, entries.begin(), [](digest d) { return keyed_value{d, 0}; });
        return build(s, entries, hash, promised, threads);
      }
    }
  };

  template <class E>
  struct keyed {
    [[nodiscard]] mapped value(const auto& key) const {
      const E& edge = static_cast<const E&>(*this);
      return edge.template able_to<maps>().value(edge.digest_of(key));
    }
  };

  struct of_kind : ability<maps>::of_kind {
    // For keys with one of `values` values each.
    [[nodiscard]] virtual shape_values plan_map(std::uint64_t keys, double rate,
                                                std::uint64_t values) const = 0;
    [[nodiscard]] virtual std::uint64_t value_limit(shape_view shape) const = 0;
    // Whether the rate depends on how many keys have each value, as it does of a filter for each.
    [[nodiscard]] virtual bool sized_by_loads() const = 0;
    // For these very entries, with the choices of `wanted`; where loads do not matter, `wanted` itself.
    [[nodiscard]] virtual shape_values plan_entries(shape_view wanted, entry_span entries,
                                                    double rate) const = 0;
    // The expected rate with these entries.
    [[nodiscard]] virtual double rate_of_entries(shape_view shape, entry_span entries) const = 0;
    [[nodiscard]] virtual any_filter build_map(shape_view shape, entry_span entries,
                                               hash_identity hash, promise promised,
                                               unsigned threads) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] shape_values plan_map(std::uint64_t keys, double rate,
                                        std::uint64_t values) const override {
      return values_of(K::filter::plan_map(keys, rate, values));
    }
    [[nodiscard]] std::uint64_t value_limit(shape_view shape) const override {
      return K::filter::value_limit(K::shape_of(shape));
    }
    [[nodiscard]] bool sized_by_loads() const override {
      return detail::sized_by_loads<typename K::cells>;
    }
    [[nodiscard]] shape_values plan_entries(shape_view wanted, entry_span entries,
                                            double rate) const override {
      return values_of(K::filter::plan_entries(K::shape_of(wanted), entries, rate));
    }
    [[nodiscard]] double rate_of_entries(shape_view shape, entry_span entries) const override {
      if constexpr (detail::sized_by_loads<typename K::cells>) {
        return K::cells::rate_of_loads(K::shape_of(shape), loads_of(entries));
      } else {
        return K::filter::predicted_rate(K::shape_of(shape), entries.size());
      }
    }
    [[nodiscard]] any_filter build_map(shape_view shape, entry_span entries, hash_identity hash,
                                       promise promised, unsigned threads) const override {
      return K::filter::build(K::shape_of(shape), entries, hash, promised, threads);
    }
  };
};

// Looks up batches in a way of its own: uint64 values_batch(keys, answers) const.
struct maps_in_batches : ability<maps_in_batches> {
  static constexpr std::string_view name = "value_batch";
  static constexpr std::string_view refusal = "look up batches in a way of its own";
  template <class C>
  static constexpr bool of = requires(const C cells, digest_span keys, std::span<mapped> answers) {
    { cells.values_batch(keys, answers) } -> std::same_as<std::uint64_t>;
  };
};

// Values can change. False, and nothing changed, where only members have values and this is none.
struct sets_values : ability<sets_values> {
  static constexpr std::string_view name = "set_value";
  static constexpr std::string_view refusal = "change values";
  template <class C>
  static constexpr bool of = detail::sets_entries<C>;

  // Where keys are added this way, it is an insertion.
  virtual bool set_value(digest d, std::uint64_t value) = 0;
  // Returns how many keys could have a value, and have it.
  virtual std::uint64_t set_values(entry_span entries) = 0;
  // Whether a value set later takes the place of the first, or a key may have both.
  [[nodiscard]] virtual bool overwrites() const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    bool set_value(digest d, std::uint64_t value) {
      auto& self = filter_in<F>(*this);
      detail::require_value(value, C::value_limit(self.shape()));
      C& cells = self.cells_for_writing();
      const bool done = cells.set_value(detail::located(cells, d), value);
      if (!detail::builds_entries<C> && done) ++self.changed_record().items;
      return done;
    }
  };

  template <class E>
  struct keyed {
    bool set_value(const auto& key, std::uint64_t value) {
      E& edge = static_cast<E&>(*this);
      return edge.template able_to<sets_values>().set_value(edge.digest_of(key), value);
    }
  };

  template <class Held, class C>
  struct on : methods<Held, C, sets_values> {
    std::uint64_t set_values(entry_span entries) override {
      std::uint64_t done = 0;
      for (const keyed_value& entry : entries) {
        done += std::uint64_t{this->set_value(entry.key, entry.value)};
      }
      return done;
    }
    [[nodiscard]] bool overwrites() const override {
      return !lists<merges, typename C::can>;  // what merges keeps all it was given
    }
  };
};

// Lists all values that may be a key's, where there may be several: cells have `hits(digest)`.
struct classifies : ability<classifies> {
  static constexpr std::string_view name = "classify";
  static constexpr std::string_view refusal = "tell all classes of a key";
  template <class C>
  static constexpr bool of = requires(const C cells, digest d) {
    { cells.hits(d) } -> std::same_as<std::vector<std::uint64_t>>;
  };

  [[nodiscard]] virtual std::vector<std::uint64_t> hits(digest d) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::vector<std::uint64_t> hits(digest d) const {
      return filter_in<F>(*this).cells().hits(d);
    }
  };
};

}  // namespace bloomery
