// What a kind says about itself, and what every filter carries beside its cells.
//
//     constexpr bloomery::kind_info kind{.name = "mine", .title = "My filter",
//         .answers = "Is x in the set?", .citation = "me, 2026", .header = "mine.hpp"};
//     static_assert(!kind.false_negatives);
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/core/limits.hpp"
#include "bloomery/hash/identity.hpp"

namespace bloomery {

// The rest of a kind's row in the survey's Table II follows from its concepts.
struct kind_info {
  std::string_view name;            // in files and commands: a-z, 0-9 and -, at most 23 bytes
  std::string_view title;           // for people
  std::string_view answers;         // the question it answers
  std::string_view citation;        // where it comes from
  std::string_view header{};        // what a program includes; its class there is <name>_filter
  std::string_view by_name_only{};  // if set: never recommended, for this reason
  bool false_negatives = false;     // may miss keys that are still inside its window
  bool fills_with_repeats = false;  // each time a key comes it takes room, or soon fills a counter
  bool declines_erase = false;      // cannot remove every key that is in it
  bool erased_keep_room = false;    // erasing frees none of a key's room, or only a part
  // predicted_rate is the limit for many keys, which small filters miss by some part in their cells;
  // elsewhere it is exact.
  bool rate_is_limit = false;
  std::string_view overflow{};     // what overflows() counts, and what it means for the answers
  bool overflow_planned = false;   // a few are the price of the size, and no defect
  std::string_view unmergeable{};  // why two of them do not make a third
  bool values_may_err = false;     // of a map: a member may get another's value, not only none
};

// "a blocked filter", "an attenuated filter".
std::string a_filter(std::string_view kind);
// Throws errc::unsupported: "a blocked filter cannot count keys", and why if that is known.
[[noreturn]] void refuse(std::string_view kind, std::string_view what, std::string_view why = {});

namespace detail {
[[noreturn]] void refuse_moved();
[[noreturn]] void refuse_lengths(std::size_t keys, std::size_t answers);
inline void require_as_many(std::size_t keys, std::size_t answers) {
  if (keys != answers) refuse_lengths(keys, answers);
}
}  // namespace detail

// What overflow means where counters that are full stay so.
inline constexpr std::string_view counting_overflow =
    "counters are full and stuck: keys there cannot be removed for good, and their counts are only "
    "lower bounds";

// The rate a filter was sized for; no keys means that nothing was promised.
struct promise {
  std::uint64_t keys = 0;
  double rate = 0;
  friend constexpr bool operator==(const promise&, const promise&) = default;
};

// What values or sources are called, by number; empty if they are numbers. Copies share the names.
class name_list {
 public:
  name_list() = default;
  name_list(std::vector<std::string> names)  // NOLINT(google-explicit-constructor): a list of names
      : names_(names.empty() ? nullptr
                             : std::make_shared<const std::vector<std::string>>(std::move(names))) {
  }

  [[nodiscard]] std::span<const std::string> all() const {
    return names_ ? std::span(*names_) : std::span<const std::string>();
  }
  [[nodiscard]] std::size_t size() const { return all().size(); }
  [[nodiscard]] bool empty() const { return names_ == nullptr; }
  [[nodiscard]] const std::string& operator[](std::size_t i) const { return (*names_)[i]; }
  [[nodiscard]] auto begin() const { return all().begin(); }
  [[nodiscard]] auto end() const { return all().end(); }
  friend bool operator==(const name_list& a, const name_list& b) {
    return a.names_ == b.names_ || std::ranges::equal(a.all(), b.all());
  }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
};

struct filter_record {
  hash_identity hash;
  promise promised;
  // Keys inserted and not erased since, repeats counted: an upper bound on distinct keys.
  std::uint64_t items = 0;
  name_list names{};  // of a map's values, or of the sources of texts
};

// The record of a union: a promise survives only if both made the same.
inline filter_record united(const filter_record& a, const filter_record& b) {
  return {a.hash, a.promised == b.promised ? a.promised : promise{},
          std::min(a.items + b.items, max_items), a.names};
}

// The record of an intersection: it holds no more keys than either, but admits more strangers than
// a filter built from them, so nothing is promised.
inline filter_record intersected(const filter_record& a, const filter_record& b) {
  return {a.hash, {}, std::min(a.items, b.items), a.names};
}

}  // namespace bloomery
