#include "bloomery/filters/set/retouching.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "bloomery/bits/table/incidence.hpp"
#include "bloomery/core/distinct.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/math/kinds/retouched.hpp"

namespace bloomery {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Claimed keys, and how many of them each of some bits bears. A key is dropped from all of its bits
// as soon as one is cleared.
class keys_on_bits {
 public:
  // `bits` are all that may be cleared, in order.
  keys_on_bits(const retouched_cells& cells, std::span<const digest> keys,
               std::span<const std::uint64_t> bits)
      : load_(bits.size()) {
    std::vector<std::uint64_t> own;
    for (const digest d : keys) {
      const hash::positions at = hash::distinct_positions_of(cells.probes(), d);
      if (!cells.contains(at)) continue;
      ++claimed_;
      incidences_ += at.size();
      own.clear();
      for (const std::uint64_t i : at) {
        const auto found = std::lower_bound(bits.begin(), bits.end(), i);
        if (found == bits.end() || *found != i) continue;
        own.push_back(static_cast<std::uint64_t>(found - bits.begin()));
        ++load_[own.back()];
      }
      if (!own.empty()) bits_.add(own);
    }
    keys_ = bits_.turned(bits.size());
    dropped_.resize(bits_.size());
  }

  [[nodiscard]] std::uint64_t claimed() const { return claimed_; }
  [[nodiscard]] std::uint64_t incidences() const { return incidences_; }
  [[nodiscard]] std::uint64_t dropped() const { return lost_; }
  [[nodiscard]] bool dropped(std::uint64_t key) const { return dropped_[key]; }
  [[nodiscard]] const std::vector<std::uint64_t>& load() const { return load_; }
  [[nodiscard]] auto bits_of(std::uint64_t key) const { return bits_[key]; }

  void clear(std::uint64_t b) {
    for (const std::uint64_t key : keys_[b]) {
      if (dropped_[key]) continue;
      dropped_[key] = true;
      ++lost_;
      for (const std::uint64_t other : bits_[key]) --load_[other];
    }
  }

 private:
  std::vector<std::uint64_t> load_;
  bits::incidence bits_;  // of the keys
  bits::incidence keys_;  // on the bits
  std::vector<bool> dropped_;
  std::uint64_t claimed_ = 0;
  std::uint64_t incidences_ = 0;
  std::uint64_t lost_ = 0;
};

struct bears {
  std::uint64_t members;
  std::uint64_t unwanted;  // at least the key that looks for a bit
};

// Ties go to the bit that is better by the other count.
bool better(retouch_method method, const bears& a, const bears& b) {
  const bool fewer = a.members < b.members;
  const bool more = a.unwanted > b.unwanted;
  switch (method) {
    case retouch_method::random:
      return false;
    case retouch_method::fewest_members:
      return fewer || (a.members == b.members && more);
    case retouch_method::most_unwanted:
      return more || (a.unwanted == b.unwanted && fewer);
    case retouch_method::best_ratio:
      break;
  }
  const core::uint128 left = static_cast<core::uint128>(a.members) * b.unwanted;
  const core::uint128 right = static_cast<core::uint128>(b.members) * a.unwanted;
  return left < right || (left == right && more);
}

}  // namespace

double retouch_report::lost_share() const {
  return members && *members != 0 ? share(lost.value_or(0), *members) : predicted_loss;
}
double retouch_report::gain() const {
  return math::retouching_gain(strangers_removed, lost_share());
}
double retouch_report::listed_gain() const {
  return math::retouching_gain(share(removed, unwanted), lost_share());
}

retouch_report retouch(retouched_filter& filter, std::span<const digest> unwanted,
                       retouch_method method, const known_members& members) {
  const bool counted = static_cast<bool>(members.on_bit);
  if (!counted && members.keys.empty() &&
      (method == retouch_method::fewest_members || method == retouch_method::best_ratio)) {
    fail(errc::invalid,
         "method " + std::string(retouch_methods[static_cast<std::size_t>(method)]) +
             " needs the members, or their number on each bit as a counting filter has it");
  }
  retouched_cells& cells = filter.cells_for_writing();
  std::vector<digest> listed = core::distinct(std::vector(unwanted.begin(), unwanted.end()));
  std::erase_if(listed, [&](digest d) { return !filter.may_contain(d); });
  std::vector<std::uint64_t> bits;
  for (const digest d : listed) {
    const hash::positions at = hash::distinct_positions_of(cells.probes(), d);
    bits.insert(bits.end(), at.begin(), at.end());
  }
  bits = core::distinct(std::move(bits));
  keys_on_bits bad(cells, listed, bits);
  keys_on_bits good(cells, core::distinct(std::vector(members.keys.begin(), members.keys.end())),
                    bits);
  std::vector<std::uint64_t> before = good.load();
  std::uint64_t all_before = good.incidences();
  if (counted) {
    all_before = 0;
    std::transform(bits.begin(), bits.end(), before.begin(), members.on_bit);
    for (std::uint64_t i = 0; i < cells.bits().size(); ++i) all_before += members.on_bit(i);
  }
  const std::vector<std::uint64_t>& members_on = members.keys.empty() ? before : good.load();

  const std::uint64_t ones = cells.bits().count();
  std::uint64_t cleared_incidences = 0;
  retouch_report report;
  report.unwanted = listed.size();
  for (std::size_t key = 0; key < listed.size(); ++key) {
    if (bad.dropped(key)) continue;
    const auto own = bad.bits_of(key);
    std::uint64_t chosen = own[hash::reduce(hash::mix(~listed[key].hi), own.size())];
    for (const std::uint64_t b : own) {
      if (better(method, {members_on[b], bad.load()[b]},
                 {members_on[chosen], bad.load()[chosen]})) {
        chosen = b;
      }
    }
    cells.clear(bits[chosen]);
    bad.clear(chosen);
    good.clear(chosen);
    cleared_incidences += before[chosen];
    ++report.cleared;
  }
  report.removed = bad.dropped();
  const double of_ones = share(report.cleared, ones);
  report.strangers_removed = math::retouched_share(of_ones, filter.shape().hashes);
  report.predicted_loss = report.strangers_removed;
  if (all_before != 0) {
    report.predicted_loss =
        math::retouched_share(share(cleared_incidences, all_before), filter.shape().hashes);
  }
  if (!members.keys.empty()) {
    report.members = good.claimed();
    report.lost = good.dropped();
  }
  return report;
}

// Knuth's selection sampling: the j-th of the ones left is taken with chance wanted/left.
retouch_report clear_random(retouched_filter& filter, std::uint64_t count, std::uint64_t seed) {
  retouched_cells& cells = filter.cells_for_writing();
  const std::uint64_t ones = cells.bits().count();
  if (count > ones) {
    fail(errc::invalid, "count is " + std::to_string(count) + "; allowed: 0 to the " +
                            std::to_string(ones) + " bits that are set");
  }
  std::uint64_t wanted = count;
  std::uint64_t left = ones;
  for (std::uint64_t i = 0; wanted != 0; ++i) {
    if (!cells.bits().test(i)) continue;
    if (hash::reduce(hash::mix(seed + left * hash::golden), left) < wanted) {
      cells.clear(i);
      --wanted;
    }
    --left;
  }
  retouch_report report;
  report.cleared = count;
  report.strangers_removed = math::retouched_share(share(count, ones), filter.shape().hashes);
  report.predicted_loss = report.strangers_removed;
  return report;
}

}  // namespace bloomery
