// What every kind must do, by the concepts it models. The registry's kinds are instantiated in
// any/*_kinds_test.cpp; a new structure under construction can instantiate it for itself:
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(Mine, Conformance, ::testing::Types<my_filter>);
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "bloomery/filters/concepts.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/laws/plan.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {

template <class F>
class Conformance : public ::testing::Test {
 protected:
  static constexpr std::uint64_t keys = 2000;
  static constexpr double rate = 0.01;
  // Bounded kinds promise room for distinct keys; copies may take more.
  static constexpr std::uint64_t with_copies = bounded<F> ? keys * 3 / 4 : 2 * keys;

  static F fresh(std::uint64_t n = keys, double p = rate, hash_identity hash = {}) {
    return F(F::plan(n, p), hash, promise{n, p});
  }

  static F filled(std::uint64_t stream, std::uint64_t first, std::uint64_t count) {
    return filled_with<F>(F::plan(keys, rate), numbered_digests(stream, count, first), {},
                          promise{keys, rate});
  }

  static std::uint64_t hits(const F& filter, std::span<const digest> asked) {
    std::uint64_t count = 0;
    for (const digest d : asked) count += std::uint64_t{filter.may_contain(d)};
    return count;
  }
};

template <class F>
inline constexpr bool holds_keys = insertable<F> || buildable<F>;

TYPED_TEST_SUITE_P(Conformance);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Conformance);  // once the registry runs it

// Skips a test that is about something the kind does not claim.
#define BLOOMERY_NEEDS(condition)                  \
  if constexpr (!(condition))                      \
    GTEST_SKIP() << "this kind does not claim it"; \
  else

TYPED_TEST_P(Conformance, AFreshFilterIsEmpty) {
  using F = TypeParam;
  const F filter = this->fresh();
  EXPECT_EQ(filter.record().items, 0U);
  EXPECT_EQ(filter.record().promised, (promise{this->keys, this->rate}));
  if constexpr (membership<F>) {
    EXPECT_EQ(this->hits(filter, numbered_digests(1, 1000)), 0U);
  }
  if constexpr (measurable<F>) {
    EXPECT_EQ(filter.fill(), 0);
    EXPECT_EQ(filter.current_rate(), 0);
    EXPECT_EQ(filter.estimated_keys(0.95).value, 0);
  }
}

TYPED_TEST_P(Conformance, NoKeyIsLost) {
  using F = TypeParam;
  BLOOMERY_NEEDS((membership<F> && insertable<F> && !windowed<F> && !F::kind.false_negatives)) {
    F filter = this->fresh();
    std::set<digest> oracle;
    const auto pool = numbered_digests(2, this->keys);
    for (std::uint64_t step = 0; step < 2 * this->keys; ++step) {
      const digest d = pool[mix(step) % pool.size()];
      const bool before = filter.may_contain(d);
      EXPECT_TRUE(before || !oracle.contains(d));
      const bool room = filter.record().items < this->with_copies;
      if (step % 3 != 0 && room) {
        const bool fresh_key = filter.insert(d);
        EXPECT_EQ(fresh_key, !before) << "a key is new if the filter did not claim it";
        oracle.insert(d);
        EXPECT_TRUE(filter.may_contain(d));
      }
    }
    for (const digest d : oracle) EXPECT_TRUE(filter.may_contain(d));
  }
}

// The larger filter is beyond the size from which batches prefetch.
inline constexpr std::array<std::uint64_t, 2> batch_test_sizes{300, std::uint64_t{1} << 22};

// Arrivals repeat; the window is full twice over.
TYPED_TEST_P(Conformance, NoKeyIsLostInsideTheWindow) {
  using F = TypeParam;
  BLOOMERY_NEEDS((windowed<F> && membership<F> && insertable<F> && !F::kind.false_negatives)) {
    F filter = this->fresh();
    if constexpr (timed<F>) {
      if (filter.runs_on_time()) GTEST_SKIP() << "arrivals do not make it forget";
    }
    ASSERT_GE(filter.window(), this->keys);
    const auto pool = numbered_digests(2, 3 * this->keys);
    std::vector<digest> arrivals;
    for (std::uint64_t step = 0; step < 3 * this->keys; ++step) {
      arrivals.push_back(pool[mix(step) % pool.size()]);
      filter.insert(arrivals.back());
      EXPECT_TRUE(filter.may_contain(arrivals.back()));
      if (step % 500 != 0) continue;
      const std::uint64_t inside = std::min<std::uint64_t>(arrivals.size(), filter.window());
      EXPECT_EQ(this->hits(filter, std::span(arrivals).last(inside)), inside) << "at " << step;
    }
  }
}

