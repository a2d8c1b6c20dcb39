// Every kind, whatever its shape: a rate is a probability, and no keys have none.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bloomery/any/registry.hpp"
#include "bloomery/core/error.hpp"
#include "kind_names.hpp"
#include "testing.hpp"

namespace bloomery::testing {
namespace {

class every_rate : public ::testing::TestWithParam<std::string> {
 protected:
  std::mt19937_64 random_{1};

  // Values at and near the ends of their ranges, and between.
  std::vector<field_value> any_shape(const any_kind& kind) {
    std::vector<field_value> shape;
    for (const field_info& field : kind.fields) {
      if (const auto* low = std::get_if<std::uint64_t>(&field.low)) {
        const std::uint64_t span = std::get<std::uint64_t>(field.high) - *low;
        const std::uint64_t beyond[] = {0, 1, 2, 3, 7, 16, 64, 1000, random_() % 70'000};
        shape.emplace_back(*low + std::min(span, beyond[random_() % std::size(beyond)]));
      } else {
        const auto low_end = std::get<double>(field.low);
        const double share = static_cast<double>(random_() % 256) / 255;
        shape.emplace_back(low_end + (std::get<double>(field.high) - low_end) * share);
      }
    }
    return shape;
  }
};

std::string said_of(const any_kind& kind, const std::vector<field_value>& shape) {
  std::string said;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    said += std::string(kind.fields[i].name) + "=" + format_value(kind.fields[i], shape[i]) + " ";
  }
  return said;
}

TEST_P(every_rate, is_a_probability) {
  const any_kind& kind = find_kind(GetParam());
  std::uint64_t shapes = 0;
  for (int i = 0; i < 150 && shapes < 25 * full_factor(); ++i) {
    const std::vector<field_value> shape = any_shape(kind);
    try {
      (void)kind.payload_bytes(shape);
    } catch (const error&) {
      continue;  // no such shape
    }
    ++shapes;
    for (const std::uint64_t keys : {0U, 1U, 2U, 100U, 4096U, 65'535U, 1'000'000U}) {
      const auto check = [&](double rate, const char* what) {
        const std::string said = said_of(kind, shape);
        EXPECT_TRUE(rate >= 0 && rate <= 1)
            << what << ' ' << rate << " of " << keys << ": " << said;
        EXPECT_FALSE(rate == 0 && std::signbit(rate)) << what << " of " << keys << ": " << said;
      };
      check(kind.predicted_rate(shape, keys), "rate");
      if (kind.info.false_negatives) check(kind.predicted_false_negatives(shape, keys), "misses");
    }
  }
  EXPECT_GE(shapes, 10U);
}

INSTANTIATE_TEST_SUITE_P(kinds, every_rate, kinds_that(every), name_of_kind);

}  // namespace
}  // namespace bloomery::testing
