// What is its own: the rest is in retrieval_set_test.cpp.
#include "bloomery/filters/map/fuse.hpp"

#include <gtest/gtest.h>

#include "testing.hpp"

namespace bloomery {
namespace {

using testing::numbered_digests;
using testing::throws_error;

double bits_per_key(std::uint64_t keys, double rate) {
  return 8 * static_cast<double>(fuse_filter::payload_bytes(fuse_filter::plan(keys, rate))) /
         static_cast<double>(keys);
}

TEST(fuse_filter, costs_what_it_should) {
  EXPECT_LE(bits_per_key(1'000'000, 0.001), 11.5);
  EXPECT_LE(bits_per_key(100'000'000, 0.001), 11.26);
  EXPECT_LE(bits_per_key(1'000'000, 0.004), 9.1);
  EXPECT_LE(bits_per_key(1'000'000, 0.3), 2.3);
}

// Repeated ones are counted once; a file may have had more of them, never fewer than are distinct.
TEST(fuse_filter, knows_how_many_keys_are_distinct) {
  auto keys = numbered_digests(5, 100);
  keys.push_back(keys.front());
  const auto filter = fuse_filter::build(fuse_filter::plan(100, 0.01), keys);
  EXPECT_EQ(filter.cells().distinct_keys(), 100U);
  EXPECT_EQ(filter.record().items, 101U);
  const auto restore = [&](std::uint64_t items) {
    filter_record record = filter.record();
    record.items = items;
    (void)fuse_filter::restore(filter.shape(), record, storage::view(filter.payload().front()));
  };
  EXPECT_NO_THROW(restore(100));
  EXPECT_TRUE(throws_error(errc::corrupt, "holds 100 keys of 99", [&] { restore(99); }));
}

TEST(fuse_filter, refuses_shapes_beyond_the_limit) {
  fuse_shape shape{max_bits >> 10, 10, 3, 8};
  EXPECT_TRUE(throws_error(errc::limit, "segments of 8192 bits are more than",
                           [&] { (void)fuse_filter(shape); }));
  shape = {max_bits, 20, 4, 32};
  EXPECT_TRUE(throws_error(errc::limit, "are more than", [&] { require_valid(shape); }));
}

}  // namespace
}  // namespace bloomery
