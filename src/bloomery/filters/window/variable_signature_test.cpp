#include "bloomery/filters/window/variable_signature.hpp"

#include <algorithm>
#include <vector>

#include "bloomery/filters/set/standard.hpp"
#include "bloomery/hash/mix.hpp"
#include "bloomery/wire/filter_io.hpp"
#include "rate.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

static_assert(able<variable_signature_filter, loses> && able<variable_signature_filter, erases>);

// Tarkoma §III-L: q = t = k and nothing swept is the standard filter, to the bit.
TEST(variable_signature, whole_signatures_never_swept_are_the_standard_filter) {
  variable_signature_filter filter({5000, 7, 7, 7, 0, 1});
  standard_filter standard({5000, 7});
  for (const digest d : numbered_digests(1, 700)) ASSERT_EQ(filter.insert(d), standard.insert(d));
  const byte_view bits = filter.payload()[1];
  const byte_view expected = standard.cells().bits().bytes();
  EXPECT_TRUE(std::equal(bits.begin(), bits.end(), expected.begin(), expected.end()));
  for (const digest d : numbered_digests(2, 3000)) {
    ASSERT_EQ(filter.may_contain(d), standard.may_contain(d));
  }
}

TEST(variable_signature, is_what_the_survey_says) {
  for (const variable_signature_shape shape : {variable_signature_shape{300, 10, 8, 6, 5, 1},
                                               {100, 6, 6, 4, 100, 1},
                                               {257, 5, 2, 2, 3, 1},
                                               {400, 12, 12, 1, 40, 1}}) {
    variable_signature_filter filter(shape);
    std::vector<bool> bits(shape.bits, false);
    const hash::uniform_probes probes{shape.bits, shape.hashes};
    const auto held = [&](digest d) {
      std::uint64_t set = 0;
      for (std::uint64_t i = 0; i < shape.hashes; ++i) set += std::uint64_t{bits[probes.at(d, i)]};
      return set >= shape.needed;
    };
    std::uint64_t next = 0;
    const auto pool = numbered_digests(3, 40);
    for (std::uint64_t step = 0; step < 2000; ++step) {
      const digest d = pool[hash::reduce(hash::mix(step), pool.size())];
      if (step % 5 == 4) {
        const bool present = held(d);
        ASSERT_EQ(filter.erase(d), present);
        for (std::uint64_t i = 0; present && i < shape.hashes; ++i) bits[probes.at(d, i)] = false;
        ASSERT_FALSE(filter.may_contain(d));
      } else {
        for (std::uint64_t i = 0; i < shape.swept; ++i) bits[next++ % shape.bits] = false;
        ASSERT_EQ(filter.insert(d), !held(d));
        for (std::uint64_t i = 0; i < shape.marks; ++i) bits[probes.at(d, i)] = true;
        ASSERT_TRUE(filter.may_contain(d)) << "a fresh key is always found";
      }
      for (const digest x : pool) ASSERT_EQ(filter.may_contain(x), held(x));
      if (step % 50 == 0) filter = wire::load<variable_signature_filter>(wire::save(filter));
    }
  }
}

// At least q=8 of k=10 bits at a fill of .3: .00159; here with t=10 and the sweep that keeps the
// fill there. 100 filters, 20,000 strangers each.
TEST(variable_signature, has_the_rate_of_a_binomial_tail) {
  EXPECT_NEAR(math::at_least_of(10, 8, 0.3), 0.00159, 5e-6);
  variable_signature_shape shape{20'000, 10, 10, 8, 13, 1};  // u = 10/13 marks in a round: .302
  EXPECT_NEAR(math::signature_fill(shape.size(), 1'000'000), 0.302, 1e-3);
  EXPECT_TRUE(rate_as_predicted<variable_signature_filter>(shape, 4000, 100, 20'000));
  EXPECT_TRUE(rate_as_predicted<variable_signature_filter>(shape, 1000, 100, 20'000)) << "young";
  shape.marks = 8;
  shape.needed = 5;
  EXPECT_TRUE(rate_as_predicted<variable_signature_filter>(shape, 4000, 100, 5000)) << "partial";
}

// 60 filters, 2000 keys each. Whole signatures miss alike in young and old filters; partial ones are
// asked for in filters that were empty.
TEST(variable_signature, misses_as_often_as_it_says) {
  const auto planned = variable_signature_filter::plan(500, 0.02);
  EXPECT_LE(variable_signature_filter::predicted_false_negatives(planned, 500),
            math::planned_misses);
  EXPECT_TRUE(misses_as_predicted<variable_signature_filter>(planned, 500, 0, 60, 2000));
  EXPECT_TRUE(misses_as_predicted<variable_signature_filter>(planned, 700, 3000, 60, 2000));
  const variable_signature_shape partial{3000, 10, 8, 6, 6, 1};
  EXPECT_TRUE(misses_as_predicted<variable_signature_filter>(partial, 200, 0, 4000, 1));
}

TEST(variable_signature, says_what_it_refuses) {
  const auto build = [](variable_signature_shape shape) { variable_signature_filter{shape}; };
  EXPECT_TRUE(throws_error(errc::invalid, "needed", [&] { build({100, 10, 6, 7, 1, 1}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "marks", [&] { build({100, 10, 11, 7, 1, 1}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "swept", [&] { build({100, 10, 9, 7, 101, 1}); }));
}

}  // namespace
}  // namespace bloomery::testing