// Keys come and go with the milliseconds; what is as old as the window is still there.
TYPED_TEST_P(Conformance, NoKeyIsLostInsideAWindowOfTime) {
  using F = TypeParam;
  BLOOMERY_NEEDS((timed<F> && membership<F> && insertable<F> && !F::kind.false_negatives)) {
    constexpr std::uint64_t length = 60'000;
    F filter(F::plan(this->keys, this->rate, length), {}, promise{this->keys, this->rate});
    ASSERT_TRUE(filter.runs_on_time());
    ASSERT_GE(filter.window(), length);
    std::uint64_t now = 1'000'000'007;
    std::map<digest, std::uint64_t> last;
    for (std::uint64_t step = 0; step < 2 * this->keys; ++step) {
      now += mix(step) % (2 * length / this->keys);
      filter.advance(now);
      EXPECT_EQ(filter.now(), now);
      const digest d = numbered_digest(19, mix(~step) % this->keys);
      filter.insert(d);
      last[d] = now;
      if (step % 200 != 0) continue;
      for (const auto& [key, time] : last) {
        EXPECT_TRUE(now - time > filter.window() || filter.may_contain(key)) << now - time;
      }
    }
    filter.insert(digest{1, 2});
    filter.advance(now + filter.window());
    EXPECT_TRUE(filter.may_contain(digest{1, 2}));
    const auto before = wire::save(filter);
    EXPECT_TRUE(throws_error(errc::invalid, "time", [&] { filter.advance(now); }));
    EXPECT_EQ(wire::save(filter), before);
    filter.advance(now + 10 * filter.window());
    EXPECT_EQ(this->hits(filter, numbered_digests(19, this->keys)), 0U) << "all expires";
  }
}

// A long legal history: never more than `keys` keys live, none of them more than twice, and only
// live ones erased. A kind may decline to erase a key; then it keeps it.
TYPED_TEST_P(Conformance, NoLiveKeyIsLostByErasingOthers) {
  using F = TypeParam;
  BLOOMERY_NEEDS(
      (erasable<F> && membership<F> && insertable<F> && !windowed<F> && !F::kind.false_negatives)) {
    F filter = this->fresh();
    std::map<digest, std::uint64_t> live;
    std::uint64_t held = 0;
    const auto pool = numbered_digests(14, this->keys);
    for (std::uint64_t step = 0; step < 10 * this->keys; ++step) {
      const digest d = pool[mix(step) % pool.size()];
      std::uint64_t& copies = live[d];
      const bool grow = mix(~step) % 2 == 0;
      if (grow && copies < 2 && held < std::min(this->keys, this->with_copies)) {
        filter.insert(d);
        ++copies;
        ++held;
      } else if (!grow && copies > 0 && filter.erase(d)) {
        --copies;
        --held;
      }
      EXPECT_TRUE(copies == 0 || filter.may_contain(d)) << "at " << step;
      if constexpr (multiset<F>) {
        EXPECT_GE(filter.count(d), copies) << "at " << step;
      }
      EXPECT_EQ(filter.record().items, held);
      if (step % 2000 != 0) continue;
      for (const auto& [key, number] : live) EXPECT_TRUE(number == 0 || filter.may_contain(key));
    }
  }
}

TYPED_TEST_P(Conformance, BatchesEraseAsSingleKeysDo) {
  using F = TypeParam;
  BLOOMERY_NEEDS((erasable<F> && insertable<F>)) {
    for (const std::uint64_t n : {std::uint64_t{600}, std::uint64_t{1} << 21}) {
      F one_by_one = this->fresh(n);
      const auto inserted = numbered_digests(15, 600);
      one_by_one.insert(inserted);
      F batched = one_by_one.copy();
      std::uint64_t gone = 0;
      for (const digest d : std::span(inserted).first(400)) {
        gone += std::uint64_t{one_by_one.erase(d)};
      }
      EXPECT_GT(gone, 0U);
      EXPECT_EQ(batched.erase(std::span(inserted).first(400)), gone);
      EXPECT_EQ(batched.record().items, 600 - gone);
      EXPECT_EQ(wire::save(batched), wire::save(one_by_one));
    }
  }
}

