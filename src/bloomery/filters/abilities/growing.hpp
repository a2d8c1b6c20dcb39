// Growing: takes any number of keys and keeps its rate. payload_bytes(shape) is what it starts from.
//
//     auto seen = bloomery::scalable_filter::for_keys(100, 0.01);
//     for (std::uint64_t i = 0; i < 1000; ++i) seen.insert({bloomery::hash::mix(i), ~i});
//     assert(seen.stages() > 1);
#pragma once

#include "bloomery/filters/ability.hpp"

namespace bloomery {

struct grows : ability<grows> {
  static constexpr std::string_view name = "grow";
  static constexpr std::string_view refusal = "grow";
  template <class C>
  static constexpr bool of = requires(const C cells) {
    { cells.stages() } -> std::same_as<std::uint64_t>;
  };

  [[nodiscard]] virtual std::uint64_t stages() const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t stages() const { return filter_in<F>(*this).cells().stages(); }
  };
};

// Gives back room that erased keys took: cells have `void compact()`.
struct compacts : ability<compacts> {
  static constexpr std::string_view name = "compact";
  static constexpr std::string_view refusal = "be compacted";
  template <class C>
  static constexpr bool of = requires(C cells) {
    cells.compact();
  };

  virtual void compact() = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    void compact() { filter_in<F>(*this).cells_for_writing().compact(); }
  };
};

}  // namespace bloomery
