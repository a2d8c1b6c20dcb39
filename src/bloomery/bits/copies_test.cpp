// A copy of an array or table owns its memory, whether the original owns or views its own.
#include "bloomery/bits/array/bit_array.hpp"
#include "bloomery/bits/array/bit_string.hpp"
#include "bloomery/bits/array/clocked.hpp"
#include "bloomery/bits/array/counter_array.hpp"
#include "bloomery/bits/array/digest_list.hpp"
#include "bloomery/bits/array/layered_counters.hpp"
#include "bloomery/bits/array/ledger.hpp"
#include "bloomery/bits/array/line_counters.hpp"
#include "bloomery/bits/array/packed_array.hpp"
#include "bloomery/bits/array/top_keys.hpp"
#include "bloomery/bits/array/varying_counters.hpp"
#include "bloomery/bits/table/bucket_table.hpp"
#include "bloomery/bits/table/dleft_table.hpp"
#include "bloomery/bits/table/fuse_table.hpp"
#include "bloomery/bits/table/pair_cascade.hpp"
#include "bloomery/bits/table/peeled_table.hpp"
#include "bloomery/bits/table/perfect_hash.hpp"
#include "bloomery/bits/table/ribbon_table.hpp"
#include "bloomery/math/kinds/fuse.hpp"
#include "parts.hpp"

namespace bloomery::testing {
namespace {

// Restores with the arguments that come before the storage.
template <class Array, class... Args>
auto with(Args... args) {
  return [=](storage stored) { return Array(args..., std::move(stored)); };
}

TEST(copies, of_arrays_are_their_own) {
  expect_own_copies(bits::bit_array(600), with<bits::bit_array>(600U), [](auto& a) { a.set(599); });
  expect_own_copies(bits::packed_array(100, 13), with<bits::packed_array>(100U, 13U),
                    [](auto& a) { a.set(99, 7); });
  expect_own_copies(bits::counter_array(100, 4), with<bits::counter_array>(100U, 4U),
                    [](auto& a) { a.increment(99); });
  expect_own_copies(bits::line_counters(3, 4), with<bits::line_counters>(3U, 4U),
                    [](auto& a) { a.increment(2, 7, 1); });
  expect_own_copies(bits::ledger(9), with<bits::ledger>(9U), [](auto& a) { a.add(8, 1); });
  expect_own_copies(
      bits::clocked<bits::bit_array>(bits::bit_array(600)),
      [](storage stored) {
        return bits::clocked<bits::bit_array>(
            std::move(stored), [](storage rest) { return bits::bit_array(600, std::move(rest)); });
      },
      [](auto& a) { a.set_time(5); });
  expect_own_copies(bits::top_keys(3), with<bits::top_keys>(3U), [](auto& a) {
    a.offer({1, 2}, 3);
  });
  expect_own_copies(bits::digest_list(5, 7), with<bits::digest_list>(5U, 7U), [](auto& a) {
    a.add({1, 2}, 3);
  });
}

// Their bytes move to other memory as they grow.
TEST(copies, of_growing_arrays_are_their_own) {
  bits::bit_string bits;
  for (std::uint64_t i = 0; i < 600; ++i) bits.insert_zero(i);
  expect_own_copies(bits, with<bits::bit_string>(600U), [](auto& a) { a.flip(7); });
  expect_own_copies(bits::varying_counters(1000), with<bits::varying_counters>(1000U),
                    [](auto& a) { a.set(999, 12'345); });
  bits::layered_counters layers(1000);
  for (std::uint64_t i = 0; i < 1000; ++i) layers.increment(i * i % 1000);
  expect_own_copies(layers, with<bits::layered_counters>(1000U), [](auto& a) { a.increment(999); });
}

TEST(copies, of_tables_are_their_own) {
  expect_own_copies(bits::bucket_table(10, 4, 13), with<bits::bucket_table>(10U, 4U, 13U),
                    [](auto& a) { a.set(a.cell(9, 3), 5); });
  const bits::dleft_table::layout size{4, 40, 3, 12, 6};
  expect_own_copies(bits::dleft_table(size), with<bits::dleft_table>(size),
                    [](bits::dleft_table& a) {
                      a.search([&](const auto& by) {
                        return a.insert(by, a.locate({1, 2}), 9, [](std::uint64_t) {});
                      });
                    });
  const std::vector<std::uint64_t> levels{700, 50};
  const auto restored = [&](storage stored) { return bits::pair_cascade(levels, 3, stored); };
  expect_own_copies(bits::pair_cascade(levels, 3), restored, [](bits::pair_cascade& a) {
    (void)a.hold({.count = 2, .item = [](std::uint64_t i) {
                    return bits::pair_cascade::item{{i, 7}, 0, i == 1};
                  }});
  });
}

TEST(copies, of_tables_that_are_built_once_are_their_own) {
  const auto keys = numbered_digests(1, 100);
  const math::fuse_size size = math::plan_fuse(100, 3);
  const bits::fuse_layout fuse{size.segments, size.segment_log2, 3, 7};
  expect_own_copies(bits::fuse_table::of_fingerprints(fuse, keys), with<bits::fuse_table>(fuse));
  const bits::ribbon_layout ribbon{100, 5};
  expect_own_copies(bits::ribbon_table::of_fingerprints(ribbon, keys),
                    with<bits::ribbon_table>(ribbon));
  const bits::peeled_layout peeled{.slots = 200, .hashes = 3, .width = 17};
  const auto one = [](std::uint64_t, std::uint64_t) { return std::uint64_t{1}; };
  expect_own_copies(bits::peeled_table::build(peeled, keys, one), with<bits::peeled_table>(peeled));
  expect_own_copies(bits::perfect_hash::of(100, keys), with<bits::perfect_hash>(100U));
}

}  // namespace
}  // namespace bloomery::testing
