#include "bloomery/filters/window/age_partitioned.hpp"

#include <deque>
#include <map>
#include <set>

#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "later.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

static_assert(able<age_partitioned_filter, keeps_time>);

// The definition: a set of keys for each slice, youngest first, and no skipping.
class plain_ring {
 public:
  explicit plain_ring(const age_partitioned_shape& s) : shape_(s), slices_(s.slices()) {}

  void begin_generation() {
    slices_.pop_back();
    slices_.emplace_front();
  }
  void insert(digest d) {
    for (std::uint64_t i = 0; i < shape_.hashes; ++i) slices_[i].insert(d);
  }
  [[nodiscard]] bool contains(digest d) const {
    std::uint64_t run = 0;
    for (const auto& slice : slices_) {
      run = slice.contains(d) ? run + 1 : 0;
      if (run == shape_.hashes) return true;
    }
    return false;
  }

 private:
  age_partitioned_shape shape_;
  std::deque<std::set<digest>> slices_;
};

// Slices so wide that no two keys share a bit: the filter answers as the definition, to the arrival.
TEST(age_partitioned, remembers_its_generations_and_no_longer) {
  for (const age_partitioned_shape shape : {age_partitioned_shape{1 << 16, 3, 5, 7, 0},
                                            {1 << 16, 1, 1, 1, 0},
                                            {1 << 16, 4, 2, 10, 0},
                                            {1 << 16, 2, 9, 3, 0}}) {
    age_partitioned_filter filter(shape);
    plain_ring oracle(shape);
    const auto pool = numbered_digests(1, 40);
    for (std::uint64_t step = 0; step < 2000; ++step) {
      const digest d = pool[hash::reduce(hash::mix(step), pool.size())];
      if (step > 0 && step % shape.generation == 0) oracle.begin_generation();
      EXPECT_EQ(filter.insert(d), !oracle.contains(d));
      oracle.insert(d);
      for (const digest x : pool) ASSERT_EQ(filter.may_contain(x), oracle.contains(x)) << step;
    }
  }
}

// The skipping search against the plain one, on crowded slices where runs break anywhere.
TEST(age_partitioned, skips_no_run) {
  for (const age_partitioned_shape shape : {age_partitioned_shape{40, 3, 8, 9, 0},
                                            {30, 1, 6, 9, 0},
                                            {25, 6, 3, 5, 0},
                                            {64, 5, 20, 10, 0}}) {
    age_partitioned_filter filter(shape);
    filter.insert(numbered_digests(2, 1000));
    const hash::partitioned_probes probes{shape.slice_bits, shape.slices()};
    const bits::bit_array bits(probes.range(), storage::view(filter.payload()[1]));
    const std::uint64_t generation = 999 / shape.generation;
    std::uint64_t claimed = 0;
    for (const digest d : numbered_digests(3, 2000)) {
      std::uint64_t run = 0;
      bool found = false;
      for (std::uint64_t age = 0; age < shape.slices(); ++age) {
        const std::uint64_t turned = generation * (shape.slices() - 1) + age;
        run = bits.test(probes.at(d, turned % shape.slices())) ? run + 1 : 0;
        found |= run == shape.hashes;
      }
      ASSERT_EQ(filter.may_contain(d), found);
      claimed += std::uint64_t{found};
    }
    EXPECT_GT(claimed, 20U);
    EXPECT_LT(claimed, 1980U);
  }
}

