// Probe sequences: which cells a digest touches.
//
// Purpose:   small structs; `all(d, visit)` calls visit(position) for each probe in order and stops
//            at the first visit that returns false (returning false), as a query wants.
// Cost:      no division, no modulo, no allocation; about two multiplies per probe.
// Guarantee: positions are below `range()`; sizes above 2^32 and down to 1 are sound.
// Citation:  double hashing: Kirsch, Mitzenmacher 2006 (Tarkoma §III-B); enhanced: Dillinger,
//            Manolios 2004; blocked: Putze, Sanders, Singler 2007.
//
//     const bloomery::hash::uniform_probes probes{1000, 7};
//     std::vector<std::uint64_t> seen;
//     probes.all({1, 2}, [&](std::uint64_t at) { seen.push_back(at); return seen.size() < 3; });
//     assert(seen.size() == 3 && seen[2] == probes.at({1, 2}, 2) && seen[2] < 1000);
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "bloomery/core/int128.hpp"
#include "bloomery/core/limits.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/line_pattern.hpp"
#include "bloomery/hash/mix.hpp"

namespace bloomery::hash {

// All positions, to the last.
template <class Probes, class Visit>
void each_position(const Probes& probes, digest d, Visit visit) {
  probes.all(d, [&](std::uint64_t at) {
    visit(at);
    return true;
  });
}

// Whether all are as `test` says. Up to so many positions all are tried before the answer is looked at: a branch that is
// guessed wrong, as by every other key that might be there, costs more than those it spares.
inline constexpr std::uint64_t tried_at_once = 8;
template <class Probes, class Test>
bool all_pass(const Probes& probes, digest d, Test test) {
  if (probes.count > tried_at_once) {
    return probes.in_fours(d, [&](auto... at) { return (... & std::uint64_t{test(at)}) != 0; });
  }
  std::uint64_t all = 1;
  each_position(probes, d, [&](std::uint64_t at) { all &= std::uint64_t{test(at)}; });
  return all != 0;
}

// k positions over the whole range, each from its own 64-bit mix: SplitMix64 started at `lo` with
// `hi` as its odd increment.
struct uniform_probes {
  std::uint64_t cells;
  std::uint64_t count;

  [[nodiscard]] std::uint64_t range() const { return cells; }
  [[nodiscard]] std::uint64_t at(digest d, std::uint64_t i) const {
    return reduce(mix(d.lo + i * (d.hi | 1)), cells);
  }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    std::uint64_t x = d.lo;
    for (std::uint64_t i = 0; i < count; ++i, x += d.hi | 1) {
      if (!visit(reduce(mix(x), cells))) return false;
    }
    return true;
  }
  // As all(), with visit(position, position, position, position) for each four and visit(position) for those
  // left: a branch that is guessed wrong costs more than three positions.
  template <class Visit>
  bool in_fours(digest d, Visit&& visit) const {
    const std::uint64_t step = d.hi | 1;
    const auto at = [this](std::uint64_t x) { return reduce(mix(x), cells); };
    std::uint64_t x = d.lo;
    std::uint64_t left = count;
    for (; left >= 4; left -= 4, x += 4 * step) {
      if (!visit(at(x), at(x + step), at(x + 2 * step), at(x + 3 * step))) return false;
    }
    bool all = true;
    for (; left != 0; --left, x += step) all &= visit(at(x));
    return all;
  }
};

// The digest whose k uniform positions are those of `d` from number set·k on: sets without number, each
// independent of the others, from one hash.
constexpr digest digest_of_set(digest d, std::uint64_t set, std::uint64_t k) {
  return {d.lo + set * k * (d.hi | 1), d.hi};
}

// One position in each of k slices.
struct partitioned_probes {
  std::uint64_t slice;
  std::uint64_t count;

  [[nodiscard]] std::uint64_t range() const { return slice * count; }
  [[nodiscard]] std::uint64_t at(digest d, std::uint64_t i) const {
    return i * slice + uniform_probes{slice, count}.at(d, i);
  }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    std::uint64_t base = 0;
    return uniform_probes{slice, count}.all(d, [&](std::uint64_t at) {
      const bool more = visit(base + at);
      base += slice;
      return more;
    });
  }
  template <class Visit>
  bool in_fours(digest d, Visit&& visit) const {
    std::uint64_t base = 0;
    return uniform_probes{slice, count}.in_fours(d, [&](auto... at) {
      const std::uint64_t first = base;
      base += sizeof...(at) * slice;
      return [&]<std::size_t... i>(std::index_sequence<i...> /*slices*/) {
        return visit((first + i * slice + at)...);
      }
      (std::make_index_sequence<sizeof...(at)>());
    });
  }
};

