// A filter: cells, the record that travels with them, and a method for each thing the cells can do.
//
// Purpose:   the one shell of all structures. The cells (cells.hpp) list their abilities, and each
//            ability brings its methods (filters/abilities/), so that a typed filter has exactly the
//            methods that are true of it.
// Cost:      that of the cells. Batches prefetch once the cells outgrow the cache.
// Guarantee: batches and single keys leave and see the same cells. A copy owns its cells.
//
//     auto filter = bloomery::counting_filter::for_keys(1000, 0.01);
//     assert(filter.insert({1, 2}) && filter.may_contain({1, 2}) && filter.record().items == 1);
//     auto copy = filter;
//     assert(copy.erase({1, 2}) && !copy.may_contain({1, 2}) && filter.may_contain({1, 2}));
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/filters/abilities.hpp"
#include "bloomery/filters/cells.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/math/laws/cost.hpp"

namespace bloomery {

namespace detail {
template <class F, class Cells, class List>
struct methods;
template <class F, class Cells, class... A>
struct methods<F, Cells, ability_list<A...>> : A::template typed<F, Cells>... {};
}  // namespace detail

template <class Cells>
class filter : public detail::methods<filter<Cells>, Cells, typename Cells::can> {
 public:
  using cells_type = Cells;
  using shape_type = typename Cells::shape;
  using abilities = typename Cells::can;
  static constexpr kind_info kind = Cells::kind;

  explicit filter(const shape_type& shape, hash_identity hash = {}, promise promised = {})
      : filter(shape, {hash, promised, 0}, Cells(valid(shape))) {}

  // Of cells that the keys on record have filled elsewhere.
  filter(const shape_type& shape, filter_record record, Cells cells)
      : shape_(shape), record_(std::move(record)), cells_(std::move(cells)) {
    static_assert(bloomery::cells<Cells>);
    static_assert(detail::claims_hold<Cells>(all_abilities{}));
    static_assert(detail::claims_hold<Cells>(typename Cells::can{}));  // with those off the list
  }

  // Sized for `keys` distinct keys at a false-positive rate of at most `rate`.
  static filter for_keys(std::uint64_t keys, double rate, hash_identity hash = {}) {
    return filter(plan(keys, rate), hash, {keys, rate});
  }
  // Sizes are for `rate` less a reserve (rate_to_plan).
  static shape_type plan(std::uint64_t keys, double rate) {
    return Cells::plan(keys, detail::rate_to_plan(rate));
  }
  static double predicted_rate(const shape_type& shape, std::uint64_t keys) {
    return Cells::predicted_rate(shape, keys);
  }
  static math::query_cost query_cost(const shape_type& shape, std::uint64_t keys) {
    return Cells::query_cost(shape, keys);
  }

  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] filter_record record() const {
    if constexpr (lists<shares, abilities>) {
      return {record_.hash, record_.promised, __atomic_load_n(&record_.items, __ATOMIC_RELAXED),
              record_.names};
    } else {
      return record_;
    }
  }
  void set_names(name_list names) { record_.names = std::move(names); }
  // errc::invalid if the filter has been moved from.
  [[nodiscard]] const Cells& cells() const {
    mark_.require_whole();
    return cells_;
  }

  // Whole cache lines, to write one after another.
  [[nodiscard]] std::vector<byte_view> payload() const { return detail::payload_of(cells()); }
  static std::uint64_t payload_bytes(const shape_type& shape) {
    return Cells::payload_bytes(valid(shape));
  }
  // From the same bytes, owned or viewed: errc::corrupt unless some filter has them.
  static filter restore(const shape_type& shape, const filter_record& record, storage stored) {
    filter restored(shape, record, Cells(valid(shape), std::move(stored)));
    if constexpr (lists<checks_record, abilities>) restored.cells_.require_record(record);
    return restored;
  }
  [[nodiscard]] filter copy() const { return *this; }  // owned

  // For abilities. Throws errc::read_only for a view.
  [[nodiscard]] Cells& cells_for_writing() {
    mark_.require_whole();
    detail::require_writable(cells_);
    return cells_;
  }
  [[nodiscard]] filter_record& changed_record() { return record_; }
  static const shape_type& valid(const shape_type& shape) {
    require_valid(shape);
    return shape;
  }
  void require_combinable(const filter& other) const {
    detail::require_same_shape(shape_, other.shape_);
    require_same_hash(record_.hash, other.record_.hash);
    if (record_.names != other.record_.names) {
      fail(errc::incompatible, "their values or sources have different names");
    }
  }

 private:
  shape_type shape_;
  filter_record record_;
  detail::moved_mark mark_;
  Cells cells_;
};

}  // namespace bloomery
