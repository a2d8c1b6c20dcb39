// The machinery shared by filters that are cells and a rule.
//
// Purpose:   a structure supplies its cells (a page: shape, formulas, where a digest lies, what
//            inserting and asking do there); this class supplies what every kind has: promise and
//            record, plans, single keys and batches, the stored form.
// Cost:      that of the cells. Batches prefetch once the cells outgrow the cache: all keys of a
//            group are located before the first of the group before is acted on.
// Guarantee: batches and single keys leave and see the same cells. Each method is there only if the
//            cells have what it needs, so concepts tell the truth. If inserting a batch throws, the
//            keys before the one refused are in it, and counted.
//
// Cells have:
//   kind, shape                      the kind_info and the type of the shape
//   Cells(shape), Cells(shape, storage)  empty, and restored: errc::corrupt unless the bytes are
//                                    exactly what payload() of some state writes
//   payload(), payload_bytes(shape), copy(), require_writable(), bytes()
//   plan(keys, rate), predicted_rate(shape, keys), query_cost(shape, keys)
//   place, locate(digest), prefetch(place)   where a key lies, from digest and shape alone: the cells
//                                    may change between locating a key and acting on it
// and of these what is true of them:
//   build(shape, keys, threads)      for a kind made whole; of keyed values for a map
//   require_record(record)           errc::corrupt unless restored cells can have that record
//   with_weights(shape, weights)  plan_weighted(keys, rate, weights)  weighted_rate(shape, keys,
//   weights)                         for a popularity_aware kind
//   value(place)  set_value(place, value)  value_limit(shape)  plan_map(keys, rate, values)
//   insert_text(hash, text[, source])  contains_text(hash, text)  search(hash, text)  nearness(hash,
//   text)                            for a kind that reads texts: no digest, no place
//   advertisement(own, others, link) for a kind that tells neighbours what is to be had here
//   age()                            forgets what was not touched since the last time: how many keys
//   with_searcher(cells, act)        act(what inserts, erases and contains as these cells do), for a batch:
//                                    see searched_cells.hpp
//   cached_bytes                     up to which size prefetching does not pay
//   contains_front(keys, answers)    answers keys from the front of a batch, as many as it likes: how many,
//                                    and how many of them it has
//   insert_front(keys, fresh)        inserts keys from the front of a batch, as many as it likes, and tells
//                                    which of them are new: how many it took
//   taken_keys(confidence)  wearing_keys(confidence)  keys that take room, and keys that cost others, where
//                                    the record cannot tell
//   count_is_full(place)             the count is as high as it goes
//   insert(place)  add(place, weight)  contains(place)  erase(place)  count(place)  merge(cells)  and
//   the methods of the same names as the concepts in concepts.hpp ask for.
//
//     auto filter = bloomery::counting_filter::for_keys(1000, 0.01);
//     assert(filter.insert({1, 2}) && filter.may_contain({1, 2}) && filter.record().items == 1);
//     assert(filter.erase({1, 2}) && !filter.may_contain({1, 2}));
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/bits/batch/pipeline.hpp"
#include "bloomery/bits/memory/storage.hpp"
#include "bloomery/core/error.hpp"
#include "bloomery/core/fields.hpp"
#include "bloomery/filters/kind.hpp"
#include "bloomery/filters/shape_checks.hpp"
#include "bloomery/hash/digest.hpp"
#include "bloomery/hash/policies.hpp"
#include "bloomery/math/laws/cost.hpp"
#include "bloomery/math/laws/estimate.hpp"

