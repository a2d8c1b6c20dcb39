// The semi-sorted cuckoo filter: a cuckoo filter that does not store in which order a bucket's
// fingerprints came, and so takes a bit less for each.
//
// Purpose:   membership of a set that changes, in fewer bits than any other kind that deletes takes.
// Cost:      about (log2(1/rate) + 2) / 0.95 bits a key; two cache lines to ask, insert or erase,
//            a few more to insert into a table that is nearly full.
// Guarantee: that of cuckoo.hpp: no false negatives while only keys that are in it are erased. A table
//            takes `capacity` distinct keys but once in a million tables; insert throws errc::limit, and
//            changes nothing, when it finds no room. A key can be in it 8 times and be erased as often;
//            count() is never too low. Erasing a key that is certainly absent changes nothing and
//            answers false; erasing a false positive loses another key.
// Citation:  Fan, Andersen, Kaminsky, Mitzenmacher 2014, section 5.2.
//
//     auto online = bloomery::sorted_cuckoo_filter::for_keys(1000, 0.001);
//     assert(online.insert({1, 2}) && !online.insert({1, 2}));
//     assert(online.count({1, 2}) == 2 && online.erase({1, 2}));
//     assert(online.may_contain({1, 2}) && online.erase({1, 2}));
//     assert(!online.may_contain({1, 2}) && !online.erase({1, 2}));
//     assert(bloomery::sorted_cuckoo_filter::capacity(online.shape()) >= 1000);
#pragma once

#include <array>
#include <span>

#include "bloomery/bits/table/cuckoo_kernels.hpp"
#include "bloomery/bits/table/sorted_buckets.hpp"
#include "bloomery/bits/table/sorted_kernels.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/math/kinds/sorted_cuckoo.hpp"

namespace bloomery {

struct sorted_cuckoo_shape {
  std::uint64_t buckets = 0;
  std::uint64_t fingerprint_bits = 0;

  static constexpr std::array fields{
      whole_field("buckets", "how many, of four fingerprints each, even",
                  &sorted_cuckoo_shape::buckets, 2, max_bits),
      whole_field("fingerprint_bits", "width of a fingerprint before sorting",
                  &sorted_cuckoo_shape::fingerprint_bits, math::min_sorted_fingerprint,
                  math::max_fingerprint_bits),
  };
  void check() const;
  [[nodiscard]] math::sorted_cuckoo_size size() const { return {buckets, fingerprint_bits}; }
};

class sorted_cuckoo_cells {
 public:
  using shape = sorted_cuckoo_shape;
  using can = ability_list<asks, asks_in_batches, inserts, inserts_in_batches, erases,
                           erases_in_batches, counts, has_capacity>;
  static constexpr kind_info kind{
      .name = "sorted-cuckoo",
      .title = "Semi-sorted cuckoo filter",
      .answers = "Is x in the set now?",
      .citation = "Fan et al. 2014",
      .header = "bloomery/filters/changing/sorted_cuckoo.hpp",
      .fills_with_repeats = true,
      .unmergeable = "together they may hold more than one has room for",
  };
  // A fingerprint, never 0, and the first bits of the two buckets it may lie in.
  struct place {
    std::uint64_t first;
    std::uint64_t second;
    std::uint64_t print;
  };

  explicit sorted_cuckoo_cells(const shape& s)
      : table_(s.buckets, static_cast<unsigned>(s.fingerprint_bits)) {}
  sorted_cuckoo_cells(const shape& s, storage stored)
      : table_(s.buckets, static_cast<unsigned>(s.fingerprint_bits), std::move(stored)) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::sorted_cuckoo_rate(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t /*keys*/) {
    return math::bucket_cost(s.buckets, s.size().bucket_bits(), 2);
  }
  static std::uint64_t capacity(const shape& s) { return math::sorted_cuckoo_capacity(s.size()); }