// One position in each of k banks in a row, on a ring of `banks`, from a random one on.
struct banked_probes {
  std::uint64_t bank_bits;
  std::uint64_t banks;
  std::uint64_t count;

  [[nodiscard]] std::uint64_t range() const { return bank_bits * banks; }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    std::uint64_t bank = reduce(mix(d.lo), banks);
    return uniform_probes{bank_bits, count}.all(digest_of_set(d, 1, 1), [&](std::uint64_t at) {
      const bool more = visit(bank * bank_bits + at);
      if (++bank == banks) bank = 0;
      return more;
    });
  }
};

// One of k positions over the whole range: a second hash says which.
struct chosen_probe {
  std::uint64_t cells;
  std::uint64_t hashes;
  static constexpr std::uint64_t count = 1;

  [[nodiscard]] std::uint64_t range() const { return cells; }
  [[nodiscard]] std::uint64_t choice(digest d) const { return reduce(mix(d.hi), hashes); }
  [[nodiscard]] std::uint64_t at(digest d) const {
    return uniform_probes{cells, hashes}.at(d, choice(d));
  }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    return visit(at(d));
  }
};

// One position in each of k slices, as partitioned_probes has it, with little arithmetic: the leading
// digits of the digest's halves to the base `slice`, and of their mixes once those are used up. At
// least 16 bits of a word stay behind its last digit, so that slices below 2^48 are hit alike within
// 2^-16.
struct digit_probes {
  std::uint64_t slice;
  std::uint64_t count;
  std::uint64_t digits;  // taken from a word

  digit_probes(std::uint64_t of_slice, std::uint64_t k)
      : slice(of_slice),
        count(k),
        digits(std::max<std::uint64_t>(1, 48 / std::bit_width(of_slice | 1))) {}

  [[nodiscard]] std::uint64_t range() const { return slice * count; }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    std::uint64_t word = d.lo;
    std::uint64_t other = d.hi;  // taken in turns, so that one need not wait for the other
    std::uint64_t base = 0;
    const std::uint64_t end = slice * count;
    for (std::uint64_t x = d.lo;; word = mix(x += d.hi | 1), other = mix(x += d.hi | 1)) {
      for (std::uint64_t left = digits; left != 0; --left) {
        if (!visit(base + take_digit(word))) return false;
        if ((base += slice) == end) return true;
        if (!visit(base + take_digit(other))) return false;
        if ((base += slice) == end) return true;
      }
    }
  }

 private:
  std::uint64_t take_digit(std::uint64_t& word) const {
    const core::uint128 product = static_cast<core::uint128>(word) * slice;
    word = static_cast<std::uint64_t>(product);
    return static_cast<std::uint64_t>(product >> 64);
  }
};

// One block of 512 bits from `lo`; k positions inside it from `hi` alone, spread over its lanes, so
// block and positions share no hash bits.
struct blocked_probes {
  std::uint64_t blocks;
  std::uint64_t count;
  line_pattern pattern;

  blocked_probes(std::uint64_t of_blocks, std::uint64_t k)
      : blocks(of_blocks), count(k), pattern(k) {}

  [[nodiscard]] std::uint64_t range() const { return blocks * cache_line_bits; }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    const std::uint64_t base = reduce(d.lo, blocks) * cache_line_bits;
    return pattern.all(d.hi, [&](unsigned at) { return visit(base + at); });
  }
};

// g_i = h1 + i·h2 (mod cells), h2 in 1..cells-1. Where gcd(h2, cells) > 1 the sequence repeats
// after cells / gcd probes: a prime `cells` avoids it. Does not fold.
struct double_probes {
  std::uint64_t cells;
  std::uint64_t count;

  [[nodiscard]] std::uint64_t range() const { return cells; }

  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    return walk(
        d, [](std::uint64_t, std::uint64_t step) { return step; }, visit);
  }

 protected:
  // Visits x = h1, then repeatedly x += step (mod cells); `next(i, step)` gives step i + 1 from
  // step i, reduced by the subtraction below.
  template <class Next, class Visit>
  bool walk(digest d, Next next, Visit&& visit) const {
    std::uint64_t x = reduce(d.lo, cells);
    std::uint64_t step = cells == 1 ? 0 : 1 + reduce(d.hi, cells - 1);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!visit(x)) return false;
      x += step;
      if (x >= cells) x -= cells;
      step = next(i + 1, step);
      while (step >= cells) step -= cells;
    }
    return true;
  }
};

// Adds the triangular term: g_i = h1 + i·h2 + (i³ - i)/6 (mod cells).
struct enhanced_probes : double_probes {
  template <class Visit>
  bool all(digest d, Visit&& visit) const {
    return walk(
        d, [](std::uint64_t i, std::uint64_t step) { return step + i; }, visit);
  }
};

}  // namespace bloomery::hash
