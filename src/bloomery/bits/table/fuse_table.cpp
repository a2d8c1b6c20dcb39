#include "bloomery/bits/table/fuse_table.hpp"

#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/batch/dealing.hpp"
#include "bloomery/bits/memory/scratch.hpp"
#include "bloomery/bits/table/peeling.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/parallel.hpp"
#include "bloomery/core/prefetch.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/zeros.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t keys_at = 8;       // in the first line, after the seed
constexpr std::uint64_t reserved_at = 16;  // zeros up to the slots

const fuse_layout& checked(const fuse_layout& layout) {
  assert(layout.segments >= 1 && (layout.arity == 3 || layout.arity == 4));
  assert(layout.segment_log2 >= 1 && layout.segment_log2 <= fuse_table::max_segment_log2);
  assert(layout.width > layout.value_bits && layout.width <= fuse_table::max_width);
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
        threads_(threads_for(keys, threads)),
        dealt_(keys),
        order_(dealt_.all()),
        held_(layout.slots()),
        slots_(held_.all()) {
    while ((layout.segments >> bucket_log2_) > most_buckets) ++bucket_log2_;
    const std::uint64_t bucket = std::uint64_t{1} << bucket_log2_;
    buckets_ = (layout.segments + bucket - 1) / bucket;
  }

  // Lays out source(0) to source(keys - 1) by first slot.
  template <class Source>
  void deal_out(std::uint64_t keys, Source source) {
    order_ = dealt_.all().first(keys);
    starts_ = deal(
        keys, buckets_, threads_, source, [this](const Key& key) { return bucket_of(key); },
        [this](std::uint64_t place, const Key& key, std::uint64_t) { order_[place] = key; });
  }

  // Keeps one of each; false if two keys have one hash and different values.
  bool drop_repeats() {
    std::uint64_t kept = 0;
    bool consistent = true;
    for (std::uint64_t b = 0; b < buckets_; ++b) {
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
    const std::uint64_t gap = ((Arity - 2) >> bucket_log2_) + 1;  // Arity - 1 segments or more
    const bool small = buckets_ < 4 * gap;
    const std::uint64_t left_end = small ? 0 : (buckets_ - gap) / 2;
    const std::uint64_t right_begin = small ? buckets_ : left_end + gap;

    const slots_of where{probe};
    front left{{slots_, where}};
    front right{{slots_, where}};
    const unsigned fronts = std::min(threads_, 2U);
    core::on_threads(fronts, [&](unsigned t) {
      if (t == 0) advance_left(left, left_end);
      if (t + 1 == fronts) advance_right(right, right_begin);
    });

    front middle{{slots_, where}, left.peeled};
    if (!left.fits || !right.fits || !count(middle, left_end, right_begin)) return false;
    middle.find_single({first_slot(left_end), small ? slots_.size() : final_from(right_begin)});
    middle.peel({0, slots_.size()},
                [&](std::uint64_t slot) { order_[middle.peeled++].hash = slot; });
    if (middle.peeled + right.peeled != order_.size()) return false;

    const auto backwards_from = [this](std::uint64_t end) {
      return [this, end](std::uint64_t i) { return order_[end - 1 - i].hash; };
    };
    assign(probe, middle.peeled - left.peeled, backwards_from(middle.peeled));
    core::on_threads(fronts, [&](unsigned t) {
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
    core::on_threads(threads_, [&](unsigned t) {
      const std::uint64_t end = groups * (t + 1) / threads_ * together;
      pack_range(cells, groups * t / threads_ * together, end, width);
    });
    pack_range(cells, groups * together, slots_.size(), width);
  }

 private:
  static constexpr std::uint64_t most_buckets = 2048;  // whose ends stay in the cache

  struct slots_of {
    fuse_probe probe;
    auto operator()(const Key& key) const { return probe.slots<Arity>(key.hash); }
  };
  // One end of the peeling, and how much it has done.
  struct front : peeling<Slot, slots_of> {
    std::uint64_t peeled = 0;
    bool fits = true;
  };

  [[nodiscard]] std::uint64_t bucket_of(const Key& key) const {
    return hash::reduce(key.hash, layout_.segments) >> bucket_log2_;
  }
  [[nodiscard]] std::uint64_t first_slot(std::uint64_t bucket) const {
    return std::min(bucket << bucket_log2_, layout_.segments) << layout_.segment_log2;
  }
  // From here on no key of an earlier bucket has a slot.
  [[nodiscard]] std::uint64_t final_from(std::uint64_t bucket) const {
    return first_slot(bucket) + (std::uint64_t{Arity - 1} << layout_.segment_log2);
  }

  bool count(front& at, std::uint64_t first, std::uint64_t behind) const {
    const Key* const keys = order_.data() + starts_[first];
    return at.count(starts_[behind] - starts_[first], [keys](std::uint64_t i) { return keys[i]; });
  }

  // The order of peeling is noted over keys that were counted before: no more are peeled than were.
  void advance_left(front& at, std::uint64_t end) {
    for (std::uint64_t b = 0; b < end && at.fits; ++b) {
      at.fits = count(at, b, b + 1);
      const slot_range final{0, first_slot(b + 1)};
      at.find_single({first_slot(b), final.end});
      at.peel(final, [&](std::uint64_t slot) { order_[at.peeled++].hash = slot; });
    }
  }

  void advance_right(front& at, std::uint64_t begin) {
    const std::uint64_t last = order_.size() - 1;
    for (std::uint64_t b = buckets_; b > begin && at.fits; --b) {
      at.fits = count(at, b - 1, b);
      const slot_range final{final_from(b - 1), slots_.size()};
      at.find_single({final.begin, b == buckets_ ? final.end : final_from(b)});
      at.peel(final, [&](std::uint64_t slot) { order_[last - at.peeled++].hash = slot; });
    }
  }

  // In reverse order of peeling, each slot is set once all that its key has beside it are.
  template <class SlotAt>
  void assign(const fuse_probe& probe, std::uint64_t count, SlotAt slot_at) {
    Slot* const slots = slots_.data();
    for (std::uint64_t i = 0; i < count; ++i) {
      __builtin_prefetch(slots + slot_at(std::min(i + front::fetched_ahead, count - 1)), 1);
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
      core::store_le(to, word);
      to += 8;
      filled -= 64;
      word = filled == 0 ? 0 : content >> (width - filled);
    }
    if (filled != 0) core::store_le(to, word);
  }

  fuse_layout layout_;
  unsigned threads_;
  unsigned bucket_log2_ = 0;  // of the segments whose keys lie together
  std::uint64_t buckets_;
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
// there are many (math/kinds/fuse.hpp), so that all of them never do.
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
    const fuse_probe probe(layout, hash::mix(attempt));
    const auto deal = [&] {
      solver.deal_out(count, [&](std::uint64_t i) { return source(probe, i); });
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
      core::store_le(bytes, probe.seed());
      core::store_le(bytes + keys_at, solver.keys());
      solver.pack(bytes + fuse_table::cells_at);
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
  return cells_at + core::round_up(cells, cache_line_bytes);
}

fuse_table::fuse_table(const fuse_layout& layout) : fuse_table(layout, empty_store(layout)) {}

fuse_table::fuse_table(const fuse_layout& layout, storage stored)
    : layout_(checked(layout)),
      stored_(std::move(stored)),
      keys_(0),
      values_(~std::uint64_t{0} >> (64 - layout.width)),
      fingerprints_(values_ >> layout.value_bits),
      of_bytes_(layout.arity == 3 && layout.width == 8 && layout.value_bits == 0),
      probe_(layout, 0) {
  const byte_view bytes = stored_.bytes();
  if (bytes.size() != stored_bytes(layout)) {
    fail(errc::corrupt, format_count(layout.slots()) + " slots of " + std::to_string(layout.width) +
                            " bits need " + std::to_string(stored_bytes(layout)) +
                            " bytes, there are " + std::to_string(bytes.size()));
  }
  keys_ = core::load_le<std::uint64_t>(bytes.data() + keys_at);
  probe_ = fuse_probe(layout, core::load_le<std::uint64_t>(bytes.data()));
  if (!core::all_zero(bytes.subspan(reserved_at, cells_at - reserved_at))) {
    fail(errc::corrupt, "reserved bytes of the payload are not zero");
  }
  if (!core::zero_from_bit(bytes.subspan(cells_at), layout.slots() * layout.width)) {
    fail(errc::corrupt, "bits are set in the padding after the last slot");
  }
  if (keys_ > layout.slots()) {
    fail(errc::corrupt,
         format_count(keys_) + " keys cannot be in " + format_count(layout.slots()) + " slots");
  }
  if (keys_ == 0 && !core::all_zero(bytes))
    fail(errc::corrupt, "slots are set and no keys are recorded");
}

fuse_table fuse_table::of_fingerprints(const fuse_layout& layout, std::span<const digest> keys,
                                       unsigned threads) {
  return built<bare_slot>(
      layout, keys.size(), threads,
      [keys](const fuse_probe& probe, std::uint64_t i) { return bare_key{probe.hash(keys[i])}; });
}

fuse_table fuse_table::of_entries(const fuse_layout& layout, std::span<const digest> keys,
                                  std::span<const std::uint64_t> values, unsigned threads) {
  assert(keys.size() == values.size() && layout.value_bits >= 1);
  if (std::ranges::any_of(values, [&](std::uint64_t v) { return v >> layout.value_bits != 0; })) {
    fail(errc::invalid, "a value has more than " + std::to_string(layout.value_bits) + " bits");
  }
  const unsigned bits = layout.fingerprint_bits();
  const std::uint64_t fingerprint = ~std::uint64_t{0} >> (64 - bits);
  return built<
      valued_slot>(layout, keys.size(), threads, [=](const fuse_probe& probe, std::uint64_t i) {
    const std::uint64_t hash = probe.hash(keys[i]);
    return valued_key{hash, (fuse_probe::long_fingerprint(hash) & fingerprint) | values[i] << bits};
  });
}

bool fuse_table::matches_hash(std::uint64_t hash) const {
  return ((contents(hash) ^ fuse_probe::long_fingerprint(hash)) & fingerprints_) == 0;
}

void fuse_table::found(std::span<const digest> keys,
                       std::span<std::optional<std::uint64_t>> out) const {
  assert(keys.size() == out.size());
  std::array<std::uint64_t, 512> contents;
  for (std::size_t first = 0; first < keys.size(); first += contents.size()) {
    const auto some = keys.subspan(first, std::min(contents.size(), keys.size() - first));
    fuse_kernels_now().digests.contents(slots(), some, contents.data());
    for (std::size_t i = 0; i < some.size(); ++i) {
      out[first + i] = (contents[i] & fingerprints_) == 0
                           ? std::optional((contents[i] & values_) >> layout_.fingerprint_bits())
                           : std::nullopt;
    }
  }
}

}  // namespace bloomery::bits
