#include "bloomery/core/fields.hpp"

#include <cmath>
#include <limits>

#include "testing.hpp"

namespace bloomery {
namespace {

using testing::throws_error;

struct tub_shape {
  std::uint64_t cells = 0;
  double load = 0;
  std::uint64_t ducks = 0;

  static constexpr std::array fields{
      whole_field("cells", "how many cells", &tub_shape::cells, 1, 1000),
      real_field("load", "how full", &tub_shape::load, 0.25, 1.0),
      whole_field("ducks", "how many ducks", &tub_shape::ducks, 0, ~std::uint64_t{0}),
  };
  void check() const {
    if (ducks > cells) fail(errc::invalid, "more ducks than cells");
  }
};

const field_info& info(std::size_t i) {
  return tub_shape::fields.at(i).info;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(fields, accept_both_ends_of_the_range) {
  EXPECT_NO_THROW(require_in_range(info(0), std::uint64_t{1}));
  EXPECT_NO_THROW(require_in_range(info(0), std::uint64_t{1000}));
  EXPECT_NO_THROW(require_in_range(info(1), 0.25));
  EXPECT_NO_THROW(require_in_range(info(1), 1.0));
  EXPECT_NO_THROW(require_in_range(info(2), ~std::uint64_t{0}));
}

TEST(fields, refusals_name_field_value_and_range) {
  EXPECT_TRUE(throws_error(errc::invalid, "cells is 0; allowed: 1 to 1000",
                           [] { require_in_range(info(0), std::uint64_t{0}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "cells is 1001; allowed: 1 to 1000",
                           [] { require_in_range(info(0), std::uint64_t{1001}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "load is 0.125; allowed: 0.25 to 1",
                           [] { require_in_range(info(1), 0.125); }));
  EXPECT_TRUE(throws_error(errc::invalid, "load is 1.5; allowed: 0.25 to 1",
                           [] { require_in_range(info(1), 1.5); }));
}

TEST(fields, refuse_what_is_not_a_number) {
  EXPECT_TRUE(throws_error(errc::invalid, "load is", [] { require_in_range(info(1), nan); }));
  EXPECT_TRUE(throws_error(errc::invalid, "load is", [] { require_in_range(info(1), infinity); }));
  EXPECT_TRUE(throws_error(errc::invalid, "load is", [] { require_in_range(info(1), -infinity); }));
  const field_info unbounded{"any", "", -infinity, infinity};
  EXPECT_TRUE(
      throws_error(errc::invalid, "any is", [&] { require_in_range(unbounded, infinity); }));
}

TEST(fields, parse_as_people_write) {
  EXPECT_EQ(parse_field(info(0), "0.5k"), field_value{std::uint64_t{500}});
  EXPECT_EQ(parse_field(info(1), "50%"), field_value{0.5});
  EXPECT_EQ(parse_field(info(2), "18446744073709551615"), field_value{~std::uint64_t{0}});
}

TEST(fields, parse_errors_name_the_field_once) {
  EXPECT_TRUE(throws_error(errc::invalid, "cells: 'many' is not understood",
                           [] { parse_field(info(0), "many"); }));
  EXPECT_TRUE(throws_error(errc::invalid, "cells is 2000000; allowed: 1 to 1000",
                           [] { parse_field(info(0), "2M"); }));
  EXPECT_TRUE(throws_error(errc::limit, "ducks: ", [] { parse_field(info(2), "18446745T"); }));
  try {
    parse_field(info(0), "0");
    FAIL() << "nothing was thrown";
  } catch (const error& problem) {
    EXPECT_STREQ(problem.what(), "cells is 0; allowed: 1 to 1000");
  }
}

TEST(fields, format_without_loss) {
  EXPECT_EQ(format_value(std::uint64_t{9'007'199'254'740'993}), "9007199254740993");
  EXPECT_EQ(format_value(0.25), "0.25");
  EXPECT_EQ(std::stod(format_value(0.1)), 0.1);
  EXPECT_EQ(format_range(info(1)), "0.25 to 1");
  EXPECT_EQ(format_range(info(2)), "0 to 18446744073709551615");
}

TEST(fields, travel_as_eight_bytes) {
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{77}, ~std::uint64_t{0}}) {
    EXPECT_EQ(encode_value(value), value);
    EXPECT_EQ(decode_value(info(0), value), field_value{value});
  }
  EXPECT_EQ(encode_value(1.0), 0x3ff0000000000000U) << "IEEE 754";
  for (const double value : {0.0, -0.0, 0.1, 1e-300, infinity}) {
    const auto back = std::get<double>(decode_value(info(1), encode_value(value)));
    EXPECT_EQ(back, value);
    EXPECT_EQ(std::signbit(back), std::signbit(value));
  }
}

TEST(shapes, list_their_fields_in_order) {
  const auto infos = field_infos<tub_shape>();
  ASSERT_EQ(infos.size(), 3U);
  EXPECT_EQ(infos[0].name, "cells");
  EXPECT_EQ(infos[1].name, "load");
  EXPECT_EQ(infos[2].help, "how many ducks");
}

TEST(shapes, survive_the_trip_through_values) {
  const tub_shape shape{.cells = 12, .load = 0.7, .ducks = 3};
  const auto values = values_of(shape);
  const std::vector<field_value> expected{std::uint64_t{12}, 0.7, std::uint64_t{3}};
  EXPECT_EQ(values, expected);
  const auto back = shape_from<tub_shape>(values);
  EXPECT_EQ(back.cells, 12U);
  EXPECT_EQ(back.load, 0.7);
  EXPECT_EQ(back.ducks, 3U);
}

TEST(shapes, are_checked_field_by_field_and_then_as_a_whole) {
  EXPECT_NO_THROW(require_valid(tub_shape{.cells = 2, .load = 0.5, .ducks = 2}));
  EXPECT_TRUE(throws_error(errc::invalid, "load is 2;",
                           [] { require_valid(tub_shape{.cells = 2, .load = 2, .ducks = 3}); }));
  EXPECT_TRUE(throws_error(errc::invalid, "more ducks",
                           [] { require_valid(tub_shape{.cells = 2, .load = 0.5, .ducks = 3}); }));
  const std::vector<field_value> bad{std::uint64_t{2}, 0.5, std::uint64_t{3}};
  EXPECT_TRUE(throws_error(errc::invalid, "more ducks", [&] { shape_from<tub_shape>(bad); }));
}

struct named_shape {
  std::uint64_t way = 0;
  double share = 0;
  static constexpr std::array<std::string_view, 3> ways{"one", "two", "three"};
  static constexpr std::array fields{
      choice_field("way", "how", &named_shape::way, ways),
      real_field("share", "of all", &named_shape::share, 0, 1),
  };
};

TEST(choices, go_by_their_names) {
  const field_info& way = named_shape::fields[0].info;
  EXPECT_EQ(parse_field(way, "two"), field_value{std::uint64_t{1}});
  EXPECT_EQ(format_value(way, std::uint64_t{2}), "three");
  EXPECT_EQ(format_range(way), "one, two, three");
  for (const char* bad : {"four", "1", ""}) {
    EXPECT_TRUE(testing::throws_error(errc::invalid, "allowed: one, two, three",
                                      [&] { (void)parse_field(way, bad); }));
  }
  EXPECT_TRUE(testing::throws_error(errc::invalid, "way is 3; allowed: one, two, three", [] {
    require_valid(named_shape{3, 0});
  }));
}

TEST(reals, are_written_in_the_fewest_digits_that_read_back) {
  EXPECT_EQ(format_value(0.85), "0.85");
  EXPECT_EQ(format_value(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(format_value(1e-15), "1e-15");
  const field_info& share = named_shape::fields[1].info;
  EXPECT_EQ(parse_field(share, format_value(0.1 + 0.2)), field_value{0.1 + 0.2});
}

}  // namespace
}  // namespace bloomery
