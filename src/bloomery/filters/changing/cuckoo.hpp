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
#include "bloomery/filters/changing/two_buckets.hpp"
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

template <>
void two_bucket_cells<bits::bucket_table>::make_room(const place& at);

class cuckoo_cells : public two_bucket_cells<bits::bucket_table> {
 public:
  using shape = cuckoo_shape;
  static constexpr kind_info kind{
      .name = "cuckoo",
      .title = "Cuckoo filter",
      .answers = "Is x in the set now?",
      .citation = "Fan et al. 2014",
      .header = "bloomery/filters/changing/cuckoo.hpp",
      .fills_with_repeats = true,
      .unmergeable = "together they may hold more than one has room for",
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

  using two_bucket_cells::contains;
  using two_bucket_cells::erase;
  using two_bucket_cells::insert;
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
  [[nodiscard]] std::uint64_t count(const place& at) const;

  static std::uint64_t payload_bytes(const shape& s);
};

using cuckoo_filter = filter<cuckoo_cells>;

}  // namespace bloomery
