// Forgetting: a window of the latest keys, by arrivals or by time; and ageing on demand.
//
// A plan's `keys` are those inside the window, and its rate holds at every moment;
// predicted_rate(shape, keys) is the rate after `keys` distinct arrivals.
//
//     using bloomery::age_partitioned_filter;
//     age_partitioned_filter hour(age_partitioned_filter::plan_time(1000, 0.01, 3'600'000));
//     hour.insert({1, 2});
//     assert(hour.may_contain({1, 2}, 3'600'000) && !hour.may_contain({1, 2}, 7'200'000));
//     hour.advance(7'200'000);
//     assert(hour.now() == 7'200'000 && !hour.may_contain({1, 2}));
#pragma once

#include "bloomery/core/limits.hpp"
#include "bloomery/filters/abilities/asking.hpp"
#include "bloomery/filters/abilities/counting.hpp"
#include "bloomery/filters/ability.hpp"
#include "bloomery/filters/shape_checks.hpp"

namespace bloomery {

struct forgets : ability<forgets> {
  static constexpr std::string_view name = "window";
  static constexpr std::string_view refusal = "forget";
  template <class C>
  static constexpr bool of = requires(const C cells) {
    { cells.window() } -> std::same_as<std::uint64_t>;
  };

  // In arrivals, or in milliseconds if it keeps time and runs on it.
  [[nodiscard]] virtual std::uint64_t window() const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t window() const { return filter_in<F>(*this).cells().window(); }
  };

  struct of_kind : ability<forgets>::of_kind {
    // Arrivals after which a filter of the shape is as full as it gets; 0 if it runs on time.
    [[nodiscard]] virtual std::uint64_t peak(shape_view shape) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] std::uint64_t peak(shape_view shape) const override {
      if constexpr (requires { K::cells::peak(K::shape_of(shape)); }) {
        return K::cells::peak(K::shape_of(shape));
      } else {
        return max_keys;
      }
    }
  };
};

// Knows the time, in milliseconds since whenever the caller likes. advance throws errc::invalid if
// time runs backwards. A filter can be asked as of a later time without being changed.
struct keeps_time : ability<keeps_time> {
  static constexpr std::string_view name = "time";
  static constexpr std::string_view refusal = "tell the time";
  template <class C>
  static constexpr bool of = requires(C cells, const C asked, detail::place_of<C> at,
                                      std::uint64_t n, double rate) {
    cells.advance(n);
    { asked.now() } -> std::same_as<std::uint64_t>;
    { asked.runs_on_time() } -> std::same_as<bool>;
    { asked.contains(at, asked.as_of(n)) } -> std::same_as<bool>;
    { C::plan_time(n, rate, n) } -> std::same_as<typename C::shape>;
    { C::peak(C::plan_time(n, rate, n)) } -> std::same_as<std::uint64_t>;
  };

  [[nodiscard]] virtual std::uint64_t now() const = 0;
  [[nodiscard]] virtual bool runs_on_time() const = 0;
  virtual void advance(std::uint64_t now) = 0;
  virtual std::uint64_t may_contain(digest_span keys, std::span<bool> answers,
                                    std::uint64_t now) const = 0;
  [[nodiscard]] bool may_contain(digest d, std::uint64_t now) const {
    bool answer = false;
    return may_contain({&d, 1}, {&answer, 1}, now) != 0;
  }
  // Throws errc::unsupported unless it counts as well.
  virtual void count(digest_span keys, std::span<std::uint64_t> answers,
                     std::uint64_t now) const = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    [[nodiscard]] std::uint64_t now() const { return filter_in<F>(*this).cells().now(); }
    [[nodiscard]] bool runs_on_time() const { return filter_in<F>(*this).cells().runs_on_time(); }
    void advance(std::uint64_t now) { filter_in<F>(*this).cells_for_writing().advance(now); }
  };
  template <class F, class C>
  struct typed : methods<F, C, none> {
    // For a window of that length in which about `keys` keys come.
    static typename C::shape plan_time(std::uint64_t keys, double rate,
                                       std::uint64_t milliseconds) {
      return C::plan_time(keys, detail::rate_to_plan(rate), milliseconds);
    }
  };
  template <class Held, class C>
  struct on : methods<Held, C, keeps_time> {
    std::uint64_t may_contain(digest_span keys, std::span<bool> answers,
                              std::uint64_t now) const override {
      return filter_in<Held>(*this).may_contain(keys, answers, now);
    }
    void count(digest_span keys, std::span<std::uint64_t> answers,
               std::uint64_t now) const override {
      auto& filter = filter_in<Held>(*this);
      if constexpr (requires { filter.count(keys, answers, now); }) {
        filter.count(keys, answers, now);
      } else {
        refuse(C::kind.name, bloomery::counts::refusal);
      }
    }
  };

  template <class E>
  struct keyed {
    void advance(std::uint64_t now) {
      static_cast<E&>(*this).template able_to<keeps_time>().advance(now);
    }
  };

  struct of_kind : ability<keeps_time>::of_kind {
    [[nodiscard]] virtual shape_values plan_time(std::uint64_t keys, double rate,
                                                 std::uint64_t milliseconds) const = 0;
  };
  template <class K>
  struct kind_on : of_kind {
    [[nodiscard]] shape_values plan_time(std::uint64_t keys, double rate,
                                         std::uint64_t milliseconds) const override {
      return values_of(K::filter::plan_time(keys, rate, milliseconds));
    }
  };
};

// Whether a filter's window is a time.
inline bool runs_on_time(const any_filter& filter) {
  const auto* clock = filter.can<keeps_time>();
  return clock != nullptr && clock->runs_on_time();
}

// Forgets, when told to, what was not touched since the last time.
struct ages : ability<ages> {
  static constexpr std::string_view name = "age";
  static constexpr std::string_view refusal = "forget what is not used";
  template <class C>
  static constexpr bool of = requires(C cells) {
    { cells.age() } -> std::same_as<std::uint64_t>;
  };

  // Returns how many keys are gone, as far as they are counted.
  virtual std::uint64_t age() = 0;

  template <class F, class C, class Face>
  struct methods : Face {
    std::uint64_t age() {
      auto& self = filter_in<F>(*this);
      const std::uint64_t gone = self.cells_for_writing().age();
      std::uint64_t& items = self.changed_record().items;
      items -= std::min(gone, items);
      return gone;
    }
  };
};

}  // namespace bloomery
