#include "bloomery/bits/fuse_table.hpp"

#include <cassert>
#include <exception>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"

namespace bloomery {
namespace {

constexpr std::uint64_t keys_at = 8;       // in the first line, after the seed
constexpr std::uint64_t reserved_at = 16;  // zeros up to the slots
constexpr std::uint64_t cells_at = cache_line_bytes;

const fuse_layout& checked(const fuse_layout& layout) {
  assert(layout.segments >= 1 && (layout.arity == 3 || layout.arity == 4));
  assert(layout.segment_log2 >= 1 && layout.segment_log2 <= fuse_table::max_segment_log2);
  assert(layout.width >= 1 && layout.width <= fuse_table::max_width);
  return layout;
}

// Zeros on huge pages.
template <class T>
class scratch {
 public:
  explicit scratch(std::uint64_t size)
      : memory_(storage::allocate(size * sizeof(T))),
        all_(reinterpret_cast<T*>(memory_.bytes_for_writing().data()), size) {}

  [[nodiscard]] std::span<T> all() const { return all_; }

 private:
  storage memory_;
  std::span<T> all_;
};

// A key as the solver moves it about; in a slot, the exclusive or of all keys there.
struct bare_key {
  std::uint64_t hash = 0;

  void add(const bare_key& other) { hash ^= other.hash; }
  [[nodiscard]] std::uint64_t value(const fuse_probe& probe) const {
    return probe.fingerprint(hash);
  }
  friend bool operator==(const bare_key&, const bare_key&) = default;
};

struct valued_key {
  std::uint64_t hash = 0;
  std::uint64_t content = 0;

