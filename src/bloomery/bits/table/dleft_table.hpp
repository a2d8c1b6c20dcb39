// A d-left table: remainders with a tag, each in the least loaded of d buckets.
//
// Purpose:   what counts keys or keeps their state in little room. A key is a bucket and a remainder;
//            with each remainder goes a tag, never 0, whose meaning is the caller's.
// Cost:      one bucket a table to find a key, of one or two cache lines.
// Guarantee: keys of one bucket and remainder share a cell, and no others do. Insertion throws
//            errc::limit, and changes nothing, if all of a key's buckets are full. Stored bytes are
//            checked: used cells come first in a bucket, with neither remainder nor tag 0, and no
//            two of them are for the same keys.
// Citation:  Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006.
//
//     bloomery::bits::dleft_table table({.tables = 4, .buckets = 10, .cells = 4, .remainder_bits =
//         12,
//                                  .counter_bits = 5});
//     const auto at = table.locate({1, 2});
//     table.search([&](const auto& by) {
//       assert(table.insert(by, at, 9, [](std::uint64_t) {}) && table.tag(table.find(at)) == 9);
//       assert(!table.insert(by, at, 1, [&](std::uint64_t cell) { table.set_tag(cell, 10); }));
//       assert(table.erase(by, at, [](std::uint64_t) { return false; }));
//       assert(!table.contains(by, at));
//     });
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/bits/table/bucket_table.hpp"
#include "bloomery/bits/table/dleft_kernels.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/dleft.hpp"

namespace bloomery::bits {

class dleft_table {
 public:
  using layout = math::dleft_size;  // counter_bits are those of a tag
  static constexpr std::uint64_t none = bucket_table::none;

  // A remainder, never 0, and, for each table, the first cell of the bucket it may lie in.
  struct place {
    std::uint64_t remainder;
    std::array<std::uint64_t, math::max_dleft_tables> buckets;
  };

 private:
  [[nodiscard]] std::uint64_t tag_mask() const {
    return (std::uint64_t{1} << size_.counter_bits) - 1;
  }
  [[nodiscard]] place place_of(std::uint64_t bucket, std::uint64_t remainder) const {
    place at;  // NOLINT(cppcoreguidelines-pro-type-member-init): as many as there are tables
    at.remainder = remainder;
    at.buckets[0] = bucket;
    std::uint64_t uniform = remainder * remainder * hash::golden;
    for (std::uint64_t t = 1, table = table_bits_; t < size_.tables; ++t, table += table_bits_) {
      const std::uint64_t moved = bucket + table_.cell(hash::reduce(uniform, size_.buckets), 0);
      at.buckets[t] = table + std::min(moved, moved - table_bits_);  // which may wrap
      uniform *= hash::golden;
    }
    return at;
  }
  // A searcher that knows which bits of a cell are what.
  template <class Searcher>
  struct finder {
    using word = decltype(std::declval<Searcher>().every(0));
    using cells = typename Searcher::cells;
    Searcher in;
    word tags;
    word remainders;

    // The cells of a bucket that are not in use, as their tag is 0; they are the last ones.
    [[nodiscard]] cells unused(std::uint64_t bucket) const {
      return in.equal(in.bucket(bucket), word{}, tags);
    }
    // Those that hold the remainder that was repeated into `wanted`; it is never 0, as unused ones are.
    [[nodiscard]] cells holding(std::uint64_t bucket, word wanted) const {
      return in.equal(in.bucket(bucket), wanted, remainders);
    }
  };
  template <class Searcher>
  [[nodiscard]] finder<Searcher> finding(const Searcher& in) const {
    return {in, in.every(tag_mask()), in.every(table_.max_value() ^ tag_mask())};
  }
  template <class Searcher>
  struct match {
    std::uint64_t bucket = 0;
    typename Searcher::cells cells{};  // of that bucket; or none
  };
  // All buckets are read, and one at most holds the key: no branch could be predicted.
  template <class Searcher>
  [[nodiscard]] auto found(const finder<Searcher>& by, const place& at) const {
    const auto wanted = by.in.every(at.remainder << size_.counter_bits);
    match<Searcher> result;
    for (std::uint64_t t = 0; t < size_.tables; ++t) {
      const auto cells = by.holding(at.buckets[t], wanted);
      result.bucket |= either(by.in.any(cells), at.buckets[t], std::uint64_t{0});
      result.cells = by.in.either_of(result.cells, cells);
    }
    return result;
  }

 public:
  explicit dleft_table(const layout& size);
  dleft_table(const layout& size, storage stored);
  static std::uint64_t stored_bytes(const layout& size);
  // As plans take them: in pairs, which are searched fast. Beyond 32 bits those would waste room.
  static std::uint64_t cells_of_width(std::uint64_t width);
  // errc::invalid, naming what makes the tag, unless a bucket of such cells can be searched.
  static void require_searchable(const layout& size, std::string_view tag);

