#include "bloomery/apps/exchange/coded_symbols.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bloomery/core/error.hpp"
#include "bloomery/core/int128.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/core/units.hpp"
#include "bloomery/math/numeric/checks.hpp"

namespace bloomery::exchange {
namespace {

constexpr std::uint32_t no_symbol = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t most_cells = std::uint64_t{1} << 31;
constexpr std::size_t fixed_bytes = 24;

// Not one of the sums of `scattered`, or a cell with two keys could seem to have one.
std::uint64_t check_of(digest d) {
  return hash::mix(hash::mix(d.lo ^ 0x636865636b) + hash::mix(d.hi + hash::golden));
}

[[noreturn]] void fail_symbols() {
  fail(errc::corrupt, "the coded symbols are of no set of keys");
}

// A key that a pure cell shows, for its side; errc::corrupt if it came before.
digest take_out(const coded_symbol& cell, std::set<digest>& known, differences& found) {
  const digest key = cell.sum;
  if (!known.insert(key).second) fail_symbols();
  (cell.count > 0 ? found.only_theirs : found.only_mine).push_back(key);
  return key;
}

}  // namespace

void coded_symbol::add(digest d, std::int64_t times) {
  sum.lo ^= d.lo;
  sum.hi ^= d.hi;
  check ^= check_of(d);
  count += times;
}

void coded_symbol::add(const coded_symbol& other, std::int64_t times) {
  sum.lo ^= other.sum.lo;
  sum.hi ^= other.sum.hi;
  check ^= other.check;
  count += times * other.count;
}

bool coded_symbol::is_pure() const {
  return (count == 1 || count == -1) && check == check_of(sum);
}

void append_symbol(std::vector<std::byte>& bytes, const coded_symbol& symbol) {
  const std::size_t at = bytes.size();
  bytes.resize(at + fixed_bytes);
  core::store_le(&bytes[at], symbol.sum.lo);
  core::store_le(&bytes[at + 8], symbol.sum.hi);
  core::store_le(&bytes[at + 16], symbol.check);
  // Seven bits a byte, the lowest first; the sign is the lowest of all.
  auto rest = static_cast<std::uint64_t>(symbol.count) << 1 ^
              static_cast<std::uint64_t>(symbol.count >> 63);
  for (; rest >= 0x80; rest >>= 7) bytes.push_back(static_cast<std::byte>(rest | 0x80));
  bytes.push_back(static_cast<std::byte>(rest));
}

std::vector<coded_symbol> read_symbols(byte_view bytes, std::uint64_t count) {
  if (count > bytes.size() / (fixed_bytes + 1)) {
    fail(errc::corrupt,
         format_count(count) + " coded symbols do not fit into " + format_size(bytes.size()));
  }
  std::vector<coded_symbol> symbols(static_cast<std::size_t>(count));
  for (coded_symbol& each : symbols) {
    if (bytes.size() <= fixed_bytes) fail(errc::corrupt, "the coded symbols are cut off");
    each.sum = {core::load_le<std::uint64_t>(bytes.data()),
                core::load_le<std::uint64_t>(bytes.data() + 8)};
    each.check = core::load_le<std::uint64_t>(bytes.data() + 16);
    bytes = bytes.subspan(fixed_bytes);
    std::uint64_t value = 0;
    constexpr unsigned most_shift = 49;  // counts are of keys, of which there are 2^48 at most
    for (unsigned shift = 0;; shift += 7) {
      if (bytes.empty() || shift > most_shift) fail(errc::corrupt, "a coded symbol has no count");
      const auto piece = std::to_integer<std::uint64_t>(bytes.front());
      bytes = bytes.subspan(1);
      value |= (piece & 0x7f) << shift;
      if (piece < 0x80) {
        if (piece == 0 && shift != 0) fail(errc::corrupt, "a coded symbol's count is too long");
        break;
      }
    }
    each.count = static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  if (!bytes.empty()) fail(errc::corrupt, "bytes follow the coded symbols");
  return symbols;
}

// The next is beyond j with probability (1-ρ(i+1))…(1-ρ(j)) = (i+1)(i+2)/(j+1)(j+2): the least j for which that is at most a
// uniform number u = r/2^32.
std::uint32_t next_symbol(digest d, std::uint32_t index) {
  const std::uint64_t i = index;
  const std::uint64_t r = (hash::mix(d.hi ^ hash::mix(d.lo + (i + 1) * hash::golden)) >> 32) + 1;
  const core::uint128 wanted = (core::uint128{i + 1} * (i + 2)) << 32;
  const double square = static_cast<double>((i + 1) * (i + 2)) * 0x1p32 / static_cast<double>(r);
  const double guess = (std::sqrt(1 + 4 * square) - 3) / 2;
  if (guess >= static_cast<double>(no_symbol)) return no_symbol;
  const auto reaches = [&](std::uint64_t j) {
    return core::uint128{j + 1} * (j + 2) * r >= wanted;
  };
  // The guess is rounded; these numbers are not.
  auto next = std::max(i + 1, static_cast<std::uint64_t>(std::max(0.0, guess)));
  while (next > i + 1 && reaches(next - 1)) --next;
  while (!reaches(next)) ++next;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(next, no_symbol));
}

std::vector<coded_symbol> rateless_encoder::next(std::uint64_t count) {
  if (count > most_cells - produced_) {
    fail(errc::limit, "more than " + format_count(most_cells) + " coded symbols are asked for");
  }
  const std::uint64_t end = produced_ + count;
  if (stored_ != nullptr) {
    if (ahead_.size() < count) read_stored(count - ahead_.size());
    const auto rest = ahead_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<coded_symbol> symbols(ahead_.begin(), rest);
    ahead_.erase(ahead_.begin(), rest);
    produced_ = end;
    return symbols;
  }
  std::vector<coded_symbol> symbols(static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    std::uint32_t at = next_[k];
    for (; at < end; at = next_symbol(keys_[k], at)) {
      symbols[static_cast<std::size_t>(at - produced_)].add(keys_[k], 1);
    }
    next_[k] = at;
  }
  produced_ = end;
  return symbols;
}

// So many more at least, and as many as there were before, so that there are few passes.
void rateless_encoder::read_stored(std::uint64_t count) {
  constexpr std::uint64_t least = 1024;
  constexpr std::uint64_t most = 1 << 16;
  const std::uint64_t first = produced_ + ahead_.size();
  count = std::max(count, std::min(std::max(first, least), std::min(most, most_cells - first)));
  ahead_.resize(static_cast<std::size_t>(ahead_.size() + count));
  stored_->each([&](std::span<const digest> some) {
    for (const digest d : some) {
      std::uint32_t at = 0;
      while (at < first) at = next_symbol(d, at);
      for (; at < first + count; at = next_symbol(d, at)) {
        ahead_[static_cast<std::size_t>(at - produced_)].add(d, 1);
      }
    }
  });
}

void rateless_decoder::add(std::span<const coded_symbol> theirs) {
  const std::size_t first = cells_.size();
  const std::vector<coded_symbol> ours = mine_.next(theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    coded_symbol& cell = cells_.emplace_back(theirs[i]);
    cell.add(ours[i], -1);
    counts_.push_back(cell.count);
  }
  // What is already known is in the new ones as well.
  const auto remove = [&](digest d, std::int64_t side) {
    for (std::uint32_t at = 0; at < cells_.size(); at = next_symbol(d, at)) {
      if (at >= first) cells_[at].add(d, -side);
    }
  };
  for (const digest d : found_.only_theirs) remove(d, 1);
  for (const digest d : found_.only_mine) remove(d, -1);
  while (used_ < cells_.size() && !complete()) {
    peel(used_++);
    // All keys are in the first one: when it is empty, there are none left.
    if (cells_.front().is_zero()) needed_ = used_;
  }
  if (!complete()) return;
  for (const coded_symbol& cell : cells_) {
    if (!cell.is_zero()) fail_symbols();
  }
}

// Takes out what this cell shows, and then what others show because of it.
void rateless_decoder::peel(std::uint32_t cell) {
  std::vector<std::uint32_t> looked_at{cell};
  while (!looked_at.empty()) {
    const coded_symbol shown = cells_[looked_at.back()];
    looked_at.pop_back();
    if (!shown.is_pure()) continue;
    const digest key = take_out(shown, known_, found_);
    for (std::uint32_t at = 0; at < cells_.size(); at = next_symbol(key, at)) {
      cells_[at].add(key, -shown.count);
      if (at < used_) looked_at.push_back(at);
    }
  }
}

lookup_table::lookup_table(std::uint64_t cells, std::uint64_t hashes, std::uint64_t salt)
    : hashes_(hashes), salt_(salt) {
  math::require_whole("hashes", hashes, 2, 16);
  math::require_whole("cells", cells, hashes, most_cells);
  cells_.resize(static_cast<std::size_t>(cells));
}

lookup_table::lookup_table(std::vector<coded_symbol> cells, std::uint64_t hashes,
                           std::uint64_t salt)
    : cells_(std::move(cells)), hashes_(hashes), salt_(salt) {
  math::require_whole("hashes", hashes, 2, 16);
  math::require_whole("cells", cells_.size(), hashes, most_cells);
}

// A place in each of the parts, which are as long as each other but for one cell.
template <class Visit>
void lookup_table::each_place(digest d, Visit visit) const {
  for (std::uint64_t part = 0; part < hashes_; ++part) {
    const std::uint64_t begin = cells_.size() * part / hashes_;
    const std::uint64_t end = cells_.size() * (part + 1) / hashes_;
    const std::uint64_t drawn =
        hash::mix(d.lo ^ hash::mix(d.hi + (salt_ * 16 + part + 1) * hash::golden));
    visit(static_cast<std::size_t>(begin + hash::reduce(drawn, end - begin)));
  }
}

void lookup_table::put(digest d, std::int64_t times) {
  each_place(d, [&](std::size_t at) { cells_[at].add(d, times); });
}

void lookup_table::subtract(const lookup_table& other) {
  if (cells_.size() != other.cells_.size() || hashes_ != other.hashes_ || salt_ != other.salt_) {
    fail(errc::incompatible, "tables of different cells, hashes or salts have no difference");
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i].add(other.cells_[i], -1);
}

bool lookup_table::decode(differences& found) {
  std::set<digest> known;
  std::vector<std::size_t> looked_at(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) looked_at[i] = i;
  while (!looked_at.empty()) {
    const std::size_t cell = looked_at.back();
    looked_at.pop_back();
    const coded_symbol shown = cells_[cell];
    if (!shown.is_pure()) continue;
    bool its_own = false;
    each_place(shown.sum, [&](std::size_t at) { its_own = its_own || at == cell; });
    if (!its_own) fail_symbols();
    const digest key = take_out(shown, known, found);
    each_place(key, [&](std::size_t at) {
      cells_[at].add(key, -shown.count);
      looked_at.push_back(at);
    });
  }
  return std::ranges::all_of(cells_, &coded_symbol::is_zero);
}

}  // namespace bloomery::exchange
