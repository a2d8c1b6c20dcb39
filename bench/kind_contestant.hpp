// Our own kinds as contestants.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "bloomery/any/kinds.hpp"
#include "bloomery/any/registry.hpp"
#include "bloomery/filters/bloom.hpp"
#include "contestant.hpp"
#include "shapes.hpp"

namespace bloomery::bench {

inline std::uint64_t after(std::uint64_t key, std::uint64_t nothing) {
  return key ^ nothing;
}
inline std::string_view after(std::string_view key, std::uint64_t nothing) {
  return {key.data() + nothing, key.size()};
}

template <class F, class Hash, class Key>
class kind_structure final : public structure<Key> {
 public:
  using filter_type = bloom<F, Hash>;
  using key_span = std::span<const Key>;

  explicit kind_structure(filter_type filter) : filter_(std::move(filter)) {}

  void insert([[maybe_unused]] key_span keys, [[maybe_unused]] bool batch) override {
    if constexpr (able<F, inserts>) {
      if (batch) {
        filter_.insert(keys);
      } else {
        for (const Key& key : keys) filter_.insert(key);
      }
    }
  }

  std::uint64_t find(key_span keys, bool batch) override {
    std::uint64_t found = 0;
    if (!batch) {
      for (const Key& key : keys) found += std::uint64_t{filter_.may_contain(key)};
      return found;
    }
    for (std::size_t first = 0; first < keys.size(); first += answers_.size()) {
      const std::size_t size = std::min(answers_.size(), keys.size() - first);
      found += filter_.may_contain(keys.subspan(first, size), std::span(answers_).first(size));
    }
    return found;
  }

  std::uint64_t find_dependent(key_span keys, std::uint64_t zero) override {
    std::uint64_t found = 0;
    std::uint64_t nothing = 0;
    for (const Key& key : keys) {
      auto answer = std::uint64_t{filter_.may_contain(after(key, nothing))};
      asm volatile("" : "+r"(answer));  // no guess in place of the answer
      nothing = answer & zero;
      found += answer;
    }
    return found;
  }

  std::uint64_t remove([[maybe_unused]] key_span keys, [[maybe_unused]] bool batch) override {
    std::uint64_t removed = 0;
    if constexpr (able<F, erases>) {
      if (!batch) {
        for (const Key& key : keys) removed += std::uint64_t{filter_.erase(key)};
      } else if constexpr (requires {
                             filter_.filter().erase(integer_span(filter_.hash(), keys));
                           }) {
        removed = filter_.filter().erase(integer_span(filter_.hash(), keys));
      } else {
        detail::in_groups(keys, filter_.hash(), [&](digest_span group, std::size_t) {
          removed += filter_.filter().erase(group);
        });
      }
    }
    return removed;
  }

  [[nodiscard]] std::uint64_t bytes() const override {
    return F::payload_bytes(filter_.filter().shape());
  }

 private:
  filter_type filter_;
  std::array<bool, 4096> answers_{};
};

inline bool is_wanted(const bench_options& options, std::string_view name) {
  const auto& wanted = options.kinds;
  if (wanted.empty()) return options.shapes.empty();
  return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
}

template <class F, class Key, class Hash>
contestant<Key> contestant_of(std::string name, const typename F::shape_type& shape,
                              const bench_options& options, const Hash& hash) {
  using structure_type = kind_structure<F, Hash, Key>;
  using filter_type = typename structure_type::filter_type;
  contestant<Key> side;
  side.name = std::move(name);
  side.hash = name_of(hash.identity().id);
  side.finds_all = !F::kind.false_negatives;
  const promise promised{options.keys, options.rate};
  side.can = {
      {operation::find, false}, {operation::find, true}, {operation::find_dependent, false}};
  if constexpr (able<F, inserts>) {
    side.can.insert({{operation::insert, false}, {operation::insert, true}});
    // A copy has touched all of its memory.
    side.make = [=] {
      return std::make_unique<structure_type>(
          filter_type(F(shape, hash.identity(), promised), hash).copy());
    };
  }
  if constexpr (able<F, erases>) {
    side.can.insert({{operation::remove, false}, {operation::remove, true}});
  }
  if constexpr (able<F, builds>) {
    side.can.insert({{operation::build, true}, {operation::build_on_two, true}});
    side.build = [=](std::span<const Key> keys, unsigned threads) {
      return std::make_unique<structure_type>(
          filter_type::build(shape, keys, promised, hash, threads));
    };
  }
  return side;
}

// The planned shape of a kind, if it is wanted, and those that were fixed for it.
template <filter_type F, class Key, class Hash>
void add_kind(const bench_options& options, const Hash& hash,
              std::vector<contestant<Key>>& contestants, std::vector<left_out>& skipped) {
  const std::string name(F::kind.name);
  constexpr bool holds_keys = able<F, inserts> || able<F, builds>;
  if constexpr (holds_keys && able<F, asks>) {
    const auto add = [&](std::string shown, const std::vector<field_value>& shape) {
      contestants.push_back(contestant_of<F, Key>(
          std::move(shown), shape_from<typename F::shape_type>(shape), options, hash));
    };
    const any_kind& kind = find_kind(name);
    if (is_wanted(options, name)) add(name, kind.plan(options.keys, options.rate));
    for (const fixed_shape& fixed : options.shapes) {
      if (fixed.kind != name) continue;
      add(fixed.text, shape_values_of(kind, fixed, options.keys, options.rate));
    }
  } else if (is_wanted(options, name)) {
    skipped.push_back({name, holds_keys ? "cannot answer queries" : "cannot hold keys"});
  }
}

template <class Key, class Hash, class... Kinds>
void add_kinds(kind_list<Kinds...> /*all*/, const bench_options& options, const Hash& hash,
               std::vector<contestant<Key>>& contestants, std::vector<left_out>& skipped) {
  (add_kind<Kinds, Key>(options, hash, contestants, skipped), ...);
}

void add_text_kinds(const bench_options& options,
                    std::vector<contestant<std::string_view>>& contestants,
                    std::vector<left_out>& skipped);

}  // namespace bloomery::bench