  // (bucket, remainder) to (bucket + f_t(remainder), remainder) is a permutation for every table t:
  // keys that agree in one agree in all, and no other bucket can hold a key's remainder.
  [[nodiscard]] place locate(digest d) const {
    const std::uint64_t bucket = table_.cell(hash::reduce(d.lo, size_.buckets), 0);
    return place_of(bucket, 1 + hash::reduce(d.hi, (std::uint64_t{1} << size_.remainder_bits) - 1));
  }
  void prefetch(const place& at) const {
    for (std::uint64_t t = 0; t < size_.tables; ++t) table_.prefetch(at.buckets[t]);
  }

  // act(finder): what a batch may choose once, and these three take.
  template <class Act>
  auto search(Act act) const {
    return table_.search_pairs([&](const auto& in) { return act(finding(in)); });
  }
  [[nodiscard]] bool contains(const auto& by, const place& at) const {
    return by.in.any(found(by, at).cells);
  }
  // What vector code needs to know.
  [[nodiscard]] dleft_words words() const {
    return {table_.pairs(), size_.tables, size_.buckets,
            (std::uint64_t{1} << size_.remainder_bits) - 1, size_.counter_bits};
  }
  // The front of a batch, by vectors where there are any.
  template <class Keys>
  answered contains_front(const Keys& keys, std::span<bool> answers) const {
    return dleft_contains(words(), keys, answers.data());
  }
  // The cell that holds the key, or none.
  [[nodiscard]] std::uint64_t find(const place& at) const {
    return search([&](const auto& by) {
      const auto holder = found(by, at);
      return by.in.any(holder.cells) ? by.in.first(holder.bucket, holder.cells) : none;
    });
  }
  [[nodiscard]] std::uint64_t tag(std::uint64_t cell) const {
    return table_.get(cell) & tag_mask();
  }
  void set_tag(std::uint64_t cell, std::uint64_t tag) {
    assert(tag != 0 && tag <= tag_mask());
    table_.set(cell, (table_.get(cell) & ~tag_mask()) | tag);
  }

  // True if the key got a cell; if it has one, meet(cell) is called instead.
  template <class Meet>
  bool insert(const auto& by, const place& at, std::uint64_t tag, Meet meet) {
    const auto holder = found(by, at);
    if (by.in.any(holder.cells)) {
      meet(by.in.first(holder.bucket, holder.cells));
      return false;
    }
    std::uint64_t emptiest = at.buckets[0];
    auto most = by.in.amount(by.unused(emptiest));
    for (std::uint64_t t = 1; t < size_.tables; ++t) {
      const auto free = by.in.amount(by.unused(at.buckets[t]));
      emptiest = either(free > most, at.buckets[t], emptiest);
      most = either(free > most, free, most);
    }
    if (most == 0) refuse();
    table_.set(by.in.first(emptiest, by.unused(emptiest)),
               at.remainder << size_.counter_bits | tag);
    return true;
  }
  // True if the key has a cell, which is given up unless keep(cell).
  template <class Keep>
  bool erase(const auto& by, const place& at, Keep keep) {
    const auto holder = found(by, at);
    if (!by.in.any(holder.cells)) return false;
    const std::uint64_t cell = by.in.first(holder.bucket, holder.cells);
    if (keep(cell)) return true;
    const auto free = by.unused(holder.bucket);
    const std::uint64_t end = by.in.any(free) ? by.in.first(holder.bucket, free)
                                              : holder.bucket + size_.cells * table_.width();
    table_.set(cell, table_.get(end - table_.width()));  // the last fills the gap
    table_.set(end - table_.width(), 0);
    return true;
  }
  // Replaces each tag by renewed(tag); cells whose new tag is 0 are given up.
  template <class Renew>
  void renew(Renew renewed) {
    for (std::uint64_t i = 0; i < table_.buckets(); ++i) {
      unsigned kept = 0;
      for (unsigned slot = 0; slot < table_.slots(); ++slot) {
        const std::uint64_t cell = table_.get(table_.cell(i, slot));
        if (cell == 0) break;
        table_.set(table_.cell(i, slot), 0);
        const std::uint64_t fresh = renewed(cell & tag_mask());
        if (fresh != 0) table_.set(table_.cell(i, kept++), (cell & ~tag_mask()) | fresh);
      }
    }
  }
  template <class Visit>
  void each_tag(Visit visit) const {
    for (std::uint64_t i = 0; i < table_.buckets(); ++i) {
      for (unsigned slot = 0; slot < table_.slots(); ++slot) {
        const std::uint64_t cell = table_.get(table_.cell(i, slot));
        if (cell == 0) break;
        visit(cell & tag_mask());
      }
    }
  }

  // loads()[i] is how many buckets hold i remainders, for i from 0 to all cells: a pass over all.
  [[nodiscard]] std::vector<std::uint64_t> loads() const;

  [[nodiscard]] byte_view bytes() const { return table_.bytes(); }
  void require_writable() { table_.require_writable(); }

 private:
  dleft_table(const layout& size, bucket_table table)
      : size_(size), table_(std::move(table)), table_bits_(table_.bits() / size.tables) {}
  [[noreturn]] void refuse() const;
  void check_table(std::uint64_t first) const;  // the one that begins with this cell

  layout size_;
  bucket_table table_;
  std::uint64_t table_bits_;
};

}  // namespace bloomery::bits
