#include "bloomery/bits/fuse_table.hpp"

#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/scratch.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/parallel.hpp"
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

// A key as the solver moves it about, and a slot while it is filled: how many keys are in it and
// their exclusive or, and in the end its content.
struct bare_key {
  std::uint64_t hash = 0;

  [[nodiscard]] std::uint64_t value() const { return fuse_probe::long_fingerprint(hash); }
  friend bool operator==(const bare_key&, const bare_key&) = default;
};

// The low bits, which are zero in a hash, count.
struct bare_slot {
  using key_type = bare_key;
  std::uint64_t content = 0;

  static constexpr std::uint64_t counter = (std::uint64_t{1} << fuse_probe::zero_bits) - 1;
  void add(bare_key key) { content = (content ^ key.hash) + 1; }
  void remove(bare_key key) { content = (content ^ key.hash) - 1; }
  [[nodiscard]] std::uint64_t load() const { return content & counter; }
  [[nodiscard]] bare_key only() const { return {content & ~counter}; }
};

struct valued_key {
  std::uint64_t hash = 0;
  std::uint64_t content = 0;

  [[nodiscard]] std::uint64_t value() const { return content; }
  friend bool operator==(const valued_key&, const valued_key&) = default;
};

// The bits above those of the widest value count.
struct valued_slot {
  using key_type = valued_key;
  std::uint64_t content = 0;
  std::uint64_t hash = 0;

  static constexpr std::uint64_t one = std::uint64_t{1} << fuse_table::max_width;
  void add(valued_key key) {
    hash ^= key.hash;
    content = (content ^ key.content) + one;
  }
  void remove(valued_key key) {
    hash ^= key.hash;
    content = (content ^ key.content) - one;
  }
  [[nodiscard]] std::uint64_t load() const { return content / one; }
  [[nodiscard]] valued_key only() const { return {hash, content % one}; }
};