  [[nodiscard]] place locate(digest d) const {
    const std::uint64_t first = table_.first_bit(hash::reduce(d.lo, table_.buckets()));
    const std::uint64_t print = 1 + hash::reduce(d.hi, table_.max_value());
    return {first, other_bucket(first, print), print};
  }
  void prefetch(const place& at) const {
    table_.prefetch(at.first);
    table_.prefetch(at.second);
  }

  bool insert(const place& at) {
    return table_.search([&](const auto& in) { return insert_by(in, at); });
  }
  bool erase(const place& at) {
    return table_.search([&](const auto& in) { return erase_by(in, at); });
  }
  [[nodiscard]] bool contains(const place& at) const {
    return table_.search([&](const auto& in) { return contains_by(in, at); });
  }
  [[nodiscard]] std::uint64_t count(const place& at) const {
    return table_.count(at.first, at.print) + table_.count(at.second, at.print);
  }

  template <class Keys>
  std::uint64_t contains_batch(const Keys& keys, std::span<bool> answers) const {
    const bits::answered front = bits::sorted_contains(table_.words(), keys, answers.data());
    return front.hits + detail::ask_each(*this, keys.subspan(front.keys, keys.size() - front.keys),
                                         answers.subspan(front.keys));
  }
  // The searcher is a copy in each, which stays in registers.
  template <class Keys>
  std::uint64_t insert_batch(const Keys& keys, std::span<bool> fresh, std::uint64_t& items) {
    return table_.search([&](auto in) {
      std::uint64_t count = 0;
      detail::each_place(*this, keys, [&](std::size_t i, const place& at) {
        const bool is_new = insert_by(in, at);
        ++items;
        count += std::uint64_t{is_new};
        if (!fresh.empty()) fresh[i] = is_new;
      });
      return count;
    });
  }
  template <class Keys>
  std::uint64_t erase_batch(const Keys& keys) {
    return table_.search([&](auto in) {
      std::uint64_t gone = 0;
      detail::each_place(*this, keys, [&](std::size_t, const place& at) {
        gone += std::uint64_t{erase_by(in, at)};
      });
      return gone;
    });
  }

  static void each_part(auto& self, auto visit) { visit(self.table_); }
  static std::uint64_t payload_bytes(const shape& s) {
    return bits::sorted_buckets::stored_bytes(s.buckets, static_cast<unsigned>(s.fingerprint_bits));
  }

 private:
  bool insert_by(const auto& in, const place& at) {
    const auto first = in.bucket(at.first);
    const auto second = in.bucket(at.second);
    const auto print = in.every(at.print);
    const unsigned free_first = in.free(first);
    const unsigned free_second = in.free(second);
    if ((free_first | free_second) == 0) {
      make_room(at);
    } else {  // into the emptier one
      const bool here = free_first >= free_second;
      in.put(bits::either(here, at.first, at.second), bits::either(here, first, second), print);
    }
    return (in.equal(first, print) | in.equal(second, print)) == 0;
  }
  bool erase_by(const auto& in, const place& at) {
    const auto first = in.bucket(at.first);
    const auto second = in.bucket(at.second);
    const auto print = in.every(at.print);
    const unsigned in_first = in.equal(first, print);
    const unsigned in_second = in.equal(second, print);
    if ((in_first | in_second) == 0) return false;
    const bool here = in_first != 0;
    in.take(bits::either(here, at.first, at.second), bits::either(here, first, second),
            bits::either(here, in_first, in_second));
    return true;
  }
  [[nodiscard]] bool contains_by(const auto& in, const place& at) const {
    const auto print = in.every(at.print);
    return (in.equal(in.bucket(at.first), print) | in.equal(in.bucket(at.second), print)) != 0;
  }

  [[nodiscard]] std::uint64_t other_bucket(std::uint64_t bucket, std::uint64_t print) const {
    return bits::other_cuckoo_bucket(bucket, print, table_.buckets(), table_.bucket_bits());
  }
  void make_room(const place& at);

  bits::sorted_buckets table_;
};

using sorted_cuckoo_filter = filter<sorted_cuckoo_cells>;

}  // namespace bloomery
