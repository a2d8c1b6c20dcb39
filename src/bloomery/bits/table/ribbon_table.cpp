#include "bloomery/bits/table/ribbon_table.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/bits/batch/dealing.hpp"
#include "bloomery/bits/memory/scratch.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/parallel.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/core/zeros.hpp"

namespace bloomery::bits {
namespace {

constexpr std::uint64_t reserved_at = 8;  // in the first line, after the seed; zeros up to the rows
constexpr std::uint64_t words_at = ribbon_table::words_at;

const ribbon_layout& checked(const ribbon_layout& layout) {
  assert(layout.width > layout.value_bits && layout.width <= ribbon_table::max_width);
  return layout;
}

// Where the parts of the stored form are.
struct ribbon_parts {
  math::ribbon_size size;
  std::uint64_t words;  // in rows
  std::uint64_t thresholds_at;
  std::uint64_t end;

  explicit ribbon_parts(const ribbon_layout& layout)
      : size(math::plan_ribbon(checked(layout).keys, layout.band)),
        words(size.rows() / 32 * layout.width),
        thresholds_at(words_at +
                      core::round_up((words + ribbon_words_beyond) * 4, cache_line_bytes)),
        end(thresholds_at + core::round_up((size.buckets() + 3) / 4, cache_line_bytes)) {}
};

// Where an equation may begin in the last layer: its rows are there, and one block after the first.
std::uint64_t last_starts(const math::ribbon_size& size) {
  return size.band == math::ribbon_narrow ? size.last_rows - size.band
                                          : size.last_rows - size.band + 1;
}

enum class outcome { solved, unlucky, hopeless, contradiction };

// What is stored for a key: a fingerprint of `fingerprint_bits`, a value above those bits, or both.
struct ribbon_content {
  unsigned fingerprint_bits;
  bool with_values;

  [[nodiscard]] std::uint32_t fingerprint_mask() const {
    return fingerprint_bits == 0
               ? 0
               : ~std::uint32_t{0} >> (ribbon_table::max_width - fingerprint_bits);
  }
};

// Solves the layers one after another into zeroed bytes of the stored form.
class ribbon_solver {
 public:
  ribbon_solver(const ribbon_layout& layout, const ribbon_parts& parts, storage& stored,
                std::uint64_t keys, const ribbon_content& content, unsigned threads)
      : width_(layout.width),
        size_(parts.size),
        threads_(threads_for(keys, threads)),
        words_(reinterpret_cast<std::uint32_t*>(stored.bytes_for_writing().data() + words_at)),
        thresholds_(stored.bytes_for_writing().data() + parts.thresholds_at),
        hashes_(size_.bumping == 0 ? 0 : keys),
        values_(size_.bumping != 0 && content.with_values ? keys : 0),
        fingerprint_mask_(content.fingerprint_mask()),
        with_values_(content.with_values) {}

  // source(i) is the hash of key i, value(i) what it is to have.
  template <class Source, class Value>
  outcome solve(std::uint64_t keys, const ribbon_probe& probe, Source source, Value value) {
    noted_ = outcome::solved;
    if (size_.bumping == 0) {
      ribbon_keys all;
      for (std::uint64_t i = 0; i < keys; ++i) {
        all.hashes.push_back(source(i));
        if (with_values_) all.values.push_back(value(i));
      }
      return solve_last(std::move(all), 0);
    }
    deal_out(0, keys, source, value);
    std::uint64_t first_row = 0;
    for (unsigned layer = 0;; first_row += size_.layers[layer++].rows()) {
      ribbon_keys bumped = solve_layer(layer, first_row);
      if (noted_ != outcome::solved) return noted_;
      for (std::uint64_t& hash : bumped.hashes) hash = probe.hash_in(layer + 1, hash);
      if (layer + 1 == size_.bumping) {
        return solve_last(std::move(bumped), first_row + size_.layers[layer].rows());
      }
      deal_out(
          layer + 1, bumped.hashes.size(), [&](std::uint64_t i) { return bumped.hashes[i]; },
          [&](std::uint64_t i) { return bumped.values[i]; });
    }
  }

