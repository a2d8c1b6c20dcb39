#include "bloomery/filters/changing/dleft_dynamic.hpp"

#include "bloomery/filters/erasure.hpp"

namespace bloomery {
namespace {

constexpr std::uint64_t word_bits = 16;  // buckets are stored as words of so many

unsigned words_of(const dleft_dynamic_shape& s) {
  return static_cast<unsigned>(s.bucket_bits / word_bits);
}

// Among the ascending sequences of as many values below math::sorted_values, each the beginning of a
// cell, which one it is: the sum over j of "value j plus j" over j + 1.
constexpr auto terms = [] {
  std::array<std::array<std::uint32_t, math::sorted_values>, math::max_dynamic_cells> result{};
  for (std::uint64_t j = 0; j < math::max_dynamic_cells; ++j) {
    for (std::uint64_t value = 0; value < math::sorted_values; ++value) {
      result[j][value] = static_cast<std::uint32_t>(math::binomial(value + j, j + 1));
    }
  }
  return result;
}();

}  // namespace

void dleft_dynamic_shape::check() const {
  if (bucket_bits % word_bits != 0) {
    fail(errc::invalid, "bucket_bits is " + std::to_string(bucket_bits) +
                            "; allowed: multiples of " + std::to_string(word_bits));
  }
  if (size().remainder_bits(cells) < math::shortest_remainder) {
    fail(errc::invalid, "cells is " + std::to_string(cells) + "; allowed: so many that each has " +
                            std::to_string(math::shortest_remainder) + " of the bits");
  }
  detail::require_total_bits(tables * bucket_bits, buckets, "buckets of all tables");
}

dleft_dynamic_cells::dleft_dynamic_cells(const shape& s)
    : dleft_dynamic_cells(s, bits::bucket_table(s.tables * s.buckets, words_of(s), word_bits)) {}

dleft_dynamic_cells::dleft_dynamic_cells(const shape& s, bits::bucket_table table)
    : shape_(s), table_(std::move(table)) {
  for (std::uint64_t shared = 1; shared <= s.cells; ++shared) {
    sharing& with = sharings_[shared];
    with.width = s.size().remainder_bits(shared);
    with.begin = math::dynamic_header_bits + math::dynamic_size::code_bits(shared);
    for (std::uint64_t i = 0; i < shared; ++i) {
      with.low |= core::uint128{1} << i * (with.width - math::sorted_bits);
    }
  }
}

// A bucket is shared among at least one remainder, each begins with a one somewhere, and it is written
// as it would be.
dleft_dynamic_cells::dleft_dynamic_cells(const shape& s, storage stored)
    : dleft_dynamic_cells(
          s, bits::bucket_table(s.tables * s.buckets, words_of(s), word_bits, std::move(stored))) {
  for (std::uint64_t i = 0; i < table_.buckets(); ++i) {
    const core::uint128 word = table_.whole(table_.cell(i, 0));
    bool sound = static_cast<std::uint64_t>(word) % 16 <= s.cells;
    if (sound && word != 0) {
      const opened b = read(table_.cell(i, 0));
      sound = b.equal_to(0) != b.shared && std::ranges::is_sorted(b.used()) && packed(b) == word &&
              std::ranges::all_of(b.used(), [&](std::uint64_t cell) {
                return cell == 0 || cell >> (b.width - sharings_[s.cells].width) != 0;
              });
    }
    if (!sound) fail(errc::corrupt, "bucket " + std::to_string(i) + " cannot have come about");
  }
}

dleft_dynamic_shape dleft_dynamic_cells::plan(std::uint64_t keys, double rate) {
  const math::dynamic_size size = math::plan_dynamic(keys, rate);
  return {size.tables, size.buckets, size.bucket_bits, size.cells};
}

std::uint64_t dleft_dynamic_cells::payload_bytes(const shape& s) {
  return bits::bucket_table::stored_bytes(s.tables * s.buckets, words_of(s), word_bits);
}

dleft_dynamic_cells::place dleft_dynamic_cells::locate(digest d) const {
  place at;  // NOLINT(cppcoreguidelines-pro-type-member-init): as many as there are tables
  // Whatever a bucket keeps of it is not 0, which says that a cell is free.
  const std::uint64_t kept = sharings_[shape_.cells].width;
  const std::uint64_t rest = math::max_remainder_bits - kept;
  at.remainder = (1 + hash::reduce(d.hi, (std::uint64_t{1} << kept) - 1)) << rest;
  at.remainder |= hash::mix(d.hi) >> kept >> (64 - math::max_remainder_bits);
  // Keys that agree in what is always kept, and in one bucket, agree in all buckets.
  const std::uint64_t first = hash::reduce(d.lo, shape_.buckets);
  const std::uint64_t always = at.remainder >> rest;
  std::uint64_t uniform = always * always;
  at.buckets[0] = table_.cell(first, 0);
  for (std::uint64_t t = 1; t < shape_.tables; ++t) {
    uniform *= hash::golden;
    const std::uint64_t moved = first + hash::reduce(uniform, shape_.buckets);
    at.buckets[t] = table_.cell(t * shape_.buckets + std::min(moved, moved - shape_.buckets), 0);
  }
  return at;
}

dleft_dynamic_cells::opened dleft_dynamic_cells::read(std::uint64_t at) const {
  const core::uint128 word = table_.whole(at);
  opened b{static_cast<std::uint64_t>(word) % 16, 0, {}};
  if (b.shared == 0) return b;
  const sharing& with = sharings_[b.shared];
  b.width = with.width;
  const std::uint64_t bits = b.width - math::sorted_bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  auto code = static_cast<std::uint64_t>(word >> math::dynamic_header_bits) &
              ((std::uint64_t{1} << (with.begin - math::dynamic_header_bits)) - 1);
  std::uint64_t value = math::sorted_values - 1;
  for (std::uint64_t i = b.shared; i-- > 0;) {
    while (terms[i][value] > code) --value;
    code -= terms[i][value];
    b.cells[i] =
        value << bits | (static_cast<std::uint64_t>(word >> (with.begin + i * bits)) & mask);
  }
  return b;
}

core::uint128 dleft_dynamic_cells::packed(const opened& b) const {
  if (b.shared == 0) return 0;
  const std::uint64_t bits = b.width - math::sorted_bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t code = 0;
  core::uint128 rests = 0;
  for (std::uint64_t i = b.shared; i-- > 0;) {
    code += terms[i][b.cells[i] >> bits];
    rests = rests << bits | (b.cells[i] & mask);
  }
  return rests << sharings_[b.shared].begin | core::uint128{code} << math::dynamic_header_bits |
         b.shared;
}

// The first cell, if any, is free; most that are not show it by what is not sorted of them.
std::uint64_t dleft_dynamic_cells::load(std::uint64_t at) const {
  const core::uint128 word = table_.whole(at);
  const auto shared = static_cast<std::uint64_t>(word) % 16;
  if (shared == 0) return 0;
  const sharing& with = sharings_[shared];
  const std::uint64_t mask = (std::uint64_t{1} << (with.width - math::sorted_bits)) - 1;
  if ((static_cast<std::uint64_t>(word >> with.begin) & mask) != 0) return shared;
  return shared - read(at).equal_to(0);
}

// Few buckets have a cell that agrees in what is not sorted, and only these are taken apart.
std::uint64_t dleft_dynamic_cells::matches(std::uint64_t at, std::uint64_t remainder) const {
  const core::uint128 word = table_.whole(at);
  const auto shared = static_cast<std::uint64_t>(word) % 16;
  if (shared == 0) return 0;
  const sharing& with = sharings_[shared];
  const std::uint64_t bits = with.width - math::sorted_bits;
  const std::uint64_t wanted = remainder >> (math::max_remainder_bits - with.width);
  const core::uint128 high = with.low << (bits - 1);
  const core::uint128 rest = high - with.low;  // all but the highest bit of every cell
  const core::uint128 differ =
      (word >> with.begin) ^ with.low * (wanted & ((std::uint64_t{1} << bits) - 1));
  const core::uint128 equal = ~(((differ & rest) + rest) | differ) & high;
  return equal == 0 ? 0 : read(at).equal_to(wanted);
}

bool dleft_dynamic_cells::contains(const place& at) const {
  bool found = false;
  for (std::uint64_t t = 0; t < shape_.tables; ++t) {
    found |= matches(at.buckets[t], at.remainder) != 0;
  }
  return found;
}

std::uint64_t dleft_dynamic_cells::count(const place& at) const {
  std::uint64_t copies = 0;
  for (std::uint64_t t = 0; t < shape_.tables; ++t) {
    copies += matches(at.buckets[t], at.remainder);
  }
  return copies;
}

bool dleft_dynamic_cells::insert(const place& at) {
  std::uint64_t chosen = bits::bucket_table::none;
  std::uint64_t least = shape_.cells;
  for (std::uint64_t t = 0; t < shape_.tables; ++t) {
    const std::uint64_t held = load(at.buckets[t]);
    if (held >= least) continue;
    chosen = at.buckets[t];
    least = held;
  }
  if (chosen == bits::bucket_table::none) {
    fail(errc::limit, "no room for the key: its buckets are full; the filter takes " +
                          std::to_string(capacity(shape_)) + " distinct keys, and " +
                          std::to_string(shape_.tables * shape_.cells) + " copies of one");
  }
  const bool fresh = !contains(at);
  opened b = read(chosen);
  if (b.equal_to(0) == 0) {
    const std::uint64_t narrower = sharings_[b.shared + 1].width;
    for (std::uint64_t& cell : b.used()) cell >>= b.width - narrower;
    b.width = narrower;
    b.cells[b.shared++] = 0;
  }
  *std::ranges::find(b.used(), 0) = at.remainder >> (math::max_remainder_bits - b.width);
  std::ranges::sort(b.used());
  table_.set_whole(chosen, packed(b));
  return fresh;
}

// Of the cells that could be the key's each begins with the next shorter one. The longest is given up: had
// it been another key's, that key is found by what was this one's, since it agrees with that as well.
bool dleft_dynamic_cells::erase(const place& at) {
  std::uint64_t holder = bits::bucket_table::none;
  std::uint64_t longest = 0;
  for (std::uint64_t t = 0; t < shape_.tables; ++t) {
    if (matches(at.buckets[t], at.remainder) == 0) continue;
    const auto shared = static_cast<std::uint64_t>(table_.whole(at.buckets[t])) % 16;
    if (sharings_[shared].width <= longest) continue;
    holder = at.buckets[t];
    longest = sharings_[shared].width;
  }
  if (holder == bits::bucket_table::none) return false;
  opened b = read(holder);
  *std::ranges::find(b.used(), at.remainder >> (math::max_remainder_bits - b.width)) = 0;
  std::ranges::sort(b.used());
  table_.set_whole(holder, b.equal_to(0) == b.shared ? 0 : packed(b));
  return true;
}

template struct erasure<dleft_dynamic_filter>;

}  // namespace bloomery
