// Advertising: what to tell a neighbour of the keys held here and of those behind the other links.
//
// Cells have `static Cells advertisement(own, others, link)`. No promise holds for what is told. Those in
// which a key fades with distance have `score(digest)` and `noise_floor(chance)` as well.
//
//     auto here = bloomery::attenuated_filter(bloomery::attenuated_filter::plan_map(100, 0.01, 4));
//     here.insert({1, 2});
//     const auto told = bloomery::attenuated_filter::advertisement(here, {}, 1);
//     assert(told.may_contain({1, 2}) && told.value({1, 2}).value == 0);  // at the sender
#pragma once

#include "bloomery/core/limits.hpp"
#include "bloomery/filters/ability.hpp"

namespace bloomery {

struct advertises : ability<advertises> {
  static constexpr std::string_view name = "advertise";
  static constexpr std::string_view refusal = "be advertised";
  template <class C>
  static constexpr bool of = requires(const C own, std::span<const C* const> others) {
    { C::advertisement(own, others, std::uint64_t{1}) } -> std::same_as<C>;
  };

  template <class F, class C>
  struct typed {
    [[nodiscard]] static F advertisement(const F& own, std::span<const F* const> others,
                                         std::uint64_t link) {
      filter_record record = own.record();
      record.promised = {};
      std::vector<const C*> behind;
      for (const F* other : others) {
        own.require_combinable(*other);
        record.items = std::min(record.items + other->record().items, max_items);
        behind.push_back(&other->cells());
      }
      return F(own.shape(), record, C::advertisement(own.cells(), behind, link));
    }
  };

  [[nodiscard]] virtual any_filter advertisement(std::span<const any_filter* const> others,
                                                 std::uint64_t link) const = 0;

  template <class Held, class C>
  struct on : methods<Held, C, advertises> {
    [[nodiscard]] any_filter advertisement(std::span<const any_filter* const> others,
                                           std::uint64_t link) const override {
      using filter = typename Held::filter_type;
      std::vector<const filter*> behind;
      for (const any_filter* other : others) behind.push_back(&Held::same_kind(*other));
      return filter::advertisement(filter_in<Held>(*this), behind, link);
    }
  };
};

// Tells by a score how near a key is.
struct scores : ability<scores> {
  static constexpr std::string_view name = "score";
  static constexpr std::string_view refusal = "score keys";
  template <class C>
  static constexpr bool of = requires(const C cells, digest d, double chance) {
    { cells.score(d) } -> std::same_as<std::uint64_t>;
    { cells.noise_floor(chance) } -> std::same_as<std::uint64_t>;
  };

  [[nodiscard]] virtual std::uint64_t score(digest d) const = 0;
  // The least score that a key which is nowhere reaches with probability `chance` at most.
  [[nodiscard]] virtual std::uint64_t noise_floor(double chance) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t score(digest d) const {
      return filter_in<F>(*this).cells().score(d);
    }
    [[nodiscard]] std::uint64_t noise_floor(double chance) const {
      return filter_in<F>(*this).cells().noise_floor(chance);
    }
  };
};

}  // namespace bloomery