namespace bloomery {

// What cells may have, by the name of the method.
namespace cells_with {
template <class C>
concept insert = requires(C c, typename C::place at) {
  c.insert(at);
};
template <class C>
concept add = requires(C c, typename C::place at) {
  c.add(at, 1);
};
template <class C>
concept contains = requires(const C c, typename C::place at) {
  c.contains(at);
};
template <class C>
concept erase = requires(C c, typename C::place at) {
  c.erase(at);
};
template <class C>
concept count = requires(const C c, typename C::place at) {
  c.count(at);
};
template <class C>
concept count_is_full = requires(const C c, typename C::place at) {
  c.count_is_full(at);
};
template <class C>
concept build = requires(typename C::shape s, std::span<const digest> keys) {
  C::build(s, keys, 1U);
};
template <class C>
concept build_map = requires(typename C::shape s, std::span<const keyed_value> entries) {
  C::build(s, entries, 1U);
};
template <class C>
concept value = requires(const C c, typename C::place at) {
  c.value(at);
};
template <class C>
concept set_value = requires(C c, typename C::place at) {
  c.set_value(at, 1);
};
template <class C>
concept with_weights = requires(typename C::shape s, std::span<const key_weight> weights) {
  C::with_weights(s, weights);
};
template <class C>
concept require_record = requires(const C c, filter_record record) {
  c.require_record(record);
};
template <class C>
concept merge = requires(C c, const C other) {
  c.merge(other);
};
template <class C>
concept fill = requires(const C c) {
  c.fill();
};
template <class C>
concept estimates = requires(const C c) {
  c.estimated_overlap(c, c.estimated_keys(0.5).value);
};
template <class C>
concept timed_plan = requires(double rate, std::uint64_t n) {
  C::plan(n, rate, n);
};
template <class C>
concept false_negatives = requires(typename C::shape s) {
  C::predicted_false_negatives(s, 1);
};
template <class C>
concept capacity = requires(typename C::shape s) {
  C::capacity(s);
};
template <class C>
concept compact = requires(C c) {
  c.compact();
};
template <class C>
concept stages = requires(const C c) {
  c.stages();
};
template <class C>
concept overflows = requires(const C c) {
  c.overflows();
};
template <class C>
concept window = requires(const C c) {
  c.window();
};
template <class C>
concept clock = requires(C c) {
  c.advance(c.now());
};
template <class C>
concept age = requires(C c) {
  c.age();
};
template <class C>
concept decode = requires(const C c, std::span<const digest> keys) {
  c.decode(keys);
};
template <class C>
concept top = requires(const C c) {
  c.top();
};
template <class C>
concept texts = requires(C c, const C asked, xxh3_hash hash, std::string_view text) {
  { c.insert_text(hash, text) } -> std::same_as<text_insertion>;
  asked.contains_text(hash, text);
};
template <class C>
concept search = requires(C c, const C asked, xxh3_hash hash, std::string_view text) {
  { c.insert_text(hash, text, 1) } -> std::same_as<text_insertion>;
  asked.search(hash, text);
};
template <class C>
concept nearness = requires(const C c, xxh3_hash hash, std::string_view text) {
  c.nearness(hash, text);
};
template <class C>
concept advertisement = requires(const C c, std::span<const C* const> others) {
  C::advertisement(c, others, 1);
};
template <class C>
concept plain = requires(const C c, filter_record record) {
  c.plain(record);
};
}  // namespace cells_with

template <class Cells>
class filter_of {
 public:
  using shape_type = typename Cells::shape;
  static constexpr kind_info kind = Cells::kind;

  explicit filter_of(const shape_type& shape, hash_identity hash = {}, promise promised = {})
      : filter_of(shape, {hash, promised, 0}, Cells(valid(shape))) {}

  // Of cells that the keys on record have filled elsewhere.
  filter_of(const shape_type& shape, const filter_record& record, Cells cells)
      : shape_(shape), record_(record), cells_(std::move(cells)) {}

  // Sized for `keys` distinct keys at a false-positive rate of at most `rate`.
  static filter_of for_keys(std::uint64_t keys, double rate, hash_identity hash = {}) {
    return filter_of(plan(keys, rate), hash, {keys, rate});
  }

