// Which keys make up at least a given share of a stream: exactly, in two passes and little memory.
//
// Purpose:   the tip of the iceberg without a counter for each key below the water. The first pass counts
//            in a multistage filter (a count-min sketch under conservative update), which never counts too
//            low; the second counts exactly, but only keys that the first holds for frequent.
// Cost:      first pass: 54·(1/share) counters of 8 bytes. Second: an entry for each candidate, of which
//            all but 1/share are false.
// Guarantee: no key at or above the share is missed, none below it is told, and counts are exact, as long
//            as both passes see the same keys.
// Citation:  Fang et al. 1998; Estan, Varghese 2002; Tarkoma §IV-D.
//
//     bloomery::apps::iceberg tip(0.4);
//     const std::vector<bloomery::digest> stream{{1, 2}, {3, 4}, {1, 2}, {5, 6}};
//     tip.count(stream);
//     tip.recount(stream, std::vector<std::string_view>{"a", "b", "a", "c"});
//     assert(tip.found().size() == 1 && tip.found()[0].key == "a" && tip.found()[0].count == 2);
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/filters/frequency/count_min.hpp"

namespace bloomery::apps {

class iceberg {
 public:
  struct tip {
    std::string key;
    std::uint64_t count = 0;
  };

  // errc::invalid unless share is above 0 and at most 1.
  explicit iceberg(double share);
  // With another sketch in the first pass, to compare with.
  iceberg(double share, const count_min_shape& shape);

  void count(std::span<const digest> keys);
  // After all have been counted.
  void recount(std::span<const digest> keys, std::span<const std::string_view> names);

  // Most first; of equal ones the lesser key.
  [[nodiscard]] std::vector<tip> found() const;

  [[nodiscard]] std::uint64_t total() const { return total_; }
  // The fewest times that are the share.
  [[nodiscard]] std::uint64_t threshold() const;
  [[nodiscard]] std::uint64_t candidates() const { return counts_.size(); }
  [[nodiscard]] const count_min_shape& shape() const { return sketch_.shape(); }
  [[nodiscard]] std::uint64_t bytes() const { return count_min_filter::payload_bytes(shape()); }

 private:
  double share_;
  std::uint64_t total_ = 0;
  count_min_filter sketch_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;  // by name: digests may collide
};

}  // namespace bloomery::apps
