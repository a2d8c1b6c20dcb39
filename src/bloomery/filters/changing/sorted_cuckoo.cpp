#include "bloomery/filters/changing/sorted_cuckoo.hpp"

#include "bloomery/filters/changing/cuckoo_moves.hpp"
#include "bloomery/filters/erasure.hpp"

namespace bloomery {

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

void sorted_cuckoo_cells::make_room(const place& at) {
  struct moving {
    sorted_cuckoo_cells& cells;
    bits::sorted_buckets& table = cells.table_;

    static unsigned slots() { return bits::sorted_buckets::slots; }
    [[nodiscard]] bool has_room(std::uint64_t bucket) const { return table.has_room(bucket); }
    [[nodiscard]] std::uint64_t get(std::uint64_t bucket, unsigned slot) const {
      return table.get(bucket, slot);
    }
    [[nodiscard]] std::uint64_t other(std::uint64_t bucket, std::uint64_t print) const {
      return cells.other_bucket(bucket, print);
    }
    void prefetch(std::uint64_t bucket) const { table.prefetch(bucket); }
    void put(std::uint64_t bucket, std::uint64_t print) const { table.put(bucket, print); }
    void take(std::uint64_t bucket, unsigned slot) const {
      table.take(bucket, table.get(bucket, slot));
    }
  };
  if (!detail::put_by_moving(moving{*this}, at.first, at.second, at.print)) {
    detail::refuse_without_room(
        math::sorted_cuckoo_size{table_.buckets(), table_.print_bits()}.plain());
  }
}

template struct erasure<sorted_cuckoo_filter>;

}  // namespace bloomery