 private:
  // Lays out keys by segment.
  template <class Source, class Value>
  void deal_out(unsigned layer, std::uint64_t keys, Source source, Value value) {
    const std::uint64_t segments = size_.layers[layer].segments;
    starts_ = deal(
        keys, segments, threads_, source,
        [segments](std::uint64_t hash) { return hash::reduce(hash, segments); },
        [this, value](std::uint64_t place, std::uint64_t hash, std::uint64_t i) {
          hashes_.all()[place] = hash;
          if (with_values_) values_.all()[place] = value(i);
        });
  }

  // The keys of a segment, fewer if there are many and so probably repeats.
  ribbon_lane::job job_of(const math::ribbon_layer& layer, std::uint64_t segment,
                          std::uint64_t first_row) {
    const std::uint64_t begin = starts_[segment];
    std::uint64_t count = starts_[segment + 1] - begin;
    const auto hashes = hashes_.all().subspan(begin, count);
    const auto values =
        with_values_ ? values_.all().subspan(begin, count) : std::span<std::uint32_t>();
    const std::uint64_t usual = 2 * layer.buckets * math::ribbon_bucket;
    if (count > usual) {
      const distinct_keys distinct = keep_distinct(hashes, values);
      if (distinct.contradicted) note(outcome::contradiction);
      if (distinct.count > usual) note(outcome::hopeless);
      count = std::min(distinct.count, usual);
    }
    const std::uint64_t row = segment * layer.buckets * math::ribbon_bucket;
    return {.band = size_.band,
            .layer_rows = layer.rows(),
            .first_row = row,
            .buckets = layer.buckets,
            .fingerprint_mask = fingerprint_mask_,
            .hashes = hashes.first(count),
            .values = with_values_ ? values.first(count) : values,
            .thresholds = thresholds_,
            .first_bucket = (first_row + row) / math::ribbon_bucket};
  }

  // Segments in groups of ribbon_lanes, or a single one; returns what they bump.
  ribbon_keys solve_layer(unsigned index, std::uint64_t first_row) {
    const math::ribbon_layer& layer = size_.layers[index];
    const std::uint64_t together = std::min<std::uint64_t>(layer.segments, ribbon_lanes);
    const std::uint64_t groups = layer.segments / together;
    std::vector<ribbon_keys> bumped(layer.segments);
    std::atomic<std::uint64_t> next_group{0};
    core::on_threads(
        static_cast<unsigned>(std::min<std::uint64_t>(threads_, groups)), [&](unsigned) {
          std::vector<ribbon_lane> lanes;
          for (std::uint64_t i = 0; i < together; ++i) lanes.emplace_back(layer.buckets);
          for (std::uint64_t group = next_group++; group < groups; group = next_group++) {
            for (std::uint64_t i = 0; i < together; ++i) {
              lanes[i].begin(job_of(layer, group * together + i, first_row));
            }
            solve_group(lanes, first_row + group * together * layer.buckets * math::ribbon_bucket);
            for (std::uint64_t i = 0; i < together; ++i) {
              bumped[group * together + i] = lanes[i].bumped();
              if (lanes[i].contradicted()) note(outcome::contradiction);
            }
          }
        });
    ribbon_keys all;
    for (const ribbon_keys& some : bumped) {
      all.hashes.insert(all.hashes.end(), some.hashes.begin(), some.hashes.end());
      all.values.insert(all.values.end(), some.values.begin(), some.values.end());
    }
    return all;
  }

  void solve_group(std::vector<ribbon_lane>& lanes, std::uint64_t first_row) {
    const ribbon_kernels& run = chosen_ribbon_kernels();
    if (lanes.size() == ribbon_lanes) run.eliminate(lanes.data());
    std::array<ribbon_rows, ribbon_lanes> rows{};
    std::array<std::uint32_t*, ribbon_lanes> words{};
    const std::uint64_t row_count = lanes[0].row_count();
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      lanes[i].finish();
      rows[i] = {lanes[i].left(), lanes[i].right()};
      words[i] = words_of(first_row + i * row_count);
    }
    if (lanes.size() == ribbon_lanes) {
      run.substitute_together(rows.data(), row_count, width_, words.data());
    } else {
      run.substitute(rows.data(), row_count, width_, words.data());
    }
  }