  static shape_type plan(std::uint64_t keys, double rate) {
    return Cells::plan(keys, rate_to_plan(rate));
  }
  static shape_type plan(std::uint64_t keys, double rate,
                         std::uint64_t milliseconds) requires cells_with::timed_plan<Cells> {
    return Cells::plan(keys, rate_to_plan(rate), milliseconds);
  }
  static double predicted_rate(const shape_type& shape, std::uint64_t keys) {
    return Cells::predicted_rate(shape, keys);
  }
  static math::query_cost query_cost(const shape_type& shape, std::uint64_t keys) {
    return Cells::query_cost(shape, keys);
  }
  static double predicted_false_negatives(const shape_type& shape, std::uint64_t keys) requires
      cells_with::false_negatives<Cells> {
    return Cells::predicted_false_negatives(shape, keys);
  }
  static std::uint64_t capacity(const shape_type& shape) requires cells_with::capacity<Cells> {
    return Cells::capacity(shape);
  }

  // Made whole from all its keys; a map also from values for them.
  static filter_of build(const shape_type& shape, std::span<const digest> keys,
                         hash_identity hash = {}, promise promised = {},
                         unsigned threads = 1) requires cells_with::build<Cells> {
    return filter_of(shape, {hash, promised, keys.size()},
                     Cells::build(valid(shape), keys, threads));
  }
  static filter_of build(const shape_type& shape, std::span<const digest> keys,
                         hash_identity hash = {}, promise promised = {},
                         unsigned threads = 1) requires cells_with::build_map<Cells> {
    std::vector<keyed_value> entries(keys.size());
    std::ranges::transform(keys, entries.begin(), [](digest d) { return keyed_value{d, 0}; });
    return build(shape, entries, hash, promised, threads);
  }
  static filter_of build(const shape_type& shape, std::span<const keyed_value> entries,
                         hash_identity hash = {}, promise promised = {},
                         unsigned threads = 1) requires cells_with::build_map<Cells> {
    for (const keyed_value& entry : entries) require_value(entry.value, value_limit(shape));
    return filter_of(shape, {hash, promised, entries.size()},
                     Cells::build(valid(shape), entries, threads));
  }
  // A map that takes values one by one is built so.
  static filter_of build(const shape_type& shape, std::span<const keyed_value> entries,
                         hash_identity hash = {}, promise promised = {},
                         unsigned /*threads*/ = 1) requires(cells_with::set_value<Cells> &&
                                                            !cells_with::build_map<Cells>) {
    filter_of filter(shape, hash, promised);
    for (const keyed_value& entry : entries) filter.set_value(entry.key, entry.value);
    return filter;
  }

  // Empty but for the weights, then filled.
  static filter_of build(const shape_type& shape, std::span<const digest> keys,
                         std::span<const key_weight> weights, hash_identity hash = {},
                         promise promised = {},
                         unsigned /*threads*/ = 1) requires cells_with::with_weights<Cells> {
    filter_of filter(shape, {hash, promised, 0}, Cells::with_weights(valid(shape), weights));
    filter.insert(keys);
    return filter;
  }
  static shape_type plan_weighted(std::uint64_t keys, double rate,
                                  std::span<const key_weight> weights) requires
      cells_with::with_weights<Cells> {
    return Cells::plan_weighted(keys, rate_to_plan(rate), weights);
  }
  // Over the queries that the weights tell of; predicted_rate is that of keys not among them.
  static double weighted_rate(const shape_type& shape, std::uint64_t keys,
                              std::span<const key_weight> weights) requires
      cells_with::with_weights<Cells> {
    return Cells::weighted_rate(shape, keys, weights);
  }

  static shape_type plan_map(std::uint64_t keys, double rate,
                             std::uint64_t values) requires cells_with::value<Cells> {
    return Cells::plan_map(keys, rate_to_plan(rate), values);
  }
  static std::uint64_t value_limit(const shape_type& shape) requires cells_with::value<Cells> {
    return Cells::value_limit(shape);
  }

  [[nodiscard]] const shape_type& shape() const { return shape_; }
  [[nodiscard]] const filter_record& record() const { return record_; }
  [[nodiscard]] const Cells& cells() const { return cells_; }
  // For changes that only these cells know.
  [[nodiscard]] Cells& cells_for_writing() {
    cells_.require_writable();
    return cells_;
  }

