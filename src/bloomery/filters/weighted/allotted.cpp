#include "bloomery/filters/weighted/allotted.hpp"

#include <bit>
#include <cmath>
#include <string>

#include "bloomery/core/error.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/kinds/ribbon.hpp"

namespace bloomery::detail {
namespace {

bits::ribbon_layout map_layout(const math::allotment& a) {
  return {a.listed, static_cast<unsigned>(a.map_bits)};
}

void require_weight(bool sound, std::string_view name, double value, std::string_view allowed) {
  if (sound) return;
  fail(errc::invalid, std::string(name) + " of a listed key is " + format_real(value) +
                          "; allowed: " + std::string(allowed));
}

}  // namespace

void check_allotment(const math::allotment& a) {
  if (a.listed == 0) {
    if (a.map_bits + a.least_hashes + a.most_hashes == 0 && a.mean_hashes == 0 && a.budget == 0) {
      return;
    }
    fail(errc::invalid,
         "listed is 0; then map_bits, least_hashes, most_hashes, mean_hashes and budget are 0");
  }
  if (a.least_hashes > a.most_hashes) {
    fail(errc::invalid, "least_hashes is " + std::to_string(a.least_hashes) +
                            "; allowed: 0 to most_hashes, which is " +
                            std::to_string(a.most_hashes));
  }
  if (a.map_bits == 0 || a.codes() > std::uint64_t{1} << a.map_bits) {
    fail(errc::invalid, "map_bits is " + std::to_string(a.map_bits) + "; allowed: enough for the " +
                            std::to_string(a.codes()) +
                            " numbers from least_hashes to most_hashes");
  }
  require_total_bits(a.map_bits + 1, a.listed, "keys in the map");  // 1 for what rows take over
}

// A key listed more than once is asked for as often as all of them say, and the likeliest member.
demand_list::demand_list(std::span<const key_weight> weights) {
  std::vector<key_weight> sorted(weights.begin(), weights.end());
  std::ranges::stable_sort(sorted, std::less(), &key_weight::key);
  double queries = 0;
  double membership = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const key_weight& w = sorted[i];
    require_weight(w.queries >= 0 && std::isfinite(w.queries), "queries", w.queries,
                   "0 and above, finite");
    require_weight(w.membership >= 0 && w.membership <= 1, "membership", w.membership, "0 to 1");
    queries += w.queries;
    membership = std::max(membership, w.membership);
    if (i + 1 < sorted.size() && sorted[i + 1].key == w.key) continue;
    keys.push_back(w.key);
    demands.push_back({queries * (1 - membership), membership});
    queries = membership = 0;
  }
}

allotted_bits::allotted_bits(const math::allotment& a) : bits_(a.bits) {
  lay_out(a);
  if (a.listed != 0) map_.emplace(map_layout(a));
}

allotted_bits::allotted_bits(const math::allotment& a, storage stored)
    : map_(a.listed == 0
               ? std::optional<bits::ribbon_table>()
               : bits::ribbon_table(
                     map_layout(a),
                     stored.take_stored(bits::ribbon_table::stored_bytes(map_layout(a))))),
      bits_(a.bits, std::move(stored)) {
  lay_out(a);
}

allotted_bits::allotted_bits(const math::allotment& a, const demand_list& list,
                             std::span<const unsigned> allotted)
    : allotted_bits(a) {
  if (a.listed == 0) return;
  std::vector<digest> keys;
  std::vector<std::uint32_t> values;
  for (std::size_t i = 0; i < allotted.size(); ++i) {
    const std::uint64_t k = a.given(allotted[i]);
    if (k == a.hashes) continue;
    keys.push_back(list.keys[i]);
    values.push_back(static_cast<std::uint32_t>(k - a.least_hashes) ^ disguise(list.keys[i]));
  }
  if (keys.size() > a.listed) {
    fail(errc::limit, "the weights put " + format_count(keys.size()) +
                          " keys into the map, which is laid out for " + format_count(a.listed));
  }
  if (!keys.empty()) map_ = bits::ribbon_table::of_values(map_layout(a), keys, values);
}

void allotted_bits::lay_out(const math::allotment& a) {
  hashes_ = a.hashes;
  least_ = a.least_hashes;
  codes_ = a.codes();
  mask_ = static_cast<std::uint32_t>((std::uint64_t{1} << a.map_bits) - 1);
}

bool allotted_bits::insert(const place& at) {
  bool fresh = false;
  for (const std::uint64_t i : at) fresh |= bits_.set(i);
  return fresh;
}

void allotted_bits::merge(const allotted_bits& other) {
  if (map_ && !std::ranges::equal(map_->bytes(), other.map_->bytes())) {
    fail(errc::incompatible, "the map differs: the filters were built with other weights");
  }
  bits_.merge(other.bits_);
}

double allotted_bits::current_rate() const {
  math::allotment a{.bits = bits_.size(), .hashes = hashes_};
  if (map_ && !map_->empty()) {
    a.listed = 1;  // or more: what counts is that strangers meet the map's values
    a.map_bits = static_cast<std::uint64_t>(std::popcount(mask_));
    a.least_hashes = least_;
    a.most_hashes = least_ + codes_ - 1;
  }
  return a.instance_rate(fill());
}

std::uint64_t allotted_bits::stored_bytes(const math::allotment& a) {
  const std::uint64_t map = a.listed == 0 ? 0 : bits::ribbon_table::stored_bytes(map_layout(a));
  return map + bits::bit_array_bytes(a.bits);
}

math::query_cost allotted_bits::cost(const math::allotment& a, std::uint64_t keys) {
  math::query_cost result = math::filled_cost(a.fill(keys), a.bits, a.hashes);
  if (a.listed == 0) return result;
  const math::query_cost map = math::ribbon_cost(math::plan_ribbon(a.listed, math::ribbon_narrow),
                                                 static_cast<unsigned>(a.map_bits));
  return {result.absent + map.absent, result.present + map.present};
}

}  // namespace bloomery::detail
