#include "bloomery/filters/window/decaying.hpp"

#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// The paper: with each arrival take every counter one down, ask, set the key's counters to W.
class plain_decaying {
 public:
  explicit plain_decaying(const decaying_shape& s)
      : probes_{s.cells, s.hashes}, window_(s.window), counters_(s.cells, 0) {}

  bool insert(digest d) {
    for (std::uint64_t& counter : counters_) counter -= std::uint64_t{counter != 0};
    const bool fresh = !contains(d);
    hash::each_position(probes_, d, [&](std::uint64_t at) { counters_[at] = window_; });
    return fresh;
  }
  [[nodiscard]] bool contains(digest d) const {
    return probes_.all(d, [&](std::uint64_t at) { return counters_[at] != 0; });
  }

 private:
  hash::uniform_probes probes_;
  std::uint64_t window_;
  std::vector<std::uint64_t> counters_;
};

// The same answers at every step, for cycles that come round many times, crowded or not, and
// for windows just below and at powers of two.
TEST(decaying, answers_as_if_every_counter_ran_down) {
  for (const decaying_shape shape : {decaying_shape{100, 3, 1},
                                     {7, 2, 3},
                                     {200, 4, 31},
                                     {200, 4, 32},
                                     {1, 1, 5},
                                     {500, 3, 100},
                                     {3000, 5, 7}}) {
    decaying_filter filter(shape);
    plain_decaying oracle(shape);
    const auto pool = numbered_digests(1, 3 * shape.window + 5);
    for (std::uint64_t step = 0; step < 40 * shape.window + 200; ++step) {
      const digest d = pool[hash::reduce(hash::mix(step), pool.size())];
      ASSERT_EQ(filter.insert(d), oracle.insert(d)) << step;
      for (std::uint64_t i = 0; i < 8; ++i) {
        const digest x = pool[hash::reduce(hash::mix(~(8 * step + i)), pool.size())];
        ASSERT_EQ(filter.may_contain(x), oracle.contains(x)) << step;
      }
      if (step % 64 == 0) filter = wire::load<decaying_filter>(wire::save(filter));
    }
  }
}

TEST(decaying, the_window_is_sharp) {
  decaying_filter filter({100'000, 3, 50});
  for (std::uint64_t step = 0; step < 3000; ++step) {
    filter.insert(numbered_digest(2, step));
    if (step < 50) continue;
    ASSERT_TRUE(filter.may_contain(numbered_digest(2, step - 49)));
    ASSERT_FALSE(filter.may_contain(numbered_digest(2, step - 50)));
  }
}

// W=1000, k=5, m=8000 give the rate of a standard filter of W keys, .0217, whatever came
// before. 100 filters, 5000 strangers.
TEST(decaying, has_the_rate_of_its_window) {
  const decaying_shape shape{8000, 5, 1000};
  EXPECT_NEAR(decaying_filter::predicted_rate(shape, 7300), 0.0217, 5e-5);
  EXPECT_TRUE(rate_as_predicted<decaying_filter>(shape, 7300, 100, 5000));
}

TEST(decaying, impossible_stamps_are_refused) {
  const decaying_shape shape{50, 2, 3};  // 3 bits, cycle of 7; 13 cells a sweep
  decaying_filter filter(shape);
  const auto payload_with = [&](std::uint64_t time, std::uint64_t stamp) {
    storage all = storage::allocate(128);
    all.bytes_for_writing()[0] = static_cast<std::byte>(time);
    all.bytes_for_writing()[64] = static_cast<std::byte>(stamp);  // cell 0
    return all;
  };
  const auto restore = [&](std::uint64_t time, std::uint64_t stamp) {
    (void)decaying_filter::restore(shape, {}, payload_with(time, stamp));
  };
  EXPECT_NO_THROW(restore(0, 0));
  EXPECT_NO_THROW(restore(2, 2));
  EXPECT_NO_THROW(restore(4, 2));
  EXPECT_TRUE(throws_error(errc::corrupt, "cell 0", [&] { restore(0, 1); }));
  EXPECT_TRUE(throws_error(errc::corrupt, "cell 0", [&] { restore(2, 3); })) << "the future";
  // The hand was at cell 0 in the fourth arrival, when stamp 1 was three old.
  EXPECT_TRUE(throws_error(errc::corrupt, "cell 0", [&] { restore(4, 1); })) << "swept";
}

}  // namespace
}  // namespace bloomery::testing
