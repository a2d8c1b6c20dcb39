#include "bloomery/bits/table/peeled_table.hpp"

#include <algorithm>
#include <string>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/table/peeling.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/zeros.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t most_attempts = 64;

// Attempts at a planned size fail once in eight at worst, for a few keys, so that all of them never
// do.
std::uint64_t attempts_for(std::uint64_t keys) {
  constexpr std::uint64_t many = 100'000;
  return keys < many ? most_attempts : most_attempts / 4;
}

}  // namespace

std::uint64_t peeled_table::stored_bytes(const peeled_layout& layout) {
  return ledger::stored_bytes(1) + bit_array_bytes(layout.slots * layout.width);
}

peeled_table::peeled_table(const peeled_layout& layout)
    : probes_{layout.slots, layout.hashes},
      attempt_(1),
      cells_(layout.slots, layout.width),
      seed_(hash::mix(0)) {}

peeled_table::peeled_table(const peeled_layout& layout, storage stored)
    : probes_{layout.slots, layout.hashes},
      attempt_(1, stored.take_stored(ledger::stored_bytes(1))),
      cells_(layout.slots, layout.width, std::move(stored)),
      seed_(hash::mix(attempt_.get(0))) {
  const std::uint64_t attempt = attempt_.get(0);
  if (attempt > most_attempts) {
    fail(errc::corrupt, "the table is of attempt " + std::to_string(attempt) + ", and there are " +
                            std::to_string(most_attempts));
  }
  if (attempt == 0 && !core::all_zero(cells_.bytes())) {
    fail(errc::corrupt, "slots are set although there are no keys");
  }
}

peeled_table peeled_table::build(const peeled_layout& layout, std::span<const digest> keys,
                                 const code_of& code) {
  peeled_table table(layout);
  if (keys.empty()) return table;
  for (std::uint64_t attempt = 1; attempt <= attempts_for(keys.size()); ++attempt) {
    if (keys.size() > layout.slots) break;
    table.attempt_.set(0, attempt);
    table.seed_ = hash::mix(attempt);
    const auto order =
        find_match(keys, layout.slots, [&](digest d) { return table.locate(d).slots; });
    if (!order) continue;
    for (const matched_key& next : *order) {
      const place at = table.locate(keys[next.key]);
      const auto choice = static_cast<std::uint64_t>(
          std::find(at.slots.begin(), at.slots.end(), next.slot) - at.slots.begin());
      table.cells_.set(next.slot, code(next.key, choice) ^ table.code(at));
    }
    return table;
  }
  fail(errc::limit, format_count(keys.size()) + " distinct keys do not fit into " +
                        format_count(layout.slots) + " slots; plan for " +
                        format_count(keys.size()) + " keys, or leave more room");
}

}  // namespace bloomery::bits
