// A function from keys to codes of 1 to 64 bits, fixed when it is built, that stores no keys: the
// table of a Bloomier filter.
//
// Purpose:   a key has `hashes` different slots anywhere in the table and a mask; its code is the
//            exclusive or of them all. Any other key's mask makes its code uniformly random.
// Cost:      1.222 slots a key for many keys with three hashes (math/kinds/bloomier.hpp); as many memory
//            accesses, independent of each other. Building takes 71 bytes a key for a while.
// Guarantee: exact for every key it was built from; the same table whatever their order. Keys that do
//            not fit throw errc::limit. Stored bytes are checked for length, the number of attempts
//            and clean padding.
// Citation:  Chazelle, Kilian, Rubinfeld, Tal: The Bloomier Filter, 2004.
//
//     const std::vector<bloomery::digest> keys{{1, 2}, {3, 4}};
//     const auto table = bloomery::bits::peeled_table::build(
//         {.slots = 7, .hashes = 3, .width = 9}, keys,
//         [](std::uint64_t key, std::uint64_t) { return 100 + key; });
//     assert(table.code(table.locate({1, 2})) == 100 && table.code(table.locate({3, 4})) == 101);
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/hash/distinct_probes.hpp"

namespace bloomery::bits {

struct peeled_layout {
  std::uint64_t slots = 0;
  std::uint64_t hashes = 3;
  unsigned width = 8;  // bits of a code
};

class peeled_table {
 public:
  struct place {
    hash::positions slots;
    std::uint64_t mask = 0;
  };
  // What is stored for the key of this number; its slot `choice` is not the choice of another key.
  using code_of = std::function<std::uint64_t(std::uint64_t key, std::uint64_t choice)>;

  explicit peeled_table(const peeled_layout& layout);  // of no keys
  peeled_table(const peeled_layout& layout, storage stored);

  // `keys` are distinct.
  static peeled_table build(const peeled_layout& layout, std::span<const digest> keys,
                            const code_of& code);

  // Every attempt hashes anew: all 128 bits take part, under a seed that keeps apart what another
  // brought together.
  [[nodiscard]] place locate(digest d) const {
    const digest seeded{hash::mix(d.lo ^ seed_), hash::mix(d.hi + seed_)};
    return {hash::positions_of(probes_, seeded),
            hash::mix(seeded.lo + probes_.count * (seeded.hi | 1)) & cells_.max_value()};
  }
  void prefetch(const place& at) const {
    for (const std::uint64_t slot : at.slots) cells_.prefetch(slot);
  }
  [[nodiscard]] std::uint64_t code(const place& at) const {
    std::uint64_t all = at.mask;
    for (const std::uint64_t slot : at.slots) all ^= cells_.get(slot);
    return all;
  }

  [[nodiscard]] bool empty() const { return attempt_.get(0) == 0; }

  // The stored form: a line with the number of the attempt that succeeded, then the slots, packed.
  static std::uint64_t stored_bytes(const peeled_layout& layout);
  template <class Self, class Visit>
  static void each_part(Self& self, Visit visit) {
    visit(self.attempt_);
    visit(self.cells_);
  }

 private:
  hash::distinct_probes probes_;
  ledger attempt_;
  packed_array cells_;
  std::uint64_t seed_;
};

}  // namespace bloomery::bits
