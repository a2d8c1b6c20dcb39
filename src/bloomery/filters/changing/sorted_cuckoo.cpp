#include "bloomery/filters/changing/sorted_cuckoo.hpp"

#include "bloomery/filters/changing/cuckoo_moves.hpp"
#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

// For put_by_moving.
struct moving_sorted {
  bits::sorted_buckets& table;

  [[nodiscard]] bool has_room(std::uint64_t bucket) const { return table.has_room(bucket); }
  void each(std::uint64_t bucket, auto visit) const {
    const auto prints = table.get(bucket);
    for (unsigned slot = 0; slot < prints.size(); ++slot) {
      visit(slot,
            bits::other_cuckoo_bucket(bucket, prints[slot], table.buckets(), table.bucket_bits()));
    }
  }
  void prefetch(std::uint64_t bucket) const { table.prefetch(bucket); }
  void put(std::uint64_t bucket, std::uint64_t print) const { table.put(bucket, print); }
  [[nodiscard]] std::uint64_t take(std::uint64_t bucket, unsigned slot) const {
    const std::uint64_t print = table.get(bucket)[slot];
    table.take(bucket, slot);
    return print;
  }
};

}  // namespace

static_assert(math::sorted_cuckoo_size{2, 13}.bucket_bits() ==
              bits::sorted_buckets::bits_of_bucket(13));

void sorted_cuckoo_shape::check() const {
  if (buckets % 2 != 0) {
    fail(errc::invalid, "buckets is " + std::to_string(buckets) + "; allowed: even numbers");
  }
  detail::require_total_bits(size().bucket_bits(), buckets, "buckets");
}

sorted_cuckoo_shape sorted_cuckoo_cells::plan(std::uint64_t keys, double rate) {
  const math::sorted_cuckoo_size size = math::plan_sorted_cuckoo(keys, rate);
  return {size.buckets, size.fingerprint_bits};
}

template <>
void two_bucket_cells<bits::sorted_buckets>::make_room(const place& at) {
  if (!detail::put_by_moving(moving_sorted{table_}, at.first, at.second, at.print)) {
    detail::refuse_without_room(
        math::sorted_cuckoo_size{table_.buckets(), table_.print_bits()}.plain());
  }
}

template struct erasure<sorted_cuckoo_filter>;

}  // namespace bloomery
