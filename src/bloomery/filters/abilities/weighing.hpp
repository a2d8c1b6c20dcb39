// Weighing: better service for keys that are asked for often, told which those are.
//
// Cells have `static Cells with_weights(shape, weights)`, `static plan_weighted(keys, rate, weights)`
// and `static weighted_rate(shape, keys, weights)`.
//
//     const std::vector<bloomery::digest> members{{1, 2}, {3, 4}};
//     const std::vector<bloomery::key_weight> asked{{{5, 6}, 1000, 0.1}, {{7, 8}, 1, 0.1}};
//     using bloomery::weighted_filter;
//     const auto shape = weighted_filter::plan_weighted(2, 0.01, asked);
//     assert(weighted_filter::build(shape, members, asked).may_contain({1, 2}));
//     assert(weighted_filter::weighted_rate(shape, 2, asked) <= 0.01);
#pragma once

#include "bloomery/filters/ability.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery {

// How often a key is asked for, in any unit, and how likely it is a member.
struct key_weight {
  digest key;
  double queries = 0;
  double membership = 0;
};
using weight_span = std::span<const key_weight>;

struct weighs : ability<weighs> {
  static constexpr std::string_view name = "popularity";
  static constexpr std::string_view refusal = "weigh keys";
  template <class C>
  static constexpr bool of = requires(typename C::shape shape, weight_span weights,
                                      std::uint64_t keys, double rate) {
    { C::with_weights(shape, weights) } -> std::same_as<C>;
    { C::plan_weighted(keys, rate, weights) } -> std::same_as<typename C::shape>;
    { C::weighted_rate(shape, keys, weights) } -> std::same_as<double>;
    { C::treats_alike(shape) } -> std::same_as<bool>;
  };

  template <class F, class C>
  struct typed {
    static typename C::shape plan_weighted(std::uint64_t keys, double rate, weight_span weights) {
      return C::plan_weighted(keys, detail::rate_to_plan(rate), weights);
    }
    // Over the queries that the weights list; predicted_rate is that of keys not among them.
    static double weighted_rate(const typename C::shape& shape, std::uint64_t keys,
                                weight_span weights) {
      return C::weighted_rate(shape, keys, weights);
    }
    // Empty but for the weights, then filled.
    static F build(const typename C::shape& shape, digest_span keys, weight_span weights,
                   hash_identity hash = {}, promise promised = {}, unsigned /*threads*/ = 1) {
      F filter(shape, {hash, promised, 0}, C::with_weights(F::valid(shape), weights));
      filter.insert(keys);
      return filter;
    }
  };

  struct of_kind : ability<weighs>::of_kind {
    [[nodiscard]] virtual shape_values plan_weighted(std::uint64_t keys, double rate,
                                                     weight_span weights) const = 0;
    [[nodiscard]] virtual double weighted_rate(shape_view shape, std::uint64_t keys,
                                               weight_span weights) const = 0;
    // Whether the shape serves all keys alike, whatever their weight.
    [[nodiscard]] virtual bool treats_alike(shape_view shape) const = 0;
    [[nodiscard]] virtual any_filter build_weighted(shape_view shape, digest_span keys,
                                                    weight_span weights, hash_identity hash,
                                                    promise promised) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] shape_values plan_weighted(std::uint64_t keys, double rate,
                                             weight_span weights) const override {
      return values_of(K::filter::plan_weighted(keys, rate, weights));
    }
    [[nodiscard]] double weighted_rate(shape_view shape, std::uint64_t keys,
                                       weight_span weights) const override {
      return K::filter::weighted_rate(K::shape_of(shape), keys, weights);
    }
    [[nodiscard]] bool treats_alike(shape_view shape) const override {
      return K::cells::treats_alike(K::shape_of(shape));
    }
    [[nodiscard]] any_filter build_weighted(shape_view shape, digest_span keys, weight_span weights,
                                            hash_identity hash, promise promised) const override {
      return K::filter::build(K::shape_of(shape), keys, weights, hash, promised);
    }
  };
};

}  // namespace bloomery