  bool insert(digest d) requires cells_with::insert<Cells> {
    cells_.require_writable();
    const bool fresh = cells_.insert(cells_.locate(d));
    ++record_.items;
    return fresh;
  }
  std::uint64_t insert(std::span<const digest> keys) requires cells_with::insert<Cells> {
    return insert_each(keys, [](std::size_t, bool) {});
  }
  // As above, and says which of them were new, also to those before them.
  std::uint64_t insert(std::span<const digest> keys,
                       std::span<bool> fresh) requires cells_with::insert<Cells> {
    assert(keys.size() == fresh.size());
    return insert_each(keys, [&](std::size_t i, bool is_new) { fresh[i] = is_new; });
  }

  // As inserting it so many times.
  bool add(digest d, std::uint64_t weight) requires cells_with::add<Cells> {
    cells_.require_writable();
    if (weight == 0) return false;
    const bool fresh = cells_.add(cells_.locate(d), weight);
    record_.items = std::min(record_.items + std::min(weight, max_items), max_items);
    return fresh;
  }

  [[nodiscard]] bool may_contain(digest d) const requires cells_with::contains<Cells> {
    return cells_.contains(cells_.locate(d));
  }
  std::uint64_t may_contain(std::span<const digest> keys,
                            std::span<bool> answers) const requires cells_with::contains<Cells> {
    assert(keys.size() == answers.size());
    std::uint64_t hits = 0;
    if constexpr (requires { cells_.contains_front(keys, answers); }) {
      const auto front = cells_.contains_front(keys, answers);
      hits = front.hits;
      keys = keys.subspan(front.keys);
      answers = answers.subspan(front.keys);
    }
    return chosen(cells_, [&](const auto& cells) {
      each(keys, [&](std::size_t i, const auto& at) {
        answers[i] = cells.contains(at);
        hits += std::uint64_t{answers[i]};
      });
      return hits;
    });
  }

  bool erase(digest d) requires cells_with::erase<Cells> {
    cells_.require_writable();
    return erased(cells_, cells_.locate(d));
  }
  std::uint64_t erase(std::span<const digest> keys) requires cells_with::erase<Cells> {
    cells_.require_writable();
    return chosen(cells_, [&](auto&& cells) {
      std::uint64_t gone = 0;
      each(keys, [&](std::size_t, const auto& at) { gone += std::uint64_t{erased(cells, at)}; });
      return gone;
    });
  }

  [[nodiscard]] mapped value(digest d) const requires cells_with::value<Cells> {
    return cells_.value(cells_.locate(d));
  }
  std::uint64_t values(std::span<const digest> keys,
                       std::span<mapped> answers) const requires cells_with::value<Cells> {
    assert(keys.size() == answers.size());
    std::uint64_t hits = 0;
    each(keys, [&](std::size_t i, const auto& at) {
      answers[i] = cells_.value(at);
      hits += std::uint64_t{answers[i].is != mapped::state::absent};
    });
    return hits;
  }
  // Where keys are added so, this is an insertion of one.
  bool set_value(digest d, std::uint64_t value) requires cells_with::set_value<Cells> {
    require_value(value, value_limit(shape_));
    cells_.require_writable();
    const bool done = cells_.set_value(cells_.locate(d), value);
    if (!cells_with::build_map<Cells> && done) ++record_.items;
    return done;
  }

  // Texts are hashed by the filter itself, so its hash must be one of bytes that needs no secret.
  bool insert_text(std::string_view text) requires cells_with::texts<Cells> {
    cells_.require_writable();
    return noted(cells_.insert_text(text_hash(), text));
  }
  bool insert_text(std::string_view text, std::uint64_t source) requires cells_with::search<Cells> {
    cells_.require_writable();
    return noted(cells_.insert_text(text_hash(), text, source));
  }
  [[nodiscard]] bool may_contain_text(std::string_view text) const requires
      cells_with::texts<Cells> {
    return cells_.contains_text(text_hash(), text);
  }
  [[nodiscard]] std::vector<text_match> search(std::string_view text) const requires
      cells_with::search<Cells> {
    return cells_.search(text_hash(), text);
  }
  [[nodiscard]] std::uint64_t nearness(std::string_view text) const requires
      cells_with::nearness<Cells> {
    return cells_.nearness(text_hash(), text);
  }

