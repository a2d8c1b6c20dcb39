#include "bloomery/filters/changing/multilayer_counting.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "bloomery/filters/changing/counting.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/math/kinds/counting.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "changing.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// A counting filter whose counters are numbers.
class unbounded_counting {
 public:
  explicit unbounded_counting(std::uint64_t counters) : counters_(counters) {}
  [[nodiscard]] std::uint64_t count(const hash::positions& at) const {
    std::uint64_t least = ~std::uint64_t{0};
    for (const std::uint64_t i : at) least = std::min(least, counters_[i]);
    return least;
  }
  bool insert(const hash::positions& at) {
    const bool fresh = count(at) == 0;
    for (const std::uint64_t i : at) ++counters_[i];
    return fresh;
  }
  bool erase(const hash::positions& at) {
    if (count(at) == 0) return false;
    for (const std::uint64_t i : at) --counters_[i];
    return true;
  }

 private:
  std::vector<std::uint64_t> counters_;
};

// Every answer is that of unbounded counters (Tarkoma §III-A: it cannot overflow), over a long
// history in which few keys take most of the insertions; legal at first, then erasing whatever is
// claimed, strangers included.
TEST(multilayer_counting, answers_as_unbounded_counters_do) {
  for (const multilayer_counting_shape shape :
       {multilayer_counting_shape{5000, 7}, {700, 5}, {60'000, 3}, {40, 12}}) {
    multilayer_counting_filter filter(shape);
    unbounded_counting oracle(shape.counters);
    std::map<digest, std::uint64_t> live;
    const auto pool = numbered_digests(1, 400);
    for (std::uint64_t step = 0; step < 12'000; ++step) {
      const std::uint64_t draw = hash::mix(step);
      const digest d = pool[draw % 4 == 0 ? hash::mix(draw) % pool.size() : hash::mix(draw) % 6];
      const auto at = filter.cells().locate(d);
      if (hash::mix(~step) % 8 < (step < 6000 ? 6U : 2U)) {
        ASSERT_EQ(filter.insert(d), oracle.insert(at));
        ++live[d];
      } else if (step > 9000 || live[d] > 0) {
        const bool gone = oracle.erase(at);
        ASSERT_EQ(filter.erase(d), gone);
        if (gone && live[d] > 0) --live[d];
      }
      ASSERT_EQ(filter.count(d), oracle.count(at)) << "at " << step;
      ASSERT_EQ(filter.may_contain(d), oracle.count(at) != 0);
      ASSERT_TRUE(step > 9000 || filter.count(d) >= live[d]);
    }
    for (const digest d : pool) {
      EXPECT_EQ(filter.count(d), oracle.count(filter.cells().locate(d)));
    }
  }
}

TEST(multilayer_counting, nothing_overflows) {
  auto filter = multilayer_counting_filter::for_keys(2000, 0.01);
  filter.insert(numbered_digests(2, 2000));
  const auto before = wire::save(filter);
  const digest often{1, 2};
  for (int i = 0; i < 5000; ++i) filter.insert(often);
  EXPECT_GE(filter.count(often), 5000U);
  EXPECT_LE(filter.count(often), 5005U);
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(filter.erase(often));
  EXPECT_EQ(wire::save(filter), before);
}

TEST(multilayer_counting, layer_0_is_the_standard_filter_of_the_live_keys) {
  multilayer_counting_filter filter({9000, 5});
  const auto keys = numbered_digests(3, 1200);
  filter.insert(keys);
  filter.erase(std::span(keys).first(500));
  standard_filter live({9000, 5});
  live.insert(std::span(keys).subspan(500));
  EXPECT_EQ(filter.plain().cells().bits().count(), live.cells().bits().count());
  EXPECT_EQ(filter.plain().cells().bits().count_common(live.cells().bits()),
            live.cells().bits().count());
}

TEST(multilayer_counting, merging_adds_the_counters) {
  expect_merging_to_add<multilayer_counting_filter>();
}

// A counter of value c has c + 1 bits. The first layer, and then each 32,768 counters, are padded to
// whole lines.
::testing::AssertionResult takes_bits(double bytes, double bits, std::uint64_t counters) {
  const double padding = 512 * (1 + std::ceil(static_cast<double>(counters) / 32'768));
  if (8 * bytes >= bits && 8 * bytes < bits + padding) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << bytes << " bytes for " << bits << " bits";
}

// The published example of the ML-CCBF, n = 2000, k = 10, m = 28000, takes 6.13 KB with the tables
// where four-bit counters take 14.1 KB: 56 % less. Ours are whole lines, with tables in memory
// only, 32 bits for each 512 counters.
TEST(multilayer_counting, takes_the_size_of_the_literature) {
  for (const auto& [shape, keys] : {std::pair(multilayer_counting_shape{28'000, 10}, 2000U),
                                    {multilayer_counting_filter::plan(30'000, 0.01), 30'000U}}) {
    multilayer_counting_filter filter(shape);
    std::uint64_t sum = 0;
    for (const digest d : numbered_digests(7, keys)) {
      filter.insert(d);
      sum += filter.cells().locate(d).size();
    }
    std::uint64_t bytes = 0;
    for (const byte_view part : filter.payload()) bytes += part.size();
    EXPECT_TRUE(takes_bits(static_cast<double>(bytes), static_cast<double>(shape.counters + sum),
                           shape.counters));
    EXPECT_TRUE(takes_bits(static_cast<double>(multilayer_counting_filter::payload_bytes(shape)),
                           math::unary_bits(shape.counters, math::half_fill_load), shape.counters));
    if (keys != 2000) continue;
    EXPECT_LE(bytes, 6130U);
    const std::uint64_t tables = 28'000 / 512 * 4 + 4;
    EXPECT_LE(static_cast<double>(bytes + tables),
              0.45 * static_cast<double>(counting_filter::payload_bytes({28'000, 10, 4})));
  }
}

}  // namespace
}  // namespace bloomery::testing
