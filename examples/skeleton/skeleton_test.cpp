#include "skeleton.hpp"

#include <set>

#include "conformance.hpp"

namespace bloomery::testing {
namespace {

// What every kind must do. Once the kind is in any/kinds.hpp this line goes: the registry's own
// conformance test has it.
const bool registered = register_conformance<skeleton_filter>();

// And what only this one does.
TEST(Skeleton, SetsTheBitOfTheKeyAndNoOther) {
  skeleton_filter filter(skeleton_shape{.bits = 1000});
  std::set<std::uint64_t> oracle;
  for (const digest d : numbered_digests(1, 500)) {
    EXPECT_EQ(filter.insert(d), oracle.insert(hash::reduce(d.lo, 1000)).second);
  }
  for (const digest d : numbered_digests(2, 5000)) {
    EXPECT_EQ(filter.may_contain(d), oracle.contains(hash::reduce(d.lo, 1000)));
  }
}

TEST(Skeleton, PlanIsTheSmallestThatKeepsThePromise) {
  for (const double rate : {0.5, 0.01, 1e-6}) {
    const skeleton_shape shape = skeleton_filter::plan(1000, rate);
    EXPECT_LE(skeleton_filter::predicted_rate(shape, 1000), math::with_reserve(rate));
    EXPECT_GT(skeleton_filter::predicted_rate({shape.bits - 1}, 1000), math::with_reserve(rate));
  }
  EXPECT_TRUE(
      throws_error(errc::limit, "reaches", [] { (void)skeleton_filter::plan(max_keys, 0.1); }));
}

TEST(Skeleton, MergeOfPartsIsTheFilterOfTheWhole) {
  const auto keys = numbered_digests(1, 300);
  auto whole = skeleton_filter::for_keys(300, 0.1);
  auto first = whole.copy();
  auto second = whole.copy();
  whole.insert(keys);
  first.insert(std::span(keys).first(200));
  second.insert(std::span(keys).subspan(200));
  first.merge(second);
  EXPECT_EQ(wire::save(first), wire::save(whole));
}

TEST(Skeleton, BitsInThePaddingAreRefused) {
  const skeleton_shape shape{.bits = 100};
  storage stored = storage::allocate(skeleton_filter::payload_bytes(shape));
  stored.bytes_for_writing()[13] = std::byte{1};  // bit 104
  EXPECT_TRUE(throws_error(errc::corrupt, "padding",
                           [&] { (void)skeleton_filter::restore(shape, {}, std::move(stored)); }));
}

}  // namespace
}  // namespace bloomery::testing
