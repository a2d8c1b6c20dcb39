#pragma once

#include "conformance/suite.hpp"

namespace bloomery::testing {

// From nothing to the number planned for, repeats and all, on one thread and on several.
template <class F>
void expect_what_is_built_to_be_found() {
  const auto shape = F::plan(suite_keys, suite_rate);
  const promise promised{suite_keys, suite_rate};
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{500}, suite_keys}) {
    auto given = numbered_digests(12, n);
    const F once = F::build(shape, given, {}, promised, 1);
    EXPECT_EQ(once.record().items, n);
    EXPECT_EQ(once.record().promised, promised);
    EXPECT_EQ(hits(once, given), n);
    if (n == 0) {
      EXPECT_EQ(wire::save(once), wire::save(fresh<F>()));
    }
    if constexpr (able<F, inserts>) {
      F inserted(shape, {}, promised);
      inserted.insert(given);
      EXPECT_EQ(wire::save(once), wire::save(inserted));
    }
    const auto strangers = numbered_digests(12, 1000, n);
    given.insert(given.end(), given.begin(), given.begin() + static_cast<std::ptrdiff_t>(n / 2));
    for (std::size_t i = 1; i < given.size(); ++i) std::swap(given[i], given[hash::mix(i) % i]);
    const F repeated = F::build(shape, given, {}, promised, 1);
    EXPECT_EQ(repeated.record().items, given.size());
    EXPECT_EQ(hits(repeated, given), given.size());
    EXPECT_EQ(hits(repeated, strangers), hits(once, strangers));
    for (const unsigned threads : {2U, 5U}) {
      EXPECT_EQ(wire::save(F::build(shape, given, {}, promised, threads)), wire::save(repeated));
    }
  }
}

// Enough keys for threads to share the work.
template <class F>
void expect_threads_not_to_show() {
  constexpr std::uint64_t many = 200'000;
  const auto shape = F::plan(many, suite_rate);
  const auto given = numbered_digests(13, many);
  const F alone = F::build(shape, given, {}, {}, 1);
  EXPECT_EQ(hits(alone, given), many);
  for (const unsigned threads : {2U, 3U}) {
    EXPECT_EQ(wire::save(F::build(shape, given, {}, {}, threads)), wire::save(alone));
  }
}

template <class F>
void expect_kinds_to_build_the_same() {
  const auto given = numbered_digests(12, 500);
  const auto shape = F::plan(suite_keys, suite_rate);
  const any_filter erased =
      erasure<F>::kind().template as<builds>().build(values_of(shape), given, {}, {}, 2);
  EXPECT_TRUE(same_bytes(erased, F::build(shape, given, {}, {}, 1)));
}

template <>
struct conformance_of<builds> {
  static constexpr bool starts_threads = true;

  template <class F>
  static void tests(const add_test& add) {
    add("the_kind_builds_the_same", expect_kinds_to_build_the_same<F>);
    if constexpr (exact_members<F>) {
      add("what_is_built_is_found", expect_what_is_built_to_be_found<F>);
      add("many_keys_are_built_alike_on_any_number_of_threads", expect_threads_not_to_show<F>);
    }
  }
};

}  // namespace bloomery::testing
