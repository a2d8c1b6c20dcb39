#include "bloomery/filters/frequency/counter_braids.hpp"

#include <algorithm>
#include <cmath>

#include "bloomery/core/distinct.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/counter_braids.hpp"

namespace bloomery {

counter_braids_cells::counter_braids_cells(const shape& s)
    : first_probes_{s.counters, s.hashes},
      second_probes_{s.second, s.hashes},
      first_(s.counters, static_cast<unsigned>(s.counter_bits)),
      wrapped_(s.counters),
      second_(s.second, second_bits) {}

counter_braids_cells::counter_braids_cells(const shape& s, storage stored)
    : first_probes_{s.counters, s.hashes},
      second_probes_{s.second, s.hashes},
      first_(s.counters, static_cast<unsigned>(s.counter_bits),
             stored.take_stored(bits::bit_array_bytes(s.counters * s.counter_bits))),
      wrapped_(s.counters, stored.take_stored(bits::bit_array_bytes(s.counters))),
      second_(s.second, second_bits, std::move(stored)) {
  // What wrapped is in the second layer, and nothing else is.
  bits::bit_array counted(second_.size());
  for (std::uint64_t i = 0; i < first_.size(); ++i) {
    if (!wrapped_.test(i)) continue;
    for (const std::uint64_t a : second_positions(i)) counted.set(a);
  }
  for (std::uint64_t a = 0; a < second_.size(); ++a) {
    if ((second_.get(a) != 0) != counted.test(a)) {
      fail(errc::corrupt, "the layers of the braid do not fit each other");
    }
  }
}

counter_braids_shape counter_braids_cells::plan(std::uint64_t keys, double rate) {
  const math::braid_size size = math::plan_braids(keys, rate);
  return {.counters = size.first, .second = size.second};
}

double counter_braids_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::braid_rate({s.counters, s.second}, keys, s.hashes);
}

math::query_cost counter_braids_cells::query_cost(const shape& s, std::uint64_t) {
  const math::query_cost all = math::uniform_cost(s.counters, 1, s.hashes, s.counter_bits);
  return {all.present, all.present};
}

hash::positions counter_braids_cells::second_positions(std::uint64_t counter) const {
  return hash::distinct_positions_of(second_probes_,
                                     {hash::mix(counter), hash::mix(counter ^ hash::golden)});
}

void counter_braids_cells::carry(std::uint64_t counter) {
  wrapped_.set(counter);
  for (const std::uint64_t a : second_positions(counter)) {
    second_.set(a, std::min(second_.get(a) + 1, second_.max_value()));
  }
}

bool counter_braids_cells::insert(const place& at) {
  bool fresh = false;
  for (const std::uint64_t i : at) {
    const std::uint64_t value = first_.get(i);
    fresh |= value == 0 && !wrapped_.test(i);
    first_.set(i, value == first_.max_value() ? 0 : value + 1);
    if (value == first_.max_value()) carry(i);
  }
  return fresh;
}

void counter_braids_cells::merge(const counter_braids_cells& other) {
  for (std::uint64_t a = 0; a < second_.size(); ++a) {
    second_.set(a, std::min(second_.get(a) + other.second_.get(a), second_.max_value()));
  }
  wrapped_.merge(other.wrapped_);
  for (std::uint64_t i = 0; i < first_.size(); ++i) {
    const std::uint64_t sum = first_.get(i) + other.first_.get(i);
    first_.set(i, sum & first_.max_value());
    if (sum > first_.max_value()) carry(i);
  }
}

standard_filter counter_braids_cells::raised() const {
  bits::bit_array bits = bits::nonzero(first_);
  bits.merge(wrapped_);
  return standard_of(first_probes_, {}, std::move(bits));
}

double counter_braids_cells::current_rate() const {
  const math::estimate keys = estimated_keys(math::default_confidence);
  if (keys.saturated) return 1;
  return math::braid_rate({first_.size(), second_.size()},
                          static_cast<std::uint64_t>(std::llround(keys.value)),
                          first_probes_.count);
}

bits::count_bounds counter_braids_cells::decode_bounds(std::span<const digest> keys) const {
  bits::incidence wraps;
  for (std::uint64_t i = 0; i < first_.size(); ++i) {
    if (wrapped_.test(i)) wraps.add(second_positions(i));
  }
  bits::count_bounds held;
  for (std::uint64_t a = 0; a < second_.size(); ++a) held.low.push_back(second_.get(a));
  held.high = held.low;
  const bits::count_bounds carried = bits::bound_counts(wraps, held);

  held = {};
  std::size_t wrap = 0;
  for (std::uint64_t i = 0; i < first_.size(); ++i) {
    const bool carries = wrapped_.test(i);
    const auto whole = [&](const std::vector<std::uint64_t>& wraps_of) {
      if (!carries) return first_.get(i);
      const std::uint64_t most = ~std::uint64_t{0} >> first_.width();  // no stream is that long
      return first_.get(i) + (std::min(wraps_of[wrap], most) << first_.width());
    };
    held.low.push_back(whole(carried.low));
    held.high.push_back(whole(carried.high));
    wrap += std::size_t{carries};
  }

  std::vector<digest> listed = core::distinct(std::vector(keys.begin(), keys.end()));
  const auto absent = [&](digest d) {
    const hash::positions at = locate(d);
    return std::any_of(at.begin(), at.end(), [&](std::uint64_t a) { return held.high[a] == 0; });
  };
  std::erase_if(listed, absent);
  bits::incidence flows;
  for (const digest d : listed) flows.add(locate(d));
  const bits::count_bounds solved = bits::bound_counts(flows, held);

  bits::count_bounds result{std::vector<std::uint64_t>(keys.size(), 0),
                            std::vector<std::uint64_t>(keys.size(), 0)};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto at = std::lower_bound(listed.begin(), listed.end(), keys[i]);
    if (at == listed.end() || !(*at == keys[i])) continue;
    const auto index = static_cast<std::size_t>(at - listed.begin());
    result.low[i] = solved.low[index];
    result.high[i] = solved.high[index];
  }
  return result;
}

decoded_counts counter_braids_cells::decode(std::span<const digest> keys) const {
  const bits::count_bounds found = decode_bounds(keys);
  decoded_counts result{found.high, 0};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    result.uncertain += std::uint64_t{found.low[i] != found.high[i]};
  }
  return result;
}

template struct erasure<counter_braids_filter>;

}  // namespace bloomery
