#include "bloomery/filters/changing/cuckoo.hpp"

#include "bloomery/filters/changing/cuckoo_moves.hpp"
#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

unsigned narrow(std::uint64_t value) {
  return static_cast<unsigned>(value);
}

// For put_by_moving.
struct moving_plain {
  bits::bucket_table& table;

  [[nodiscard]] bool has_room(std::uint64_t bucket) const {
    return table.find(bucket, 0) != bits::bucket_table::none;
  }
  void each(std::uint64_t bucket, auto visit) const {
    for (unsigned slot = 0; slot < table.slots(); ++slot) {
      visit(slot, bits::other_cuckoo_bucket(bucket, table.get(cell(bucket, slot)), table.buckets(),
                                            table.bucket_bits()));
    }
  }
  void prefetch(std::uint64_t bucket) const { table.prefetch(bucket); }
  void put(std::uint64_t bucket, std::uint64_t print) const {
    table.set(table.find(bucket, 0), print);
  }
  [[nodiscard]] std::uint64_t take(std::uint64_t bucket, unsigned slot) const {
    const std::uint64_t print = table.get(cell(bucket, slot));
    table.set(cell(bucket, slot), 0);
    return print;
  }

  [[nodiscard]] std::uint64_t cell(std::uint64_t bucket, unsigned slot) const {
    return bucket + std::uint64_t{slot} * table.width();
  }
};

}  // namespace

void cuckoo_shape::check() const {
  if (buckets % 2 != 0) {
    fail(errc::invalid, "buckets is " + std::to_string(buckets) + "; allowed: even numbers");
  }
  if (entries * fingerprint_bits > bits::bucket_table::max_bucket_bits) {
    fail(errc::invalid, "entries times fingerprint_bits is " +
                            std::to_string(entries * fingerprint_bits) + "; allowed: 1 to " +
                            std::to_string(bits::bucket_table::max_bucket_bits));
  }
  detail::require_total_bits(entries * fingerprint_bits, buckets, "buckets");
}

cuckoo_cells::cuckoo_cells(const shape& s)
    : two_bucket_cells({s.buckets, narrow(s.entries), narrow(s.fingerprint_bits)}) {}

cuckoo_cells::cuckoo_cells(const shape& s, storage stored)
    : two_bucket_cells(
          {s.buckets, narrow(s.entries), narrow(s.fingerprint_bits), std::move(stored)}) {}

cuckoo_shape cuckoo_cells::plan(std::uint64_t keys, double rate) {
  const math::cuckoo_size size = math::plan_cuckoo(keys, rate, bits::bucket_table::max_bucket_bits);
  return {size.buckets, size.entries, size.fingerprint_bits};
}

std::uint64_t cuckoo_cells::payload_bytes(const shape& s) {
  return bits::bucket_table::stored_bytes(s.buckets, narrow(s.entries), narrow(s.fingerprint_bits));
}

std::uint64_t cuckoo_cells::count(const place& at) const {
  std::uint64_t copies = 0;
  for (unsigned slot = 0; slot < table_.slots(); ++slot) {
    for (const std::uint64_t bucket : {at.first, at.second}) {
      copies +=
          std::uint64_t{table_.get(bucket + std::uint64_t{slot} * table_.width()) == at.print};
    }
  }
  return copies;
}

template <>
void two_bucket_cells<bits::bucket_table>::make_room(const place& at) {
  if (!detail::put_by_moving(moving_plain{table_}, at.first, at.second, at.print)) {
    detail::refuse_without_room({table_.buckets(), table_.slots(), table_.width()});
  }
}

template struct erasure<cuckoo_filter>;

}  // namespace bloomery