  outcome solve_last(ribbon_keys keys, std::uint64_t first_row) {
    const distinct_keys distinct = keep_distinct(keys.hashes, keys.values);
    if (distinct.contradicted) return outcome::contradiction;
    if (distinct.count > 2 * size_.last_rows) return outcome::hopeless;
    std::vector<std::uint64_t> left(size_.last_rows);
    std::vector<std::uint32_t> right(size_.last_rows);
    for (std::uint64_t i = 0; i < distinct.count; ++i) {
      const std::uint64_t hash = keys.hashes[i];
      const ribbon_bits bits(hash, size_.band);
      const std::uint32_t value = with_values_ ? keys.values[i] : 0;
      ribbon_equation equation(hash::reduce(hash, last_starts(size_)), bits,
                               value | (bits.fingerprint & fingerprint_mask_));
      if (!equation.add_to(left.data(), right.data())) return outcome::unlucky;
    }
    const ribbon_rows rows{left.data(), right.data()};
    std::uint32_t* const words = words_of(first_row);
    chosen_ribbon_kernels().substitute(&rows, left.size(), width_, &words);
    return outcome::solved;
  }

  [[nodiscard]] std::uint32_t* words_of(std::uint64_t row) const {
    return words_ + row / 32 * width_;
  }

  void note(outcome what) { noted_.store(what, std::memory_order_relaxed); }

  unsigned width_;
  const math::ribbon_size& size_;
  unsigned threads_;
  std::uint32_t* words_;
  std::byte* thresholds_;
  scratch<std::uint64_t> hashes_;  // by segment
  scratch<std::uint32_t> values_;  // of the same
  std::uint32_t fingerprint_mask_;
  bool with_values_;
  std::vector<std::uint64_t> starts_;  // of the segments
  std::atomic<outcome> noted_{outcome::solved};
};

[[noreturn]] void refuse(const ribbon_layout& layout, std::uint64_t keys) {
  fail(errc::limit, "the distinct keys among " + format_count(keys) +
                        " do not fit into a table laid out for " + format_count(layout.keys));
}

storage empty_store(const ribbon_layout& layout) {
  return storage::allocate(ribbon_table::stored_bytes(layout));
}

// One in a hundred attempts fails at a planned size, and each has another seed.
constexpr unsigned most_attempts = 16;

// value(i) is key i's, if they have any.
template <class Value>
storage solved(const ribbon_layout& layout, std::span<const digest> keys,
               const ribbon_content& content, Value value, unsigned threads) {
  storage stored = empty_store(layout);
  if (keys.empty()) return stored;
  const ribbon_parts parts(layout);
  ribbon_solver solver(layout, parts, stored, keys.size(), content, threads);
  unsigned contradictions = 0;
  for (std::uint64_t attempt = 1; attempt <= most_attempts; ++attempt) {
    const std::uint64_t seed = hash::mix(attempt);
    const ribbon_probe probe(parts.size, seed);
    const outcome result = solver.solve(
        keys.size(), probe, [&](std::uint64_t i) { return probe.hash(keys[i]); }, value);
    if (result == outcome::solved) {
      core::store_le(stored.bytes_for_writing().data(), seed);
      return stored;
    }
    if (result == outcome::hopeless) break;
    // Two keys may share a hash by chance, but not under several seeds.
    if (result == outcome::contradiction && ++contradictions == 3) {
      fail(errc::invalid, "a key is given two values");
    }
    std::ranges::fill(stored.bytes_for_writing().subspan(parts.thresholds_at), std::byte{0});
  }
  refuse(layout, keys.size());
}

void require_bits(std::span<const std::uint32_t> values, unsigned bits) {
  if (std::ranges::any_of(values,
                          [&](std::uint32_t value) { return std::uint64_t{value} >> bits != 0; })) {
    fail(errc::invalid, "a value has more than " + std::to_string(bits) + " bits");
  }
}

// The last bucket of every segment keeps no key: its rows may be missing.
bool segments_are_closed(const math::ribbon_size& size, const std::byte* thresholds) {
  std::uint64_t bucket = 0;
  for (unsigned i = 0; i < size.bumping; ++i) {
    for (std::uint64_t s = 0; s < size.layers[i].segments; ++s) {
      bucket += size.layers[i].buckets;
      const std::uint64_t last = bucket - 1;
      if ((std::to_integer<unsigned>(thresholds[last / 4]) >> last % 4 * 2 & 3) != 3) return false;
    }
  }
  return true;
}

}  // namespace

