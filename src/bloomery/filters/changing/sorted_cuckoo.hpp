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

#include "bloomery/bits/table/sorted_buckets.hpp"
#include "bloomery/bits/table/sorted_kernels.hpp"
#include "bloomery/filters/changing/two_buckets.hpp"
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

template <>
void two_bucket_cells<bits::sorted_buckets>::make_room(const place& at);

class sorted_cuckoo_cells : public two_bucket_cells<bits::sorted_buckets> {
 public:
  using shape = sorted_cuckoo_shape;
  static constexpr kind_info kind{
      .name = "sorted-cuckoo",
      .title = "Semi-sorted cuckoo filter",
      .answers = "Is x in the set now?",
      .citation = "Fan et al. 2014",
      .header = "bloomery/filters/changing/sorted_cuckoo.hpp",
      .fills_with_repeats = true,
      .unmergeable = "together they may hold more than one has room for",
  };

  explicit sorted_cuckoo_cells(const shape& s)
      : two_bucket_cells({s.buckets, static_cast<unsigned>(s.fingerprint_bits)}) {}
  sorted_cuckoo_cells(const shape& s, storage stored)
      : two_bucket_cells(
            {s.buckets, static_cast<unsigned>(s.fingerprint_bits), std::move(stored)}) {}

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::sorted_cuckoo_rate(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t /*keys*/) {
    return math::bucket_cost(s.buckets, s.size().bucket_bits(), 2);
  }
  static std::uint64_t capacity(const shape& s) { return math::sorted_cuckoo_capacity(s.size()); }

  [[nodiscard]] std::uint64_t count(const place& at) const {
    return table_.count(at.first, at.print) + table_.count(at.second, at.print);
  }

  static std::uint64_t payload_bytes(const shape& s) {
    return bits::sorted_buckets::stored_bytes(s.buckets, static_cast<unsigned>(s.fingerprint_bits));
  }
};

using sorted_cuckoo_filter = filter<sorted_cuckoo_cells>;

}  // namespace bloomery
