// How a typed filter becomes an any_filter. For the source of a kind, which ends with
//
//   template struct bloomery::erasure<my_filter>;
//
// so that the erased form of each kind is compiled once.
//
//     using held = bloomery::detail::held<bloomery::standard_filter>;
//     static_assert(std::is_base_of_v<bloomery::asks, held>);
//     static_assert(!std::is_base_of_v<bloomery::erases, held>);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/filters/any_kind.hpp"

namespace bloomery {
namespace detail {

template <class Self, class Cells, class List>
struct faces;
template <class Self, class Cells, class... A>
struct faces<Self, Cells, ability_list<A...>> : A::template on<Self, Cells>... {};

template <class Self, class List>
struct kind_faces;
template <class Self, class... A>
struct kind_faces<Self, ability_list<A...>> : A::template kind_on<Self>... {};

template <class F>
class held final : public erased,
                   public faces<held<F>, typename F::cells_type, typename F::abilities> {
 public:
  using filter_type = F;

  explicit held(F filter) : filter_(std::move(filter)) {}
  [[nodiscard]] F& filter() { return filter_; }
  [[nodiscard]] const F& filter() const { return filter_; }

  [[nodiscard]] const any_kind& kind() const override { return erasure<F>::kind(); }
  [[nodiscard]] const kind_info& info() const override { return F::kind; }
  [[nodiscard]] shape_values shape() const override { return values_of(filter_.shape()); }
  [[nodiscard]] filter_record record() const override { return filter_.record(); }
  void set_names(name_list names) override { filter_.set_names(std::move(names)); }
  [[nodiscard]] std::vector<byte_view> payload() const override { return filter_.payload(); }
  [[nodiscard]] std::unique_ptr<erased> copy() const override {
    return std::make_unique<held>(filter_);
  }

  static const F& same_kind(const any_filter& other) {
    if (const F* same = other.get_if<F>()) return *same;
    fail(errc::incompatible, "the kind differs: " + std::string(F::kind.name) + " against " +
                                 std::string(other.kind().info.name));
  }

 private:
  F filter_;
};

template <class F>
class kind_of final : public any_kind, public kind_faces<kind_of<F>, typename F::abilities> {
 public:
  using filter = F;
  using cells = typename F::cells_type;
  using shape = typename F::shape_type;

  kind_of() : any_kind(F::kind, field_infos<shape>()) {}

  static shape shape_of(shape_view values) { return shape_from<shape>(values); }

  [[nodiscard]] std::vector<std::string_view> abilities() const override {
    return names_of(all_abilities{});
  }
  [[nodiscard]] any_filter create(shape_view values, hash_identity hash,
                                  promise promised) const override {
    return F(shape_of(values), hash, promised);
  }
  [[nodiscard]] any_filter restore(shape_view values, const filter_record& record,
                                   storage payload) const override {
    return F::restore(shape_of(values), record, std::move(payload));
  }
  [[nodiscard]] std::uint64_t payload_bytes(shape_view values) const override {
    return F::payload_bytes(shape_of(values));
  }
  [[nodiscard]] shape_values plan(std::uint64_t keys, double rate) const override {
    return values_of(F::plan(keys, rate));
  }
  [[nodiscard]] double predicted_rate(shape_view values, std::uint64_t keys) const override {
    return F::predicted_rate(shape_of(values), keys);
  }
  [[nodiscard]] std::optional<std::uint64_t> hashes(
      [[maybe_unused]] shape_view values) const override {
    if constexpr (requires(shape s) { s.hashes; }) {
      return shape_of(values).hashes;
    } else {
      return std::nullopt;
    }
  }
  [[nodiscard]] math::query_cost query_cost(shape_view values, std::uint64_t keys) const override {
    return F::query_cost(shape_of(values), keys);
  }

 private:
  template <class... A>
  static std::vector<std::string_view> names_of(ability_list<A...> /*all*/) {
    std::vector<std::string_view> names;
    ((able<F, A> ? names.push_back(A::name) : void()), ...);
    return names;
  }
};

}  // namespace detail

template <class F>
std::unique_ptr<erased> erasure<F>::hold(F filter) {
  return std::make_unique<detail::held<F>>(std::move(filter));
}

template <class F>
F* erasure<F>::get(erased& held) {
  auto* const same = dynamic_cast<detail::held<F>*>(&held);
  return same == nullptr ? nullptr : &same->filter();
}

template <class F>
const any_kind& erasure<F>::kind() {
  static const detail::kind_of<F> kind;
  return kind;
}

}  // namespace bloomery
