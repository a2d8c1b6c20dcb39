#include "bloomery/bits/table/perfect_hash.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>
#include <utility>

#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/batch/dealing.hpp"
#include "bloomery/bits/memory/scratch.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/zeros.hpp"

namespace bloomery::bits {
namespace {

// One attempt in a hundred fails for a few hundred keys, fewer for more.
constexpr std::uint64_t attempts = 64;
constexpr std::uint64_t pilots = 256;
constexpr std::uint64_t worth_looking_ahead = 1 << 15;  // buckets
constexpr std::uint64_t last_resort = std::uint64_t{1} << 32;

std::uint64_t pilot_bytes(const math::perfect_size& size) {
  return core::round_up(size.buckets, cache_line_bytes);
}

std::uint64_t spare_bytes(const math::perfect_size& size) {
  return bit_array_bytes((size.slots - size.keys) * size.spare_bits);
}

// Finds the pilots: buckets in order of size, the largest first, take the first pilot that leads to
// free slots. Without one, a bucket takes the pilot that does least damage, and whom it drives out
// chooses anew.
class pilot_search {
 public:
  pilot_search(const math::perfect_size& size, std::span<const digest> keys, unsigned threads)
      : size_(size),
        keys_(keys),
        threads_(threads_for(keys.size(), threads)),
        entries_(keys.size()),
        starts_(size.buckets + 1),
        taken_(size.slots),
        owners_(size.slots),
        sizes_(size.slots) {}

  // False if two keys have one hash, or after too many evictions.
  bool run(const perfect_probe& probe, std::span<std::byte> chosen) {
    probe_ = &probe;
    chosen_ = chosen;
    std::fill(chosen.begin(), chosen.end(), std::byte{});
    if (!deal_out()) return false;
    if (distinct_ > size_.keys) {
      fail(errc::limit, format_count(distinct_) + " distinct keys do not fit: the range is " +
                            format_count(size_.keys));
    }
    taken_.clear(0, size_.slots);
    std::fill(owners_.all().begin(), owners_.all().end(), 0U);
    std::uint64_t evictions = 0;
    const std::uint64_t most = 1000 + distinct_;
    const std::vector<std::uint32_t> order = by_size();
    const std::uint64_t together = order.size() < worth_looking_ahead ? 0 : order.size() / 64;
    for (std::uint64_t i = 0; i < order.size(); ++i) {
      if (together != 0 && i % together == 0) {
        look_ahead(std::span(order).subspan(i, std::min(together, order.size() - i)));
      }
      std::uint64_t from = pilot_of(order[i]);
      waiting_.push({length(order[i]), order[i]});
      while (!waiting_.empty()) {
        const std::uint32_t bucket = waiting_.top().second;
        waiting_.pop();
        if (settle(bucket, std::exchange(from, 0))) continue;
        evictions += evict_for(bucket, evictions);
        if (evictions > most) return waiting_ = {}, false;
      }
    }
    return true;
  }

  [[nodiscard]] std::uint64_t distinct() const { return distinct_; }
  [[nodiscard]] bool taken(std::uint64_t slot) const { return taken_.test(slot); }

 private:
  struct entry {
    std::uint64_t hash;
    std::uint64_t key;
  };

  [[nodiscard]] std::span<entry> bucket(std::uint64_t b) const {
    return entries_.all().subspan(starts_[b], length(b));
  }
  [[nodiscard]] std::uint32_t length(std::uint64_t b) const {
    return static_cast<std::uint32_t>(starts_[b + 1] - starts_[b]);
  }
  [[nodiscard]] std::uint64_t pilot_of(std::uint64_t b) const {
    return std::to_integer<std::uint64_t>(chosen_[b]);
  }
  [[nodiscard]] std::uint64_t slot(const entry& e, std::uint64_t pilot) const {
    return probe_->slot(e.hash, pilot);
  }

