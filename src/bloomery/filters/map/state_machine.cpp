#include "bloomery/filters/map/state_machine.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery {
namespace {

// As many as there is room for: what counts here is the room.
std::uint64_t cells_in_a_bucket(std::uint64_t width) {
  return bits::bucket_table::max_bucket_bits / width;
}

}  // namespace

void state_machine_shape::check() const {
  bits::dleft_table::require_searchable(size(), "the bits of a state");
  detail::require_total_bits(tables * cells * (remainder_bits + tag_bits()), buckets,
                             "buckets of all tables");
}

// No cell is without keys or in a state there is not.
state_machine_cells::state_machine_cells(const shape& s, storage stored)
    : shape_(s), table_(s.size(), std::move(stored)) {
  table_.each_tag([&](std::uint64_t tag) {
    const flow f = read(tag);
    if (f.keys == 0 || f.state > unknown_state()) {
      fail(errc::corrupt, "a cell is in state " + std::to_string(f.state) + " of " +
                              std::to_string(s.states) + ", for " + std::to_string(f.keys) +
                              " keys");
    }
  });
}

state_machine_cells state_machine_cells::build(const shape& s, entry_span entries,
                                               unsigned /*threads*/) {
  state_machine_cells result(s);
  for (const keyed_value& entry : entries) result.enter(result.locate(entry.key), entry.value);
  return result;
}

state_machine_shape state_machine_cells::plan_map(std::uint64_t keys, double rate,
                                                  std::uint64_t values) {
  math::require_whole("values", values, 1, shape::max_states);
  shape s{.states = values, .counter_bits = math::dleft_counter_bits(keys, rate)};
  const math::dleft_size size = math::plan_dleft(keys, rate, cells_in_a_bucket, s.tag_bits());
  if (size.remainder_bits + size.counter_bits > bits::bucket_table::max_width) {
    fail(errc::limit, "remainders of " + std::to_string(size.remainder_bits) +
                          " bits are too wide beside " + std::to_string(values) + " states");
  }
  s.tables = size.tables;
  s.buckets = size.buckets;
  s.cells = size.cells;
  s.remainder_bits = size.remainder_bits;
  return s;
}

// A key that comes to another's cell may be in another state than that: then neither is known.
bool state_machine_cells::enter(const place& at, std::uint64_t state) {
  const auto meet = [&](std::uint64_t cell) {
    const flow f = read(table_.tag(cell));
    table_.set_tag(cell, tag_of({std::min(f.keys + 1, most_keys()), true,
                                 f.state == state ? state : unknown_state()}));
  };
  return table_.search([&](const auto& in) {
    return table_.insert(in, at, tag_of({1, true, state}), meet);
  });
}

bool state_machine_cells::set_value(const place& at, std::uint64_t value) {
  const std::uint64_t cell = table_.find(at);
  if (cell == bits::dleft_table::none) return false;
  const flow f = read(table_.tag(cell));
  const bool certain = f.keys == 1 || f.state == value;
  table_.set_tag(cell, tag_of({f.keys, true, certain ? value : unknown_state()}));
  return true;
}

bool state_machine_cells::erase(const place& at) {
  bool stuck = false;
  const auto keep = [&](std::uint64_t cell) {
    const flow f = read(table_.tag(cell));
    stuck = f.keys == most_keys();  // it has lost count
    if (f.keys > 1 && !stuck) table_.set_tag(cell, tag_of({f.keys - 1, f.touched, f.state}));
    return f.keys > 1;
  };
  return table_.search([&](const auto& in) { return table_.erase(in, at, keep); }) && !stuck;
}

mapped state_machine_cells::value(const place& at) const {
  const std::uint64_t cell = table_.find(at);
  if (cell == bits::dleft_table::none) return {};
  const flow f = read(table_.tag(cell));
  if (f.state == unknown_state()) return {mapped::state::unknown, 0};
  return {mapped::state::present, f.state};
}

std::uint64_t state_machine_cells::age() {
  std::uint64_t gone = 0;
  table_.renew([&](std::uint64_t tag) {
    const flow f = read(tag);
    if (f.touched) return tag_of({f.keys, false, f.state});
    gone += f.keys;
    return std::uint64_t{0};
  });
  return gone;
}

std::uint64_t state_machine_cells::overflows() const {
  std::uint64_t stuck = 0;
  table_.each_tag(
      [&](std::uint64_t tag) { stuck += std::uint64_t{read(tag).keys == most_keys()}; });
  return stuck;
}

template struct erasure<state_machine_filter>;

}  // namespace bloomery
