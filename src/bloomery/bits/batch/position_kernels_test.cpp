#include "bloomery/bits/batch/position_kernels.hpp"

#include <algorithm>
#include <memory>

#include "bloomery/bits/array/counter_array.hpp"
#include "bloomery/bits/batch/probing.hpp"
#include "testing.hpp"

namespace bloomery::bits {
namespace {

using bloomery::testing::numbered_digests;

// Calls act for every back end that runs here.
template <class Act>
void on_each_backend(Act act) {
  for (const core::backend which : core::all_backends) {
    if (!core::runnable(which)) continue;
    SCOPED_TRACE(std::string(core::name_of(which)));
    const core::forced_backend forced(which);
    act();
  }
}

// Keys that repeat, and digests that random ones do not try.
std::vector<digest> tried_digests(std::size_t count) {
  std::vector<digest> keys = numbered_digests(41, count);
  for (unsigned bit = 0; bit < 64; bit += 9) keys.push_back({~std::uint64_t{bit}, hash::mix(bit)});
  keys.push_back({0, 0});
  keys.push_back({~std::uint64_t{0}, ~std::uint64_t{0}});
  keys.insert(keys.end(), keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count / 2));
  return keys;
}

// Bits set one by one, as the probes say; whether each key was new.
template <class Probes>
std::vector<bool> set_bit_by_bit(const Probes& probes, digest_span keys, bit_array& bits) {
  std::vector<bool> fresh;
  for (const digest key : keys) {
    bool is_new = false;
    hash::each_position(probes, key, [&](std::uint64_t at) { is_new |= bits.set(at); });
    fresh.push_back(is_new);
  }
  return fresh;
}

bool same_bytes(byte_view a, byte_view b) {
  return std::ranges::equal(a, b);
}

template <class Probes>
void expect_bits_of(const Probes& probes, digest_span keys) {
  bit_array expected(probes.range());
  const std::vector<bool> expected_fresh = set_bit_by_bit(probes, keys, expected);
  const auto strangers = numbered_digests(43, 300);
  const probing run(probes);
  for (const std::size_t taken : {std::size_t{0}, std::size_t{1}, std::size_t{7}, keys.size()}) {
    SCOPED_TRACE("keys " + std::to_string(taken));
    bit_array partly(probes.range());
    set_bit_by_bit(probes, keys.first(taken), partly);
    bit_array bits(probes.range());
    const auto told = std::make_unique<bool[]>(taken);
    const std::span<bool> fresh(told.get(), taken);
    const std::uint64_t count = run.set_all(bits, keys.first(taken), fresh);
    EXPECT_EQ(count, std::ranges::count(fresh, true));
    EXPECT_TRUE(std::equal(fresh.begin(), fresh.end(), expected_fresh.begin()));
    EXPECT_TRUE(same_bytes(bits.bytes(), partly.bytes()));
    bit_array untold(probes.range());
    EXPECT_EQ(run.set_all(untold, keys.first(taken)), count);
    EXPECT_TRUE(same_bytes(untold.bytes(), partly.bytes()));
  }
  const auto answers = std::make_unique<bool[]>(strangers.size());
  const std::span<bool> told(answers.get(), strangers.size());
  const std::uint64_t hits = run.test_all(expected, digest_span(strangers), told);
  EXPECT_EQ(hits, std::ranges::count(told, true));
  for (std::size_t i = 0; i < strangers.size(); ++i) {
    EXPECT_EQ(told[i], probes.all(strangers[i], [&](auto at) { return expected.test(at); }));
  }
}

// Filters of less than a region, of some and of parts of one.
template <class Probes>
void expect_bulk_of(const Probes& probes, digest_span keys, std::span<const std::uint64_t> ids) {
  const integer_hash hash;
  const probing run(probes);
  bit_array expected(probes.range());
  run.set_all(expected, keys);
  bit_array expected_of_ids(probes.range());
  for (const std::uint64_t id : ids) run.set(expected_of_ids, hash(id));
  for (const unsigned threads : {1U, 2U, 3U}) {
    bit_array bits(probes.range());
    const position_kernels& kernels = position_kernels_now();
    kernels.digests.set_bulk(position_range(probes), bits.words(), keys, threads);
    EXPECT_TRUE(same_bytes(bits.bytes(), expected.bytes())) << threads;
    bit_array of_ids(probes.range());
    kernels.integers.set_bulk(position_range(probes), of_ids.words(), integer_span(hash, ids),
                              threads);
    EXPECT_TRUE(same_bytes(of_ids.bytes(), expected_of_ids.bytes())) << threads;
  }
}

TEST(position_kernels, set_in_bulk_the_bits_of_batches) {
  const auto keys = tried_digests(2000);
  std::vector<std::uint64_t> ids;
  for (std::uint64_t i = 0; i < 1003; ++i) ids.push_back(i << 20);
  on_each_backend([&] {
    for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{7}, most_positions}) {
      for (const std::uint64_t cells : {1U, 1000U, 1U << 21, (1U << 21) + 1, 9'999'999U}) {
        SCOPED_TRACE("k " + std::to_string(k) + ", cells " + std::to_string(cells));
        expect_bulk_of(hash::uniform_probes{cells, k}, keys, ids);
        expect_bulk_of(hash::partitioned_probes{cells / k + 1, k}, keys, ids);
      }
    }
  });
}

