// The cuckoo filter: fingerprints in buckets, each key with two buckets to choose from.
//
// Purpose:   membership of a set that changes, in fewer bits than counters take, and below 0.3 % in
//            fewer than a standard filter's.
// Cost:      about (log2(1/rate) + 3) / 0.95 bits a key; two cache lines to ask, insert or erase,
//            a few more to insert into a table that is nearly full.
// Guarantee: no false negatives while only keys that are in it are erased. A table takes `capacity`
//            distinct keys but once in a million tables; insert throws errc::limit, and changes
//            nothing, when it finds no room. A key can be in it 2·`entries` times and be erased as
//            often; count() is never too low. Erasing a key that is certainly absent changes nothing
//            and answers false; erasing a false positive loses another key.
// Citation:  Fan, Andersen, Kaminsky, Mitzenmacher 2014.
//
//     auto online = bloomery::cuckoo_filter::for_keys(1000, 0.001);
//     assert(online.insert({1, 2}) && !online.insert({1, 2}));
//     assert(online.count({1, 2}) == 2 && online.erase({1, 2}));
//     assert(online.may_contain({1, 2}) && online.erase({1, 2}));
//     assert(!online.may_contain({1, 2}) && !online.erase({1, 2}));
//     assert(bloomery::cuckoo_filter::capacity(online.shape()) >= 1000);
#pragma once

#include <array>

#include "bloomery/bits/table/bucket_table.hpp"
#include "bloomery/bits/table/cuckoo_kernels.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/math/kinds/cuckoo.hpp"

namespace bloomery {

struct cuckoo_shape {
  std::uint64_t buckets = 0;
  std::uint64_t entries = 0;
  std::uint64_t fingerprint_bits = 0;

  static constexpr std::array fields{
      whole_field("buckets", "how many, even", &cuckoo_shape::buckets, 2, max_bits),
      whole_field("entries", "fingerprints in a bucket", &cuckoo_shape::entries, math::min_entries,
                  math::max_entries),
      whole_field("fingerprint_bits", "width of a fingerprint", &cuckoo_shape::fingerprint_bits, 1,
                  math::max_fingerprint_bits),
  };
  void check() const;
  [[nodiscard]] math::cuckoo_size size() const { return {buckets, entries, fingerprint_bits}; }
};

class cuckoo_cells {
 public:
  using shape = cuckoo_shape;
  using can = ability_list<asks, asks_in_batches, inserts, inserts_in_batches, erases,
                           erases_in_batches, counts, has_capacity>;
  static constexpr kind_info kind{
      .name = "cuckoo",
      .title = "Cuckoo filter",
      .answers = "Is x in the set now?",
      .citation = "Fan et al. 2014",
      .header = "bloomery/filters/changing/cuckoo.hpp",
      .fills_with_repeats = true,
      .unmergeable = "together they may hold more than one has room for",
  };
  // A fingerprint, never 0, and the first cells of the two buckets it may lie in.
  struct place {
    std::uint64_t first;
    std::uint64_t second;
    std::uint64_t print;
  };

  explicit cuckoo_cells(const shape& s);
  cuckoo_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::cuckoo_rate(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t /*keys*/) {
    return math::bucket_cost(s.buckets, s.entries * s.fingerprint_bits, 2);
  }
  static std::uint64_t capacity(const shape& s) { return math::cuckoo_capacity(s.size()); }

  [[nodiscard]] place locate(digest d) const {
    const std::uint64_t first = table_.cell(hash::reduce(d.lo, table_.buckets()), 0);
    const std::uint64_t print = 1 + hash::reduce(d.hi, table_.max_value());
    return {first, other_bucket(first, print), print};
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
    const auto room_first = in.equal(first, empty);
    const auto room_second = in.equal(second, empty);
    if ((room_first | room_second) == 0) {
      make_room(at);
    } else {  // into the emptier one, if none was erased there
      const bool here = room_first >= room_second;
      in.toggle(bits::either(here, at.first, at.second),
                bits::either(here, room_first, room_second), print);
    }
    return (in.equal(first, print) | in.equal(second, print)) == 0;
  }
  bool erase_by(const auto& in, const place& at) {
    const auto print = in.every(at.print);
    const auto first = in.equal(in.bucket(at.first), print);
    const auto second = in.equal(in.bucket(at.second), print);
    if ((first | second) == 0) return false;
    in.toggle(bits::either(first != 0, at.first, at.second),
              bits::either(first != 0, first, second), print);
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
  // The same of one key, faster for the common shapes.
  bool insert(digest d) { return insert(locate(d)); }
  bool erase(digest d) { return erase(locate(d)); }
  [[nodiscard]] bool contains(digest d) const {
    if (table_.slots() == 4) {
      if (table_.width() == 12) return bits::cuckoo_contains_of<4, 12>(table_, d);
      if (table_.width() == 8) return bits::cuckoo_contains_of<4, 8>(table_, d);
      if (table_.width() == 16) return bits::cuckoo_contains_of<4, 16>(table_, d);
    }
    return contains(locate(d));
  }
  // By vectors where there are any.
  std::uint64_t contains_batch(const digest_span& keys, std::span<bool> answers) const;
  std::uint64_t contains_batch(const integer_span& keys, std::span<bool> answers) const;
  std::uint64_t insert_batch(digest_span keys, std::span<bool> fresh, std::uint64_t& items);
  std::uint64_t erase_batch(digest_span keys);
  [[nodiscard]] std::uint64_t count(const place& at) const;

  static void each_part(auto& self, auto visit) { visit(self.table_); }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  static constexpr std::uint64_t empty = 0;

  [[nodiscard]] std::uint64_t other_bucket(std::uint64_t bucket, std::uint64_t print) const {
    return bits::other_cuckoo_bucket(bucket, print, table_.buckets(), table_.bucket_bits());
  }
  void make_room(const place& at);

  bits::bucket_table table_;
};

using cuckoo_filter = filter<cuckoo_cells>;

}  // namespace bloomery
