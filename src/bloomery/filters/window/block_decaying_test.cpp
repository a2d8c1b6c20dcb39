#include "bloomery/filters/window/block_decaying.hpp"

#include <algorithm>
#include <vector>

#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

// There are enough cells that no two keys meet. Nothing younger than W is lost, and nothing as old
// as W + 2T is left. One less than the start value would lose some.
TEST(block_decaying, forgets_between_w_and_w_plus_two_t) {
  for (const block_decaying_shape shape : {block_decaying_shape{1, 1 << 20, 3, 20},
                                           {4, 1 << 18, 3, 50},
                                           {50, 1 << 14, 3, 101},
                                           {100, 1 << 13, 2, 60},
                                           {7, 1 << 17, 1, 1}}) {
    block_decaying_filter filter(shape);
    const std::uint64_t gone = shape.window + 2 * shape.blocks;
    std::uint64_t oldest = 0;
    for (std::uint64_t step = 0; step < 8 * gone; ++step) {
      filter.insert(numbered_digest(1, step));
      for (std::uint64_t age = 0; age <= std::min(step, gone + 5); ++age) {
        const bool found = filter.may_contain(numbered_digest(1, step - age));
        if (found) oldest = std::max(oldest, age);
        ASSERT_TRUE(found || age >= shape.window) << age;
        ASSERT_FALSE(found && age >= gone) << age;
      }
    }
    EXPECT_GE(oldest + shape.blocks, shape.window);
  }
}

// Against counters that are taken down one by one, crowded and with repeats.
TEST(block_decaying, is_what_the_paper_says) {
  for (const block_decaying_shape shape :
       {block_decaying_shape{10, 13, 3, 40}, {3, 50, 4, 100}, {20, 7, 2, 20}}) {
    block_decaying_filter filter(shape);
    std::vector<std::uint64_t> counters(shape.cell_count(), 0);
    const std::uint64_t start = (shape.window - 1 + shape.blocks - 1) / shape.blocks + 1;
    const auto pool = numbered_digests(2, 60);
    const hash::uniform_probes probes{counters.size(), shape.hashes};
    const auto held = [&](digest d) {
      return probes.all(d, [&](std::uint64_t at) { return counters[at] != 0; });
    };
    for (std::uint64_t step = 0; step < 3000; ++step) {
      const digest d = pool[hash::reduce(hash::mix(step), pool.size())];
      for (std::uint64_t i = 0; i < shape.block_cells; ++i) {
        std::uint64_t& counter = counters[step % shape.blocks * shape.block_cells + i];
        counter -= std::uint64_t{counter != 0};
      }
      ASSERT_EQ(filter.insert(d), !held(d));
      hash::each_position(probes, d, [&](std::uint64_t at) { counters[at] = start; });
      for (const digest x : pool) ASSERT_EQ(filter.may_contain(x), held(x));
      if (step % 50 == 0) filter = wire::load<block_decaying_filter>(wire::save(filter));
    }
  }
}

// 60 filters, 20,000 strangers each: when cells begin to forget, half-way, and much later.
TEST(block_decaying, keeps_its_rate_for_ever) {
  const auto shape = block_decaying_filter::plan(400, 0.02);
  for (const std::uint64_t n : {500U, 3000U}) {
    EXPECT_LE(block_decaying_filter::predicted_rate(shape, n), 0.02);
    EXPECT_TRUE(rate_as_predicted<block_decaying_filter>(shape, n, 60, 20'000));
  }
}

TEST(block_decaying, says_what_it_refuses) {
  EXPECT_TRUE(throws_error(errc::limit, "counters", [] {
    block_decaying_filter({1, max_bits, 3, 9});
  }));
  block_decaying_filter filter({4, 8, 2, 14});  // counters of 5 in three bits
  storage all = storage::allocate(128);
  all.bytes_for_writing()[0] = std::byte{1};
  all.bytes_for_writing()[64] = std::byte{5};
  EXPECT_NO_THROW((void)block_decaying_filter::restore(filter.shape(), {}, all));
  all.bytes_for_writing()[64] = std::byte{6};
  EXPECT_TRUE(throws_error(errc::corrupt, "cell 0",
                           [&] { (void)block_decaying_filter::restore(filter.shape(), {}, all); }));
}

}  // namespace
}  // namespace bloomery::testing
