// Who is suspect, who only sounds so, and who is neither: a map of the first two, and the list it replaces.
//
// Purpose:   a filter of suspects accuses strangers at its rate, and always the same ones. A map knows those
//            that were cleared as well. `exception_list` is the usual way, a filter and a list of those whom
//            it accuses wrongly, to be compared with.
// Cost:      watch_list: one question to the map; as many bits as the kind takes for all names.
//            exception_list: the filter's question, and a binary search if it says "perhaps"; the filter's
//            bits and 64 for each exception.
// Guarantee: suspects and cleared names are answered exactly. Others are "ok" but for a share of rate().
// Citation:  Chazelle, Kilian, Rubinfeld, Tal 2004, §1.
//
//     const std::vector<bloomery::digest> suspects{{1, 2}}, cleared{{3, 4}};
//     const bloomery::apps::watch_list list(suspects, cleared, 1e-6);
//     using bloomery::apps::standing;
//     assert(list.of({1, 2}) == standing::suspect && list.of({3, 4}) == standing::cleared);
//     assert(list.of({5, 6}) == standing::ok);
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/filters/any_filter.hpp"

namespace bloomery::apps {

enum class standing : std::uint8_t { suspect, cleared, ok };

// A map of these entries by the kind's own plan for them, and the rate that it then has.
struct planned_map {
  any_filter map;
  double rate;
};
planned_map map_of(const any_kind& kind, std::span<const keyed_value> entries, double rate);

class watch_list {
 public:
  // Of a kind of map that is built whole. errc::invalid if a name is in both lists.
  watch_list(std::span<const digest> suspects, std::span<const digest> cleared, double rate,
             std::string_view kind = "bloomier");

  [[nodiscard]] standing of(digest name) const;
  [[nodiscard]] double rate() const { return rate_; }  // of strangers who are not told "ok"
  [[nodiscard]] std::uint64_t bytes() const { return map_.bytes(); }

 private:
  explicit watch_list(planned_map made);

  any_filter map_;
  double rate_;
};

class exception_list {
 public:
  // The filter is of a kind that is built whole; those of the cleared whom it accuses are listed.
  exception_list(std::span<const digest> suspects, std::span<const digest> cleared, double rate,
                 std::string_view kind = "bloomier");

  [[nodiscard]] standing of(digest name) const;
  [[nodiscard]] std::uint64_t exceptions() const { return exceptions_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return filter_.bytes() + 8 * exceptions_.size(); }

 private:
  any_filter filter_;
  std::vector<std::uint64_t> exceptions_;  // low halves, sorted
};

}  // namespace bloomery::apps
