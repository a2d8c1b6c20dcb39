#include "bloomery/wire/delta.hpp"

#include "bloomery/core/error.hpp"
#include "bloomery/wire/checksum.hpp"

namespace bloomery::wire {
namespace {

// Everything but content and record.
void require_same_form(const envelope& expected, const envelope& actual) {
  if (expected.kind != actual.kind) {
    fail(errc::incompatible, "the kind differs: " + expected.kind + " against " + actual.kind);
  }
  if (expected.fields != actual.fields) {
    fail(errc::incompatible, "the shapes differ: a delta is between versions of one filter");
  }
  require_same_hash(expected.record.hash, actual.record.hash);
}

// Exclusive or, as if the parts were joined.
void change(storage& cells, std::span<const byte_view> parts) {
  std::byte* to = cells.bytes_for_writing().data();
  for (const byte_view part : parts) {
    for (std::size_t i = 0; i < part.size(); i += 8, to += 8) {
      core::store_le(
          to, core::load_le<std::uint64_t>(to) ^ core::load_le<std::uint64_t>(part.data() + i));
    }
  }
}

}  // namespace

std::vector<std::byte> diff(const filter_view& before, const filter_view& after, unsigned threads) {
  require_same_form(before.head, after.head);
  if (total_bytes(before.payload) != total_bytes(after.payload)) {
    fail(errc::incompatible, "the filter has grown: a delta is between payloads of one size");
  }
  storage changes = joined(after.payload);
  if (changes.size() != 0) change(changes, before.payload);
  return seal_coded(
      delta_form,
      {after.head, std::move(changes), checksum(after.payload), checksum(before.payload)}, threads);
}

stored_filter patch(const filter_view& before, byte_view delta, const load_options& options,
                    unsigned threads) {
  const opened_envelope opened = open_envelope(delta, options);
  if (opened.head.kind != delta_form) {
    fail(errc::incompatible, "this is a " + opened.head.kind + " filter, not a delta");
  }
  const auto another = [] {
    fail(errc::incompatible, "the delta was made from another version of the filter");
  };
  const auto check = [&](const envelope& head, const coded_sizes& sizes) {
    require_same_form(head, before.head);
    if (total_bytes(before.payload) != sizes.bytes) another();
  };
  coded_payload changes = open_coded(delta_form, opened, options, threads, check);
  if (checksum(before.payload) != changes.base) another();
  if (changes.payload.size() != 0) change(changes.payload, before.payload);
  if (checksum(changes.payload.bytes()) != changes.result) {
    fail(errc::corrupt, "the delta is damaged (the result's checksum does not match)");
  }
  return {std::move(changes.head), std::move(changes.payload)};
}

}  // namespace bloomery::wire
