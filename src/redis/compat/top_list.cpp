#include "redis/compat/top_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "bloomery/hash/mix.hpp"
#include "bloomery/hash/murmur.hpp"
#include "redis/compat/packed.hpp"

namespace bloomery::redis {
namespace {

using bloomery::hash::murmur_2;

constexpr std::uint32_t fingerprint_seed = 1919;
constexpr std::size_t bytes_of_cell = 8;
constexpr std::size_t bytes_of_record = 24;

std::uint32_t fingerprint_of(byte_view key) {
  return murmur_2(key, fingerprint_seed);
}

bool same(byte_view key, const top_list::text& other) {
  return key.size() == other.size() &&
         (key.empty() || std::memcmp(key.data(), other.data(), key.size()) == 0);
}

[[noreturn]] void refuse(const std::string& why) {
  fail(errc::corrupt, why);
}

}  // namespace

top_list::top_list(std::uint64_t k, std::uint64_t width, std::uint64_t depth, double decay,
                   budget allowed)
    : width_(width), depth_(depth), decay_(decay) {
  const core::uint128 cells = core::uint128{width} * depth;
  const core::uint128 entries = core::uint128{k} * sizeof(entry);
  allowed.require(cells * bytes_of_cell + entries);
  cells_ = block::zeroed(width * depth * bytes_of_cell);
  heap_.resize(k);
}

std::uint64_t top_list::place(byte_view key, std::uint64_t row) const {
  return row * width_ + murmur_2(key, static_cast<std::uint32_t>(row)) % width_;
}

top_list::cell top_list::at(std::uint64_t place) const {
  const std::byte* const from = cells_.bytes().data() + place * bytes_of_cell;
  return {core::load_le<std::uint32_t>(from), core::load_le<std::uint32_t>(from + 4)};
}

void top_list::set(std::uint64_t place, cell value) {
  std::byte* const to = cells_.writable().data() + place * bytes_of_cell;
  core::store_le(to, value.fingerprint);
  core::store_le(to + 4, value.count);
}

// How many tries it takes until one succeeds that has a chance of decay to the power of the count.
std::uint64_t top_list::tries_to_wear(std::uint32_t count) {
  const double each = std::pow(decay_, count);
  if (each >= 1) return 1;
  chance_ += hash::golden;
  const double drawn = static_cast<double>(hash::mix(chance_) >> 11) * 0x1p-53;  // below 1
  const double tries = std::floor(std::log1p(-drawn) / std::log1p(-each)) + 1;
  return tries < 0x1p62 ? static_cast<std::uint64_t>(tries) : UINT64_MAX;  // also if none ever does
}

std::uint32_t top_list::add_to_row(std::uint64_t where, std::uint32_t fingerprint,
                                   std::uint32_t times) {
  cell in = at(where);
  const auto raised = [&](std::uint32_t by) {
    return by > UINT32_MAX - in.count ? UINT32_MAX : in.count + by;
  };
  if (in.count == 0 || in.fingerprint == fingerprint) {
    in = {fingerprint, raised(times)};
    set(where, in);
    return in.count;
  }
  for (std::uint64_t left = times;;) {
    const std::uint64_t tries = tries_to_wear(in.count);
    if (tries > left) break;
    left -= tries;
    if (--in.count == 0) {
      in = {fingerprint, static_cast<std::uint32_t>(left + 1)};
      set(where, in);
      return in.count;
    }
  }
  set(where, in);
  return 0;
}

std::optional<top_list::text> top_list::add(byte_view key, std::uint32_t times) {
  if (times == 0) return std::nullopt;
  const std::uint32_t fingerprint = fingerprint_of(key);
  const std::uint32_t least = heap_.front().count;
  std::uint32_t most = 0;
  for (std::uint64_t row = 0; row < depth_; ++row) {
    most = std::max(most, add_to_row(place(key, row), fingerprint, times));
  }
  if (most < least || most == 0) return std::nullopt;
  const std::size_t listed = find(key, fingerprint);
  if (listed != heap_.size()) {
    heap_[listed].count = most;
    sink(listed);
    return std::nullopt;
  }
  entry made{fingerprint, most, text(reinterpret_cast<const char*>(key.data()), key.size())};
  std::swap(heap_.front(), made);
  sink(0);
  if (made.count == 0) return std::nullopt;
  return std::move(made.key);
}

std::size_t top_list::find(byte_view key, std::uint32_t fingerprint) const {
  return static_cast<std::size_t>(std::find_if(heap_.begin(), heap_.end(),
                                               [&](const entry& each) {
                                                 return each.count != 0 &&
                                                        each.fingerprint == fingerprint &&
                                                        same(key, each.key);
                                               }) -
                                  heap_.begin());
}

// Below all that have less; past equal ones on the first step only, which decides who is driven out of equals.
void top_list::sink(std::size_t from) {
  const auto lesser_child = [&](std::size_t of) {
    const std::size_t left = 2 * of + 1;
    if (left >= heap_.size()) return heap_.size();
    return left + 1 < heap_.size() && heap_[left].count > heap_[left + 1].count ? left + 1 : left;
  };
  std::size_t child = lesser_child(from);
  if (child == heap_.size() || heap_[child].count > heap_[from].count) return;
  do {
    std::swap(heap_[from], heap_[child]);
    from = child;
    child = lesser_child(from);
  } while (child != heap_.size() && heap_[child].count < heap_[from].count);
}

bool top_list::has(byte_view key) const {
  return find(key, fingerprint_of(key)) != heap_.size();
}

std::uint32_t top_list::count(byte_view key) const {
  const std::uint32_t fingerprint = fingerprint_of(key);
  const bool listed = find(key, fingerprint) != heap_.size();
  std::uint32_t most = 0;
  for (std::uint64_t row = 0; row < depth_; ++row) {
    const cell in = at(place(key, row));
    if (in.fingerprint == fingerprint && (!listed || in.count >= heap_.front().count)) {
      most = std::max(most, in.count);
    }
  }
  return most;
}

std::vector<const top_list::entry*> top_list::listed() const {
  std::vector<const entry*> result;
  for (const entry& each : heap_) {
    if (each.count != 0) result.push_back(&each);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const entry* a, const entry* b) { return a->count > b->count; });
  return result;
}