TYPED_TEST_P(Conformance, BatchesCountAsSingleKeysDo) {
  using F = TypeParam;
  BLOOMERY_NEEDS((multiset<F> && insertable<F>)) {
    for (const std::uint64_t n : batch_test_sizes) {
      F filter = this->fresh(n);
      const auto inserted = numbered_digests(16, 150);
      filter.insert(inserted);
      filter.insert(std::span(inserted).first(50));
      const auto asked = numbered_digests(16, 300);
      std::vector<std::uint64_t> counts(asked.size());
      filter.count(asked, counts);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_EQ(counts[i], filter.count(asked[i]));
        if constexpr (membership<F>) {
          EXPECT_EQ(counts[i] != 0, filter.may_contain(asked[i]));
        }
        if constexpr (!windowed<F> && !F::kind.false_negatives) {
          EXPECT_GE(counts[i], std::uint64_t{i < 150});
        }
      }
    }
  }
}

// Whatever the payload's bytes, they are refused or are a filter: one that writes the same bytes and
// answers.
TYPED_TEST_P(Conformance, CorruptPayloadsAreRefusedOrSound) {
  using F = TypeParam;
  F filter = this->fresh(300);
  if constexpr (holds_keys<F>) {
    filter = filled_with<F>(F::plan(300, this->rate), numbered_digests(17, 250));
  }
  const wire::envelope head = wire::envelope_of(filter);
  std::vector<std::byte> payload;
  for (const byte_view part : filter.payload()) {
    payload.insert(payload.end(), part.begin(), part.end());
  }
  const auto attempt = [&](const std::vector<std::byte>& bytes) {
    try {
      F restored = wire::restore<F>(head, wire::copied(bytes));
      std::vector<std::byte> again;
      for (const byte_view part : restored.payload()) {
        again.insert(again.end(), part.begin(), part.end());
      }
      EXPECT_EQ(again, bytes);
      if constexpr (membership<F>) (void)this->hits(restored, numbered_digests(18, 100));
      if constexpr (multiset<F>) (void)restored.count(digest{1, 2});
      if constexpr (insertable<F>) (void)restored.insert(numbered_digests(18, 20));
      if constexpr (erasable<F>) (void)restored.erase(numbered_digests(18, 20));
    } catch (const error& problem) {
      EXPECT_TRUE(problem.code() == errc::corrupt || problem.code() == errc::limit)
          << problem.what();
    }
  };
  for (std::uint64_t trial = 0; trial < 600; ++trial) {
    auto bytes = payload;
    const std::uint64_t draw = mix(trial + 1);
    // The numbers in front get half of the attention.
    const std::uint64_t reach =
        trial % 2 == 0 ? bytes.size() : std::min<std::size_t>(128, bytes.size());
    bytes[draw % reach] ^= static_cast<std::byte>(1U << (draw >> 40) % 8);
    if (trial % 5 == 0) bytes[(draw >> 20) % reach] = std::byte{0xff};
    attempt(bytes);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{64}, payload.size() - 64,
                                 payload.size() + 64, 3 * payload.size()}) {
    auto bytes = payload;
    bytes.resize(size);
    if (size != payload.size()) {
      EXPECT_THROW((void)wire::restore<F>(head, wire::copied(bytes)), error) << size;
    }
  }
}

TYPED_TEST_P(Conformance, BatchesAnswerAsSingleKeysDo) {
  using F = TypeParam;
  BLOOMERY_NEEDS((membership<F> && holds_keys<F>)) {
    for (const std::uint64_t n : batch_test_sizes) {
      const F filter = filled_with<F>(F::plan(n, this->rate), numbered_digests(3, 300));
      for (const std::uint64_t size : {0U, 1U, 31U, 32U, 33U, 500U}) {
        auto asked = numbered_digests(3, size, 250);  // present, then absent
        const auto answers = std::make_unique<bool[]>(size);
        const std::span<bool> out(answers.get(), size);
        const std::uint64_t counted = filter.may_contain(asked, out);
        EXPECT_EQ(counted, this->hits(filter, asked));
        for (std::uint64_t i = 0; i < size; ++i) {
          EXPECT_EQ(out[i], filter.may_contain(asked[i]));
        }
      }
    }
  }
}

