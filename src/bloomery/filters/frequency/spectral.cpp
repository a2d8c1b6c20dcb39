#include "bloomery/filters/frequency/spectral.hpp"

#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {
namespace {

// The secondary filter has half the counters, the marker filter a bit for each counter.
hash::uniform_probes second_probes(const hash::uniform_probes& first) {
  return {first.cells / 2, first.count};
}

// Digests for the secondary and the marker filter, whose collisions must not be the primary's.
digest rehashed(digest d, std::uint64_t round) {
  return {hash::mix(d.lo + round * hash::golden), hash::mix(d.hi ^ (round * hash::golden))};
}

}  // namespace

spectral_cells::spectral_cells(const shape& s) : method_(s.method), first_({s.counters, s.hashes}) {
  if (method_ != shape::recurring_minimum) return;
  second_.emplace(second_chance{bits::least_counters(second_probes(first_.probes())),
                                bits::bit_array(s.counters)});
}

spectral_cells::spectral_cells(const shape& s, storage stored)
    : method_(s.method),
      first_({s.counters, s.hashes},
             bits::varying_counters(s.counters,
                                    stored.take_stored(s.method == shape::recurring_minimum
                                                           ? bits::varying_counters::stored_bytes(
                                                                 s.counters, stored.bytes())
                                                           : stored.size()))) {
  if (method_ != shape::recurring_minimum) return;
  const hash::uniform_probes probes = second_probes(first_.probes());
  bits::varying_counters again(
      probes.cells,
      stored.take_stored(bits::varying_counters::stored_bytes(probes.cells, stored.bytes())));
  second_.emplace(second_chance{bits::least_counters(probes, std::move(again)),
                                bits::bit_array(s.counters, std::move(stored))});
}

spectral_shape spectral_cells::plan(std::uint64_t keys, double rate) {
  const math::standard_size size = math::plan_standard(keys, rate);
  shape s{.counters = std::max<std::uint64_t>(2, size.bits), .hashes = size.hashes};
  if (s.counters > max_bits / 64) {
    fail(errc::limit,
         std::to_string(s.counters) + " counters; allowed: up to " + std::to_string(max_bits / 64));
  }
  return s;
}

double spectral_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::exact_rate(s.counters, keys, s.hashes);
}

math::query_cost spectral_cells::query_cost(const shape& s, std::uint64_t keys) {
  const std::uint64_t bits_a_counter =
      8 * bits::varying_counters::expected_bytes(s.counters, math::half_fill_load) / s.counters;
  return math::uniform_cost(s.counters, keys, s.hashes, std::max<std::uint64_t>(1, bits_a_counter));
}

hash::positions spectral_cells::second_positions(digest d) const {
  return second_->counts.locate(rehashed(d, 1));
}

hash::positions spectral_cells::marks_of(digest d) const {
  return hash::positions_of(first_.probes(), rehashed(d, 2));
}

bool spectral_cells::migrated(digest d) const {
  return marking().test(second_->marks, rehashed(d, 2));
}

bool spectral_cells::insert(const place& x) {
  if (method_ == shape::minimal_increase) return first_.raise(x.at) == 0;
  const bool fresh = first_.add(x.at, 1);
  if (!second_) return fresh;
  if (migrated(x.key)) {
    second_->counts.add(second_positions(x.key), 1);
  } else if (const auto now = first_.least(x.at); !now.recurs) {
    second_->counts.add(second_positions(x.key), now.value);
    marking().set(second_->marks, rehashed(x.key, 2));
  }
  return fresh;
}

bool spectral_cells::erase(const place& x) {
  if (method_ == shape::minimal_increase) {
    fail(errc::unsupported,
         "a filter of minimal increase cannot erase: other keys left out what this one counted");
  }
  if (!first_.take(x.at)) return false;
  if (second_ && migrated(x.key)) second_->counts.take(second_positions(x.key));
  return true;
}

std::uint64_t spectral_cells::count(const place& x) const {
  const auto first = first_.least(x.at);
  if (!second_ || first.recurs || first.value == 0 || !migrated(x.key)) return first.value;
  // A key that migrated is not 0 there; one that did not may be.
  const std::uint64_t second = second_->counts.least(second_positions(x.key)).value;
  return second == 0 ? first.value : std::min(first.value, second);
}

void spectral_cells::merge(const spectral_cells& other) {
  if (method_ == shape::minimal_increase) {
    fail(errc::unsupported,
         "filters of minimal increase do not merge: what one left out, the other may need");
  }
  if (method_ == shape::recurring_minimum) {
    fail(errc::unsupported,
         "filters of recurring minimum do not merge: a key may have migrated in only one of them");
  }
  first_.counters() = counters().sum(other.counters());
}

std::uint64_t spectral_cells::payload_bytes(const shape& s) {
  const auto half_full = [](std::uint64_t counters) {
    return bits::varying_counters::expected_bytes(counters, math::half_fill_load);
  };
  if (s.method != shape::recurring_minimum) return half_full(s.counters);
  return half_full(s.counters) + half_full(s.counters / 2) + bits::bit_array_bytes(s.counters);
}

template struct erasure<spectral_filter>;

}  // namespace bloomery