// 40 filters asked 20,000 strangers each at the worst moment: the end of a generation, much later.
TEST(age_partitioned, keeps_its_rate_for_ever) {
  const auto shape = age_partitioned_filter::plan(500, 0.02);
  const std::uint64_t late = 20 * shape.generation * shape.slices();
  const math::age_partitions ring{shape.slice_bits, shape.hashes, shape.generations,
                                  shape.generation};
  const double peak = math::age_partitioned_peak(ring);
  EXPECT_LE(peak, 0.02);
  EXPECT_DOUBLE_EQ(age_partitioned_filter::predicted_rate(shape, late), peak);
  EXPECT_LT(age_partitioned_filter::predicted_rate(shape, late + 1), peak);
  for (std::uint64_t n = 1; n < 2000; n += 7) {
    EXPECT_LE(age_partitioned_filter::predicted_rate(shape, n), peak);
  }
  EXPECT_TRUE(rate_as_predicted<age_partitioned_filter>(shape, late, 40, 20'000));
  EXPECT_TRUE(
      rate_as_predicted<age_partitioned_filter>(shape, late + shape.generation / 2, 40, 20'000));
}

TEST(age_partitioned, a_window_of_time_is_kept_to_the_millisecond) {
  const auto shape = age_partitioned_filter::plan_time(1000, 1e-6, 60'000);
  age_partitioned_filter filter(shape);
  ASSERT_TRUE(filter.runs_on_time());
  ASSERT_GE(filter.window(), 60'000U);
  std::map<digest, std::uint64_t> seen;
  std::uint64_t now = 1'700'000'000'000;
  for (std::uint64_t step = 0; step < 3000; ++step) {
    now += hash::reduce(hash::mix(step), step % 500 == 0 ? 200'000 : 150);
    filter.advance(now);
    EXPECT_EQ(filter.now(), now);
    filter.insert(numbered_digest(4, step));
    seen[numbered_digest(4, step)] = now;
    if (step % 50 != 0) continue;
    filter = wire::load<age_partitioned_filter>(wire::save(filter));
    for (const auto& [key, time] : seen) {
      const std::uint64_t age = now - time;
      if (age <= filter.window()) {
        EXPECT_TRUE(filter.may_contain(key)) << age;
      }
      if (age >= shape.slices() * shape.generation_ms) {
        EXPECT_FALSE(filter.may_contain(key)) << age;  // but for one in a million
      }
    }
  }
  const auto before = wire::save(filter);
  EXPECT_TRUE(throws_error(errc::invalid, "time is ", [&] { filter.advance(now - 1); }));
  EXPECT_TRUE(throws_error(errc::invalid, "time is ", [&] { filter.advance(~std::uint64_t{0}); }));
  EXPECT_EQ(wire::save(filter), before);
  filter.advance(now);
  EXPECT_EQ(wire::save(filter), before);
}

// The rate of a window of time, its keys spread evenly, at the end of a generation.
TEST(age_partitioned, a_window_of_time_has_the_rate_of_its_keys) {
  const auto shape = age_partitioned_filter::plan_time(1000, 0.02, 60'000);
  constexpr std::uint64_t asked = 200'000;
  age_partitioned_filter filter(shape);
  const std::uint64_t each = (999 + shape.generations - 1) / shape.generations;
  std::uint64_t key = 0;
  std::uint64_t hits = 0;
  for (std::uint64_t g = 0; g < 50 * shape.slices(); ++g) {
    filter.advance(g * shape.generation_ms);
    for (std::uint64_t i = 0; i < each; ++i) filter.insert(numbered_digest(5, key++));
    if ((g + 1) % shape.slices() != 0 || g < shape.slices()) continue;
    for (const digest d : numbered_digests(6, asked / 49, g * asked)) {
      hits += std::uint64_t{filter.may_contain(d)};
    }
  }
  // Filters of different rates are more spread than coins; 49 of them hardly.
  EXPECT_TRUE(
      plausible_count(hits, asked / 49 * 49, age_partitioned_filter::predicted_rate(shape, 1000)));
}

// At every generation's border and beside it, from now to long after all is forgotten; on slices so wide
// that keys do not meet, and on crowded ones.
TEST(age_partitioned, is_asked_as_of_a_later_time) {
  for (const age_partitioned_shape shape : {age_partitioned_shape{1 << 14, 3, 5, 0, 100},
                                            {40, 3, 8, 0, 7},
                                            {25, 6, 3, 0, 1},
                                            {64, 1, 1, 0, 1000}}) {
    age_partitioned_filter filter(shape);
    const auto keys = numbered_digests(7, 300);
    for (std::uint64_t turn = 0; turn < 3; ++turn) {
      for (std::uint64_t i = 0; i < 100; ++i) {
        filter.advance(filter.now() +
                       hash::reduce(hash::mix(100 * turn + i), shape.generation_ms / 5 + 1));
        filter.insert(keys[100 * turn + i]);
      }
      std::vector<std::uint64_t> moments{filter.now(), max_items};
      const std::uint64_t border = filter.now() / shape.generation_ms * shape.generation_ms;
      for (std::uint64_t g = 1; g < 3 * shape.slices(); ++g) {
        const std::uint64_t begins = border + g * shape.generation_ms;
        moments.insert(moments.end(), {begins - 1, begins, begins + 1});
      }
      std::erase_if(moments, [&](std::uint64_t at) { return at < filter.now(); });
      EXPECT_GT(expect_asked_later_as_advanced(filter, keys, moments), 0U);
    }
    EXPECT_TRUE(throws_error(errc::invalid, "time is ",
                             [&] { (void)filter.may_contain(keys[0], filter.now() - 1); }));
  }
  const age_partitioned_filter by_arrivals({100, 3, 3, 5, 0});
  EXPECT_TRUE(throws_error(errc::unsupported, "arrivals", [&] {
    (void)by_arrivals.may_contain(digest{1, 2}, 1);
  }));
}

TEST(age_partitioned, says_what_it_refuses) {
  const auto build = [](age_partitioned_shape shape) { age_partitioned_filter{shape}; };
  EXPECT_TRUE(throws_error(errc::invalid, "generation", [&] { build({100, 3, 3, 0, 0}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "generation_ms", [&] { build({100, 3, 3, 5, 5}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "generations", [&] { build({100, 3, 65, 5, 0}); }));
  EXPECT_TRUE(throws_error(errc::limit, "slices", [&] { build({max_bits, 3, 6, 5, 0}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "milliseconds",
                           [] { (void)age_partitioned_filter::plan_time(10, 0.1, 0); }));
  age_partitioned_filter by_arrivals({100, 3, 3, 5, 0});
  EXPECT_TRUE(throws_error(errc::unsupported, "arrivals", [&] { by_arrivals.advance(1); }));
}

}  // namespace
}  // namespace bloomery::testing
