#include "bloomery/filters/map/perfect.hpp"

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

constexpr unsigned digest_bits = 64;  // of the half that the fingerprint is from

unsigned width_of(const perfect_shape& s) {
  return static_cast<unsigned>(s.fingerprint_bits + s.value_bits_beside());
}

std::optional<bits::packed_array> empty_values(const perfect_shape& s) {
  if (s.value_bits_apart() == 0) return std::nullopt;
  return bits::packed_array(s.keys, static_cast<unsigned>(s.value_bits_apart()));
}

std::optional<bits::packed_array> stored_values(const perfect_shape& s, storage stored) {
  if (s.value_bits_apart() != 0) {
    return bits::packed_array(s.keys, static_cast<unsigned>(s.value_bits_apart()),
                              std::move(stored));
  }
  if (stored.size() != 0) fail(errc::corrupt, "there are bytes beyond the cells");
  return std::nullopt;
}

std::uint64_t cell_bytes(const perfect_shape& s) {
  return bits::bit_array_bytes(s.keys * width_of(s));
}

}  // namespace

perfect_cells::perfect_cells(const shape& s)
    : perfect_cells(s, bits::perfect_hash(s.keys), bits::packed_array(s.keys, width_of(s)),
                    empty_values(s)) {}

// Braces: hash and cells are taken off before the rest is moved.
perfect_cells::perfect_cells(const shape& s, storage stored)
    : perfect_cells{
          s,
          bits::perfect_hash(s.keys, stored.take_stored(bits::perfect_hash::stored_bytes(s.keys))),
          bits::packed_array(s.keys, width_of(s), stored.take_stored(cell_bytes(s))),
          stored_values(s, std::move(stored))} {}

perfect_cells perfect_cells::build(const shape& s, entry_span entries, unsigned threads) {
  std::vector<digest> keys;
  keys.reserve(entries.size());
  for (const keyed_value& entry : entries) keys.push_back(entry.key);
  perfect_cells result(s, bits::perfect_hash::of(s.keys, keys, threads),
                       bits::packed_array(s.keys, width_of(s)), empty_values(s));
  bits::bit_array used(s.keys);
  for (const keyed_value& entry : entries) {
    const place at = result.locate(entry.key);
    // No other key has the cell, so it is the same one again.
    if (!used.set(at.cell) && result.value(at).value != entry.value) {
      fail(errc::invalid,
           "a key is given two values, " + std::to_string(entry.value) + " being one of them");
    }
    if (result.apart_) result.apart_->set(at.cell, entry.value);
    const std::uint64_t beside = result.apart_ ? 0 : entry.value;
    result.cells_.set(at.cell, at.fingerprint << s.value_bits_beside() | beside);
  }
  return result;
}

perfect_shape perfect_cells::plan_map(std::uint64_t keys, double rate, std::uint64_t values) {
  const unsigned bits = math::fingerprint_bits(keys, rate, digest_bits);
  (void)math::perfect_layout(keys);
  return {keys, bits, math::value_bits(values)};
}

// More keys than cells cannot be held, as if every key were found.
double perfect_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  if (keys > s.keys) return 1;
  return math::fingerprint_rate(keys, static_cast<unsigned>(s.fingerprint_bits), digest_bits);
}

math::query_cost perfect_cells::query_cost(const shape& s, std::uint64_t /*keys*/) {
  math::query_cost cost = math::bucket_cost(s.keys, width_of(s), 2);
  if (s.value_bits_apart() != 0) {
    cost.present += math::bucket_cost(s.keys, s.value_bits_apart(), 1).present;
  }
  return cost;
}

void perfect_cells::require_record(const filter_record& record) const {
  if (hash_.keys() <= record.items && (hash_.keys() == 0) == (record.items == 0)) return;
  fail(errc::corrupt, "the hash is of " + format_count(hash_.keys()) + " keys of " +
                          format_count(record.items) + " on record");
}

std::uint64_t perfect_cells::payload_bytes(const shape& s) {
  return bits::perfect_hash::stored_bytes(s.keys) + cell_bytes(s) +
         (s.value_bits_apart() == 0 ? 0 : bits::bit_array_bytes(s.keys * s.value_bits_apart()));
}

template struct erasure<perfect_filter>;

}  // namespace bloomery