  // Sorts the entries by hash, which also sorts them by bucket. Of a key that repeats one entry
  // stays; false if two keys have one hash, which takes another attempt.
  bool deal_out() {
    const std::span<entry> all = entries_.all();
    const auto hash_of = [](const entry& e) { return e.hash; };
    deal_in_order(
        all, threads_,
        [&](std::uint64_t i) {
          return entry{probe_->hash(keys_[i]), i};
        },
        hash_of, hash_of);
    std::fill(starts_.begin(), starts_.end(), 0U);
    distinct_ = 0;
    for (const entry& e : all) {
      if (distinct_ != 0 && all[distinct_ - 1].hash == e.hash) {
        if (!(keys_[all[distinct_ - 1].key] == keys_[e.key])) return false;
        continue;
      }
      all[distinct_++] = e;
      ++starts_[probe_->bucket(e.hash) + 1];
    }
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    return true;
  }

  // Those that are not empty.
  [[nodiscard]] std::vector<std::uint32_t> by_size() const {
    std::uint32_t longest = 0;
    for (std::uint64_t b = 0; b < size_.buckets; ++b) longest = std::max(longest, length(b));
    std::vector<std::uint32_t> order(size_.buckets);
    const std::vector<std::uint64_t> starts = deal(
        size_.buckets, std::uint64_t{longest} + 1, threads_,
        [](std::uint64_t b) { return static_cast<std::uint32_t>(b); },
        [&](std::uint32_t b) { return longest - length(b); },
        [&](std::uint64_t place, std::uint32_t b, std::uint64_t) { order[place] = b; });
    order.resize(starts[longest]);
    return order;
  }

  // The first pilot, not before `from`, that leads to free slots.
  [[nodiscard]] std::uint64_t first_free(std::uint32_t b, std::uint64_t from) const {
    const std::span<const entry> all = bucket(b);
    const auto taken_by = [&](std::uint64_t pilot) {
      return std::any_of(all.begin(), all.end(),
                         [&](const entry& e) { return taken_.test(slot(e, pilot)); });
    };
    while (from < pilots && taken_by(from)) ++from;
    return from;
  }

  // Notes from where to look for the pilots of many buckets: slots only fill up, except for those
  // of the few buckets that are driven out.
  void look_ahead(std::span<const std::uint32_t> buckets) {
    core::in_parallel(buckets.size(), threads_, [&](std::uint64_t first, std::uint64_t count) {
      for (const std::uint32_t b : buckets.subspan(first, count)) {
        chosen_[b] = static_cast<std::byte>(std::min(first_free(b, 0), pilots - 1));
      }
    });
  }

  bool settle(std::uint32_t b, std::uint64_t from) {
    for (;; ++from) {
      from = first_free(b, from);
      if (from == pilots) return false;
      if (occupy(b, from)) return true;
    }
  }

  // False, and as it was, if two keys of the bucket meet.
  bool occupy(std::uint32_t b, std::uint64_t pilot) {
    const std::span<const entry> all = bucket(b);
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      const std::uint64_t at = slot(all[i], pilot);
      if (!taken_.set(at)) {
        for (std::uint64_t j = 0; j < i; ++j) taken_.clear(slot(all[j], pilot));
        return false;
      }
      owners_.all()[at] = b;
      sizes_.all()[at] = static_cast<std::uint8_t>(std::min(length(b), 255U));
    }
    chosen_[b] = static_cast<std::byte>(pilot);
    return true;
  }

  // Returns how many buckets it drives out. Pilots are tried from another one each time, and
  // buckets that drove others out last are spared, so that they do not drive each other out
  // forever.
  std::uint64_t evict_for(std::uint32_t b, std::uint64_t turn) {
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t best = pilots;
    for (std::uint64_t i = 0; i < pilots && least != 1; ++i) {  // there is nothing less than 1
      const std::uint64_t pilot = (i + hash::mix(turn)) % pilots;
      const std::uint64_t damage = damage_of(b, pilot, least);
      if (damage < least) {
        least = damage;
        best = pilot;
      }
    }
    std::uint64_t evicted = 1;  // if none will do, this counts towards giving up
    if (best == pilots) {
      waiting_.push({length(b), b});
      return evicted;
    }
    for (const entry& e : bucket(b)) {
      const std::uint64_t at = slot(e, best);
      if (!taken_.test(at)) continue;
      const std::uint32_t other = owners_.all()[at];
      for (const entry& gone : bucket(other)) taken_.clear(slot(gone, pilot_of(other)));
      waiting_.push({length(other), other});
      ++evicted;
    }
    (void)occupy(b, best);
    recent_[turn % recent_.size()] = b;
    return evicted;
  }

