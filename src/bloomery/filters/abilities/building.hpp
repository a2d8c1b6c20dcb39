// Building: made whole from all keys, on up to `threads` threads, whose number does not show in the
// result. Repeats change no answer. A kind that inserts as well builds what inserting would make.
//
// Cells have `static Cells build(shape, keys, threads)`; maps build from entries (mapping.hpp).
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}};
//     const auto shape = bloomery::blocked_filter::plan(2, 0.01);
//     const auto seen = bloomery::blocked_filter::build(shape, keys);
//     assert(seen.may_contain({1, 2}) && seen.record().items == 2);
#pragma once

#include "bloomery/filters/abilities/mapping.hpp"
#include "bloomery/filters/ability.hpp"
#include "bloomery/hash/hashed_span.hpp"

namespace bloomery {

namespace detail {
template <class C>
concept builds_integers = requires(typename C::shape shape, const integer_span& keys) {
  C::build(shape, keys, 1U);
};
}  // namespace detail

struct builds : ability<builds> {
  static constexpr std::string_view name = "build";
  static constexpr std::string_view refusal = "be built from all keys at once";
  template <class C>
  static constexpr bool of = requires(typename C::shape shape, digest_span keys) {
    { C::build(shape, keys, 1U) } -> std::same_as<C>;
  }
  || detail::builds_entries<C>;
  template <class F>
  static constexpr bool takes_integers = requires(typename F::shape_type shape,
                                                  const integer_span& keys) {
    F::build(shape, keys, hash_identity{});
  };

  template <class F, class C>
  struct typed {
    static F build(const typename C::shape& shape, digest_span keys, hash_identity hash = {},
                   promise promised = {}, unsigned threads = 1) {
      return built(shape, keys, hash, promised, threads);
    }
    static F build(const typename C::shape& shape, const integer_span& keys, hash_identity hash,
                   promise promised = {},
                   unsigned threads = 1) requires detail::builds_integers<C> {
      return built(shape, keys, hash, promised, threads);
    }

   private:
    template <class Keys>
    static F built(const typename C::shape& shape, const Keys& keys, hash_identity hash,
                   promise promised, unsigned threads) {
      assert(threads >= 1);
      return F(shape, {hash, promised, keys.size()}, C::build(F::valid(shape), keys, threads));
    }
  };
  // Of a map: maps::typed has both forms of build.
  template <class F, detail::builds_entries C>
  struct typed<F, C> {};

  struct of_kind : ability<builds>::of_kind {
    [[nodiscard]] virtual any_filter build(shape_view shape, digest_span keys, hash_identity hash,
                                           promise promised, unsigned threads) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] any_filter build(shape_view shape, digest_span keys, hash_identity hash,
                                   promise promised, unsigned threads) const override {
      return K::filter::build(K::shape_of(shape), keys, hash, promised, threads);
    }
  };
};

}  // namespace bloomery