TYPED_TEST_P(Conformance, BatchesInsertAsSingleKeysDo) {
  using F = TypeParam;
  BLOOMERY_NEEDS(insertable<F>) {
    for (const std::uint64_t n : batch_test_sizes) {
      F one_by_one = this->fresh(n);
      F batched = this->fresh(n);
      const auto inserted = numbered_digests(3, 300);
      std::uint64_t fresh_keys = 0;
      for (const digest d : inserted) fresh_keys += std::uint64_t{one_by_one.insert(d)};
      EXPECT_EQ(batched.insert(std::span(inserted).first(1)), 1U);
      EXPECT_EQ(1 + batched.insert(std::span(inserted).subspan(1)), fresh_keys);
      EXPECT_EQ(batched.insert(std::span<const digest>{}), 0U);
      EXPECT_EQ(wire::save(batched), wire::save(one_by_one));
    }
  }
}

// Repeats within a batch are not new the second time.
TYPED_TEST_P(Conformance, BatchesTellWhichKeysWereNew) {
  using F = TypeParam;
  BLOOMERY_NEEDS(telling<F>) {
    for (const std::uint64_t n : {std::uint64_t{600}, batch_test_sizes[1]}) {
      F one_by_one = this->fresh(n);
      F batched = this->fresh(n);
      auto inserted = numbered_digests(3, 200);
      for (std::size_t i = 0; i < 100; ++i) inserted.push_back(inserted[2 * i]);
      const auto answers = std::make_unique<bool[]>(inserted.size());
      const std::span<bool> fresh(answers.get(), inserted.size());
      const std::uint64_t told = batched.insert(inserted, fresh);
      std::uint64_t count = 0;
      for (std::size_t i = 0; i < inserted.size(); ++i) {
        const bool expected = one_by_one.insert(inserted[i]);
        count += std::uint64_t{expected};
        EXPECT_EQ(fresh[i], expected) << i;
      }
      EXPECT_EQ(told, count);
      EXPECT_EQ(wire::save(batched), wire::save(one_by_one));
    }
  }
}

// From nothing to the number planned for, repeats and all, on one thread and on several.
TYPED_TEST_P(Conformance, WhatIsBuiltIsFound) {
  using F = TypeParam;
  BLOOMERY_NEEDS((buildable<F> && membership<F> && !F::kind.false_negatives)) {
    const auto shape = F::plan(this->keys, this->rate);
    const promise promised{this->keys, this->rate};
    for (const std::uint64_t n :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{500}, this->keys}) {
      auto given = numbered_digests(12, n);
      const F once = F::build(shape, given, {}, promised, 1);
      EXPECT_EQ(once.record().items, n);
      EXPECT_EQ(once.record().promised, promised);
      EXPECT_EQ(this->hits(once, given), n);
      if (n == 0) {
        EXPECT_EQ(wire::save(once), wire::save(this->fresh()));
      }
      if constexpr (insertable<F>) {
        F inserted(shape, {}, promised);
        inserted.insert(given);
        EXPECT_EQ(wire::save(once), wire::save(inserted));
      }
      const auto strangers = numbered_digests(12, 1000, n);
      given.insert(given.end(), given.begin(), given.begin() + static_cast<std::ptrdiff_t>(n / 2));
      for (std::size_t i = 1; i < given.size(); ++i) std::swap(given[i], given[mix(i) % i]);
      const F repeated = F::build(shape, given, {}, promised, 1);
      EXPECT_EQ(repeated.record().items, given.size());
      EXPECT_EQ(this->hits(repeated, given), given.size());
      EXPECT_EQ(this->hits(repeated, strangers), this->hits(once, strangers));
      for (const unsigned threads : {2U, 5U}) {
        EXPECT_EQ(wire::save(F::build(shape, given, {}, promised, threads)), wire::save(repeated));
      }
    }
  }
}

// Enough keys for threads to share the work.
TYPED_TEST_P(Conformance, ManyKeysAreBuiltAlikeOnAnyNumberOfThreads) {
  using F = TypeParam;
  BLOOMERY_NEEDS((buildable<F> && membership<F> && !F::kind.false_negatives)) {
    constexpr std::uint64_t many = 200'000;
    const auto shape = F::plan(many, this->rate);
    const auto given = numbered_digests(13, many);
    const F alone = F::build(shape, given, {}, {}, 1);
    EXPECT_EQ(this->hits(alone, given), many);
    for (const unsigned threads : {2U, 3U}) {
      EXPECT_EQ(wire::save(F::build(shape, given, {}, {}, threads)), wire::save(alone));
    }
  }
}

TYPED_TEST_P(Conformance, ItemsCountEveryInsertion) {
  using F = TypeParam;
  BLOOMERY_NEEDS(insertable<F>) {
    F filter = this->fresh();
    filter.insert(digest{1, 2});
    filter.insert(digest{1, 2});
    filter.insert(numbered_digests(4, 10));
    EXPECT_EQ(filter.record().items, 12U);
  }
}

