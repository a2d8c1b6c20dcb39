// What a kind can tell of a shape beyond size and rate, which every kind tells.
//
//     using bloomery::cuckoo_filter;
//     const auto shape = cuckoo_filter::plan(1000, 0.01);
//     assert(cuckoo_filter::capacity(shape) >= 1000);
//     using bloomery::standard_filter;
//     assert(standard_filter::layout(standard_filter::of_bits(64, 3)).bits == 64);
#pragma once

#include "bloomery/filters/ability.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/math/laws/occupancy.hpp"

namespace bloomery {

// Is m bits of which k are set per key, or predicts its fill as such a filter does.
struct lays_out : ability<lays_out> {
  static constexpr std::string_view name = "lay_out";
  static constexpr std::string_view refusal = "be made of bits and hashes alone";
  template <class C>
  static constexpr bool of = requires(typename C::shape shape, std::uint64_t n) {
    { C::layout(shape) } -> std::same_as<math::bit_layout>;
    { C::of_bits(n, n) } -> std::same_as<typename C::shape>;
  };

  template <class F, class C>
  struct typed {
    static math::bit_layout layout(const typename C::shape& shape) { return C::layout(shape); }
    static typename C::shape of_bits(std::uint64_t bits, std::uint64_t hashes) {
      return C::of_bits(bits, hashes);
    }
  };

  struct of_kind : ability<lays_out>::of_kind {
    [[nodiscard]] virtual math::bit_layout layout(shape_view shape) const = 0;
    [[nodiscard]] virtual shape_values of_bits(std::uint64_t bits, std::uint64_t hashes) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] math::bit_layout layout(shape_view shape) const override {
      return K::filter::layout(K::shape_of(shape));
    }
    [[nodiscard]] shape_values of_bits(std::uint64_t bits, std::uint64_t hashes) const override {
      return values_of(K::filter::valid(K::filter::of_bits(bits, hashes)));
    }
  };
};

// Guaranteed capacity in distinct keys; insert throws errc::limit, and changes nothing, when it
// finds no room.
struct has_capacity : ability<has_capacity> {
  static constexpr std::string_view name = "bounded";
  static constexpr std::string_view refusal = "be full";
  template <class C>
  static constexpr bool of = requires(typename C::shape shape) {
    { C::capacity(shape) } -> std::same_as<std::uint64_t>;
  };

  template <class F, class C>
  struct typed {
    static std::uint64_t capacity(const typename C::shape& shape) { return C::capacity(shape); }
  };

  struct of_kind : ability<has_capacity>::of_kind {
    [[nodiscard]] virtual std::uint64_t capacity(shape_view shape) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] std::uint64_t capacity(shape_view shape) const override {
      return K::filter::capacity(K::shape_of(shape));
    }
  };
};

// May miss keys it was given, at a rate it predicts.
struct loses : ability<loses> {
  static constexpr std::string_view name = "lose";
  static constexpr std::string_view refusal = "predict how many keys it misses";
  template <class C>
  static constexpr bool of = requires(typename C::shape shape, std::uint64_t keys) {
    { C::predicted_false_negatives(shape, keys) } -> std::same_as<double>;
  };

  template <class F, class C>
  struct typed {
    static double predicted_false_negatives(const typename C::shape& shape, std::uint64_t keys) {
      return C::predicted_false_negatives(shape, keys);
    }
  };

  struct of_kind : ability<loses>::of_kind {
    [[nodiscard]] virtual double predicted_false_negatives(shape_view shape,
                                                           std::uint64_t keys) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] double predicted_false_negatives(shape_view shape,
                                                   std::uint64_t keys) const override {
      return K::filter::predicted_false_negatives(K::shape_of(shape), keys);
    }
  };
};

// Is sized by how far its counts may be off: by more than ε of all occurrences with probability δ at most.
struct bounds_error : ability<bounds_error> {
  static constexpr std::string_view name = "bound_error";
  static constexpr std::string_view refusal = "be sized by the error of its counts";
  template <class C>
  static constexpr bool of = requires(double share) {
    { C::for_error(share, share) } -> std::same_as<typename C::shape>;
  };

  template <class F, class C>
  struct typed {
    static typename C::shape for_error(double epsilon, double delta) {
      return C::for_error(epsilon, delta);
    }
  };

  struct of_kind : ability<bounds_error>::of_kind {
    [[nodiscard]] virtual shape_values for_error(double epsilon, double delta) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] shape_values for_error(double epsilon, double delta) const override {
      return values_of(K::filter::valid(K::filter::for_error(epsilon, delta)));
    }
  };
};

// Has fields that are chosen, such as a metric or a code, not planned: the plan goes round them.
struct chooses : ability<chooses> {
  static constexpr std::string_view name = "choose";
  static constexpr std::string_view refusal = "be planned around chosen fields";
  template <class C>
  static constexpr bool of = requires(typename C::shape shape, std::uint64_t keys, double rate) {
    { C::plan_for(shape, keys, rate) } -> std::same_as<typename C::shape>;
  };

  struct of_kind : ability<chooses>::of_kind {
    [[nodiscard]] virtual shape_values plan_around(shape_view shape, std::uint64_t keys,
                                                   double rate) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] shape_values plan_around(shape_view shape, std::uint64_t keys,
                                           double rate) const override {
      return values_of(K::cells::plan_for(K::shape_of(shape), keys, detail::rate_to_plan(rate)));
    }
  };
};

// Restored cells can have some records only: errc::corrupt for another.
struct checks_record : ability<checks_record> {
  static constexpr std::string_view name = "check_record";
  static constexpr std::string_view refusal = "check its record";
  template <class C>
  static constexpr bool of = requires(const C cells, filter_record record) {
    cells.require_record(record);
  };
};

}  // namespace bloomery