  // The squares of the sizes of the buckets in the way; no less than `least` if it is that, or if two
  // keys of the bucket meet. Most pilots are ruled out by the sizes alone, which lie close together.
  [[nodiscard]] std::uint64_t damage_of(std::uint32_t b, std::uint64_t pilot,
                                        std::uint64_t least) const {
    const std::span<const entry> all = bucket(b);
    std::uint64_t sum = 0;
    for (const entry& e : all) {
      const std::uint64_t at = slot(e, pilot);
      const std::uint64_t size = taken_.test(at) ? sizes_.all()[at] : 0;
      sum += size * size;
    }
    for (std::uint64_t i = 0; i < all.size() && sum < least; ++i) {
      const std::uint64_t at = slot(all[i], pilot);
      for (std::uint64_t j = 0; j < i; ++j) {
        if (slot(all[j], pilot) == at) return least;
      }
      const bool just_came = taken_.test(at) && std::find(recent_.begin(), recent_.end(),
                                                          owners_.all()[at]) != recent_.end();
      if (just_came) sum += last_resort;
    }
    return sum;
  }

  const math::perfect_size& size_;
  std::span<const digest> keys_;
  unsigned threads_;
  scratch<entry> entries_;
  std::vector<std::uint64_t> starts_;  // of the buckets
  std::uint64_t distinct_ = 0;
  bit_array taken_;
  scratch<std::uint32_t> owners_;  // of the slots that are taken
  scratch<std::uint8_t> sizes_;    // of their owners
  std::priority_queue<std::pair<std::uint32_t, std::uint32_t>> waiting_;  // size, bucket
  std::array<std::uint32_t, 16> recent_{};
  const perfect_probe* probe_ = nullptr;
  std::span<std::byte> chosen_;
};

}  // namespace

perfect_hash::perfect_hash(std::uint64_t range)
    : perfect_hash(math::perfect_layout(range), storage::allocate(stored_bytes(range))) {}

perfect_hash::perfect_hash(const math::perfect_size& size, storage stored)
    : size_(size),
      numbers_(numbers, stored.take_stored(ledger::stored_bytes(numbers))),
      pilots_(stored.take_stored(pilot_bytes(size))),
      spare_(size.slots - size.keys, size.spare_bits, std::move(stored)),
      probe_(size_, numbers_.get(attempt_at)) {}

perfect_hash::perfect_hash(std::uint64_t range, storage stored)
    : perfect_hash(math::perfect_layout(range), std::move(stored)) {
  const byte_view padding = pilots_.bytes().subspan(size_.buckets);
  bool sound = numbers_.get(attempt_at) < attempts && keys() <= range && core::all_zero(padding);
  for (std::uint64_t i = 0; sound && i < spare_.size(); ++i) sound = spare_.get(i) < range;
  if (!sound) fail(errc::corrupt, "a perfect hash sends keys out of its range, or was never built");
}

perfect_hash perfect_hash::of(std::uint64_t range, std::span<const digest> keys, unsigned threads) {
  perfect_hash result(range);
  if (keys.empty()) return result;
  pilot_search search(result.size_, keys, threads);
  std::uint64_t attempt = 0;
  for (;; ++attempt) {
    if (attempt == attempts) {
      fail(errc::limit, "no perfect hash of " + format_count(keys.size()) + " keys was found");
    }
    result.probe_ = perfect_probe(result.size_, attempt);
    if (search.run(result.probe_, result.pilots_.bytes_for_writing())) break;
  }
  result.numbers_.set(attempt_at, attempt);
  result.numbers_.set(keys_at, search.distinct());
  std::uint64_t free = 0;
  for (std::uint64_t i = 0; i < result.spare_.size(); ++i) {
    if (!search.taken(range + i)) continue;
    while (search.taken(free)) ++free;
    result.spare_.set(i, free++);
  }
  return result;
}

std::uint64_t perfect_hash::stored_bytes(std::uint64_t range) {
  const math::perfect_size size = math::perfect_layout(range);
  return ledger::stored_bytes(numbers) + pilot_bytes(size) + spare_bytes(size);
}

}  // namespace bloomery::bits
