// Summary Cache: what proxies tell each other of what they hold, so that nobody has to ask everybody.
//
// Purpose:   a proxy counts its documents in a counting filter, so that what it drops leaves the summary; its
//            neighbours get the bits only: whole at first, then what has changed, once enough has. `cache_summary`
//            is what a proxy keeps of itself, `neighbour_summary` what it knows of another.
// Cost:      load factor bits a document at each neighbour, four times as many at home; an update is two passes
//            over the bits and some ten bits for each that changed.
// Guarantee: a neighbour that has all updates has exactly the bits of the last one: no document is missed that
//            was held then. A delta to another version is refused (errc::incompatible), and so is a summary of
//            another hash, or one that claims too much (wire/message.hpp).
// Citation:  Fan, Cao, Almeida, Broder 2000; Broder–Mitzenmacher §4; deltas: Mitzenmacher 2002.
//
//     bloomery::apps::cache_summary mine({.documents = 100});
//     bloomery::apps::neighbour_summary known;
//     mine.insert({1, 2});
//     assert(mine.due());
//     known.receive(mine.update(), {});
//     assert(known.may_hold({1, 2}) && !known.may_hold({3, 4}));
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/filters/set/standard.hpp"
#include "bloomery/wire/message.hpp"

namespace bloomery::apps {

struct summary_plan {
  std::uint64_t documents = 0;  // that the cache holds when it is full
  std::uint64_t load_factor = 16;
  std::uint64_t hashes = 10;
  double threshold = 0.01;  // the share of documents that are new before neighbours are told

  void check() const;  // errc::invalid, by name
  // Of a neighbour's summary: its cache may hold several times as many documents, not any number.
  [[nodiscard]] std::uint64_t most_bytes() const;
  // Of a message with it, which may be a little longer than what it carries.
  [[nodiscard]] std::uint64_t most_message_bytes() const { return most_bytes() / 64 * 65 + 4096; }
};

namespace summary {

struct whole {
  static constexpr std::string_view name = "summary/whole";
  std::uint64_t version = 0;
  wire::carried_filter filter;
  static constexpr std::tuple fields{
      whole_field("version", "counts updates", &whole::version, 1, max_items),
      wire::filter_field("filter", "which documents are held", &whole::filter)};
};
struct changes {
  static constexpr std::string_view name = "summary/changes";
  std::uint64_t version = 0;
  byte_view delta;
  static constexpr std::tuple fields{
      whole_field("version", "counts updates", &changes::version, 2, max_items),
      wire::bytes_field("delta", "the bits that differ from the version before", &changes::delta, 1,
                        max_bits / 8)};
};

}  // namespace summary

class cache_summary {
 public:
  explicit cache_summary(const summary_plan& plan, const hash_identity& hash = {});

  void insert(digest document);
  // One that was inserted; others damage the counters.
  void erase(digest document);

  // Whether neighbours should hear of what changed.
  [[nodiscard]] bool due() const;
  // What changed since the last update, or all of it at the first; for every neighbour that has that one.
  [[nodiscard]] std::vector<std::byte> update();
  // All that the last update told, for a neighbour that comes later or missed one. `update` must have been called.
  [[nodiscard]] std::vector<std::byte> whole() const;

  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] const standard_filter& told() const { return *told_; }
  [[nodiscard]] std::uint64_t overflows() const { return counted_.overflows(); }

 private:
  summary_plan plan_;
  counting_filter counted_;
  std::optional<standard_filter> told_;  // as neighbours have it
  std::uint64_t version_ = 0;
  std::uint64_t fresh_ = 0;  // documents since then
};

class neighbour_summary {
 public:
  // Of the neighbour's, whole or changes.
  void receive(byte_view message, const hash_identity& agreed,
               const wire::message_limits& limits = {}, const wire::filter_limits& filters = {});

  // False before anything was received.
  [[nodiscard]] bool may_hold(digest document) const {
    return held_ && held_->may_contain(document);
  }
  [[nodiscard]] std::uint64_t version() const { return version_; }  // 0: none
  [[nodiscard]] const standard_filter* held() const { return held_ ? &*held_ : nullptr; }

 private:
  std::optional<standard_filter> held_;
  std::uint64_t version_ = 0;
};

}  // namespace bloomery::apps