// Finds the contents of the slots by peeling: a slot with a single key can be set last, so the key
// is taken out of its other slots, which leaves more slots with a single key, and so on.
//
// Keys are dealt out by their first slot. Peeling then follows the counting from either end of the
// table towards the middle, a few segments behind, so that both stay in the cache; the two ends are
// independent until they meet.
template <unsigned Arity, class Slot, class Key = typename Slot::key_type>
class fuse_solver {
 public:
  fuse_solver(const fuse_layout& layout, std::uint64_t keys, unsigned threads)
      : layout_(layout),
        threads_(static_cast<unsigned>(
            std::clamp<std::uint64_t>(keys / worth_a_thread, 1, std::max(threads, 1U)))),
        dealt_(keys),
        order_(dealt_.all()),
        held_(layout.slots()),
        slots_(held_.all()) {
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
    on_threads(threads_, [&](unsigned t) {
      for (std::uint64_t i = share(t); i < share(t + 1); ++i) ++next[t][bucket_of(source(i))];
    });
    std::uint64_t end = 0;
    for (std::uint64_t b = 0; b < buckets; ++b) {
      starts_[b] = end;
      for (auto& of_thread : next) end += std::exchange(of_thread[b], end);
    }
    starts_[buckets] = end;
    on_threads(threads_, [&](unsigned t) {
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

  // Sets the contents of all slots; false if some keys cannot be peeled.
  bool solve(const fuse_probe& probe) {
    if (std::exchange(used_, true)) std::fill(slots_.begin(), slots_.end(), Slot{});
    const std::uint64_t buckets = starts_.size() - 1;
    const std::uint64_t gap = ((Arity - 2) >> bucket_log2_) + 1;  // Arity - 1 segments or more
    const bool small = buckets < 4 * gap;
    const std::uint64_t left_end = small ? 0 : (buckets - gap) / 2;
    const std::uint64_t right_begin = small ? buckets : left_end + gap;

    front left{probe, {}, 0};
    front right{probe, {}, 0};
    const unsigned fronts = std::min(threads_, 2U);
    on_threads(fronts, [&](unsigned t) {
      if (t == 0) advance_left(left, left_end);
      if (t + 1 == fronts) advance_right(right, right_begin);
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

    const auto backwards_from = [this](std::uint64_t end) {
      return [this, end](std::uint64_t i) { return order_[end - 1 - i].hash; };
    };
    assign(probe, middle.peeled - left.peeled, backwards_from(middle.peeled));
    on_threads(fronts, [&](unsigned t) {
      if (t == 0) assign(probe, left.peeled, backwards_from(left.peeled));
      if (t + 1 == fronts) {
        assign(probe, right.peeled,
               [&](std::uint64_t i) { return order_[middle.peeled + i].hash; });
      }
    });
    return true;
  }

  // Packs the contents into zeroed bytes.
  void pack(std::byte* cells) const {
    const unsigned width = layout_.width;
    constexpr std::uint64_t together = 64;  // slots fill whole words, whatever their width
    const std::uint64_t groups = slots_.size() / together;
    on_threads(threads_, [&](unsigned t) {
      const std::uint64_t end = groups * (t + 1) / threads_ * together;
      pack_range(cells, groups * t / threads_ * together, end, width);
    });
    pack_range(cells, groups * together, slots_.size(), width);
  }

 private:
  static constexpr std::uint64_t worth_a_thread = 1 << 15;  // keys
  static constexpr std::uint64_t most_buckets = 2048;       // whose ends stay in the cache
  static constexpr std::uint64_t fetched_ahead = 8;  // saves a tenth of the time at 100 M keys
  static constexpr std::uint64_t room = Arity + fetched_ahead;  // in a queue, after the last

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
    const fuse_probe probe = at.probe;
    Slot* const slots = slots_.data();
    bool overflow = false;
    for (const Key key : order_.subspan(starts_[bucket], starts_[bucket_end] - starts_[bucket])) {
      for (const std::uint64_t slot : probe.slots<Arity>(key.hash)) {
        slots[slot].add(key);
        overflow |= slots[slot].load() == 0;
      }
    }
    at.overflow |= overflow;
  }

  void find_single(front& at, std::uint64_t begin, std::uint64_t end) {
    at.queue.resize(std::max(at.queue.size(), at.queued + (end - begin) + room));
    std::uint64_t* last = at.queue.data() + at.queued;
    const Slot* const slots = slots_.data();
    for (std::uint64_t slot = begin; slot < end; ++slot) {
      *last = slot;
      last += slots[slot].load() == 1 ? 1 : 0;
    }
    at.queued = static_cast<std::uint64_t>(last - at.queue.data());
  }

  // Only slots whose keys have all been counted are queued.
  template <class Record>
  void peel(front& at, slot_range final, Record record) {
    const fuse_probe probe = at.probe;
    const std::uint64_t final_slots = final.end - final.begin;
    Slot* const slots = slots_.data();
    std::uint64_t* queue = at.queue.data();
    std::uint64_t queued = at.queued;
    for (std::uint64_t done = 0; done < queued; ++done) {
      const std::uint64_t slot = queue[done];
      __builtin_prefetch(slots + queue[done + fetched_ahead], 1);
      const Slot single = slots[slot];
      if (single.load() == 0) continue;  // its key has gone by another slot
      if (at.queue.size() < queued + room) {
        at.queue.resize(2 * at.queue.size());
        queue = at.queue.data();
      }
      for (const std::uint64_t other : probe.slots<Arity>(single.only().hash)) {
        slots[other].remove(single.only());
        queue[queued] = other;
        const bool found = slots[other].load() == 1;
        queued += std::uint64_t{found} & std::uint64_t{other - final.begin < final_slots};
      }
      slots[slot] = single;
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

  // In reverse order of peeling, each slot is set once all that its key has beside it are.
  template <class SlotAt>
  void assign(const fuse_probe& probe, std::uint64_t count, SlotAt slot_at) {
    Slot* const slots = slots_.data();
    for (std::uint64_t i = 0; i < count; ++i) {
      __builtin_prefetch(slots + slot_at(std::min(i + fetched_ahead, count - 1)), 1);
      const std::uint64_t slot = slot_at(i);
      const Key key = slots[slot].only();
      std::uint64_t content = key.value();
      slots[slot].content = 0;
      for (const std::uint64_t other : probe.slots<Arity>(key.hash)) {
        content ^= slots[other].content;
      }
      slots[slot].content = content;
    }
  }

  void pack_range(std::byte* cells, std::uint64_t begin, std::uint64_t end, unsigned width) const {
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - width);
    std::byte* to = cells + begin * width / 8;
    std::uint64_t word = 0;
    unsigned filled = 0;
    for (std::uint64_t slot = begin; slot < end; ++slot) {
      const std::uint64_t content = slots_[slot].content & most;
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
  std::span<Key> order_;  // the keys; once counted, the slots in order of peeling
  scratch<Slot> held_;
  std::span<Slot> slots_;
  bool used_ = false;
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

// Attempts of a planned layout fail once in four at worst, for a few keys, and once in fifty when
// there are many (math/retrieval.hpp), so that all of them never do.
unsigned most_tries(std::uint64_t keys) {
  constexpr std::uint64_t many = 100'000;
  return keys < many ? 64 : 16;
}

template <unsigned Arity, class Slot, class Source>
storage solved(const fuse_layout& layout, std::uint64_t count, unsigned threads, Source source) {
  storage stored = empty_store(layout);
  if (count == 0) return stored;
  fuse_solver<Arity, Slot> solver(layout, count, threads);
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

template <class Slot, class Source>
fuse_table built(const fuse_layout& layout, std::uint64_t count, unsigned threads, Source source) {
  return {layout, layout.arity == 3 ? solved<3, Slot>(layout, count, threads, source)
                                    : solved<4, Slot>(layout, count, threads, source)};
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
  return built<bare_slot>(
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
  return built<valued_slot>(layout, keys.size(), threads,
                            [keys, values](const fuse_probe& probe, std::uint64_t i) {
                              return valued_key{probe.hash(keys[i]), values[i]};
                            });
}

template <unsigned Arity, class Reader, class Act>
void fuse_table::look_up_by(const Reader& reader, std::span<const digest> keys, Act act) const {
  constexpr std::size_t group = 32;
  constexpr std::uint64_t cached_bytes = 1 << 20;
  const fuse_probe probe = probe_;
  if (bytes().size() <= cached_bytes) {
    for (const digest d : keys) {
      const std::uint64_t hash = probe.hash(d);
      act(joined(reader, probe.slots<Arity>(hash)), hash);
    }
    return;
  }
  std::array<std::uint64_t, group> hashes;
  std::array<fuse_probe::place<Arity>, group> places;
  while (!keys.empty()) {
    const std::size_t size = std::min(group, keys.size());
    for (std::size_t i = 0; i < size; ++i) {
      hashes[i] = probe.hash(keys[i]);
      places[i] = probe.slots<Arity>(hashes[i]);
      for (const std::uint64_t slot : places[i]) __builtin_prefetch(reader.place(slot));
    }
    for (std::size_t i = 0; i < size; ++i) act(joined(reader, places[i]), hashes[i]);
    keys = keys.subspan(size);
  }
}

template <class Act>
void fuse_table::look_up(std::span<const digest> keys, Act act) const {
  reading([&](const auto& reader) {
    if (layout_.arity == 3) {
      look_up_by<3>(reader, keys, act);
    } else {
      look_up_by<4>(reader, keys, act);
    }
  });
}

void fuse_table::values(std::span<const digest> keys, std::span<std::uint64_t> out) const {
  assert(keys.size() == out.size());
  std::uint64_t* next = out.data();
  look_up(keys,
          [&](std::uint64_t contents, std::uint64_t /*hash*/) { *next++ = contents & values_; });
}

std::uint64_t fuse_table::matches(std::span<const digest> keys, std::span<bool> out) const {
  assert(keys.size() == out.size());
  bool* next = out.data();
  std::uint64_t found = 0;
  look_up(keys, [&](std::uint64_t contents, std::uint64_t hash) {
    const bool match = ((contents ^ fuse_probe::long_fingerprint(hash)) & values_) == 0;
    *next++ = match;
    found += std::uint64_t{match};
  });
  return found;
}

}  // namespace bloomery
