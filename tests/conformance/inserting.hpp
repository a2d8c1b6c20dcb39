#pragma once

#include <thread>

#include "conformance/suite.hpp"

namespace bloomery::testing {

template <class F>
void expect_batches_to_insert_as_single_keys() {
  for (const std::uint64_t n : batch_test_sizes) {
    F one_by_one = fresh<F>(n);
    F batched = fresh<F>(n);
    any_filter erased(fresh<F>(n));
    const auto inserted = numbered_digests(3, 300);
    std::uint64_t fresh_keys = 0;
    for (const digest d : inserted) fresh_keys += std::uint64_t{one_by_one.insert(d)};
    EXPECT_EQ(batched.insert(std::span(inserted).first(1)), 1U);
    EXPECT_EQ(1 + batched.insert(std::span(inserted).subspan(1)), fresh_keys);
    EXPECT_EQ(batched.insert(std::span<const digest>{}), 0U);
    EXPECT_EQ(wire::save(batched), wire::save(one_by_one));
    EXPECT_EQ(erased.as<inserts>().insert(inserted), fresh_keys);
    EXPECT_TRUE(same_bytes(erased, one_by_one));
  }
}

// Repeats within a batch are not new the second time.
template <class F>
void expect_batches_to_tell_new_keys() {
  for (const std::uint64_t n : {std::uint64_t{600}, batch_test_sizes[1]}) {
    F one_by_one = fresh<F>(n);
    F batched = fresh<F>(n);
    any_filter erased(fresh<F>(n));
    auto inserted = numbered_digests(3, 200);
    for (std::size_t i = 0; i < 100; ++i) inserted.push_back(inserted[2 * i]);
    const flags told(inserted.size());
    const flags same(inserted.size());
    const std::uint64_t new_keys = batched.insert(inserted, told.all);
    EXPECT_EQ(erased.as<inserts>().insert(inserted, same.all), new_keys);
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < inserted.size(); ++i) {
      const bool expected = one_by_one.insert(inserted[i]);
      count += std::uint64_t{expected};
      EXPECT_EQ(told.all[i], expected) << i;
      EXPECT_EQ(same.all[i], expected) << i;
    }
    EXPECT_EQ(new_keys, count);
    EXPECT_EQ(wire::save(batched), wire::save(one_by_one));
    EXPECT_TRUE(same_bytes(erased, one_by_one));
  }
}

template <class F>
void expect_items_to_count_every_insertion() {
  F filter = fresh<F>();
  filter.insert(digest{1, 2});
  filter.insert(digest{1, 2});
  filter.insert(numbered_digests(4, 10));
  EXPECT_EQ(filter.record().items, 12U);
}

template <class F>
void expect_views_to_refuse_keys() {
  const auto bytes = wire::save(sample_filter<F>(9, 500));
  const storage aligned = wire::copied(bytes);
  F viewed = wire::view<F>(aligned.bytes().first(bytes.size()));
  EXPECT_TRUE(throws_error(errc::read_only, "view", [&] { viewed.insert(digest{1, 2}); }));
  EXPECT_TRUE(
      throws_error(errc::read_only, "view", [&] { viewed.insert(numbered_digests(9, 2)); }));
  F own = viewed.copy();
  EXPECT_NO_THROW(own.insert(digest{1, 2}));
  EXPECT_EQ(wire::save(viewed), bytes);
}

// A loaded filter, and one erased and taken back, go on as the original does.
template <class F>
void expect_loaded_filters_to_go_on() {
  F filter = sample_filter<F>(8, 500);
  const auto bytes = wire::save(filter);
  F loaded = wire::load<F>(bytes);
  any_filter erased(filter);
  loaded.insert(digest{1, 2});
  erased.get_if<F>()->insert(digest{1, 2});
  EXPECT_EQ(wire::save(filter), bytes);
  filter.insert(digest{1, 2});
  EXPECT_EQ(wire::save(loaded), wire::save(filter));
  EXPECT_TRUE(same_bytes(erased, filter));
}

template <>
struct conformance_of<inserts> {
  template <class F>
  static void tests(const add_test& add) {
    add("batches_insert_as_single_keys", expect_batches_to_insert_as_single_keys<F>);
    add("batches_tell_which_keys_were_new", expect_batches_to_tell_new_keys<F>);
    add("items_count_every_insertion", expect_items_to_count_every_insertion<F>);
    add("a_view_refuses_keys", expect_views_to_refuse_keys<F>);
    add("a_loaded_filter_goes_on", expect_loaded_filters_to_go_on<F>);
  }
};

template <>
struct conformance_of<inserts_in_batches> : tested_with_another {};

// Under the thread sanitizer this is the proof that shared insertion does not race.
template <class F>
void expect_many_threads_to_insert_and_query_at_once() {
  constexpr std::uint64_t writers = 3;
  constexpr std::uint64_t each = 4000;
  F shared = fresh<F>(writers * each);
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
  if constexpr (able<F, tells_rate>) {
    threads.emplace_back([&shared] {
      while (shared.current_rate() < 1e-9) std::this_thread::yield();  // none is in it yet
      EXPECT_LE(shared.current_rate(), 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.record().items, writers * each);
  EXPECT_EQ(hits(shared, numbered_digests(11, writers * each)), writers * each);
  F alone = fresh<F>(writers * each);
  alone.insert(numbered_digests(11, writers * each));
  EXPECT_EQ(wire::save(shared), wire::save(alone));
  any_filter erased(fresh<F>(writers * each));
  erased.as<shares>().insert_shared(numbered_digests(11, writers * each));
  EXPECT_TRUE(same_bytes(erased, alone));
}

template <>
struct conformance_of<shares> {
  static constexpr bool starts_threads = true;

  template <class F>
  static void tests(const add_test& add) {
    add("many_threads_insert_and_query_at_once",
        expect_many_threads_to_insert_and_query_at_once<F>);
  }
};

}  // namespace bloomery::testing
