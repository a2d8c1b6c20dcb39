#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

// The more hashes, the less likely a key leaves a bit alone.
template <class F>
void expect_bits_laid_out() {
  const auto& kind = erasure<F>::kind().template as<lays_out>();
  double last = 0;
  constexpr std::uint64_t bits = 21 * 512 * 8;  // whole lines for each number of hashes
  for (const std::uint64_t hashes : {1U, 3U, 7U}) {
    const auto shape = F::of_bits(bits, hashes);
    EXPECT_NO_THROW(require_valid(shape));
    const math::bit_layout layout = F::layout(shape);
    EXPECT_LE(layout.bits, 8 * static_cast<double>(F::payload_bytes(shape)));
    EXPECT_LE(layout.log_avoid, last);
    last = layout.log_avoid;
    EXPECT_EQ(kind.of_bits(bits, hashes), values_of(shape));
    EXPECT_EQ(kind.layout(values_of(shape)).bits, layout.bits);
  }
}

template <>
struct conformance_of<lays_out> {
  template <class F>
  static void tests(const add_test& add) {
    add("bits_and_hashes_are_the_layout", expect_bits_laid_out<F>);
  }
};

template <class F>
void expect_room_for_the_capacity() {
  const auto shape = F::plan(suite_keys, suite_rate);
  const std::uint64_t capacity = F::capacity(shape);
  EXPECT_GE(capacity, suite_keys);
  EXPECT_EQ(erasure<F>::kind().template as<has_capacity>().capacity(values_of(shape)), capacity);
  if constexpr (able<F, inserts>) {
    F filter(shape);
    EXPECT_NO_THROW(filter.insert(numbered_digests(36, capacity)));
  }
}

template <>
struct conformance_of<has_capacity> {
  template <class F>
  static void tests(const add_test& add) {
    add("there_is_room_for_the_capacity", expect_room_for_the_capacity<F>);
  }
};

template <class F>
void expect_misses_predicted() {
  const auto shape = F::plan(suite_keys, suite_rate);
  for (const std::uint64_t keys :
       {std::uint64_t{0}, std::uint64_t{1}, suite_keys, 10 * suite_keys}) {
    const double missed = F::predicted_false_negatives(shape, keys);
    EXPECT_GE(missed, 0);
    EXPECT_LE(missed, 1);
    EXPECT_EQ(erasure<F>::kind().predicted_false_negatives(values_of(shape), keys), missed);
  }
}

template <>
struct conformance_of<loses> {
  template <class F>
  static void tests(const add_test& add) {
    add("misses_are_predicted_as_shares", expect_misses_predicted<F>);
  }
};

// The smaller the error or its chance, the larger the filter; and counts are that close, those that are
// not being as rare as said.
template <class F>
void expect_errors_within_bounds() {
  constexpr double epsilon = 0.01;
  constexpr double delta = 0.05;
  const auto shape = F::for_error(epsilon, delta);
  const any_kind& kind = erasure<F>::kind();
  EXPECT_EQ(kind.template as<bounds_error>().for_error(epsilon, delta), values_of(shape));
  EXPECT_GT(F::payload_bytes(F::for_error(epsilon / 2, delta)), F::payload_bytes(shape));
  EXPECT_GT(F::payload_bytes(F::for_error(epsilon, delta / 20)), F::payload_bytes(shape));
  F filter(shape);
  const auto keys = numbered_digests(39, suite_keys);
  filter.insert(keys);
  std::uint64_t off = 0;
  for (const digest d : keys) {
    EXPECT_GE(filter.count(d), 1U);
    off += std::uint64_t{static_cast<double>(filter.count(d) - 1) > epsilon * suite_keys};
  }
  EXPECT_TRUE(plausible_limit(off, suite_keys, delta));
}

template <>
struct conformance_of<bounds_error> {
  template <class F>
  static void tests(const add_test& add) {
    add("counts_are_as_close_as_was_said", expect_errors_within_bounds<F>);
  }
};

// A plan around the choices of a plan is that plan.
template <class F>
void expect_choices_kept() {
  const auto shape = values_of(F::plan(suite_keys, suite_rate));
  const any_kind& kind = erasure<F>::kind();
  EXPECT_EQ(kind.plan_around(shape, suite_keys, suite_rate), shape);
  EXPECT_LE(kind.predicted_rate(kind.plan_around(shape, 10 * suite_keys, 0.001), 10 * suite_keys),
            math::with_reserve(0.001));
}

template <>
struct conformance_of<chooses> {
  template <class F>
  static void tests(const add_test& add) {
    add("a_plan_goes_round_what_is_chosen", expect_choices_kept<F>);
  }
};

// A record that denies the keys: some cells can have come from no key at all.
template <class F>
void expect_impossible_records_refused() {
  const F filter = sample_filter<F>(37, 200);
  filter_record record = filter.record();
  EXPECT_NO_THROW(filter.cells().require_record(record));
  if constexpr (holds_keys<F>) {
    record.items = 0;
    EXPECT_TRUE(throws_error(errc::corrupt, "", [&] { filter.cells().require_record(record); }));
    EXPECT_TRUE(throws_error(errc::corrupt, "", [&] {
      const auto bytes = wire::save(filter);
      (void)F::restore(filter.shape(), record, wire::copied(wire::open_envelope(bytes).payload));
    }));
  }
}

template <>
struct conformance_of<checks_record> {
  template <class F>
  static void tests(const add_test& add) {
    add("impossible_records_are_refused", expect_impossible_records_refused<F>);
  }
};

}  // namespace bloomery::testing
