// The d-left filter with dynamic bit reassignment: the bits of a bucket are shared out among the
// remainders it holds.
//
// Purpose:   membership of a set that changes, in fewer bits than counters take: none of a bucket's
//            remainders is kept in order, and those of buckets with few keys are longer.
// Cost:      13.2 bits a key at 1 %, 19.0 at 0.1 %; one bucket, of up to 128 bits, in each of
//            `tables` tables to ask, insert or erase.
// Guarantee: no false negatives while only keys that are in it are erased, and these always can be.
//            Planned for remainders as short as they can get, it keeps its rate however often keys are
//            replaced, and errs less while it is only filled. insert throws errc::limit, and changes
//            nothing, if all of a key's buckets are full. count() is never too low. Erasing a key that is
//            certainly absent changes nothing and answers false; erasing a false positive may lose
//            another key.
// Citation:  Bonomi, Mitzenmacher, Panigrahy, Singh, Varghese 2006; Tarkoma §III-B.
//
//     auto online = bloomery::dleft_dynamic_filter::for_keys(1000, 0.001);
//     online.insert({1, 2});
//     online.insert({1, 2});
//     assert(online.count({1, 2}) == 2 && online.erase({1, 2}));
//     assert(online.may_contain({1, 2}) && online.erase({1, 2}));
//     assert(!online.may_contain({1, 2}) && !online.erase({1, 2}));
#pragma once

#include <algorithm>
#include <array>

#include "bloomery/bits/table/bucket_table.hpp"
#include "bloomery/filters/filter.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/dleft_dynamic.hpp"

namespace bloomery {

struct dleft_dynamic_shape {
  std::uint64_t tables = 0;
  std::uint64_t buckets = 0;
  std::uint64_t bucket_bits = 0;
  std::uint64_t cells = 0;

  static constexpr std::array fields{
      whole_field("tables", "d, buckets to choose from", &dleft_dynamic_shape::tables, 2,
                  math::max_dleft_tables),
      whole_field("buckets", "in each table", &dleft_dynamic_shape::buckets, 1, max_bits),
      whole_field("bucket_bits", "size of a bucket", &dleft_dynamic_shape::bucket_bits, 16, 128),
      whole_field("cells", "the most remainders in a bucket", &dleft_dynamic_shape::cells, 1,
                  math::max_dynamic_cells),
  };
  void check() const;
  [[nodiscard]] math::dynamic_size size() const { return {tables, buckets, bucket_bits, cells}; }
};

class dleft_dynamic_cells {
 public:
  using shape = dleft_dynamic_shape;
  using can = ability_list<asks, inserts, erases, counts, has_capacity>;
  static constexpr kind_info kind{
      .name = "dleft-dynamic",
      .title = "d-left filter, dynamic bits",
      .answers = "Is x in the set now?",
      .citation = "Bonomi et al. 2006",
      .header = "bloomery/filters/changing/dleft_dynamic.hpp",
      .fills_with_repeats = true,
      .rate_is_limit = true,
      .unmergeable = "together they may hold more than one has room for",
  };
  struct place {
    std::uint64_t remainder;  // max_remainder_bits of them, of which a bucket keeps the first
    std::array<std::uint64_t, math::max_dleft_tables> buckets;
  };

  explicit dleft_dynamic_cells(const shape& s);
  dleft_dynamic_cells(const shape& s, storage stored);

  static shape plan(std::uint64_t keys, double rate);
  static double predicted_rate(const shape& s, std::uint64_t keys) {
    return math::dynamic_rate(s.size(), keys);
  }
  static math::query_cost query_cost(const shape& s, std::uint64_t /*keys*/) {
    return math::bucket_cost(s.tables * s.buckets, s.bucket_bits, s.tables);
  }
  static std::uint64_t capacity(const shape& s) { return math::dynamic_capacity(s.size()); }

  [[nodiscard]] place locate(digest d) const;
  void prefetch(const place& at) const {
    for (std::uint64_t t = 0; t < shape_.tables; ++t) table_.prefetch(at.buckets[t]);
  }

  bool insert(const place& at);
  bool erase(const place& at);
  [[nodiscard]] bool contains(const place& at) const;
  [[nodiscard]] std::uint64_t count(const place& at) const;

  static void each_part(auto& self, auto visit) { visit(self.table_); }
  static std::uint64_t payload_bytes(const shape& s);

 private:
  // A bucket taken apart: `shared` cells of `width` bits in ascending order, first those without a
  // remainder, which are 0.
  struct opened {
    std::uint64_t shared = 0;
    std::uint64_t width = 0;
    std::array<std::uint64_t, math::max_dynamic_cells> cells{};

    [[nodiscard]] std::span<std::uint64_t> used() { return {cells.data(), shared}; }
    [[nodiscard]] std::span<const std::uint64_t> used() const { return {cells.data(), shared}; }
    [[nodiscard]] std::uint64_t equal_to(std::uint64_t value) const {
      return static_cast<std::uint64_t>(std::ranges::count(used(), value));
    }
  };

  dleft_dynamic_cells(const shape& s, bits::bucket_table table);
  [[nodiscard]] opened read(std::uint64_t at) const;
  [[nodiscard]] core::uint128 packed(const opened& b) const;
  [[nodiscard]] std::uint64_t load(std::uint64_t at) const;
  // How many cells of the bucket could be the key's.
  [[nodiscard]] std::uint64_t matches(std::uint64_t at, std::uint64_t remainder) const;

  shape shape_;
  bits::bucket_table table_;
  // For each number of sharers: the width of a cell, where what is not sorted of the cells begins, and
  // a one at the bottom of each of these.
  struct sharing {
    std::uint64_t width = 0;
    std::uint64_t begin = 0;
    core::uint128 low = 0;
  };
  std::array<sharing, math::max_dynamic_cells + 1> sharings_{};
};

using dleft_dynamic_filter = filter<dleft_dynamic_cells>;

}  // namespace bloomery