  // What to tell the neighbour at the end of `link`: what is here, and what came on the other links.
  // Nobody's promise holds for it.
  [[nodiscard]] static filter_of advertisement(
      const filter_of& own, std::span<const filter_of* const> others,
      std::uint64_t link) requires cells_with::advertisement<Cells> {
    filter_record record{own.record_.hash, {}, own.record_.items};
    std::vector<const Cells*> cells;
    for (const filter_of* other : others) {
      own.require_combinable(*other);
      record.items = std::min(record.items + other->record_.items, max_items);
      cells.push_back(&other->cells_);
    }
    return filter_of(own.shape_, record, Cells::advertisement(own.cells_, cells, link));
  }

  [[nodiscard]] std::uint64_t count(digest d) const requires cells_with::count<Cells> {
    return cells_.count(cells_.locate(d));
  }
  void count(std::span<const digest> keys,
             std::span<std::uint64_t> counts) const requires cells_with::count<Cells> {
    assert(keys.size() == counts.size());
    each(keys, [&](std::size_t i, const auto& at) { counts[i] = cells_.count(at); });
  }

  // Whether the key may have come more often than count() says.
  [[nodiscard]] bool count_is_full(digest d) const requires cells_with::count_is_full<Cells> {
    return cells_.count_is_full(cells_.locate(d));
  }

  void merge(const filter_of& other) requires cells_with::merge<Cells> {
    require_combinable(other);
    cells_.require_writable();
    cells_.merge(other.cells_);
    record_ = united(record_, other.record_);
  }

  [[nodiscard]] double fill() const requires cells_with::fill<Cells> { return cells_.fill(); }
  [[nodiscard]] double current_rate() const requires cells_with::fill<Cells> {
    return cells_.current_rate();
  }
  [[nodiscard]] math::estimate estimated_keys(
      double confidence = math::default_confidence) const requires cells_with::estimates<Cells> {
    return cells_.estimated_keys(confidence);
  }
  [[nodiscard]] math::overlap estimated_overlap(
      const filter_of& other,
      double confidence = math::default_confidence) const requires cells_with::estimates<Cells> {
    require_combinable(other);
    return cells_.estimated_overlap(other.cells_, confidence);
  }

  [[nodiscard]] std::uint64_t stages() const requires cells_with::stages<Cells> {
    return cells_.stages();
  }
  void compact() requires cells_with::compact<Cells> {
    cells_.require_writable();
    cells_.compact();
  }
  [[nodiscard]] std::uint64_t overflows() const requires cells_with::overflows<Cells> {
    return cells_.overflows();
  }
  [[nodiscard]] std::uint64_t window() const requires cells_with::window<Cells> {
    return cells_.window();
  }
  [[nodiscard]] std::uint64_t now() const requires cells_with::clock<Cells> { return cells_.now(); }
  [[nodiscard]] bool runs_on_time() const requires cells_with::clock<Cells> {
    return cells_.runs_on_time();
  }
  void advance(std::uint64_t now) requires cells_with::clock<Cells> {
    cells_.require_writable();
    cells_.advance(now);
  }

  // Forgets what was not touched since the last time: how many keys, as far as they are counted.
  std::uint64_t age() requires cells_with::age<Cells> {
    cells_.require_writable();
    const std::uint64_t gone = cells_.age();
    record_.items -= std::min(gone, record_.items);
    return gone;
  }

  [[nodiscard]] decoded_counts decode(std::span<const digest> keys) const requires
      cells_with::decode<Cells> {
    return cells_.decode(keys);
  }
  [[nodiscard]] std::vector<ranked_key> top() const requires cells_with::top<Cells> {
    return cells_.top();
  }
  [[nodiscard]] bool wants_label(digest d) const requires cells_with::top<Cells> {
    return cells_.wants_label(d);
  }
  void label(digest d, std::string_view name) requires cells_with::top<Cells> {
    cells_.require_writable();
    cells_.label(d, name);
  }
  [[nodiscard]] auto plain() const requires cells_with::plain<Cells> {
    return cells_.plain(record_);
  }