std::size_t top_list::memory() const {
  std::size_t sum = cells_.usable() + usable_size(heap_.data(), heap_.size() * sizeof(entry));
  const std::size_t inside = text().capacity();
  for (const entry& each : heap_) {
    if (each.key.capacity() > inside) sum += usable_size(each.key.data(), each.key.capacity() + 1);
  }
  return sum;
}

top_list top_list::copy() const {
  top_list made;
  made.cells_ = block::copy_of(cells_.bytes());
  made.heap_ = heap_;
  made.width_ = width_;
  made.depth_ = depth_;
  made.decay_ = decay_;
  made.chance_ = chance_;
  return made;
}

top_list top_list::load(reading& from, int) {
  top_list made;
  const std::uint64_t k = from.number(UINT32_MAX, "k");
  made.width_ = from.number(UINT32_MAX, "the width");
  made.depth_ = from.number(UINT32_MAX, "the depth");
  made.decay_ = from.real();
  made.cells_ = from.bytes();
  const block records = from.bytes();
  if (k == 0 || made.width_ == 0 || made.depth_ == 0 ||
      core::uint128{made.width_} * made.depth_ * bytes_of_cell !=
          core::uint128{made.cells_.size()}) {
    refuse(std::to_string(made.depth_) + " rows of " + std::to_string(made.width_) + " cells in " +
           std::to_string(made.cells_.size()) + " bytes");
  }
  if (!(made.decay_ > 0 && made.decay_ <= 1)) refuse("the decay is not between 0 and 1");
  if (records.size() != k * bytes_of_record) {
    refuse("a list of " + std::to_string(k) + " in " + std::to_string(records.size()) + " bytes");
  }
  made.heap_.resize(k);
  for (std::uint64_t i = 0; i < k; ++i) {
    packed_reader record(records.bytes().subspan(i * bytes_of_record));
    entry& each = made.heap_[i];
    each.fingerprint = record.get<std::uint32_t>();
    (void)record.get<std::uint32_t>();  // the size of the key, which follows
    const auto pointer = record.get<std::uint64_t>();
    if (i == 0) made.chance_ = pointer;
    each.count = record.get<std::uint32_t>();
    // Ends with a zero byte, and earlier than its record says if it has one inside and other modules wrote it.
    const block key = from.bytes();
    if (each.count == 0) continue;
    if (key.size() == 0) refuse("a key without its end");
    each.key.assign(reinterpret_cast<const char*>(key.bytes().data()), key.size() - 1);
  }
  return made;
}

void top_list::save(writing& to) const {
  to.number(heap_.size());
  to.number(width_);
  to.number(depth_);
  to.real(decay_);
  to.bytes(cells_.bytes());
  packed_writer records;
  for (std::size_t i = 0; i < heap_.size(); ++i) {
    const entry& each = heap_[i];
    records.put(each.fingerprint);
    records.put(static_cast<std::uint32_t>(each.key.size()));
    records.put(i == 0 ? chance_ : std::uint64_t{0});
    records.put(each.count);
    records.put(std::uint32_t{0});
  }
  const std::string bytes = records.take();
  to.bytes({reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
  for (const entry& each : heap_) {
    to.bytes({reinterpret_cast<const std::byte*>(each.key.c_str()), each.key.size() + 1});
  }
}

void top_list::rewrite(rewriting& to) {
  to.whole(type, type_name, encoding, this);
}

}  // namespace bloomery::redis
