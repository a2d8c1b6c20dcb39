// Sets of the static tables: what holds of fuse and ribbon alike.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bloomery/filters/map/fuse.hpp"
#include "bloomery/filters/map/retrieval_cells.hpp"
#include "bloomery/filters/map/ribbon.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery {
namespace {

using testing::numbered_digests;
using testing::throws_error;

template <unsigned arity>
struct fuse_of {
  using filter = fuse_filter;
  static fuse_shape shape(std::uint64_t keys, unsigned bits) {
    const math::fuse_size size = math::plan_fuse(std::max<std::uint64_t>(keys, 1), arity);
    return {size.segments, size.segment_log2, arity, bits};
  }
  static constexpr double rate_slack = 1e-12;  // of equal slots and fingerprint: n/2^59
  static constexpr auto too_many = "2,000 distinct keys do not fit";
  static constexpr auto keys_of_none = "holds 100 keys of 0";
  static constexpr auto none_of_one = "holds 0 keys of 1";
};

struct ribbon {
  using filter = ribbon_filter;
  static ribbon_shape shape(std::uint64_t keys, unsigned bits) {
    return {std::max<std::uint64_t>(keys, 1), bits};
  }
  static constexpr double rate_slack = 1e-13;
  static constexpr auto too_many = "keys among 2,000 do not fit into a table laid out for";
  static constexpr auto keys_of_none = "holds keys, and 0 are";
  static constexpr auto none_of_one = "holds no keys, and 1 are";
};

template <class Kind>
class retrieval_filters : public ::testing::Test {};
using kinds = ::testing::Types<fuse_of<3>, fuse_of<4>, ribbon>;
TYPED_TEST_SUITE(retrieval_filters, kinds);

// Every small number of keys, each with three sets of them.
TYPED_TEST(retrieval_filters, hold_any_number_of_keys) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    for (std::uint64_t set = 0; set < 3; ++set) {
      const auto keys = numbered_digests(10 * n + set, n);
      const auto filter = TypeParam::filter::build(TypeParam::shape(n, 12), keys);
      ASSERT_EQ(filter.record().items, n);
      for (const digest d : keys) ASSERT_TRUE(filter.may_contain(d)) << n;
      // 12 bits: 10 strangers of 100 are a proof that something is wrong.
      std::uint64_t hits = 0;
      for (const digest d : numbered_digests(10 * n + set, 100, n)) {
        hits += std::uint64_t{filter.may_contain(d)};
      }
      ASSERT_LT(hits, n == 0 ? 1 : 10) << n;
    }
  }
}

TYPED_TEST(retrieval_filters, hold_what_a_set_holds) {
  using filter_type = typename TypeParam::filter;
  std::set<digest> oracle;
  std::vector<digest> given;
  const auto pool = numbered_digests(1, 5000);
  for (std::uint64_t i = 0; i < 8000; ++i) {
    given.push_back(pool[hash::mix(i) % pool.size()]);
    oracle.insert(given.back());
  }
  const auto filter = filter_type::build(TypeParam::shape(oracle.size(), 30), given);
  EXPECT_EQ(filter.record().items, given.size());
  for (const digest d : pool) EXPECT_EQ(filter.may_contain(d), oracle.contains(d));
}

// One filter each of a few keys and of many; 4 million strangers.
TYPED_TEST(retrieval_filters, rate_is_two_to_the_minus_bits) {
  using filter_type = typename TypeParam::filter;
  constexpr std::uint64_t asked = 1 << 22;
  for (const unsigned bits : {1U, 4U, 8U, 10U, 13U, 16U}) {
    for (const std::uint64_t n : {5000U, 100'000U}) {
      const auto shape = TypeParam::shape(n, bits);
      EXPECT_NEAR(filter_type::predicted_rate(shape, n), std::ldexp(1, -static_cast<int>(bits)),
                  TypeParam::rate_slack);
      const auto filter = testing::large_filter<filter_type>(shape, n);
      EXPECT_TRUE(testing::large_rate_as_predicted(filter, n, asked)) << n << " of " << bits;
    }
  }
}

// A few keys: most rows are zero, or strangers share all slots with a key: the fingerprint decides.
TYPED_TEST(retrieval_filters, keep_their_rate_with_few_keys) {
  using filter_type = typename TypeParam::filter;
  for (const std::uint64_t n : {1U, 3U, 10U, 1000U}) {
    const auto as_predicted = [n](unsigned bits, std::uint64_t asked) {
      return testing::rate_as_predicted<filter_type>(TypeParam::shape(n, bits), n, 2000, asked);
    };
    EXPECT_TRUE(as_predicted(4, 1000)) << n;
    EXPECT_TRUE(as_predicted(9, 10'000)) << n;
  }
}

TYPED_TEST(retrieval_filters, of_no_keys_say_no) {
  using filter_type = typename TypeParam::filter;
  for (const unsigned bits : {1U, 8U}) {
    const filter_type empty(TypeParam::shape(100, bits));
    const auto asked = numbered_digests(3, 1000);
    const auto answers = std::make_unique<bool[]>(asked.size());
    for (const digest d : asked) EXPECT_FALSE(empty.may_contain(d));
    EXPECT_EQ(empty.may_contain(asked, {answers.get(), asked.size()}), 0U);
    EXPECT_EQ(filter_type::predicted_rate(empty.shape(), 0), 0);
  }
}

TYPED_TEST(retrieval_filters, refuse_more_keys_than_their_shape_holds) {
  using filter_type = typename TypeParam::filter;
  const auto shape = TypeParam::shape(1000, 8);
  EXPECT_EQ(filter_type::predicted_rate(shape, 2000), 1);
  EXPECT_TRUE(throws_error(errc::limit, TypeParam::too_many,
                           [&] { (void)filter_type::build(shape, numbered_digests(4, 2000)); }));
  EXPECT_TRUE(
      throws_error(errc::limit, "not a rate of", [] { (void)filter_type::plan(1000, 1e-12); }));
}

// The record and the table tell the same story, or the file is refused.
TYPED_TEST(retrieval_filters, refuse_a_record_that_belies_the_table) {
  using filter_type = typename TypeParam::filter;
  const auto restored = [](const filter_type& f, std::uint64_t items) {
    filter_record record = f.record();
    record.items = items;
    return [&f, record] {
      (void)filter_type::restore(f.shape(), record, storage::view(f.payload().front()));
    };
  };
  const auto filter = filter_type::build(TypeParam::shape(100, 8), numbered_digests(5, 100));
  EXPECT_NO_THROW(restored(filter, 100)());
  EXPECT_TRUE(throws_error(errc::corrupt, TypeParam::keys_of_none, restored(filter, 0)));
  const filter_type empty(filter.shape());
  EXPECT_NO_THROW(restored(empty, 0)());
  EXPECT_TRUE(throws_error(errc::corrupt, TypeParam::none_of_one, restored(empty, 1)));
}

}  // namespace
}  // namespace bloomery
