// A filter of any kind, chosen at run time.
//
// Purpose:   what the tool and the servers hold. Typed code should hold the typed filter; each becomes
//            the other without copying a cell.
// Cost:      one indirect call per batch, never per key.
// Guarantee: asking a kind for what it cannot do throws errc::unsupported and names both.
//
//     bloomery::any_filter any(bloomery::counting_filter::for_keys(100, 0.01));
//     any.as<bloomery::inserts>().insert({1, 2});
//     assert(any.as<bloomery::counts>().count({1, 2}) == 1 && any.can<bloomery::folds>() == nullptr);
//     assert(any.get_if<bloomery::counting_filter>()->may_contain({1, 2}));
//     assert(any.get_if<bloomery::standard_filter>() == nullptr);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/core/bytes.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/filters/kind.hpp"

namespace bloomery {

class any_kind;

using shape_values = std::vector<field_value>;
using shape_view = std::span<const field_value>;

// Any filter<Cells>.
template <class F>
concept filter_type = requires {
  typename F::cells_type;
  typename F::abilities;
};

// What every filter has, whatever its kind.
class erased {
 public:
  erased() = default;
  erased(const erased&) = delete;
  erased& operator=(const erased&) = delete;
  virtual ~erased() = default;
  [[nodiscard]] virtual const any_kind& kind() const = 0;
  [[nodiscard]] virtual const kind_info& info() const = 0;
  [[nodiscard]] virtual shape_values shape() const = 0;
  [[nodiscard]] virtual filter_record record() const = 0;
  virtual void set_names(name_list names) = 0;
  [[nodiscard]] virtual std::vector<byte_view> payload() const = 0;
  [[nodiscard]] virtual std::unique_ptr<erased> copy() const = 0;
};

// From a type and back. Defined in erasure.hpp and instantiated once, in the source of each kind.
template <class F>
struct erasure {
  static std::unique_ptr<erased> hold(F filter);
  static F* get(erased& held);  // null if it holds another type
  static const any_kind& kind();
};

class any_filter {
 public:
  template <filter_type F>
  any_filter(F filter)  // NOLINT(google-explicit-constructor): it is one
      : held_(erasure<F>::hold(std::move(filter))) {}
  any_filter(const any_filter& other) : held_(other.held().copy()) {}
  any_filter(any_filter&&) noexcept = default;
  any_filter& operator=(any_filter other) noexcept {
    held_.swap(other.held_);
    return *this;
  }
  ~any_filter() = default;

  // The typed filter inside; null if it is of another type.
  template <filter_type F>
  [[nodiscard]] F* get_if() {
    return erasure<F>::get(held());
  }
  template <filter_type F>
  [[nodiscard]] const F* get_if() const {
    return erasure<F>::get(held());
  }

  // What it can do; null, or errc::unsupported, if it cannot.
  template <class Ability>
  [[nodiscard]] Ability* can() {
    return dynamic_cast<Ability*>(&held());
  }
  template <class Ability>
  [[nodiscard]] const Ability* can() const {
    return dynamic_cast<const Ability*>(&held());
  }
  template <class Ability>
  [[nodiscard]] Ability& as() {
    if (auto* ability = can<Ability>()) return *ability;
    refuse(held().info().name, Ability::refusal, Ability::why(held().info()));
  }
  template <class Ability>
  [[nodiscard]] const Ability& as() const {
    if (const auto* ability = can<Ability>()) return *ability;
    refuse(held().info().name, Ability::refusal, Ability::why(held().info()));
  }

  [[nodiscard]] const any_kind& kind() const { return held().kind(); }
  [[nodiscard]] shape_values shape() const { return held().shape(); }
  [[nodiscard]] filter_record record() const { return held().record(); }
  void set_names(name_list names) { held().set_names(std::move(names)); }
  [[nodiscard]] std::vector<byte_view> payload() const { return held().payload(); }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t total = 0;
    for (const byte_view part : payload()) total += part.size();
    return total;
  }
  [[nodiscard]] any_filter copy() const { return *this; }  // owned

 private:
  // errc::invalid if the filter has been moved from.
  [[nodiscard]] erased& held() const {
    if (!held_) detail::refuse_moved();
    return *held_;
  }

  std::unique_ptr<erased> held_;
};

}  // namespace bloomery