// By the way that suits, whichever it is.
TEST(position_kernels, are_built_on_threads_as_by_one) {
  const auto keys = numbered_digests(47, 70'000);
  const hash::uniform_probes probes{700'000, 7};
  const probing run(probes);
  for (const std::size_t taken : {std::size_t{1000}, keys.size()}) {
    bit_array partly(probes.range());
    run.set_all(partly, digest_span(keys).first(taken));
    for (const unsigned threads : {1U, 2U}) {
      bit_array built(probes.range());
      run.build(built, digest_span(keys).first(taken), threads);
      EXPECT_TRUE(same_bytes(built.bytes(), partly.bytes())) << taken << " on " << threads;
    }
  }
}

TEST(position_kernels, set_and_test_the_bits_of_the_probes) {
  const auto keys = tried_digests(40);
  on_each_backend([&] {
    for (std::uint64_t k = 1; k <= most_positions + 2; ++k) {
      SCOPED_TRACE("k " + std::to_string(k));
      for (const std::uint64_t cells : {1U, 2U, 63U, 64U, 65U, 1001U}) {
        expect_bits_of(hash::uniform_probes{cells, k}, keys);
        expect_bits_of(hash::partitioned_probes{cells, k}, keys);
      }
    }
  });
}

TEST(position_kernels, prefetch_beyond_the_cache_to_the_same_effect) {
  const auto keys = tried_digests(500);
  on_each_backend([&] {
    expect_bits_of(hash::uniform_probes{(std::uint64_t{1} << 26) + 77, 7}, keys);
    expect_bits_of(hash::partitioned_probes{(std::uint64_t{1} << 24) + 5, 9}, keys);
  });
}

TEST(position_kernels, take_integers_as_their_digests) {
  std::vector<std::uint64_t> integers;
  for (std::uint64_t i = 0; i < 1003; ++i) integers.push_back(i * i % 611);
  std::vector<digest> digests;
  for (const std::uint64_t i : integers) digests.push_back(integer_hash{}(i));
  const integer_span unhashed(integer_hash{}, integers);
  const hash::uniform_probes probes{5000, 5};
  on_each_backend([&] {
    const probing run(probes);
    bit_array of_digests(probes.range());
    bit_array of_integers(probes.range());
    EXPECT_EQ(run.set_all(of_digests, digest_span(digests)), run.set_all(of_integers, unhashed));
    EXPECT_TRUE(same_bytes(of_digests.bytes(), of_integers.bytes()));
  });
}

// Ranges that no memory here could hold: every bit that is asked for is in the one word there is.
TEST(position_kernels, reduce_to_ranges_of_more_than_32_bits) {
  const auto keys = numbered_digests(47, 64);
  for (const std::uint64_t cells :
       {(std::uint64_t{1} << 32) - 1, std::uint64_t{1} << 32, (std::uint64_t{5} << 32) + 12345}) {
    const hash::uniform_probes probes{cells, 3};
    on_each_backend([&] {
      // A range so large that a gigabyte would be needed is mapped, and only touched where keys lie.
      bit_array bits(probes.range());
      position_kernels_now().digests.set_bits(position_range(probes), bits.words(), keys, nullptr);
      std::uint64_t set = 0;
      std::vector<std::uint64_t> expected;
      for (const digest key : keys) {
        hash::each_position(probes, key, [&](std::uint64_t at) {
          set += std::uint64_t{bits.test(at)};
          expected.push_back(at);
        });
      }
      EXPECT_EQ(set, expected.size());
      for (const std::uint64_t at : expected) bits.clear(at);
      for (const std::uint64_t at : expected) EXPECT_EQ(bits.word(at / 64), 0U);
    });
  }
}

// Counters changed one by one, by their own rules.
struct plain_counters {
  counter_array counters;
  hash::uniform_probes probes;

  [[nodiscard]] std::vector<std::uint64_t> of(digest key) const {
    std::vector<std::uint64_t> at;
    hash::each_position(probes, key, [&](std::uint64_t i) {
      if (std::ranges::find(at, i) == at.end()) at.push_back(i);
    });
    return at;
  }
  bool raise(digest key) {
    bool fresh = false;
    for (const std::uint64_t i : of(key)) {
      fresh |= counters.get(i) == 0;
      counters.increment(i);
    }
    return fresh;
  }
  [[nodiscard]] bool test(digest key) const {
    return std::ranges::all_of(of(key), [&](auto i) { return counters.get(i) != 0; });
  }
  bool lower(digest key) {
    const auto at = of(key);
    if (!test(key)) return false;
    if (std::ranges::all_of(at, [&](auto i) { return counters.get(i) == counters.max_value(); })) {
      return false;
    }
    for (const std::uint64_t i : at) counters.decrement(i);
    return true;
  }
};

void expect_counters_of(const hash::uniform_probes& probes, unsigned width) {
  const auto keys = tried_digests(60);
  const auto others = numbered_digests(53, 101);
  plain_counters plain{counter_array(probes.cells, width), probes};
  counter_array counters(probes.cells, width);
  ASSERT_TRUE(counters.by_word());
  const auto& run = position_kernels_now().digests;
  const position_range range(probes);
  const auto fresh = std::make_unique<bool[]>(keys.size());
  run.raise_counters(range, counters.words(), keys, fresh.get());
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(fresh[i], plain.raise(keys[i]));
  EXPECT_TRUE(same_bytes(counters.bytes(), plain.counters.bytes()));
  const auto answers = std::make_unique<bool[]>(others.size());
  const auto hits = run.test_counters(range, counters.words(), others, answers.get());
  EXPECT_EQ(hits, std::ranges::count(std::span(answers.get(), others.size()), true));
  for (std::size_t i = 0; i < others.size(); ++i) EXPECT_EQ(answers[i], plain.test(others[i]));
  std::uint64_t gone = 0;
  for (const digest key : others) gone += std::uint64_t{plain.lower(key)};
  for (const digest key : keys) gone += std::uint64_t{plain.lower(key)};
  EXPECT_EQ(run.lower_counters(range, counters.words(), others) +
                run.lower_counters(range, counters.words(), keys),
            gone);
  EXPECT_TRUE(same_bytes(counters.bytes(), plain.counters.bytes()));
}

// Beyond 32 bits for all slices together, within them for each.
TEST(position_kernels, reach_slices_beyond_32_bits) {
  const hash::partitioned_probes probes{(std::uint64_t{1} << 30) + 3, 6};
  const auto keys = numbered_digests(67, 40);
  on_each_backend([&] {
    bit_array bits(probes.range());
    position_kernels_now().digests.set_bits(position_range(probes), bits.words(), keys, nullptr);
    for (const digest key : keys) {
      EXPECT_TRUE(probes.all(key, [&](std::uint64_t at) { return bits.test(at); }));
    }
    for (const digest key : keys) {
      hash::each_position(probes, key,
                          [&](std::uint64_t at) { bits.clear(at / 64 * 64, at / 64 * 64 + 64); });
    }
    for (const digest key : keys) {
      EXPECT_TRUE(!probing(probes).test(bits, key));
    }
  });
}

TEST(position_kernels, count_as_counters_do) {
  on_each_backend([&] {
    for (const unsigned width : {1U, 2U, 4U, 8U, 16U}) {
      SCOPED_TRACE("width " + std::to_string(width));
      for (std::uint64_t k = 1; k <= most_positions; ++k) {
        SCOPED_TRACE("k " + std::to_string(k));
        // From counters that all stick and positions that repeat, to neither.
        for (const std::uint64_t cells : {1U, 3U, 17U, 200U, 5003U}) {
          expect_counters_of({cells, k}, width);
        }
      }
    }
    expect_counters_of({std::uint64_t{1} << 24, 7}, 4);  // beyond the cache
  });
}

}  // namespace
}  // namespace bloomery::bits
