// Cells whose fingerprints have two buckets each to choose from, whatever a bucket looks like.
//
// Purpose:   all that cuckoo filters have in common. Table has buckets(), first_bit(bucket), bucket_bits(),
//            max_value(), words() for the vector code, prefetch(first bit), and search(act), which calls
//            act(searcher): the two tables of bits/table. A kind adds its shape, its formulas, and
//            make_room, which moves other fingerprints.
// Cost:      two buckets to ask, insert or erase, searched without branches.
//
//     auto plain = bloomery::cuckoo_filter::for_keys(1000, 0.001);
//     auto sorted = bloomery::sorted_cuckoo_filter::for_keys(1000, 0.001);
//     assert(plain.insert({1, 2}) && sorted.insert({1, 2}));
//     assert(plain.erase({1, 2}) && sorted.erase({1, 2}) && !sorted.erase({1, 2}));
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/bits/table/cuckoo_kernels.hpp"
#include "bloomery/filters/changing/searched_batches.hpp"
#include "bloomery/filters/filter.hpp"

namespace bloomery {

template <class Table>
class two_bucket_cells {
 public:
  using can = ability_list<asks, asks_in_batches, inserts, inserts_in_batches, erases,
                           erases_in_batches, counts, has_capacity>;
  // A fingerprint, never 0, and the first bits of the two buckets it may lie in.
  struct place {
    std::uint64_t first;
    std::uint64_t second;
    std::uint64_t print;
  };

  [[nodiscard]] place locate(digest d) const {
    const std::uint64_t first = table_.first_bit(hash::reduce(d.lo, table_.buckets()));
    const std::uint64_t print = 1 + hash::reduce(d.hi, table_.max_value());
    return {first, bits::other_cuckoo_bucket(first, print, table_.buckets(), table_.bucket_bits()),
            print};
  }
  void prefetch(const place& at) const {
    table_.prefetch(at.first);
    table_.prefetch(at.second);
  }

  template <class Act>
  auto search(Act act) const {
    return table_.search(act);
  }
  bool insert_by(const auto& in, const place& at) {
    const auto first = in.bucket(at.first);
    const auto second = in.bucket(at.second);
    const auto print = in.every(at.print);
    const auto free_first = in.free(first);
    const auto free_second = in.free(second);
    if ((free_first | free_second) == 0) {
      make_room(at);
    } else {  // into the emptier one, if none was erased there
      const bool here = free_first >= free_second;
      in.put(bits::either(here, at.first, at.second), bits::either(here, first, second),
             bits::either(here, free_first, free_second), print);
    }
    return (in.equal(first, print) | in.equal(second, print)) == 0;
  }
  bool erase_by(const auto& in, const place& at) {
    const auto first = in.bucket(at.first);
    const auto second = in.bucket(at.second);
    const auto print = in.every(at.print);
    const auto in_first = in.equal(first, print);
    const auto in_second = in.equal(second, print);
    if ((in_first | in_second) == 0) return false;
    const bool here = in_first != 0;
    in.take(bits::either(here, at.first, at.second), bits::either(here, first, second),
            bits::either(here, in_first, in_second), print);
    return true;
  }
  [[nodiscard]] bool contains_by(const auto& in, const place& at) const {
    const auto print = in.every(at.print);
    return (in.equal(in.bucket(at.first), print) | in.equal(in.bucket(at.second), print)) != 0;
  }
  bool insert(const place& at) {
    return search([&](const auto& in) { return insert_by(in, at); });
  }
  bool erase(const place& at) {
    return search([&](const auto& in) { return erase_by(in, at); });
  }
  [[nodiscard]] bool contains(const place& at) const {
    return search([&](const auto& in) { return contains_by(in, at); });
  }

  // By vectors where there are any: those of the table's own kernels.
  template <class Keys>
  std::uint64_t contains_batch(const Keys& keys, std::span<bool> answers) const {
    return detail::contains_searched(*this, keys, answers,
                                     cuckoo_contains(table_.words(), keys, answers.data()));
  }
  template <class Keys>
  std::uint64_t insert_batch(const Keys& keys, std::span<bool> fresh, std::uint64_t& items) {
    return detail::insert_searched(*this, keys, fresh, items);
  }
  template <class Keys>
  std::uint64_t erase_batch(const Keys& keys) {
    return detail::erase_searched(*this, keys);
  }

  static void each_part(auto& self, auto visit) { visit(self.table_); }

 protected:
  explicit two_bucket_cells(Table table) : table_(std::move(table)) {}

  // Puts the fingerprint into one of its buckets, which are full, or throws errc::limit.
  void make_room(const place& at);

  Table table_;
};

}  // namespace bloomery
