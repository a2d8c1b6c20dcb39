// Reducing: the plain filter of the keys that are in it now.
//
// Cells have `plain(record) const`, which returns a filter of another kind.
//
//     auto online = bloomery::counting_filter::for_keys(100, 0.01);
//     online.insert({1, 2});
//     const bloomery::standard_filter plain = online.plain();
//     assert(plain.may_contain({1, 2}) && plain.record().items == 1);
#pragma once

#include "bloomery/filters/ability.hpp"

namespace bloomery {

struct reduces : ability<reduces> {
  static constexpr std::string_view name = "reduce";
  static constexpr std::string_view refusal = "be reduced to a plain filter";
  template <class C>
  static constexpr bool of = requires(const C cells, filter_record record) {
    { cells.plain(record).record() } -> std::convertible_to<filter_record>;
  };

  template <class F, class C>
  struct typed {
    [[nodiscard]] auto plain() const {
      const F& self = static_cast<const F&>(*this);
      return self.cells().plain(self.record());
    }
  };

  [[nodiscard]] virtual any_filter plain() const = 0;

  template <class Held, class C>
  struct on : methods<Held, C, reduces> {
    [[nodiscard]] any_filter plain() const override { return filter_in<Held>(*this).plain(); }
  };
};

}  // namespace bloomery
