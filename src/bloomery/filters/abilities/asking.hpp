// Asking: is a key present? A "yes" may be wrong, at the rate that the kind predicts.
//
// Cells have `bool contains(place) const`, and may answer whole batches themselves.
//
//     auto seen = bloomery::standard_filter::for_keys(100, 0.01);
//     seen.insert({1, 2});
//     assert(seen.may_contain({1, 2}) && !seen.may_contain({3, 4}));
//     const bloomery::any_filter any(std::move(seen));
//     assert(any.as<bloomery::asks>().may_contain({1, 2}));
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <ranges>

#include "bloomery/filters/ability.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery {

namespace detail {
template <class C>
concept answers_integers = requires(const C cells, const integer_span& keys,
                                    std::span<bool> answers) {
  cells.contains_batch(keys, answers);
};

// Key by key, prefetched: how batches are asked of cells that have no way of their own.
template <class C, class Keys>
std::uint64_t ask_each(const C& cells, const Keys& keys, std::span<bool> answers) {
  std::uint64_t hits = 0;
  each_place(cells, keys, [&](std::size_t i, const auto& at) {
    answers[i] = cells.contains(at);
    hits += std::uint64_t{answers[i]};
  });
  return hits;
}
}  // namespace detail

struct keeps_time;

struct asks : ability<asks> {
  static constexpr std::string_view name = "query";
  static constexpr std::string_view refusal = "answer membership queries";
  template <class C>
  static constexpr bool of = requires(const C cells, detail::place_of<C> at) {
    { cells.contains(at) } -> std::same_as<bool>;
  };

  [[nodiscard]] virtual bool may_contain(digest d) const = 0;
  // Returns how many may be present.
  virtual std::uint64_t may_contain(digest_span keys, std::span<bool> answers) const = 0;

  template <class F>
  static constexpr bool takes_integers = requires(const F filter, const integer_span& keys,
                                                  std::span<bool> answers) {
    filter.may_contain(keys, answers);
  };

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] bool may_contain(digest d) const {
      const C& cells = filter_in<F>(*this).cells();
      return cells.contains(detail::located_once(cells, d));
    }
    std::uint64_t may_contain(digest_span keys, std::span<bool> answers) const {
      detail::require_as_many(keys.size(), answers.size());
      const C& cells = filter_in<F>(*this).cells();
      if constexpr (requires { cells.contains_batch(keys, answers); }) {
        return cells.contains_batch(keys, answers);
      } else {
        return detail::ask_each(cells, keys, answers);
      }
    }
    // As of a later time, which changes nothing in the filter.
    [[nodiscard]] bool may_contain(digest d, std::uint64_t now) const requires answers_later<C> {
      const C& cells = filter_in<F>(*this).cells();
      return cells.contains(detail::located(cells, d), cells.as_of(now));
    }
    std::uint64_t may_contain(digest_span keys, std::span<bool> answers,
                              std::uint64_t now) const requires answers_later<C> {
      detail::require_as_many(keys.size(), answers.size());
      const C& cells = filter_in<F>(*this).cells();
      std::uint64_t hits = 0;
      detail::each_place(cells, keys,
                         [&, at_time = cells.as_of(now)](std::size_t i, const auto& at) {
                           answers[i] = cells.contains(at, at_time);
                           hits += std::uint64_t{answers[i]};
                         });
      return hits;
    }
    // Integers are hashed on the way, where the cells take them.
    std::uint64_t may_contain(const integer_span& keys,
                              std::span<bool> answers) const requires detail::answers_integers<C> {
      detail::require_as_many(keys.size(), answers.size());
      return filter_in<F>(*this).cells().contains_batch(keys, answers);
    }
  };

  template <class E>
  struct keyed {
    [[nodiscard]] bool may_contain(const auto& key) const {
      const E& edge = static_cast<const E&>(*this);
      return edge.template able_to<asks>().may_contain(edge.digest_of(key));
    }
    // As of a later time, of a window of time; the filter does not change.
    [[nodiscard]] bool may_contain(const auto& key, std::uint64_t now) const {
      const E& edge = static_cast<const E&>(*this);
      return edge.template able_to<keeps_time>().may_contain(edge.digest_of(key), now);
    }
    // Answers for every key of a range; returns how many may be present.
    template <std::ranges::input_range Keys>
    std::uint64_t may_contain(const Keys& keys, std::span<bool> answers) const {
      const E& edge = static_cast<const E&>(*this);
      std::uint64_t hits = 0;
      edge.template in_batches<asks>(keys, [&](const auto& batch, std::size_t first) {
        const std::size_t asked = first + batch.size();
        if (asked > answers.size()) detail::refuse_lengths(asked, answers.size());
        hits +=
            edge.template able_to<asks>().may_contain(batch, answers.subspan(first, batch.size()));
      });
      return hits;
    }
    // The same, where tell(key, whether it may be present) is called for each.
    template <std::ranges::input_range Keys,
              std::invocable<std::ranges::range_reference_t<const Keys>, bool> Tell>
    std::uint64_t may_contain(const Keys& keys, Tell tell) const {
      const E& edge = static_cast<const E&>(*this);
      std::uint64_t hits = 0;
      auto key = std::ranges::begin(keys);
      edge.template in_batches<asks>(keys, [&](const auto& batch, std::size_t) {
        std::array<bool, 1024> answers{};
        for (std::size_t first = 0; first < batch.size(); first += answers.size()) {
          const std::size_t size = std::min(answers.size(), batch.size() - first);
          const std::span<bool> told = std::span(answers).first(size);
          hits += edge.template able_to<asks>().may_contain(batch.subspan(first, size), told);
          for (const bool present : told) tell(*key++, present);
        }
      });
      return hits;
    }
  };
};

// Answers batches in a way of its own: uint64 contains_batch(keys, answers) const.
struct asks_in_batches : ability<asks_in_batches> {
  static constexpr std::string_view name = "query_batch";
  static constexpr std::string_view refusal = "answer batches in a way of its own";
  template <class C>
  static constexpr bool of = requires(const C cells, digest_span keys, std::span<bool> answers) {
    { cells.contains_batch(keys, answers) } -> std::same_as<std::uint64_t>;
  };
};

}  // namespace bloomery