TYPED_TEST_P(Conformance, ThePlanKeepsItsPromise) {
  using F = TypeParam;
  BLOOMERY_NEEDS(plannable<F>) {
    for (const std::uint64_t n : {1U, 10U, 1000U, 1'000'000U}) {
      for (const double p : {0.3, 0.01, 1e-5}) {
        const auto shape = F::plan(n, p);
        EXPECT_NO_THROW(require_valid(shape));
        EXPECT_LE(F::predicted_rate(shape, n), math::with_reserve(p)) << n << " keys at " << p;
        EXPECT_GE(F::predicted_rate(shape, 4 * n), F::predicted_rate(shape, n));
        const math::query_cost cost = F::query_cost(shape, n);
        EXPECT_GE(cost.absent, 1);
        EXPECT_GE(cost.present, 1);
      }
    }
    EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)F::plan(10, 0); }));
    EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)F::plan(10, 1); }));
    EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)F::plan(10, min_rate / 2); }));
    EXPECT_TRUE(throws_error(errc::invalid, "rate", [] { (void)F::plan(10, std::nan("")); }));
    EXPECT_TRUE(throws_error(errc::invalid, "keys", [] { (void)F::plan(0, 0.01); }));
  }
}

TYPED_TEST_P(Conformance, TheRateIsAsPredicted) {
  using F = TypeParam;
  BLOOMERY_NEEDS((membership<F> && holds_keys<F> && plannable<F>)) {
    if constexpr (!F::kind.rate_is_limit) {
      EXPECT_TRUE(rate_as_predicted<F>(F::plan(20, 0.05), 20, 4000, 500));
    }
    EXPECT_TRUE(rate_as_predicted<F>(F::plan(1000, 0.01), 1000, 400, 5000));
    if constexpr (insertable<F> && !bounded<F>) {
      EXPECT_TRUE(rate_as_predicted<F>(F::plan(1000, 0.01), 1500, 400, 3000)) << "overfilled";
    }
    EXPECT_TRUE(rate_as_predicted<F>(F::plan(30'000, 0.001), 30'000, 40, 100'000));
  }
}

TYPED_TEST_P(Conformance, MergeHoldsBothSets) {
  using F = TypeParam;
  BLOOMERY_NEEDS((mergeable<F> && insertable<F> && membership<F>)) {
    F first = this->filled(5, 0, 1000);
    const F second = this->filled(5, 900, 1000);
    first.merge(second);
    EXPECT_EQ(this->hits(first, numbered_digests(5, 1900)), 1900U);
    EXPECT_EQ(first.record().items, 2000U);
    EXPECT_EQ(first.record().promised, second.record().promised);
  }
}

TYPED_TEST_P(Conformance, IntersectHoldsWhatBothHold) {
  using F = TypeParam;
  BLOOMERY_NEEDS((intersectable<F> && insertable<F> && membership<F>)) {
    F first = this->filled(6, 0, 1000);
    const F second = this->filled(6, 600, 1200);
    const auto only_first = numbered_digests(6, 600);
    const auto claimed_by_second = this->hits(second, only_first);
    first.intersect(second);
    EXPECT_EQ(this->hits(first, numbered_digests(6, 400, 600)), 400U);
    EXPECT_LE(this->hits(first, only_first), claimed_by_second);
    EXPECT_EQ(first.record().items, 1000U);
    EXPECT_EQ(first.record().promised, promise{});
  }
}

TYPED_TEST_P(Conformance, StrangersAreNotCombined) {
  using F = TypeParam;
  BLOOMERY_NEEDS(mergeable<F>) {
    F filter = this->fresh();
    const auto before = wire::save(filter);
    const F larger = this->fresh(10 * this->keys);
    const F reseeded = this->fresh(this->keys, this->rate, {hash_id::xxh3, 1});
    const F keyed = this->fresh(this->keys, this->rate, {hash_id::keyed, default_seed});
    const auto refused = [&](const std::string& why, auto combine) {
      EXPECT_TRUE(throws_error(errc::incompatible, why, combine));
      EXPECT_EQ(wire::save(filter), before);
    };
    refused(" differs: ", [&] { filter.merge(larger); });
    refused("seed differs", [&] { filter.merge(reseeded); });
    refused("hash function differs", [&] { filter.merge(keyed); });
    if constexpr (intersectable<F>) {
      refused(" differs: ", [&] { filter.intersect(larger); });
      refused("seed differs", [&] { filter.intersect(reseeded); });
    }
    if constexpr (measurable<F>) {
      refused("seed differs", [&] { (void)filter.estimated_overlap(reseeded, 0.95); });
    }
  }
}

TYPED_TEST_P(Conformance, AFoldedFilterIsTheSmallerFilter) {
  using F = TypeParam;
  BLOOMERY_NEEDS((foldable<F> && insertable<F>)) {
    // 60 units of the first field: divisible by 2, 3, 4, 5 and 6.
    auto values = values_of(F::plan(this->keys, this->rate));
    values[0] = std::uint64_t{60};
    const auto inserted = numbered_digests(7, 40);
    F large(shape_from<typename F::shape_type>(values), {}, promise{40, 0.5});
    large.insert(inserted);
    for (const std::uint64_t factor : {2U, 3U, 4U, 5U, 6U, 60U}) {
      const F folded = large.folded(factor);
      F small(folded.shape(), {}, {});
      small.insert(inserted);
      EXPECT_EQ(wire::save(folded), wire::save(small)) << "factor " << factor;
    }
    EXPECT_EQ(wire::save(large.folded(1)), wire::save(large));
    for (const std::uint64_t factor : {0U, 7U, 120U}) {
      EXPECT_TRUE(throws_error(errc::invalid, "fold", [&] { (void)large.folded(factor); }));
    }
  }
}

TYPED_TEST_P(Conformance, SavedAndLoadedIsTheSame) {
  using F = TypeParam;
  const auto inserted = numbered_digests(8, 500);
  F filter = this->fresh();
  if constexpr (holds_keys<F>) filter = this->filled(8, 0, 500);
  const auto bytes = wire::save(filter);
  F loaded = wire::load<F>(bytes);
  EXPECT_EQ(wire::save(loaded), bytes);
  EXPECT_EQ(loaded.record().items, filter.record().items);
  if constexpr (membership<F>) {
    EXPECT_EQ(this->hits(loaded, inserted), this->hits(filter, inserted));
  }

  // A loaded filter goes on as the original does.
  if constexpr (insertable<F>) {
    loaded.insert(digest{1, 2});
    EXPECT_EQ(wire::save(filter), bytes);
    filter.insert(digest{1, 2});
    EXPECT_EQ(wire::save(loaded), wire::save(filter));
  }
}

TYPED_TEST_P(Conformance, AViewReadsInPlaceAndRefusesChange) {
  using F = TypeParam;
  F filter = this->fresh();
  if constexpr (holds_keys<F>) filter = this->filled(9, 0, 500);
  const auto bytes = wire::save(filter);
  const storage aligned = [&] {
    storage memory = storage::allocate(bytes.size());
    std::ranges::copy(bytes, memory.bytes_for_writing().begin());
    return memory;
  }();
  F viewed = wire::view<F>(aligned.bytes().first(bytes.size()));
  EXPECT_EQ(viewed.payload().front().data(),
            aligned.bytes().data() + bytes.size() - wire::open_envelope(bytes).payload.size());
  EXPECT_EQ(wire::save(viewed), bytes);
  if constexpr (insertable<F>) {
    EXPECT_TRUE(throws_error(errc::read_only, "view", [&] { viewed.insert(digest{1, 2}); }));
    EXPECT_TRUE(
        throws_error(errc::read_only, "view", [&] { viewed.insert(numbered_digests(9, 2)); }));
    F own = viewed.copy();
    EXPECT_NO_THROW(own.insert(digest{1, 2}));
  }
  EXPECT_EQ(wire::save(viewed), bytes);
}

TYPED_TEST_P(Conformance, EstimatesCoverTheTruth) {
  using F = TypeParam;
  BLOOMERY_NEEDS((measurable<F> && insertable<F>)) {
    const F first = this->filled(10, 0, 1500);
    const F second = this->filled(10, 900, 1500);
    const auto covers = [](const math::estimate& e, double truth) {
      EXPECT_FALSE(e.saturated);
      EXPECT_LE(e.low, truth);
      EXPECT_GE(e.high, truth);
      EXPECT_LE(e.low, e.value);
      EXPECT_LE(e.value, e.high);
      EXPECT_LT(e.high - e.low, truth) << "an interval that says something";
    };
    covers(first.estimated_keys(1 - significance), 1500);
    const math::overlap both = first.estimated_overlap(second, 1 - significance);
    covers(both.first, 1500);
    covers(both.second, 1500);
    covers(both.united, 2400);
    covers(both.common, 600);
    covers(both.jaccard, 600.0 / 2400.0);
    EXPECT_GT(first.fill(), 0);
    EXPECT_LT(first.fill(), 1);
  }
}

// Under the thread sanitizer this is the proof that shared insertion does not race.
TYPED_TEST_P(Conformance, ManyThreadsInsertAndQueryAtOnce) {
  using F = TypeParam;
  BLOOMERY_NEEDS((concurrent<F> && membership<F>)) {
    constexpr std::uint64_t writers = 3;
    constexpr std::uint64_t each = 4000;
    F shared = this->fresh(writers * each);
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < writers; ++t) {
      threads.emplace_back([&shared, t] {
        const auto mine = numbered_digests(11, each, t * each);
        shared.insert_shared(std::span(mine).first(each / 2));
        for (const digest d : std::span(mine).subspan(each / 2)) {
          shared.insert_shared(d);
          EXPECT_TRUE(shared.may_contain(d));
        }
      });
    }
    threads.emplace_back([&shared] {
      for (const digest d : numbered_digests(11, writers * each)) (void)shared.may_contain(d);
    });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(shared.record().items, writers * each);
    EXPECT_EQ(Conformance<F>::hits(shared, numbered_digests(11, writers * each)), writers * each);
    F alone = this->fresh(writers * each);
    alone.insert(numbered_digests(11, writers * each));
    EXPECT_EQ(wire::save(shared), wire::save(alone));
  }
}

// Every key keeps its value, but for as many as the rate of strangers allows where keys share cells.
TYPED_TEST_P(Conformance, ValuesAreKept) {
  using F = TypeParam;
  BLOOMERY_NEEDS(key_value<F>) {
    constexpr std::uint64_t values = 13;
    const auto shape = F::plan_map(this->keys, this->rate, values);
    ASSERT_GE(F::value_limit(shape), values);
    const auto pool = numbered_digests(20, this->keys);
    std::vector<keyed_value> entries;
    for (const digest d : pool) entries.push_back({d, mix(d.lo) % values});
    const F filter = F::build(shape, entries, {}, promise{this->keys, this->rate}, 1);
    EXPECT_EQ(filter.record().items, entries.size());
    std::uint64_t amiss = 0;
    for (const keyed_value& entry : entries) {
      const mapped answer = filter.value(entry.key);
      ASSERT_NE(answer.is, mapped::state::absent);
      EXPECT_TRUE(filter.may_contain(entry.key));
      const bool right = answer == mapped{mapped::state::present, entry.value};
      if (answer.is == mapped::state::present && !F::kind.values_may_err) {
        EXPECT_TRUE(right);
      }
      amiss += std::uint64_t{!right};
    }
    const double expected = static_cast<double>(this->keys) * this->rate;
    EXPECT_LE(static_cast<double>(amiss), expected + 6 * std::sqrt(expected));

    const auto asked = numbered_digests(20, 700, this->keys - 350);
    std::vector<mapped> answers(asked.size());
    std::uint64_t claimed = 0;
    const std::uint64_t told = filter.values(asked, answers);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      EXPECT_EQ(answers[i], filter.value(asked[i]));
      EXPECT_EQ(answers[i].is != mapped::state::absent, filter.may_contain(asked[i]));
      claimed += std::uint64_t{answers[i].is != mapped::state::absent};
    }
    EXPECT_EQ(told, claimed);
    EXPECT_TRUE((map_rate_as_predicted<F>(shape, entries, 20'000)));

    const std::array<keyed_value, 1> beyond{{{digest{1, 2}, F::value_limit(shape)}}};
    EXPECT_TRUE(
        throws_error(errc::invalid, "value", [&] { (void)F::build(shape, beyond, {}, {}, 1); }));
    if constexpr (!insertable<F>) {
      auto twice = entries;
      twice.push_back(entries.front());
      EXPECT_EQ(F::build(shape, twice, {}, {}, 1).value(pool[0]), filter.value(pool[0]));
      twice.back().value ^= 1;
      EXPECT_TRUE(
          throws_error(errc::invalid, "value", [&] { (void)F::build(shape, twice, {}, {}, 1); }));
    }
    const auto again = wire::load<F>(wire::save(filter));
    for (const digest d : asked) EXPECT_EQ(again.value(d), filter.value(d));
  }
}

// Whatever is set last holds, and what is set for one key changes no other's value.
TYPED_TEST_P(Conformance, ValuesCanBeSet) {
  using F = TypeParam;
  BLOOMERY_NEEDS((settable<F> && !insertable<F>)) {
    constexpr std::uint64_t values = 200;
    const auto pool = numbered_digests(21, this->keys);
    std::vector<keyed_value> entries;
    std::map<digest, std::uint64_t> oracle;
    for (const digest d : pool) entries.push_back({d, oracle[d] = mix(d.hi) % values});
    F filter = F::build(F::plan_map(this->keys, this->rate, values), entries, {}, {}, 1);
    for (std::uint64_t step = 0; step < 3 * this->keys; ++step) {
      const digest d = pool[mix(step) % pool.size()];
      EXPECT_TRUE(filter.set_value(d, oracle[d] = mix(~step) % values));
    }
    for (const auto& [d, value] : oracle) {
      EXPECT_EQ(filter.value(d), (mapped{mapped::state::present, value}));
    }
    const auto before = wire::save(filter);
    EXPECT_TRUE(throws_error(errc::invalid, "value",
                             [&] { filter.set_value(pool[0], F::value_limit(filter.shape())); }));
    std::uint64_t refused = 0;
    for (const digest d : numbered_digests(22, 50)) {
      refused +=
          std::uint64_t{filter.value(d).is == mapped::state::absent && !filter.set_value(d, 1)};
    }
    EXPECT_GT(refused, 25U);
    EXPECT_EQ(wire::save(filter).size(), before.size());
  }
}

TYPED_TEST_P(Conformance, TheKindIsWellDescribed) {
  using F = TypeParam;
  static_assert(filter_kind<F>);
  EXPECT_FALSE(F::kind.name.empty());
  EXPECT_LE(F::kind.name.size(), wire::max_kind_name);
  EXPECT_EQ(F::kind.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
            std::string_view::npos);
  EXPECT_FALSE(F::kind.title.empty() || F::kind.answers.empty() || F::kind.citation.empty());
  using shape = typename F::shape_type;
  for (const field_info& field : field_infos<shape>()) {
    EXPECT_FALSE(field.name.empty() || field.help.empty());
    EXPECT_LE(field.low, field.high);
  }
  // Each field is refused beyond its range, and the message names it.
  const auto good = values_of(F::plan(2000, 0.01));
  for (std::size_t i = 0; i < good.size(); ++i) {
    const field_info& field = shape::fields[i].info;
    const auto refused = [&](field_value value) {
      auto bad = good;
      bad[i] = value;
      EXPECT_TRUE(throws_error(errc::invalid, std::string(field.name),
                               [&] { (void)shape_from<shape>(bad); }));
    };
    if (const auto* low = std::get_if<std::uint64_t>(&field.low)) {
      if (*low > 0) refused(*low - 1);
      const auto high = std::get<std::uint64_t>(field.high);
      if (high != ~std::uint64_t{0}) refused(high + 1);
    } else {
      constexpr double infinite = std::numeric_limits<double>::infinity();
      refused(std::nextafter(std::get<double>(field.low), -infinite));
      refused(std::nextafter(std::get<double>(field.high), infinite));
      refused(std::numeric_limits<double>::quiet_NaN());
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(Conformance, BatchesTellWhichKeysWereNew, AFreshFilterIsEmpty,
                            NoKeyIsLost, NoKeyIsLostInsideTheWindow, NoKeyIsLostInsideAWindowOfTime,
                            NoLiveKeyIsLostByErasingOthers, BatchesEraseAsSingleKeysDo,
                            BatchesCountAsSingleKeysDo, CorruptPayloadsAreRefusedOrSound,
                            BatchesAnswerAsSingleKeysDo, BatchesInsertAsSingleKeysDo,
                            WhatIsBuiltIsFound, ManyKeysAreBuiltAlikeOnAnyNumberOfThreads,
                            ItemsCountEveryInsertion, ThePlanKeepsItsPromise, TheRateIsAsPredicted,
                            MergeHoldsBothSets, IntersectHoldsWhatBothHold, StrangersAreNotCombined,
                            AFoldedFilterIsTheSmallerFilter, SavedAndLoadedIsTheSame,
                            AViewReadsInPlaceAndRefusesChange, EstimatesCoverTheTruth,
                            ManyThreadsInsertAndQueryAtOnce, ValuesAreKept, ValuesCanBeSet,
                            TheKindIsWellDescribed);

#undef BLOOMERY_NEEDS

}  // namespace bloomery::testing
