// Coded symbols: sums over parts of a set, of which the difference of two sets can be read.
//
// Purpose:   two parties who have nearly the same keys find in which they differ, exactly. Each sums up its keys, by
//            exclusive or, in cells that a key's digest chooses; the cells of one less those of the other are
//            sums over the difference alone, and a cell with one key left shows it. In a table (IBLT) there are as many cells as
//            the difference needs, each key in k of them. Rateless symbols need no number beforehand: there is no end of them,
//            a key is in symbol i with probability 1/(1 + i/2), and as many are sent as it takes.
// Cost:      1.35 symbols a difference, for many, and up to 2 for few; 27 bytes each with its count. Making the first m takes
//            some 2 ln m steps a key, and 4 bytes a key to go on later; those of a set that is stored, twice the
//            steps, a pass over it each time their number has doubled, and no memory a key.
// Guarantee: decoding is complete exactly when every cell is zero, and every key that comes out hashes to the cells that
//            it was taken from; but for a chance of 2^-64 a cell. Symbols that no set has end in errc::corrupt, never in a loop.
//            Only whole numbers decide where a key goes: all machines agree.
//
// These are no kinds of filters: they answer no question about a key, a key must come once, and the rateless ones have no size.
//
// Citation:  Goodrich, Mitzenmacher 2011; Eppstein et al., What's the difference?, 2011; Yang, Gilad, Alizadeh 2024.
//
//     using namespace bloomery::exchange;
//     const digest_set mine({{1, 2}, {3, 4}}), theirs({{3, 4}, {5, 6}});
//     rateless_encoder sender(theirs.keys());
//     rateless_decoder receiver(mine.keys());
//     while (!receiver.complete()) receiver.add(sender.next(4));
//     assert(receiver.found().only_mine.front() == (bloomery::digest{1, 2}));
//     assert(receiver.found().only_theirs.front() == (bloomery::digest{5, 6}));
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "bloomery/apps/exchange/digest_set.hpp"
#include "bloomery/core/bytes.hpp"

namespace bloomery::exchange {

struct coded_symbol {
  digest sum;
  std::uint64_t check = 0;
  std::int64_t count = 0;

  void add(digest d, std::int64_t times);
  void add(const coded_symbol& other, std::int64_t times);  // 1 or -1
  [[nodiscard]] bool is_zero() const { return sum == digest{} && check == 0 && count == 0; }
  // Whether there is one key in it, of either side.
  [[nodiscard]] bool is_pure() const;
  friend bool operator==(const coded_symbol&, const coded_symbol&) = default;
};

// 24 bytes and the count, in as few as it takes.
void append_symbol(std::vector<std::byte>& bytes, const coded_symbol& symbol);
// Exactly so many; errc::corrupt for other bytes.
std::vector<coded_symbol> read_symbols(byte_view bytes, std::uint64_t count);

// The symbol after `index` that has the key; 0 is the first of every key.
std::uint32_t next_symbol(digest d, std::uint32_t index);

// The symbols of a set, one after another. The keys must live on.
class rateless_encoder {
 public:
  explicit rateless_encoder(std::span<const digest> keys) : keys_(keys), next_(keys.size()) {}
  explicit rateless_encoder(const digest_set& of)
      : stored_(of.is_stored() ? &of : nullptr), keys_(of.keys()), next_(keys_.size()) {}
  [[nodiscard]] std::uint64_t produced() const { return produced_; }
  std::vector<coded_symbol> next(std::uint64_t count);

 private:
  void read_stored(std::uint64_t count);

  const digest_set* stored_ = nullptr;
  std::span<const digest> keys_;
  std::vector<std::uint32_t> next_;  // of each key
  std::vector<coded_symbol> ahead_;  // of what is stored, which is seldom read
  std::uint64_t produced_ = 0;
};

class rateless_decoder {
 public:
  explicit rateless_decoder(std::span<const digest> mine) : mine_(mine) {}
  explicit rateless_decoder(const digest_set& mine) : mine_(mine) {}

  // The other's next symbols.
  void add(std::span<const coded_symbol> theirs);
  [[nodiscard]] bool complete() const { return needed_ != 0; }
  [[nodiscard]] std::uint64_t symbols() const { return cells_.size(); }
  // With how many of them it was complete; 0 if it is not.
  [[nodiscard]] std::uint64_t needed() const { return needed_; }
  [[nodiscard]] const differences& found() const { return found_; }
  // Of the symbols as they came, less ours: what math::estimated_difference takes.
  [[nodiscard]] std::span<const std::int64_t> counts() const { return counts_; }

 private:
  void peel(std::uint32_t cell);

  rateless_encoder mine_;
  std::vector<coded_symbol> cells_;
  std::vector<std::int64_t> counts_;
  std::uint32_t used_ = 0;  // of the cells, for peeling
  std::uint64_t needed_ = 0;
  differences found_;
  std::set<digest> known_;
};

// A table of cells, k for each key, in k parts; the salt makes another one for the same keys.
class lookup_table {
 public:
  // errc::invalid unless there are at least as many cells as hashes.
  lookup_table(std::uint64_t cells, std::uint64_t hashes, std::uint64_t salt);
  lookup_table(std::vector<coded_symbol> cells, std::uint64_t hashes, std::uint64_t salt);

  void insert(digest d) { put(d, 1); }
  void insert(std::span<const digest> keys) {
    for (const digest d : keys) insert(d);
  }
  void insert(const digest_set& of) {
    of.each([&](std::span<const digest> some) { insert(some); });
  }
  // errc::incompatible for another shape.
  void subtract(const lookup_table& other);
  // Of "theirs less mine". False, with what was found so far, if there are too many for the table.
  bool decode(differences& found);

  [[nodiscard]] std::span<const coded_symbol> cells() const { return cells_; }

 private:
  template <class Visit>
  void each_place(digest d, Visit visit) const;
  void put(digest d, std::int64_t times);

  std::vector<coded_symbol> cells_;
  std::uint64_t hashes_;
  std::uint64_t salt_;
};

}  // namespace bloomery::exchange