ribbon_probe::ribbon_probe(const math::ribbon_size& size, std::uint64_t seed)
    : lo_key_(seed), hi_key_(hash::mix(seed)), band_(size.band), bumping_(size.bumping) {
  std::uint64_t first_row = 0;
  for (unsigned i = 0; i <= bumping_; ++i) {
    const std::uint64_t starts = i == bumping_ ? last_starts(size) : size.layers[i].rows();
    layers_.at(i) = {starts, first_row, hash::mix(seed + i * hash::golden)};
    first_row += starts;
  }
}

std::uint64_t ribbon_table::stored_bytes(const ribbon_layout& layout) {
  return ribbon_parts(layout).end;
}

ribbon_table::ribbon_table(const ribbon_layout& layout)
    : ribbon_table(layout, empty_store(layout)) {}

ribbon_table::ribbon_table(const ribbon_layout& layout, storage stored)
    : layout_(checked(layout)), stored_(std::move(stored)), seed_(0), probe_({}, 0) {
  const byte_view bytes = stored_.bytes();
  const ribbon_parts parts(layout);
  if (bytes.size() != parts.end) {
    fail(errc::corrupt, format_count(layout.keys) + " values of " + std::to_string(layout.width) +
                            " bits need " + std::to_string(parts.end) + " bytes, there are " +
                            std::to_string(bytes.size()));
  }
  seed_ = core::load_le<std::uint64_t>(bytes.data());
  thresholds_at_ = parts.thresholds_at;
  probe_ = ribbon_probe(parts.size, seed_);
  if (!core::all_zero(bytes.subspan(reserved_at, words_at - reserved_at))) {
    fail(errc::corrupt, "reserved bytes of the payload are not zero");
  }
  const std::uint64_t words_end = words_at + parts.words * 4;
  if (!core::all_zero(bytes.subspan(words_end, parts.thresholds_at - words_end))) {
    fail(errc::corrupt, "bits are set in the padding after the rows");
  }
  if (!core::zero_from_bit(bytes.subspan(parts.thresholds_at), 2 * parts.size.buckets())) {
    fail(errc::corrupt, "bits are set in the padding after the thresholds");
  }
  if (empty()) {
    if (!core::all_zero(bytes)) fail(errc::corrupt, "rows are set although there is no seed");
  } else if (!segments_are_closed(parts.size, bytes.data() + parts.thresholds_at)) {
    fail(errc::corrupt, "the last bucket of a segment keeps keys");
  }
}

ribbon_table ribbon_table::of_fingerprints(const ribbon_layout& layout,
                                           std::span<const digest> keys, unsigned threads) {
  return {layout, solved(
                      layout, keys, {layout.width, false},
                      [](std::uint64_t) { return std::uint32_t{0}; }, threads)};
}

ribbon_table ribbon_table::of_values(const ribbon_layout& layout, std::span<const digest> keys,
                                     std::span<const std::uint32_t> values, unsigned threads) {
  assert(keys.size() == values.size());
  require_bits(values, layout.width);
  return {layout,
          solved(
              layout, keys, {0, true}, [values](std::uint64_t i) { return values[i]; }, threads)};
}

ribbon_table ribbon_table::of_entries(const ribbon_layout& layout, std::span<const digest> keys,
                                      std::span<const std::uint32_t> values, unsigned threads) {
  assert(keys.size() == values.size() && layout.value_bits >= 1);
  require_bits(values, layout.value_bits);
  const unsigned bits = layout.fingerprint_bits();
  return {layout, solved(
                      layout, keys, {bits, true},
                      [=](std::uint64_t i) { return values[i] << bits; }, threads)};
}

void ribbon_table::found(std::span<const digest> keys,
                         std::span<std::optional<std::uint32_t>> out) const {
  assert(keys.size() == out.size());
  std::optional<std::uint32_t>* next = out.data();
  for_each(keys, [&](std::uint32_t row, std::uint32_t fingerprint) {
    *next++ = above_fingerprint(row, fingerprint);
  });
}

}  // namespace bloomery::bits
