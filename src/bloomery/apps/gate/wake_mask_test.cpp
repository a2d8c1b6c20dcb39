#include "bloomery/apps/gate/wake_mask.hpp"

#include "bloomery/filters/set/standard.hpp"
#include "testing.hpp"

namespace bloomery::apps {
namespace {

using testing::numbered_digest;
using testing::throws_error;

// A standard filter of the same shape is the oracle, bit for bit.
TEST(wake_mask, answers_as_a_standard_filter_does) {
  constexpr std::uint64_t strangers = 2000;
  for (const std::uint64_t bits : {1U, 7U, 63U, 64U, 65U, 200U, 256U}) {
    standard_filter oracle({.bits = bits, .hashes = 3});
    wake_mask frame(bits);
    for (std::uint64_t i = 0; i < 12; ++i) {
      oracle.insert(numbered_digest(1, i));
      frame |= wake_mask(numbered_digest(1, i), bits, 3);
    }
    for (std::uint64_t i = 0; i < strangers; ++i) {
      const digest device = numbered_digest(1, i);
      EXPECT_EQ(frame.wakes(wake_mask(device, bits, 3)), oracle.may_contain(device)) << bits;
    }
  }
}

TEST(wake_mask, refuses_what_is_no_mask) {
  EXPECT_TRUE(throws_error(errc::invalid, "bits", [] { wake_mask mask(0); }));
  EXPECT_TRUE(throws_error(errc::invalid, "bits", [] { wake_mask mask(257); }));
  EXPECT_TRUE(throws_error(errc::invalid, "hashes", [] { wake_mask mask({}, 64, 0); }));
  EXPECT_TRUE(throws_error(errc::incompatible, "64", [] { wake_mask(64) |= wake_mask(65); }));
}

}  // namespace
}  // namespace bloomery::apps
