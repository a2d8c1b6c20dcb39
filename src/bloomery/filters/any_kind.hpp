// A kind of filter, chosen at run time: what it is, what it can do, and how to make one.
//
//     const bloomery::any_kind& kind = bloomery::find_kind("standard");
//     assert(kind.can<bloomery::merges>() && !kind.can<bloomery::erases>());
//     const bloomery::any_filter filter = kind.create(kind.plan(1000, 0.01), {}, {});
//     assert(&filter.kind() == &kind && kind.payload_bytes(filter.shape()) == filter.bytes());
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "bloomery/filters/any_filter.hpp"
#include "bloomery/filters/filter.hpp"

namespace bloomery {

class any_kind {
 public:
  any_kind(const any_kind&) = delete;
  any_kind& operator=(const any_kind&) = delete;
  virtual ~any_kind() = default;

  const kind_info& info;
  const std::vector<field_info> fields;

  // What its filters can do; and what the kind can tell of it before there is one.
  template <class Ability>
  [[nodiscard]] bool can() const {
    return dynamic_cast<const typename Ability::of_kind*>(this) != nullptr;
  }
  template <class Ability>
  [[nodiscard]] const typename Ability::of_kind& as() const {
    if (const auto* ability = dynamic_cast<const typename Ability::of_kind*>(this)) return *ability;
    refuse(info.name, Ability::refusal, Ability::why(info));
  }
  // The names of all abilities that it has, in the order of the list.
  [[nodiscard]] virtual std::vector<std::string_view> abilities() const = 0;

  [[nodiscard]] virtual any_filter create(shape_view shape, hash_identity hash,
                                          promise promised) const = 0;
  // From stored bytes; errc::corrupt unless they fit.
  [[nodiscard]] virtual any_filter restore(shape_view shape, const filter_record& record,
                                           storage payload) const = 0;
  [[nodiscard]] virtual std::uint64_t payload_bytes(shape_view shape) const = 0;
  [[nodiscard]] virtual shape_values plan(std::uint64_t keys, double rate) const = 0;
  [[nodiscard]] virtual double predicted_rate(shape_view shape, std::uint64_t keys) const = 0;
  [[nodiscard]] virtual math::query_cost query_cost(shape_view shape, std::uint64_t keys) const = 0;

  // k, if its shapes have such a field.
  [[nodiscard]] virtual std::optional<std::uint64_t> hashes(shape_view shape) const = 0;

  // Empty, sized for `keys` distinct keys at a rate of at most `rate`.
  [[nodiscard]] any_filter for_keys(std::uint64_t keys, double rate,
                                    hash_identity hash = {}) const {
    return create(plan(keys, rate), hash, {keys, rate});
  }
  // A filter of these keys, by whichever way the kind has.
  [[nodiscard]] bool takes_keys() const { return can<builds>() || can<inserts>(); }
  [[nodiscard]] any_filter build(shape_view shape, digest_span keys, hash_identity hash,
                                 promise promised, unsigned threads) const;
  // The sizes that go with the choices of a shape; of a kind without choices, the shape itself.
  [[nodiscard]] shape_values plan_around(shape_view shape, std::uint64_t keys, double rate) const;
  // The share of inserted keys that a query misses: 0 for most kinds, 1 if the kind cannot say.
  [[nodiscard]] double predicted_false_negatives(shape_view shape, std::uint64_t keys) const;

  // Two columns of the survey's Table II: counting, and boolean, frequency or value.
  [[nodiscard]] bool counts() const { return can<bloomery::counts>() || can<decodes>(); }
  [[nodiscard]] std::string_view output() const;

 protected:
  any_kind(const kind_info& its_info, std::vector<field_info> its_fields)
      : info(its_info), fields(std::move(its_fields)) {}
};

}  // namespace bloomery
