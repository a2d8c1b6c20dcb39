#include "bloomery/filters/changing/cuckoo.hpp"

#include "bloomery/filters/changing/searched_batches.hpp"
#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

unsigned narrow(std::uint64_t value) {
  return static_cast<unsigned>(value);
}

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
    : table_(s.buckets, narrow(s.entries), narrow(s.fingerprint_bits)) {}

cuckoo_cells::cuckoo_cells(const shape& s, storage stored)
    : table_(s.buckets, narrow(s.entries), narrow(s.fingerprint_bits), std::move(stored)) {}

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

// Looks, breadth first, for the nearest bucket with a free entry, by way of what the full ones hold;
// then moves each fingerprint on the way to its other bucket, the last first. Nothing moves before a
// way is found. The shortest way meets no bucket twice: what a second visit leads to, the first did.
void cuckoo_cells::make_room(const place& at) {
  struct visit {
    std::uint64_t bucket;     // its first cell
    std::uint64_t came_from;  // the entry whose other bucket this is
    std::size_t parent;
  };
  constexpr std::size_t most = math::cuckoo_visits;
  std::array<visit, most> visits;  // NOLINT(cppcoreguidelines-pro-type-member-init): a queue
  std::size_t end = 0;
  visits[end++] = {at.first, bits::bucket_table::none, 0};
  visits[end++] = {at.second, bits::bucket_table::none, 0};
  for (std::size_t i = 0; i < end; ++i) {
    std::uint64_t room = table_.find(visits[i].bucket, empty);
    if (room == bits::bucket_table::none) {
      for (unsigned slot = 0; slot < table_.slots() && end < most; ++slot) {
        const std::uint64_t entry = visits[i].bucket + std::uint64_t{slot} * table_.width();
        visits[end] = {other_bucket(visits[i].bucket, table_.get(entry)), entry, i};
        table_.prefetch(visits[end++].bucket);
      }
      continue;
    }
    for (; visits[i].came_from != bits::bucket_table::none; i = visits[i].parent) {
      table_.set(room, table_.get(visits[i].came_from));
      room = visits[i].came_from;
    }
    table_.set(room, at.print);
    return;
  }
  fail(errc::limit,
       "no room for the key: its two buckets and " + std::to_string(most - 2) +
           " that their fingerprints could move to are full; the filter takes " +
           std::to_string(
               math::cuckoo_capacity({table_.buckets(), table_.slots(), table_.width()})) +
           " distinct keys, and " + std::to_string(2 * table_.slots()) + " copies of one");
}

std::uint64_t cuckoo_cells::contains_batch(const digest_span& keys, std::span<bool> answers) const {
  return detail::contains_searched(*this, keys, answers,
                                   bits::cuckoo_contains(table_.words(), keys, answers.data()));
}

std::uint64_t cuckoo_cells::contains_batch(const integer_span& keys,
                                           std::span<bool> answers) const {
  return detail::contains_searched(*this, keys, answers,
                                   bits::cuckoo_contains(table_.words(), keys, answers.data()));
}

std::uint64_t cuckoo_cells::insert_batch(digest_span keys, std::span<bool> fresh,
                                         std::uint64_t& items) {
  return detail::insert_searched(*this, keys, fresh, items);
}

std::uint64_t cuckoo_cells::erase_batch(digest_span keys) {
  return detail::erase_searched(*this, keys);
}

template struct erasure<cuckoo_filter>;

}  // namespace bloomery