  void add(const valued_key& other) {
    hash ^= other.hash;
    content ^= other.content;
  }
  [[nodiscard]] std::uint64_t value(const fuse_probe& /*probe*/) const { return content; }
  friend bool operator==(const valued_key&, const valued_key&) = default;
};

// Calls task(0) to task(count - 1), on as many threads.
template <class Task>
void run_all(unsigned count, Task task) {
  std::vector<std::exception_ptr> problems(count);
  const auto guarded = [&](unsigned i) {
    try {
      task(i);
    } catch (...) {
      problems[i] = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < count; ++i) others.emplace_back(guarded, i);
  guarded(0);
  for (std::thread& other : others) other.join();
  for (const std::exception_ptr& problem : problems) {
    if (problem) std::rethrow_exception(problem);
  }
}

// Finds the contents of the slots by peeling: a slot with a single key can be set last, so the key
// is taken out of its other slots, which leaves more slots with a single key, and so on.
//
// Keys are dealt out by their first slot. Peeling then follows the counting from either end of the
// table towards the middle, a few segments behind, so that both stay in the cache; the two ends are
// independent until they meet.
template <unsigned Arity, class Key>
class fuse_solver {
 public:
  fuse_solver(const fuse_layout& layout, std::uint64_t keys, unsigned threads)
      : layout_(layout),
        threads_(keys < worth_a_thread ? 1 : threads),
        dealt_(keys),
        held_(layout.slots()),
        load_(layout.slots()),
        order_(dealt_.all()),
        slots_(held_.all()),
        loads_(load_.all()) {
    while ((layout.segments >> bucket_log2_) > most_buckets) ++bucket_log2_;
    const std::uint64_t bucket = std::uint64_t{1} << bucket_log2_;
    starts_.resize((layout.segments + bucket - 1) / bucket + 1);
  }

  // Lays out source(0) to source(keys - 1) by first slot.
  template <class Source>
  void deal(std::uint64_t keys, Source source) {
    order_ = dealt_.all().first(keys);
    const std::uint64_t buckets = starts_.size() - 1;
    const auto share = [&](unsigned i) { return keys * i / threads_; };
    std::vector<std::vector<std::uint64_t>> next(threads_, std::vector<std::uint64_t>(buckets));
    run_all(threads_, [&](unsigned t) {
      for (std::uint64_t i = share(t); i < share(t + 1); ++i) ++next[t][bucket_of(source(i))];
    });
    std::uint64_t end = 0;
    for (std::uint64_t b = 0; b < buckets; ++b) {
      starts_[b] = end;
      for (auto& of_thread : next) end += std::exchange(of_thread[b], end);
    }
    starts_[buckets] = end;
    run_all(threads_, [&](unsigned t) {
      for (std::uint64_t i = share(t); i < share(t + 1); ++i) {
        const Key key = source(i);
        order_[next[t][bucket_of(key)]++] = key;
      }
    });
  }

  // Keeps one of each; false if two keys have one hash and different values.
  bool drop_repeats() {
    std::uint64_t kept = 0;
    bool consistent = true;
    for (std::uint64_t b = 0; b + 1 < starts_.size(); ++b) {
      const auto first = order_.begin() + static_cast<std::ptrdiff_t>(starts_[b]);
      const auto last = order_.begin() + static_cast<std::ptrdiff_t>(starts_[b + 1]);
      std::sort(first, last, [](const Key& x, const Key& y) { return x.hash < y.hash; });
      starts_[b] = kept;
      for (auto key = first; key != last; ++key) {
        if (key != first && key->hash == (key - 1)->hash) {
          consistent = consistent && *key == *(key - 1);
          continue;
        }
        order_[kept++] = *key;
      }
    }
    starts_.back() = kept;
    order_ = order_.first(kept);
    return consistent;
  }

  [[nodiscard]] std::uint64_t keys() const { return order_.size(); }

  // The contents are those of `slot` from then on.
  bool solve(const fuse_probe& probe) {
    std::fill(slots_.begin(), slots_.end(), Key{});
    std::fill(loads_.begin(), loads_.end(), std::uint8_t{0});
    const std::uint64_t buckets = starts_.size() - 1;
    const std::uint64_t gap = ((Arity - 2) >> bucket_log2_) + 1;  // Arity - 1 segments or more
    const bool small = buckets < 4 * gap;
    const std::uint64_t left_end = small ? 0 : (buckets - gap) / 2;
    const std::uint64_t right_begin = small ? buckets : left_end + gap;

    front left{probe, {}, 0};
    front right{probe, {}, 0};
    run_all(std::min(threads_, 2U), [&](unsigned t) {
      if (t == 0) advance_left(left, left_end);
      if (t + 1 == std::min(threads_, 2U)) advance_right(right, right_begin);
    });
    if (left.overflow || right.overflow) return false;

    front middle{probe, {}, left.peeled};
    count(middle, left_end, right_begin);
    if (middle.overflow) return false;
    const std::uint64_t unseen_begin = first_slot(left_end);
    const std::uint64_t unseen_end = small ? slots_.size() : final_from(right_begin);
    find_single(middle, unseen_begin, unseen_end);
    peel(middle, {0, slots_.size()},
         [&](std::uint64_t slot) { order_[middle.peeled++].hash = slot; });
    if (middle.peeled + right.peeled != order_.size()) return false;

    for (std::uint64_t i = middle.peeled; i-- > left.peeled;) assign(probe, order_[i].hash);
    run_all(std::min(threads_, 2U), [&](unsigned t) {
      if (t == 0) {
        for (std::uint64_t i = left.peeled; i-- > 0;) assign(probe, order_[i].hash);
      }
      if (t + 1 == std::min(threads_, 2U)) {
        for (std::uint64_t i = middle.peeled; i < order_.size(); ++i) assign(probe, order_[i].hash);
      }
    });
    return true;
  }

  // Packs the contents into zeroed bytes.
  void pack(std::byte* cells) const {
    const unsigned width = layout_.width;
    constexpr std::uint64_t together = 64;  // slots fill whole words, whatever their width
    const std::uint64_t groups = slots_.size() / together;
    run_all(threads_, [&](unsigned t) {
      const std::uint64_t end = groups * (t + 1) / threads_ * together;
      pack_range(cells, groups * t / threads_ * together, end, width);
    });
    pack_range(cells, groups * together, slots_.size(), width);
  }

 private:
  static constexpr std::uint64_t worth_a_thread = 1 << 16;
  static constexpr std::uint64_t most_buckets = 2048;

  // One end of the peeling: what it has found and not yet done, and how much it has done.
  struct front {
    const fuse_probe& probe;
    std::vector<std::uint64_t> queue;
    std::uint64_t peeled = 0;
    std::uint64_t queued = 0;
    bool overflow = false;
  };

  struct slot_range {
    std::uint64_t begin;
    std::uint64_t end;
  };

  [[nodiscard]] std::uint64_t bucket_of(const Key& key) const {
    return reduce(key.hash, layout_.segments) >> bucket_log2_;
  }
  [[nodiscard]] std::uint64_t first_slot(std::uint64_t bucket) const {
    return std::min(bucket << bucket_log2_, layout_.segments) << layout_.segment_log2;
  }
  // From here on no key of an earlier bucket has a slot.
  [[nodiscard]] std::uint64_t final_from(std::uint64_t bucket) const {
    return first_slot(bucket) + (std::uint64_t{Arity - 1} << layout_.segment_log2);
  }

  void count(front& at, std::uint64_t bucket, std::uint64_t bucket_end) {
    for (std::uint64_t i = starts_[bucket]; i < starts_[bucket_end]; ++i) {
      const Key key = order_[i];
      for (const std::uint64_t slot : at.probe.template slots<Arity>(key.hash)) {
        slots_[slot].add(key);
        at.overflow |= ++loads_[slot] == 0;
      }
    }
  }

  void find_single(front& at, std::uint64_t begin, std::uint64_t end) {
    at.queue.resize(std::max(at.queue.size(), at.queued + (end - begin)));
    for (std::uint64_t slot = begin; slot < end; ++slot) {
      at.queue[at.queued] = slot;
      at.queued += std::uint64_t{loads_[slot] == 1};
    }
  }

  // Only slots whose keys have all been counted are queued.
  template <class Record>
  void peel(front& at, slot_range final, Record record) {
    for (std::uint64_t done = 0; done < at.queued; ++done) {
      const std::uint64_t slot = at.queue[done];
      if (loads_[slot] == 0) continue;  // its key has gone by another slot
      if (at.queue.size() < at.queued + Arity) at.queue.resize(2 * at.queue.size() + Arity);
      const Key key = slots_[slot];
      for (const std::uint64_t other : at.probe.template slots<Arity>(key.hash)) {
        slots_[other].add(key);
        at.queue[at.queued] = other;
        at.queued +=
            std::uint64_t{--loads_[other] == 1 && other >= final.begin && other < final.end};
      }
      slots_[slot] = key;
      record(slot);
    }
    at.queued = 0;
  }

  // The order of peeling is noted over keys that were counted before: no more are peeled than were.
  void advance_left(front& at, std::uint64_t end) {
    for (std::uint64_t b = 0; b < end && !at.overflow; ++b) {
      count(at, b, b + 1);
      const slot_range final{0, first_slot(b + 1)};
      find_single(at, first_slot(b), final.end);
      peel(at, final, [&](std::uint64_t slot) { order_[at.peeled++].hash = slot; });
    }
  }

  void advance_right(front& at, std::uint64_t begin) {
    const std::uint64_t last = order_.size() - 1;
    for (std::uint64_t b = starts_.size() - 1; b > begin && !at.overflow; --b) {
      count(at, b - 1, b);
      const slot_range final{final_from(b - 1), slots_.size()};
      find_single(at, final.begin, b == starts_.size() - 1 ? final.end : final_from(b));
      peel(at, final, [&](std::uint64_t slot) { order_[last - at.peeled++].hash = slot; });
    }
  }

  // The slot's key is the first, in reverse order of peeling, that it matters to.
  void assign(const fuse_probe& probe, std::uint64_t slot) {
    const Key key = std::exchange(slots_[slot], Key{});
    std::uint64_t content = key.value(probe);
    for (const std::uint64_t other : probe.template slots<Arity>(key.hash)) {
      content ^= slots_[other].hash;
    }
    slots_[slot].hash = content;
  }

  void pack_range(std::byte* cells, std::uint64_t begin, std::uint64_t end, unsigned width) const {
    std::byte* to = cells + begin * width / 8;
    std::uint64_t word = 0;
    unsigned filled = 0;
    for (std::uint64_t slot = begin; slot < end; ++slot) {
      const std::uint64_t content = slots_[slot].hash;
      word |= content << filled;
      filled += width;
      if (filled < 64) continue;
      store_le(to, word);
      to += 8;
      filled -= 64;
      word = filled == 0 ? 0 : content >> (width - filled);
    }
    if (filled != 0) store_le(to, word);
  }

  fuse_layout layout_;
  unsigned threads_;
  unsigned bucket_log2_ = 0;           // of the segments whose keys lie together
  std::vector<std::uint64_t> starts_;  // of the buckets in order_
  scratch<Key> dealt_;
  scratch<Key> held_;
  scratch<std::uint8_t> load_;
  std::span<Key> order_;           // the keys; after counting, the slots in order of peeling
  std::span<Key> slots_;           // keys, then contents
  std::span<std::uint8_t> loads_;  // keys in each slot
};

[[noreturn]] void refuse(const fuse_layout& layout, std::uint64_t keys) {
  fail(errc::limit, format_count(keys) + " distinct keys do not fit into " +
                        format_count(layout.slots()) + " slots (" +
                        std::to_string(layout.segments) + " segments of 2^" +
                        std::to_string(layout.segment_log2) + "); plan for " + format_count(keys) +
                        " keys, or leave more room");
}

storage empty_store(const fuse_layout& layout) {
  return storage::allocate(fuse_table::stored_bytes(checked(layout)));
}

// Attempts of a planned layout fail once in four at worst, for a few keys, and once in twenty when
// there are many (math/retrieval.hpp), so that all of them never do.
unsigned most_tries(std::uint64_t keys) {
  constexpr std::uint64_t many = 100'000;
  return keys < many ? 64 : 16;
}

template <unsigned Arity, class Key, class Source>
storage solved(const fuse_layout& layout, std::uint64_t count, unsigned threads, Source source) {
  storage stored = empty_store(layout);
  if (count == 0) return stored;
  fuse_solver<Arity, Key> solver(layout, count, std::max(threads, 1U));
  bool drop = count > layout.slots();  // repeats cannot be peeled, but are not sought without cause
  bool sought = drop;
  unsigned contradictions = 0;
  for (unsigned attempt = 1; attempt <= most_tries(count); ++attempt) {
    const fuse_probe probe(layout, mix(attempt));
    const auto deal = [&] {
      solver.deal(count, [&](std::uint64_t i) { return source(probe, i); });
      return !drop || solver.drop_repeats();
    };
    bool consistent = deal();
    if (solver.keys() > layout.slots()) refuse(layout, solver.keys());
    bool found = consistent && solver.solve(probe);
    if (!found && !sought) {
      sought = drop = true;
      consistent = deal();
      drop = !consistent || solver.keys() != count;
      found = drop && consistent && solver.solve(probe);
    }
    if (found) {
      std::byte* bytes = stored.bytes_for_writing().data();
      store_le(bytes, probe.seed());
      store_le(bytes + keys_at, solver.keys());
      solver.pack(bytes + cells_at);
      return stored;
    }
    // Two keys may share a hash by chance, but not under several seeds.
    if (!consistent && ++contradictions == 3) fail(errc::invalid, "a key is given two values");
  }
  refuse(layout, solver.keys());
}

template <class Key, class Source>
fuse_table built(const fuse_layout& layout, std::uint64_t count, unsigned threads, Source source) {
  return {layout, layout.arity == 3 ? solved<3, Key>(layout, count, threads, source)
                                    : solved<4, Key>(layout, count, threads, source)};
}

}  // namespace

std::uint64_t fuse_table::stored_bytes(const fuse_layout& layout) {
  // Seven bytes more, so that eight can be loaded wherever a slot begins.
  const std::uint64_t cells = (layout.slots() * layout.width + 7) / 8 + 7;
  return cells_at + round_up(cells, cache_line_bytes);
}

fuse_table::fuse_table(const fuse_layout& layout) : fuse_table(layout, empty_store(layout)) {}

fuse_table::fuse_table(const fuse_layout& layout, storage stored)
    : layout_(checked(layout)),
      stored_(std::move(stored)),
      cells_(stored_.bytes().data() + cells_at),
      keys_(0),
      values_(~std::uint64_t{0} >> (64 - layout.width)),
      probe_(layout, 0) {
  const byte_view bytes = stored_.bytes();
  if (bytes.size() != stored_bytes(layout)) {
    fail(errc::corrupt, format_count(layout.slots()) + " slots of " + std::to_string(layout.width) +
                            " bits need " + std::to_string(stored_bytes(layout)) +
                            " bytes, there are " + std::to_string(bytes.size()));
  }
  const auto clean = [](byte_view part) {
    return std::ranges::all_of(part, [](std::byte b) { return b == std::byte{0}; });
  };
  keys_ = load_le<std::uint64_t>(bytes.data() + keys_at);
  probe_ = fuse_probe(layout, load_le<std::uint64_t>(bytes.data()));
  if (!clean(bytes.subspan(reserved_at, cells_at - reserved_at))) {
    fail(errc::corrupt, "reserved bytes of the payload are not zero");
  }
  const std::uint64_t end = layout.slots() * layout.width;
  const byte_view after = bytes.subspan(cells_at + end / 8);
  if (!clean(after.subspan(1)) || std::to_integer<unsigned>(after.front()) >> end % 8 != 0) {
    fail(errc::corrupt, "bits are set in the padding after the last slot");
  }
  if (keys_ > layout.slots()) {
    fail(errc::corrupt,
         format_count(keys_) + " keys cannot be in " + format_count(layout.slots()) + " slots");
  }
  if (keys_ == 0 && !clean(bytes)) fail(errc::corrupt, "slots are set and no keys are recorded");
}

fuse_table fuse_table::of_fingerprints(const fuse_layout& layout, std::span<const digest> keys,
                                       unsigned threads) {
  return built<bare_key>(
      layout, keys.size(), threads,
      [keys](const fuse_probe& probe, std::uint64_t i) { return bare_key{probe.hash(keys[i])}; });
}

fuse_table fuse_table::of_values(const fuse_layout& layout, std::span<const digest> keys,
                                 std::span<const std::uint64_t> values, unsigned threads) {
  assert(keys.size() == values.size());
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - layout.width);
  if (!std::ranges::all_of(values, [&](std::uint64_t value) { return value <= most; })) {
    fail(errc::invalid, "a value has more than " + std::to_string(layout.width) + " bits");
  }
  return built<valued_key>(layout, keys.size(), threads,
                           [keys, values](const fuse_probe& probe, std::uint64_t i) {
                             return valued_key{probe.hash(keys[i]), values[i]};
                           });
}

}  // namespace bloomery
