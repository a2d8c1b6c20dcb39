// Counting: how often was a key inserted?
//
// Cells have `std::uint64_t count(place) const`. Those whose counters end somewhere also have
// `bool count_is_full(place) const`; those that tell only all counts at once have `decode(keys)`; those
// that weigh two estimates have `likeliest_count(place)`; and those that can be multiplied, counter by
// counter, `estimated_join(other, pairs, confidence)`.
//
//     auto visits = bloomery::counting_filter::for_keys(100, 0.01);
//     visits.insert({1, 2});
//     visits.insert({1, 2});
//     assert(visits.count({1, 2}) == 2 && !visits.count_is_full({1, 2}));
#pragma once

#include "bloomery/filters/ability.hpp"
#include "bloomery/hash/hashed_span.hpp"
#include "bloomery/math/laws/estimate.hpp"

namespace bloomery {

struct counts : ability<counts> {
  static constexpr std::string_view name = "count";
  static constexpr std::string_view refusal = "count keys";
  template <class C>
  static constexpr bool of = requires(const C cells, detail::place_of<C> at) {
    { cells.count(at) } -> std::same_as<std::uint64_t>;
  };

  [[nodiscard]] virtual std::uint64_t count(digest d) const = 0;
  virtual void count(digest_span keys, std::span<std::uint64_t> answers) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t count(digest d) const {
      const C& cells = filter_in<F>(*this).cells();
      return cells.count(detail::located(cells, d));
    }
    void count(digest_span keys, std::span<std::uint64_t> answers) const {
      detail::require_as_many(keys.size(), answers.size());
      const C& cells = filter_in<F>(*this).cells();
      detail::each_place(cells, keys,
                         [&](std::size_t i, const auto& at) { answers[i] = cells.count(at); });
    }
    // As of a later time, which changes nothing in the filter.
    void count(digest_span keys, std::span<std::uint64_t> answers,
               std::uint64_t now) const requires answers_later<C> {
      detail::require_as_many(keys.size(), answers.size());
      const C& cells = filter_in<F>(*this).cells();
      detail::each_place(cells, keys,
                         [&, at_time = cells.as_of(now)](std::size_t i, const auto& at) {
                           answers[i] = cells.count(at, at_time);
                         });
    }
  };

  template <class E>
  struct keyed {
    [[nodiscard]] std::uint64_t count(const auto& key) const {
      const E& edge = static_cast<const E&>(*this);
      return edge.template able_to<counts>().count(edge.digest_of(key));
    }
  };
};

// Whether a count has reached the end of its counter, so that the key may have come more often.
struct saturates : ability<saturates> {
  static constexpr std::string_view name = "saturate";
  static constexpr std::string_view refusal = "tell whether a count is full";
  template <class C>
  static constexpr bool of = requires(const C cells, detail::place_of<C> at) {
    { cells.count_is_full(at) } -> std::same_as<bool>;
  };

  [[nodiscard]] virtual bool count_is_full(digest d) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] bool count_is_full(digest d) const {
      const C& cells = filter_in<F>(*this).cells();
      return cells.count_is_full(detail::located(cells, d));
    }
  };
};

// The count under which what the cells show is likeliest, where `count` is the one for which it is expected.
struct tells_likeliest : ability<tells_likeliest> {
  static constexpr std::string_view name = "likeliest";
  static constexpr std::string_view refusal = "tell a likeliest count: it has one for a key";
  template <class C>
  static constexpr bool of = requires(const C cells, detail::place_of<C> at) {
    { cells.likeliest_count(at) } -> std::same_as<std::uint64_t>;
  };

  [[nodiscard]] virtual std::uint64_t likeliest_count(digest d) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t likeliest_count(digest d) const {
      const C& cells = filter_in<F>(*this).cells();
      return cells.likeliest_count(detail::located(cells, d));
    }
  };
};

// The sum over all keys of the product of their counts in two filters: how many pairs a join has.
struct joins : ability<joins> {
  static constexpr std::string_view name = "join";
  static constexpr std::string_view refusal = "tell how many pairs a join has";
  template <class C>
  static constexpr bool of = requires(const C cells, double number) {
    { cells.estimated_join(cells, number, number) } -> std::same_as<math::estimate>;
  };

  [[nodiscard]] virtual math::estimate estimated_join(
      const any_filter& other, double confidence = math::default_confidence) const = 0;

  template <class F, class C>
  struct typed {
    [[nodiscard]] math::estimate estimated_join(
        const F& other, double confidence = math::default_confidence) const {
      const F& self = static_cast<const F&>(*this);
      self.require_combinable(other);
      const double pairs =
          static_cast<double>(self.record().items) * static_cast<double>(other.record().items);
      return self.cells().estimated_join(other.cells(), pairs, confidence);
    }
  };
  template <class Held, class C>
  struct on : methods<Held, C, joins> {
    [[nodiscard]] math::estimate estimated_join(const any_filter& other,
                                                double confidence) const override {
      return filter_in<Held>(*this).estimated_join(Held::same_kind(other), confidence);
    }
  };
};

// The counts of all keys at once: `uncertain` of them may be wrong.
struct decoded_counts {
  std::vector<std::uint64_t> counts;
  std::uint64_t uncertain = 0;
};

// Says how often each key was inserted once it is told all of them.
struct decodes : ability<decodes> {
  static constexpr std::string_view name = "decode";
  static constexpr std::string_view refusal = "be decoded";
  template <class C>
  static constexpr bool of = requires(const C cells, digest_span keys) {
    { cells.decode(keys) } -> std::same_as<decoded_counts>;
  };

  [[nodiscard]] virtual decoded_counts decode(digest_span keys) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] decoded_counts decode(digest_span keys) const {
      return filter_in<F>(*this).cells().decode(keys);
    }
  };
};

}  // namespace bloomery
