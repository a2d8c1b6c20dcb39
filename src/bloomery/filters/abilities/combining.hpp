// Combining filters of one shape and hash: union, intersection, and the same keys at less room.
//
// Cells have `void merge(const Cells&)`, `void intersect(const Cells&)`, or `Cells folded(shape)` with
// `static shape folded_shape(shape, factor)`. What is combined must agree in shape, hash and names;
// anything else throws errc::incompatible.
//
//     auto one = bloomery::standard_filter::for_keys(100, 0.01);
//     auto two = bloomery::standard_filter::for_keys(100, 0.01);
//     one.insert({1, 2});
//     two.insert({3, 4});
//     one.merge(two);
//     assert(one.may_contain({1, 2}) && one.may_contain({3, 4}) && one.record().items == 2);
//     one.intersect(two);
//     assert(!one.may_contain({1, 2}) && one.may_contain({3, 4}));
#pragma once

#include "bloomery/core/error.hpp"
#include "bloomery/filters/ability.hpp"

namespace bloomery {

struct merges : ability<merges> {
  static constexpr std::string_view name = "merge";
  static constexpr std::string_view refusal = "be merged";
  static std::string_view why(const kind_info& info) { return info.unmergeable; }
  template <class C>
  static constexpr bool of = requires(C cells, const C other) {
    cells.merge(other);
  };

  template <class F, class C>
  struct typed {
    // Afterwards it is the filter of the keys of both.
    void merge(const F& other) {
      F& self = static_cast<F&>(*this);
      self.require_combinable(other);
      self.cells_for_writing().merge(other.cells());
      self.changed_record() = united(self.record(), other.record());
    }
    F& operator|=(const F& other) {
      merge(other);
      return static_cast<F&>(*this);
    }
  };

  template <class E>
  struct keyed {
    E& operator|=(const E& other) {
      E& edge = static_cast<E&>(*this);
      edge.template able_to<merges>().merge(other.filter());
      return edge;
    }
  };

  virtual void merge(const any_filter& other) = 0;

  template <class Held, class C>
  struct on : methods<Held, C, merges> {
    void merge(const any_filter& other) override {
      filter_in<Held>(*this).merge(Held::same_kind(other));
    }
  };
};

struct intersects : ability<intersects> {
  static constexpr std::string_view name = "intersect";
  static constexpr std::string_view refusal = "be intersected";
  template <class C>
  static constexpr bool of = requires(C cells, const C other) {
    cells.intersect(other);
  };

  template <class F, class C>
  struct typed {
    // Holds every key that both hold, and more false positives than a filter built from those.
    void intersect(const F& other) {
      F& self = static_cast<F&>(*this);
      self.require_combinable(other);
      self.cells_for_writing().intersect(other.cells());
      self.changed_record() = intersected(self.record(), other.record());
    }
    F& operator&=(const F& other) {
      intersect(other);
      return static_cast<F&>(*this);
    }
  };

  template <class E>
  struct keyed {
    E& operator&=(const E& other) {
      E& edge = static_cast<E&>(*this);
      edge.template able_to<intersects>().intersect(other.filter());
      return edge;
    }
  };

  virtual void intersect(const any_filter& other) = 0;

  template <class Held, class C>
  struct on : methods<Held, C, intersects> {
    void intersect(const any_filter& other) override {
      filter_in<Held>(*this).intersect(Held::same_kind(other));
    }
  };
};

struct folds : ability<folds> {
  static constexpr std::string_view name = "fold";
  static constexpr std::string_view refusal = "be folded";
  template <class C>
  static constexpr bool of = requires(const C cells, typename C::shape shape, std::uint64_t n) {
    { C::folded_shape(shape, n) } -> std::same_as<typename C::shape>;
    { cells.folded(shape, n) } -> std::same_as<C>;
  };

  template <class F, class C>
  struct typed {
    // The filter of the same keys at 1/factor of the size; errc::invalid unless the factor divides
    // the shape.
    [[nodiscard]] F folded(std::uint64_t factor) const {
      const F& self = static_cast<const F&>(*this);
      const auto smaller = F::valid(C::folded_shape(self.shape(), factor));
      filter_record record = self.record();
      if (factor != 1) record.promised = {};
      return F(smaller, record, self.cells().folded(smaller, factor));
    }
  };

  [[nodiscard]] virtual any_filter folded(std::uint64_t factor) const = 0;

  template <class Held, class C>
  struct on : methods<Held, C, folds> {
    [[nodiscard]] any_filter folded(std::uint64_t factor) const override {
      return filter_in<Held>(*this).folded(factor);
    }
  };
};

}  // namespace bloomery
