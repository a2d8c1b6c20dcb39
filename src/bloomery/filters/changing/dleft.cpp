#include "bloomery/filters/changing/dleft.hpp"

#include "bloomery/filters/changing/searched_batches.hpp"
#include "bloomery/filters/erasure.hpp"

namespace bloomery {

void dleft_shape::check() const {
  bits::dleft_table::require_searchable(size(), "counter_bits");
  detail::require_total_bits(tables * cells * (remainder_bits + counter_bits), buckets,
                             "buckets of all tables");
}

dleft_shape dleft_cells::plan(std::uint64_t keys, double rate) {
  const math::dleft_size size = math::plan_dleft(keys, rate, bits::dleft_table::cells_of_width,
                                                 math::dleft_counter_bits(keys, rate));
  return {size.tables, size.buckets, size.cells, size.remainder_bits, size.counter_bits};
}

std::uint64_t dleft_cells::count(const place& at) const {
  const std::uint64_t cell = table_.find(at);
  return cell == bits::dleft_table::none ? 0 : table_.tag(cell);
}

std::uint64_t dleft_cells::overflows() const {
  std::uint64_t stuck = 0;
  table_.each_tag([&](std::uint64_t counter) { stuck += std::uint64_t{counter == max_count()}; });
  return stuck;
}

std::uint64_t dleft_cells::contains_batch(const digest_span& keys, std::span<bool> answers) const {
  return detail::contains_searched(*this, keys, answers, table_.contains_front(keys, answers));
}

std::uint64_t dleft_cells::contains_batch(const integer_span& keys, std::span<bool> answers) const {
  return detail::contains_searched(*this, keys, answers, table_.contains_front(keys, answers));
}

std::uint64_t dleft_cells::insert_batch(digest_span keys, std::span<bool> fresh,
                                        std::uint64_t& items) {
  return detail::insert_searched(*this, keys, fresh, items);
}

std::uint64_t dleft_cells::erase_batch(digest_span keys) {
  return detail::erase_searched(*this, keys);
}

template struct erasure<dleft_filter>;

}  // namespace bloomery