  [[nodiscard]] std::vector<byte_view> payload() const { return cells_.payload(); }
  static std::uint64_t payload_bytes(const shape_type& shape) {
    return Cells::payload_bytes(valid(shape));
  }
  static filter_of restore(const shape_type& shape, const filter_record& record, storage stored) {
    filter_of filter(shape, record, Cells(valid(shape), std::move(stored)));
    if constexpr (cells_with::require_record<Cells>) filter.cells_.require_record(record);
    return filter;
  }
  [[nodiscard]] filter_of copy() const { return filter_of(shape_, record_, cells_.copy()); }

 private:
  static const shape_type& valid(const shape_type& shape) {
    require_valid(shape);
    return shape;
  }

  [[nodiscard]] xxh3_hash text_hash() const {
    if (record_.hash.id != hash_id::xxh3) {
      fail(errc::incompatible,
           "texts are hashed by xxh3, and this filter's hash is " + describe(record_.hash));
    }
    return xxh3_hash(record_.hash.tag);
  }
  bool noted(const text_insertion& done) {
    record_.items = std::min(record_.items + done.keys, max_items);
    return done.fresh;
  }

  template <class Tell>
  std::uint64_t insert_each(std::span<const digest> keys, Tell tell) {
    cells_.require_writable();
    std::uint64_t count = 0;
    std::size_t first = 0;
    const auto note = [&](std::size_t i, bool fresh) {
      ++record_.items;
      count += std::uint64_t{fresh};
      tell(i, fresh);
    };
    if constexpr (requires(std::span<bool> told) { cells_.insert_front(keys, told); }) {
      std::array<bool, 64> fresh;  // NOLINT(cppcoreguidelines-pro-type-member-init): as far as told
      while (const std::size_t taken = cells_.insert_front(keys.subspan(first), fresh)) {
        for (std::size_t i = 0; i < taken; ++i) note(first + i, fresh[i]);
        first += taken;
      }
    }
    chosen(cells_, [&](auto&& cells) {
      each(keys.subspan(first),
           [&](std::size_t i, const auto& at) { note(first + i, cells.insert(at)); });
    });
    return count;
  }

  bool erased(auto& cells, const auto& at) {
    if (!cells.erase(at)) return false;
    if (record_.items != 0) --record_.items;  // strangers may have been erased before
    return true;
  }

  // act(cells), or what the cells have chosen for a whole batch to insert, erase and ask by.
  template <class Self, class Act>
  static auto chosen(Self& cells, Act act) {
    if constexpr (requires { Cells::with_searcher(cells, act); }) {
      return Cells::with_searcher(cells, act);
    } else {
      return act(cells);
    }
  }

  // Up to this size prefetching costs more than it saves: a second-level cache, unless cells know better.
  static constexpr std::uint64_t cached_bytes() {
    if constexpr (requires { Cells::cached_bytes; }) {
      return Cells::cached_bytes;
    } else {
      return 512 << 10;
    }
  }

  // Calls act(i, place of key i) for each key in order.
  template <class Act>
  void each(std::span<const digest> keys, Act act) const {
    using slot = typename Cells::place;
    if (cells_.bytes() <= cached_bytes()) {
      for (std::size_t i = 0; i < keys.size(); ++i) act(i, cells_.locate(keys[i]));
      return;
    }
    constexpr std::size_t group = 16;
    pipelined<group, slot>(
        keys.size(),
        [&](std::size_t first, std::span<slot> places) {
          for (std::size_t i = 0; i < places.size(); ++i) {
            // In its place: a copy, in other pieces than it was written, waits for these.
            cells_.prefetch(*::new (&places[i]) slot(cells_.locate(keys[first + i])));
          }
        },
        [&](std::size_t first, std::span<const slot> places) {
          for (std::size_t i = 0; i < places.size(); ++i) act(first + i, places[i]);
        });
  }

  void require_combinable(const filter_of& other) const {
    require_same_shape(shape_, other.shape_);
    require_same_hash(record_.hash, other.record_.hash);
  }

  shape_type shape_;
  filter_record record_;
  Cells cells_;
};

}  // namespace bloomery
