#include "bloomery/filters/set/best_of_n.hpp"

#include <limits>
#include <tuple>

#include "bloomery/core/parallel.hpp"
#include "bloomery/filters/erasure.hpp"
#include "bloomery/math/kinds/best_of_n.hpp"
#include "bloomery/math/laws/false_positive.hpp"

namespace bloomery {
namespace {

// The next ten times as many would save as much again, and take ten times as long.
constexpr std::uint64_t planned_seeds = 16;

// The filter of some seed.
struct candidate {
  std::uint64_t ones = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t seed = 0;
  bits::bit_array bits;

  // Ties go to the lower seed, so that the threads do not show.
  [[nodiscard]] bool better_than(const candidate& other) const {
    return std::tie(ones, seed) < std::tie(other.ones, other.seed);
  }
};

}  // namespace

best_of_n_cells::best_of_n_cells(const shape& s, storage stored)
    : probes_{s.bits, s.hashes},
      ledger_(1, stored.take_stored(bits::ledger::stored_bytes(1))),
      bits_(s.bits, std::move(stored)) {
  if (seed() >= s.seeds) {
    fail(errc::corrupt, "seed " + format_count(seed()) + " of " + format_count(s.seeds));
  }
}

best_of_n_cells best_of_n_cells::build(const shape& s, std::span<const digest> keys,
                                       unsigned threads) {
  best_of_n_cells built(s);
  if (keys.empty()) return built;
  const hash::uniform_probes probes = built.probes_;
  std::vector<candidate> best;
  threads = static_cast<unsigned>(std::clamp<std::uint64_t>(threads, 1, s.seeds));
  for (unsigned part = 0; part < threads; ++part) best.push_back({.bits = bits::bit_array(s.bits)});
  core::on_threads(threads, [&](unsigned part) {
    candidate now{.bits = bits::bit_array(s.bits)};
    for (std::uint64_t seed = part; seed < s.seeds; seed += threads) {
      now.bits.clear(0, s.bits);
      now.seed = seed;
      now.ones = 0;
      for (const digest d : keys) {
        hash::each_position(probes, hash::digest_of_set(d, seed, s.hashes),
                            [&](std::uint64_t i) { now.ones += std::uint64_t{now.bits.set(i)}; });
      }
      if (now.better_than(best[part])) std::swap(now, best[part]);
    }
  });
  for (std::size_t part = 1; part < best.size(); ++part) {
    if (best[part].better_than(best[0])) std::swap(best[part], best[0]);
  }
  built.ledger_.set(0, best[0].seed);
  built.bits_ = std::move(best[0].bits);
  return built;
}

best_of_n_shape best_of_n_cells::plan(std::uint64_t keys, double rate) {
  const math::best_of_size size = math::plan_best_of(keys, rate, planned_seeds);
  return {size.bits, size.hashes, planned_seeds};
}

double best_of_n_cells::predicted_rate(const shape& s, std::uint64_t keys) {
  return math::best_of_rate(s.bits, keys, s.hashes, s.seeds);
}

double best_of_n_cells::current_rate() const {
  return math::instance_rate(fill(), probes_.count);
}

void best_of_n_cells::require_record(const filter_record& record) const {
  if (record.items != 0 || (seed() == 0 && ones() == 0)) return;
  fail(errc::corrupt, "a filter of no keys has a seed or ones");
}

template struct erasure<best_of_n_filter>;

}  // namespace bloomery
