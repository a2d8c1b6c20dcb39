// Measuring: what the cells themselves tell of fill, rate and number of keys.
//
//     auto seen = bloomery::standard_filter::for_keys(1000, 0.01);
//     for (std::uint64_t i = 0; i < 500; ++i) seen.insert({bloomery::hash::mix(i), ~i});
//     assert(seen.fill() > 0.2 && seen.current_rate() < 0.01);
//     const auto keys = seen.estimated_keys(0.999);
//     assert(keys.low < 500 && 500 < keys.high);
#pragma once

#include "bloomery/filters/ability.hpp"
#include "bloomery/math/laws/estimate.hpp"

namespace bloomery {

// Tells its fill and the rate of the cells as they stand.
struct tells_rate : ability<tells_rate> {
  static constexpr std::string_view name = "tell_rate";
  static constexpr std::string_view refusal = "report its fill";
  template <class C>
  static constexpr bool of = requires(const C cells) {
    { cells.fill() } -> std::same_as<double>;
    { cells.current_rate() } -> std::same_as<double>;
  };

  [[nodiscard]] virtual double fill() const = 0;
  [[nodiscard]] virtual double current_rate() const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] double fill() const { return filter_in<F>(*this).cells().fill(); }
    [[nodiscard]] double current_rate() const { return filter_in<F>(*this).cells().current_rate(); }
  };
};

// Estimates how many distinct keys it holds, and how many it shares with another.
struct measures : ability<measures> {
  static constexpr std::string_view name = "measure";
  static constexpr std::string_view refusal = "estimate its keys";
  template <class C>
  static constexpr bool of = requires(const C cells, double confidence) {
    { cells.estimated_keys(confidence) } -> std::same_as<math::estimate>;
    { cells.estimated_overlap(cells, confidence) } -> std::same_as<math::overlap>;
  };

  [[nodiscard]] virtual math::estimate estimated_keys(
      double confidence = math::default_confidence) const = 0;
  [[nodiscard]] virtual math::overlap estimated_overlap(
      const any_filter& other, double confidence = math::default_confidence) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] math::estimate estimated_keys(
        double confidence = math::default_confidence) const {
      return filter_in<F>(*this).cells().estimated_keys(confidence);
    }
  };
  template <class F, class C>
  struct typed : methods<F, C, none> {
    [[nodiscard]] math::overlap estimated_overlap(
        const F& other, double confidence = math::default_confidence) const {
      const F& self = static_cast<const F&>(*this);
      self.require_combinable(other);
      return self.cells().estimated_overlap(other.cells(), confidence);
    }
  };
  template <class Held, class C>
  struct on : methods<Held, C, measures> {
    [[nodiscard]] math::overlap estimated_overlap(const any_filter& other,
                                                  double confidence) const override {
      return filter_in<Held>(*this).estimated_overlap(Held::same_kind(other), confidence);
    }
  };
};

// Keys that take room where the record cannot tell: those erased too, where erasing frees none.
struct takes_room : ability<takes_room> {
  static constexpr std::string_view name = "take_room";
  static constexpr std::string_view refusal = "tell how many keys take room";
  template <class C>
  static constexpr bool of = requires(const C cells, double confidence) {
    { cells.taken_keys(confidence) } -> std::same_as<math::estimate>;
  };

  [[nodiscard]] virtual math::estimate taken_keys(double confidence) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] math::estimate taken_keys(double confidence) const {
      return filter_in<F>(*this).cells().taken_keys(confidence);
    }
  };
};

// Keys at whose cost others are missed, as predicted_false_negatives counts them.
struct wears : ability<wears> {
  static constexpr std::string_view name = "wear";
  static constexpr std::string_view refusal = "tell how many keys cost others";
  template <class C>
  static constexpr bool of = requires(const C cells, double confidence) {
    { cells.wearing_keys(confidence) } -> std::same_as<math::estimate>;
  };

  [[nodiscard]] virtual math::estimate wearing_keys(double confidence) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] math::estimate wearing_keys(double confidence) const {
      return filter_in<F>(*this).cells().wearing_keys(confidence);
    }
  };
};

// Counts how often a cell could not hold what it was given: from then on something is inexact.
struct overflowing : ability<overflowing> {
  static constexpr std::string_view name = "overflow";
  static constexpr std::string_view refusal = "overflow";
  template <class C>
  static constexpr bool of = requires(const C cells) {
    { cells.overflows() } -> std::same_as<std::uint64_t>;
  };

  [[nodiscard]] virtual std::uint64_t overflows() const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t overflows() const {
      return filter_in<F>(*this).cells().overflows();
    }
  };
};

}  // namespace bloomery
